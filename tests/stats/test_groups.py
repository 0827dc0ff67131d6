"""Groups of subjects that cannot be told apart: against all stretches, tried one by one."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from assay.stats import undistinguished_groups

NAMES = "abcdef"
PAIRS = tuple(combinations(NAMES, 2))


@given(st.sets(st.sampled_from(PAIRS)))
def test_groups_are_the_longest_stretches_without_a_pair_that_differs(differing: set[tuple[str, str]]) -> None:
    stretches = [NAMES[first:end] for first in range(6) for end in range(first + 2, 7)]
    equal = [part for part in stretches if not any(pair in differing for pair in combinations(part, 2))]
    longest = [part for part in equal if not any(part != other and part in other for other in equal)]
    found = undistinguished_groups(NAMES, lambda a, b: (a, b) in differing or (b, a) in differing)
    assert ["".join(group) for group in found] == longest


def test_nobody_and_one_alone_form_no_group() -> None:
    assert undistinguished_groups((), lambda a, b: False) == ()
    assert undistinguished_groups(("a",), lambda a, b: False) == ()
