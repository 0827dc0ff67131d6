import math
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_curve

from assay.cases.metrics import auprc, aurc, excess_aurc, fpr_at_tpr
from assay.core import InvalidInput

judged = st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=30)
few = st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6)


def split(pairs: list[tuple[int, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([score for score, _ in pairs], dtype=float), np.array([wrong for _, wrong in pairs])


@given(judged)
@settings(max_examples=80, deadline=None)
def test_auprc_equals_scikit_learn_with_ties(pairs: list[tuple[int, bool]]) -> None:
    scores, wrong = split(pairs)
    value = auprc(scores, wrong)
    if wrong.any():
        assert value == pytest.approx(average_precision_score(wrong, -scores), abs=1e-12)
    else:
        assert math.isnan(value)


@given(few)
@settings(max_examples=80, deadline=None)
def test_aurc_is_the_mean_over_all_orders_of_ties(pairs: list[tuple[int, bool]]) -> None:
    scores, wrong = split(pairs)
    areas = []
    for order in permutations(range(len(scores))):
        if all(scores[a] >= scores[b] for a, b in pairwise(order)):
            errors = wrong[list(order)]
            areas.append(np.mean([errors[: t + 1].mean() for t in range(len(errors))]))
    assert aurc(scores, wrong) == pytest.approx(np.mean(areas), abs=1e-12)


@given(judged)
@settings(max_examples=60, deadline=None)
def test_excess_aurc_is_zero_for_the_truth_and_never_negative(pairs: list[tuple[int, bool]]) -> None:
    scores, wrong = split(pairs)
    assert excess_aurc(~wrong, wrong) == 0.0
    assert excess_aurc(scores, wrong) >= -1e-12
    assert excess_aurc(scores, wrong) == pytest.approx(aurc(scores, wrong) - aurc(~wrong, wrong))


@given(judged, st.sampled_from([0.5, 0.8, 0.95, 1.0]))
@settings(max_examples=80, deadline=None)
def test_fpr_at_tpr_equals_the_roc_curve_of_scikit_learn(pairs: list[tuple[int, bool]], tpr: float) -> None:
    scores, wrong = split(pairs)
    value = fpr_at_tpr(scores, wrong, tpr=tpr)
    if wrong.all() or not wrong.any():
        assert math.isnan(value)
        return
    false_rate, true_rate, _ = roc_curve(~wrong, scores, drop_intermediate=False)
    assert value == pytest.approx(false_rate[true_rate >= tpr - 1e-9].min(), abs=1e-12)


def test_nineteen_of_twenty_is_95_percent() -> None:
    scores = [*range(20, 0, -1), 1.5]
    assert fpr_at_tpr(scores, [False] * 20 + [True]) == 0.0
    assert fpr_at_tpr(scores, [False] * 20 + [True], tpr=0.951) == 1.0


@pytest.mark.parametrize("metric", [auprc, aurc, excess_aurc, fpr_at_tpr])
def test_only_the_order_of_the_scores_counts(metric: Any) -> None:
    rng = np.random.default_rng(3)
    scores, wrong = rng.normal(size=200).round(1), rng.random(200) < 0.3
    assert metric(np.exp(scores), wrong) == pytest.approx(metric(scores, wrong), abs=1e-12)
    shuffled = rng.permutation(200)
    assert metric(scores[shuffled], wrong[shuffled]) == pytest.approx(metric(scores, wrong), abs=1e-12)


@pytest.mark.parametrize("metric", [auprc, aurc, excess_aurc, fpr_at_tpr])
def test_what_cannot_be_judged_is_refused_and_nothing_is_undefined(metric: Any) -> None:
    assert math.isnan(metric([], []))
    with pytest.raises(InvalidInput, match="one length"):
        metric([0.1, 0.2], [True])
    with pytest.raises(InvalidInput, match="entry 0 is nan"):
        metric([math.nan], [True])


@pytest.mark.parametrize("tpr", [0, 1.5, -0.1])
def test_a_rate_outside_its_range_is_refused(tpr: float) -> None:
    with pytest.raises(InvalidInput, match="tpr must lie above 0"):
        fpr_at_tpr([0.1], [True], tpr=tpr)
