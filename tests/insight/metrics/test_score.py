from __future__ import annotations

import math

import pytest

from assay.insight.metrics import combined_score, target_leak


def test_the_documents_formula() -> None:
    assert combined_score(0.8, 0.6) == pytest.approx(0.7)
    assert combined_score(0.8, 0.6, False) == pytest.approx(0.7)
    assert combined_score(1.0, 1.0, True) == 0.0
    assert combined_score(0.5, 0.1, True) == pytest.approx(-0.7)


def test_a_zero_coverage_is_zero() -> None:
    assert combined_score(0.8, 0.0) == pytest.approx(0.4)


def test_weights_and_penalty_can_be_set() -> None:
    assert combined_score(0.8, 0.4, True, inclusive_weight=0.25, coverage_weight=0.75, penalty=0.5) == pytest.approx(
        0.0
    )


def test_what_is_undefined_stays_undefined() -> None:
    assert math.isnan(combined_score(math.nan, 0.5))
    assert math.isnan(combined_score(0.5, math.nan))
    assert math.isnan(target_leak(None))
    assert (target_leak(True), target_leak(False)) == (1.0, 0.0)
