import math
from collections.abc import Callable
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, brier_score_loss, precision_score, recall_score

from assay.core import InvalidInput
from assay.drift.metrics import (
    abstention_accuracy,
    abstention_precision,
    abstention_recall,
    confidence_brier,
    decision_accuracy,
    faithfulness,
)

verdicts = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12)


@given(verdicts)
def test_abstention_is_judged_as_a_classifier_of_drifts_without_a_cause(pairs: list[tuple[bool, bool]]) -> None:
    stated, none = [a for a, _ in pairs], [n for _, n in pairs]
    assert abstention_accuracy(stated, none) == pytest.approx(accuracy_score(none, stated))
    precision, recall = abstention_precision(stated, none), abstention_recall(stated, none)
    assert math.isnan(precision) if not any(stated) else precision == pytest.approx(precision_score(none, stated))
    assert math.isnan(recall) if not any(none) else recall == pytest.approx(recall_score(none, stated))


def test_a_decision_is_right_when_the_golden_document_is_blamed_or_none_where_there_is_none() -> None:
    nan = math.nan
    hits, stated, none = [1.0, 1.0, 0.0, nan, nan], [False, True, False, True, False], [False, False, False, True, True]
    assert decision_accuracy(hits, stated, none) == pytest.approx(2 / 5)
    assert math.isnan(decision_accuracy([], [], []))


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=10))
def test_confidence_is_judged_by_brier(pairs: list[tuple[float, bool]]) -> None:
    confidence, hits = [c for c, _ in pairs], [float(h) for _, h in pairs]
    expected = brier_score_loss([int(hit) for hit in hits], confidence, pos_label=1)
    assert confidence_brier(confidence, hits) == pytest.approx(expected, abs=1e-12)


def test_confidence_that_is_not_stated_is_left_out_and_no_document_deserves_any_where_none_is_golden() -> None:
    assert confidence_brier([math.nan, 0.5], [1.0, math.nan]) == 0.25
    assert math.isnan(confidence_brier([math.nan], [1.0]))


def test_faithfulness_is_the_share_of_verbatim_quotes() -> None:
    assert faithfulness([True, False]) == 0.5
    assert math.isnan(faithfulness([]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: faithfulness(cast(Any, [1, 0])), "verbatim must be a list of True and False"),
        (lambda: abstention_recall([True], [True, False]), "one entry per drift, got 1 and 2"),
        (lambda: decision_accuracy([1.0], [True, False], [True, False]), "first_golden must have one entry per drift"),
        (lambda: confidence_brier([1.5], [1.0]), "between 0 and 1"),
        (lambda: confidence_brier([0.5], [1.0, 0.0]), "one entry per drift"),
    ],
)
def test_lists_that_do_not_fit_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


@pytest.mark.parametrize("success", [5.0, -1.0, math.inf])
def test_a_success_lies_between_zero_and_one(success: float) -> None:
    with pytest.raises(InvalidInput, match="from 0 to 1"):
        decision_accuracy([success], [False], [False])
    with pytest.raises(InvalidInput, match="from 0 to 1"):
        confidence_brier([0.5], [success])
