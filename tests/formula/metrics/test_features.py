import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.formula.metrics import irrelevant_avoided, relevant_share, s1, surrogates_avoided

features = st.sets(st.sampled_from([f"x{i}" for i in range(8)]))


@given(features, features)
def test_the_scores_are_those_of_the_document(used: set[str], relevant: set[str]) -> None:
    everything = {f"x{i}" for i in range(8)}
    irrelevant = everything - relevant
    if irrelevant:
        expected = 1 - sum(name in used for name in irrelevant) / len(irrelevant)
        assert irrelevant_avoided(used, irrelevant) == pytest.approx(expected)
        assert surrogates_avoided(used, irrelevant) == pytest.approx(expected)
        assert s1(used, irrelevant) == pytest.approx(expected)
    else:
        assert math.isnan(irrelevant_avoided(used, irrelevant))
    if used:
        assert relevant_share(used, relevant) == pytest.approx(sum(name in relevant for name in used) / len(used))
    else:
        assert math.isnan(relevant_share(used, relevant))


def test_the_true_features_reach_the_best_scores() -> None:
    assert irrelevant_avoided({"x1", "x2"}, {"x3", "x4"}, train_r2=1.0) == 1.0
    assert relevant_share({"x1", "x2"}, {"x1", "x2"}) == 1.0


@pytest.mark.parametrize("train_r2", [0.0, -1.0, -math.inf, math.nan])
def test_a_model_that_explains_nothing_gets_nothing_for_what_it_avoids(train_r2: float) -> None:
    assert irrelevant_avoided(set(), {"x3"}, train_r2=train_r2) == 0.0
    assert surrogates_avoided(set(), {"z1"}, train_r2=train_r2) == 0.0


def test_names_given_twice_count_once() -> None:
    assert irrelevant_avoided(["x3", "x3"], ["x3", "x4", "x4"]) == 0.5
    assert relevant_share(["x1", "x1", "x3"], ["x1"]) == 0.5


def test_a_single_text_is_no_collection_of_features() -> None:
    with pytest.raises(InvalidInput, match="collection of names"):
        irrelevant_avoided("x1", {"x1"})
