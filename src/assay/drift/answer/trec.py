"""Ready rankings in the files of retrieval evaluations: TREC runs and judgements, a drift being a query."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, unquote

from assay.core import InvalidInput, SubjectFailed, find_inside
from assay.core.files.text import read_text
from assay.drift.answer.answer import DriftAnswer, DriftReply, encode

__all__ = ["RUN_SUFFIXES", "read_qrels", "read_run", "ready_answer", "write_qrels", "write_run"]

RUN_SUFFIXES = (".run", ".trec")


def read_run(path: Path) -> DriftAnswer:
    """Lines ``drift Q0 document rank score tag``: scores decide the order, equal scores are a tie.

    Drift ids and document names that hold blanks are written percent-encoded (``%20``).
    """
    ranked: dict[str, dict[str, float]] = {}
    for number, fields in _lines(path, 6, "drift Q0 document rank score tag"):
        drift, document = unquote(fields[0]), unquote(fields[2])
        try:
            score = float(fields[4])
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise InvalidInput(f"{path}, line {number}: the score {fields[4]!r} is not a finite number.")
        documents = ranked.setdefault(drift, {})
        if document in documents:
            raise InvalidInput(f"{path}, line {number}: {document!r} is ranked twice for drift {drift!r}.")
        documents[document] = score
    if not ranked:
        raise InvalidInput(f"{path}: the run is empty; write lines 'drift Q0 document rank score tag'.")
    replies = {}
    for drift, documents in ranked.items():
        order = sorted(documents, key=lambda name: -documents[name])
        replies[drift] = DriftReply(ranking=tuple(order), scores=tuple(documents[name] for name in order))
    return DriftAnswer(replies=replies)


def write_run(path: Path, answer: DriftAnswer, *, tag: str = "assay") -> None:
    """Write the rankings of an answer; without scores they get falling ones."""
    lines = []
    for drift, reply in sorted(answer.replies.items()):
        documents = dict.fromkeys(reply.ranking)
        scores = dict(zip(reply.ranking, reply.scores or range(len(reply.ranking), 0, -1), strict=True))
        for rank, name in enumerate(sorted(documents, key=lambda name: -scores[name]), start=1):
            lines.append(f"{_word(drift)} Q0 {_word(name)} {rank} {scores[name]!r} {_word(tag)}\n")
    path.write_text("".join(lines), encoding="utf-8")


def read_qrels(path: Path) -> dict[str, tuple[str, ...]]:
    """Lines ``drift 0 document relevance``: the golden documents of each drift; a drift may have none."""
    golden: dict[str, list[str]] = {}
    for number, fields in _lines(path, 4, "drift 0 document relevance"):
        try:
            relevant = int(fields[3]) > 0
        except ValueError:
            raise InvalidInput(f"{path}, line {number}: the relevance {fields[3]!r} is not a whole number.") from None
        documents = golden.setdefault(unquote(fields[0]), [])
        if relevant and unquote(fields[2]) not in documents:
            documents.append(unquote(fields[2]))
    return {drift: tuple(documents) for drift, documents in golden.items()}


def write_qrels(path: Path, goldens: Mapping[str, Iterable[str]]) -> None:
    """Write the golden documents of each drift."""
    lines = [f"{_word(drift)} 0 {_word(name)} 1\n" for drift in sorted(goldens) for name in sorted(goldens[drift])]
    path.write_text("".join(lines), encoding="utf-8")


def ready_answer(folder: Path, problem: str) -> bytes:
    """The encoded answer of one problem from a folder of precomputed ones.

    Looked for in this order: ``<problem>.json``, ``<problem>.run`` or ``.trec``, and the one run file of the folder
    that holds all problems, in which the drifts of a problem have ids ``<problem>_drift_...``.
    """
    if Path(problem).name != problem:
        raise SubjectFailed("missing answer", f"problem {problem!r} has no file name of its own.")
    own = _inside(folder, f"{problem}.json")
    if own is not None:
        return own.read_bytes()
    for suffix in RUN_SUFFIXES:
        run = _inside(folder, f"{problem}{suffix}")
        if run is not None:
            return encode(read_run(run))
    names = sorted(path.name for path in folder.iterdir() if path.suffix in RUN_SUFFIXES) if folder.is_dir() else []
    runs = [run for name in names if (run := _inside(folder, name)) is not None]
    if len(runs) == 1:
        replies = read_run(runs[0]).replies
        mine = {drift: reply for drift, reply in replies.items() if drift.startswith(f"{problem}_drift_")}
        if mine:
            return encode(DriftAnswer(replies=mine))
    raise SubjectFailed(
        "missing answer",
        f"no answer for problem {problem!r}: expected '{problem}.json', '{problem}.run', or one run file for all.",
    )


def _lines(path: Path, count: int, form: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != count:
            raise InvalidInput(
                f"{path}, line {number}: {len(fields)} fields where '{form}' has {count}. Write blanks in names as %20."
            )
        yield number, fields


def _word(text: str) -> str:
    """Without blanks, which separate fields."""
    return quote(text, safe="/:()[],;'&+=@!$*~") or "%00"


def _inside(folder: Path, name: str) -> Path | None:
    """The file of that name; None when there is none, or when name or links lead out of the folder."""
    path = find_inside(folder, name)
    return path if path is not None and path.is_file() else None
