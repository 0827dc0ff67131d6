"""Which subjects stand so close together that no two of them can be told apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["undistinguished_groups"]


def undistinguished_groups(ordered: Sequence[str], differ: Callable[[str, str], bool]) -> tuple[tuple[str, ...], ...]:
    """The longest stretches of an order in which no two subjects differ: the bars of a critical-difference diagram.

    A stretch of one, and a stretch inside another, is left out. Stretches may overlap: where a differs from c but b
    from neither, both (a, b) and (b, c) are groups.

    Parameters
    ----------
    ordered : sequence of str
        Subjects in the order of their mean ranks.
    differ : callable
        Whether two of them can be told apart, as by a test corrected for all pairs.

    Returns
    -------
    tuple of tuples of str
        The groups, in the order of their first subjects.

    Examples
    --------
    >>> undistinguished_groups("abc", lambda a, b: {a, b} == {"a", "c"})
    (('a', 'b'), ('b', 'c'))
    >>> undistinguished_groups("abc", lambda a, b: True)
    ()
    """
    groups: list[tuple[str, ...]] = []
    last = 0  # where the group before ended: one that ends no later lies inside it
    for first in range(len(ordered)):
        end = first + 1
        while end < len(ordered) and not any(differ(ordered[place], ordered[end]) for place in range(first, end)):
            end += 1
        if end - first > 1 and end > last:
            groups.append(tuple(ordered[first:end]))
        last = max(last, end)
    return tuple(groups)
