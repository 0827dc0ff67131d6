import math

import pytest

from assay.core import InvalidInput
from assay.formula import VERDICTS, Verdict, parse
from assay.formula.metrics import complexity, depth, mean_property_score, rediscovery_score


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_rediscovery_scores_one_and_everything_else_less(verdict: Verdict) -> None:
    found = verdict in {"identical", "offset", "factor", "affine", "form"}
    assert (rediscovery_score(verdict, 1.0) == 1.0) is found
    assert rediscovery_score(verdict, 0.25) == (1.0 if found else 0.25)
    assert rediscovery_score(verdict) == (1.0 if found else 0.0)


def test_mistakes_are_named() -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'identical'"):
        rediscovery_score("identica")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"closeness lies in \[0, 1\]"):
        rediscovery_score("different", 1.5)
    with pytest.raises(InvalidInput, match="'noise' must lie"):
        mean_property_score({"noise": 1.5})


def test_sizes_are_counted_by_hand() -> None:
    tree = parse("a*b + sin(c)/2")  # add(mul(a, b), div(sin(c), 2))
    assert (complexity(tree), depth(tree)) == (8, 4)


def test_undefined_properties_leave_the_mean() -> None:
    assert mean_property_score({"a": 1.0, "b": math.nan, "c": 0.0}) == 0.5
    assert math.isnan(mean_property_score({"a": math.nan}))
    assert math.isnan(mean_property_score({}))
