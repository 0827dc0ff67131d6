"""A number that exists only across problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from assay.core import Aggregate, Record

__all__ = ["problems_solved"]


def _problems_solved(records: Sequence[Record]) -> Mapping[str, float]:
    """How many problems a subject has answered without failing."""
    counts = Counter({record.subject: 0 for record in records})
    counts.update(subject for subject, _ in {(r.subject, r.problem) for r in records if r.status == "ok"})
    return {subject: float(count) for subject, count in counts.items()}


problems_solved = Aggregate("problems_solved", _problems_solved)
