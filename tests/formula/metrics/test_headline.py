import math

import pytest

from assay.core import InvalidInput, UnknownName
from assay.formula.metrics import mean_property_score, property_score


def test_a_property_is_looked_up_by_its_name_and_must_be_a_score() -> None:
    assert property_score("features", {"features": 0.25, "noise": 1.0}) == 0.25
    assert math.isnan(property_score("noise", {"noise": math.nan}))
    with pytest.raises(UnknownName, match="Did you mean 'noise'"):
        property_score("noize", {"noise": 1.0})
    with pytest.raises(InvalidInput, match="must lie in"):
        property_score("noise", {"noise": 1.5})


def test_undefined_properties_leave_the_mean() -> None:
    assert mean_property_score({"a": 1.0, "b": math.nan, "c": 0.0}) == 0.5
    assert math.isnan(mean_property_score({"a": math.nan}))
    assert math.isnan(mean_property_score({}))
