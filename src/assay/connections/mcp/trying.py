"""What an agent may try before it submits: its functions and formulas on the training data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.core import InvalidInput

__all__ = ["try_formulas", "try_functions"]

_SECONDS, _MEMORY_MB = 30.0, 1024
_MOST = 20  # of one call
_SHOWN = 5  # values


def try_functions(task: Any, functions: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Run feature functions (name, code), each in an isolated process, on the training rows without target.

    The result has the first values, the missing share, the rank correlation with the target, whether a value depends
    on later rows, or why it failed.
    """
    from assay.insight.subjects.llm.extract import Candidate
    from assay.insight.subjects.llm.trial import try_candidate

    _demand_few(functions)
    results: list[dict[str, Any]] = []
    for name, code in functions:
        if missing := [key for key, text in (("name", name), ("code", code)) if not text.strip()]:
            what = f"{' and '.join(missing)} {'are' if len(missing) > 1 else 'is'} missing"
            message = f'{what}. Write {{"name": "ratio", "code": "def ratio(row): return ..."}}'
            results.append({"name": name, "status": "incomplete", "message": message})
            continue
        tried = try_candidate(Candidate(name, code, ""), task, seconds=_SECONDS, memory_mb=_MEMORY_MB, seed=0)
        entry: dict[str, Any] = {"name": name, "status": tried.status}
        if tried.message:
            entry["message"] = tried.message
        if tried.train is not None:
            entry["first_values"] = tried.train.head(_SHOWN).tolist()
            entry["missing"] = float(tried.train.isna().mean())
            entry["distinct"] = int(tried.train.nunique())
        if tried.correlation is not None:
            entry["rank_correlation"] = {"with": tried.correlated, "value": round(tried.correlation, 4)}
        results.append(entry)
    return results


def try_formulas(task: Any, formulas: Sequence[str]) -> list[dict[str, Any]]:
    """R² and normalised error of formulas on every training table, and their size; or why one cannot be read."""
    from assay.formula import complexity, nmse, parse, r_squared
    from assay.formula.expression.program import table_values

    _demand_few(formulas)
    results = []
    for text in formulas:
        entry: dict[str, Any] = {"formula": text}
        try:
            expression = parse(text, names=task.variables, columns=task.variables)
        except InvalidInput as error:
            results.append({**entry, "status": "cannot be read", "message": str(error)})
            continue
        tables = []
        for part in task.parts:
            values = table_values(expression, task.variables, part.inputs)
            tables.append(
                {
                    "rows": len(part.target),
                    "noise": part.noise,
                    "r_squared": float(r_squared(part.target, values)),
                    "nmse": float(nmse(part.target, values)),
                }
            )
        results.append({**entry, "status": "ok", "complexity": complexity(expression), "training": tables})
    return results


def _demand_few(candidates: Sequence[object]) -> None:
    if not 0 < len(candidates) <= _MOST:
        raise InvalidInput(f"got {len(candidates)}: try 1 to {_MOST} at a time.")
