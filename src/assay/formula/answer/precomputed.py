"""Precomputed answers: a folder with one file per problem, formulas as JSON or as plain text."""

from __future__ import annotations

from pathlib import Path

from assay.core import SubjectFailed, find_inside
from assay.formula.answer.answer import FormulaAnswer, encode
from assay.formula.answer.model_files import read_formulas

__all__ = ["precomputed_answer"]


def precomputed_answer(folder: Path, problem: str) -> bytes:
    """The encoded answer to one problem.

    ``<problem>.json`` is an answer as it is; ``<problem>.txt`` holds one formula per line, the model the subject stands
    by first; for problems about noise there is one text file per training table, ``<problem>.0.txt`` and so on.
    """
    whole = _inside(folder, f"{problem}.json")
    if whole is not None:
        return whole.read_bytes()
    text = _inside(folder, f"{problem}.txt")
    if text is not None:
        return encode(FormulaAnswer.of(*read_formulas(text)))
    fronts: list[list[str]] = []
    while (part := _inside(folder, f"{problem}.{len(fronts)}.txt")) is not None:
        fronts.append(read_formulas(part))
    if fronts:
        return encode(FormulaAnswer(fronts=fronts))  # type: ignore[arg-type]  # texts become models
    raise SubjectFailed(
        "missing answer", f"no answer for problem {problem!r}: expected file '{problem}.json' or '{problem}.txt'"
    )


def _inside(folder: Path, name: str) -> Path | None:
    path = find_inside(folder, name)
    return path if path is not None and path.is_file() else None
