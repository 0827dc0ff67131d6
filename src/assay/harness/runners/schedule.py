"""The order of work: the longest problems first, so that no worker is left alone with one at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from assay.harness.plan import Cell

__all__ = ["Times", "longest_first"]

Times: TypeAlias = Mapping[tuple[str, str], float]  # (problem digest, subject) -> seconds of earlier cells


def longest_first(cells: Sequence[Cell], times: Times) -> list[Cell]:
    """Cells problem by problem, the one with the longest expected work first; without recorded times in their order.

    All subjects of a problem stay together: every subject has early results, and loaded data are used while they last.
    """
    if not times:
        return list(cells)
    subjects, problems = _means(times, 1), _means(times, 0)
    overall = sum(times.values()) / len(times)
    expected: dict[str, float] = {}
    for cell in cells:
        key = (cell.problem_digest, cell.subject.name)
        guess = subjects.get(key[1], problems.get(key[0], overall))
        expected[cell.problem_digest] = expected.get(cell.problem_digest, 0.0) + times.get(key, guess)
    return sorted(cells, key=lambda cell: -expected[cell.problem_digest])  # stable: ties keep the plan's order


def _means(times: Times, part: int) -> dict[str, float]:
    sums: dict[str, list[float]] = {}
    for key, seconds in times.items():
        sums.setdefault(key[part], []).append(seconds)
    return {name: sum(values) / len(values) for name, values in sums.items()}
