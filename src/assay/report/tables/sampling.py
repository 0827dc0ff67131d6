"""Which problems are listed one by one when there are more than a page can hold."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["MOST_PROBLEMS", "listed_problems"]

MOST_PROBLEMS = 400


def listed_problems(problems: Sequence[str], most: int = MOST_PROBLEMS) -> tuple[str, ...]:
    """All of them, or so many at equal steps through the sorted names: every family keeps its share.

    >>> listed_problems([f"p{number}" for number in range(6)], most=3)
    ('p0', 'p2', 'p4')
    """
    names = sorted(set(problems))
    if len(names) <= most:
        return tuple(names)
    return tuple(names[position * len(names) // most] for position in range(most))
