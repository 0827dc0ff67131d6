"""The formulas that subjects found, in lines for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.core import Record
from assay.core.display import counted, shortened

__all__ = ["story"]

_FEW_PROBLEMS = 3  # up to so many, the formula on each is shown; beyond, each subject's best
_LONGEST = 300
_HEADLINE = "property_score"
_MEANINGS = {
    "rediscovery": "is the known law found",
    "local-optima": "are false friends avoided",
    "features": "are irrelevant columns avoided",
    "extrapolation": "fit outside of the training range",
    "noise": "quality kept in noise",
    "own": "no known law: fit on rows that were held out",
}


def story(records: Sequence[Record]) -> list[str]:
    """Which property the headline is about, then formulas by subject: those on few problems, or each one's best."""
    solved = [record for record in records if _formula(record)]
    properties = {record.problem: str(record.details.get("property")) for record in solved}
    counts = Counter(properties.values())
    summary = "; ".join(f"{_MEANINGS.get(name, name)} ({counted(count, 'problem')})" for name, count in counts.items())
    lines = [f"{_HEADLINE} here: {summary}"] if summary else []
    few = len(properties) <= _FEW_PROBLEMS
    best: dict[tuple[str, str], Record] = {}
    for record in solved:
        key = (record.problem if few else "", record.subject)
        if key not in best or _score(record) > _score(best[key]):
            best[key] = record
    for (_, subject), record in best.items():
        place = "" if len(properties) == 1 else f" on {record.problem}"
        lines.append(f"{subject}{place}: {_formula(record)}")
    if best and not few:
        lines.append("These are each subject's best; the others: assay show DIR PROBLEM/SUBJECT")
    return lines


def _formula(record: Record) -> str:
    parts = record.details.get("parts")
    first = parts[0] if isinstance(parts, list) and parts else None
    formula = first.get("formula") if isinstance(first, dict) else None
    return shortened(formula, _LONGEST) if isinstance(formula, str) and formula else ""


def _score(record: Record) -> float:
    score = record.scores.get(_HEADLINE)
    return score if isinstance(score, float | int) and score == score else float("-inf")
