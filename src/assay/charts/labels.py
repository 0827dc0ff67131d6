"""Words beside lines and dots: moved apart until none covers another."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["spread"]


def spread(targets: Sequence[float], gap: float, *, low: float, high: float) -> list[float]:
    """Places near the wanted ones, in their order, at least a gap apart and between two ends while there is room.

    >>> spread([10, 11, 50], 10, low=0, high=100)
    [5.5, 15.5, 50]
    >>> spread([99, 99], 10, low=0, high=100)
    [90, 100]
    """
    order = sorted(range(len(targets)), key=lambda place: (targets[place], place))
    groups: list[tuple[list[int], float]] = []  # members, and the place of the first
    for member in order:
        groups.append(([member], min(max(targets[member], low), high)))
        while len(groups) > 1:
            (upper, start), (lower, begin) = groups[-2:]
            if start + gap * len(upper) <= begin + 1e-9:
                break
            members = upper + lower
            middle = sum(targets[one] for one in members) / len(members)
            first = middle - gap * (len(members) - 1) / 2
            groups[-2:] = [(members, max(min(first, high - gap * (len(members) - 1)), low))]
    positions = [0.0] * len(targets)
    for members, first in groups:
        for place, member in enumerate(members):
            positions[member] = first + gap * place
    return positions
