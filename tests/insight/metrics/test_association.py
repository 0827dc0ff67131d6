from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import f_oneway, spearmanr

from assay.core import InvalidInput
from assay.insight.metrics import correlation_ratio, spearman


@given(st.integers(0, 10_000), st.integers(3, 60), st.integers(1, 12))
def test_spearman_is_that_of_scipy_ties_included(seed: int, rows: int, values: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, values + 1, rows).astype(float), rng.normal(size=rows)
    if len(set(a)) == 1:
        assert math.isnan(spearman(a, b))
    else:
        assert spearman(a, b) == pytest.approx(spearmanr(a, b).statistic, abs=1e-14)


def test_the_correlation_ratio_agrees_with_the_analysis_of_variance() -> None:
    rng = np.random.default_rng(3)
    classes = rng.integers(0, 4, 300)
    values = rng.normal(size=300) + classes
    statistic = f_oneway(*(values[classes == code] for code in range(4))).statistic
    eta = correlation_ratio(values, classes)
    assert (eta**2 / 3) / ((1 - eta**2) / (300 - 4)) == pytest.approx(statistic, rel=1e-10)


def test_the_correlation_ratio_of_a_constant_is_undefined() -> None:
    assert math.isnan(correlation_ratio([3, 3], ["a", "b"]))


def test_lengths_must_agree() -> None:
    with pytest.raises(InvalidInput, match="equal length"):
        spearman([1, 2], [1, 2, 3])
    with pytest.raises(InvalidInput, match="a class per value"):
        correlation_ratio([1, 2], ["a"])


def test_association_with_a_missing_value_is_undefined() -> None:
    assert math.isnan(spearman([1, math.nan, 2, 5], [1, 2, 3, 4]))
    assert math.isnan(spearman([1, 2, 3], [1, math.nan, 3]))
    assert math.isnan(correlation_ratio([1, math.nan, 2, 5], ["a", "a", "b", "b"]))
    assert math.isnan(correlation_ratio([1, math.inf, 2, 5], ["a", "a", "b", "b"]))


@pytest.mark.parametrize("scale", [1e-200, 1e-5, 1.0, 1e200])
def test_the_correlation_ratio_does_not_depend_on_the_scale(scale: float) -> None:
    values = np.array([1.0, 2.0, 1.5, 3.0, 2.5])
    expected = correlation_ratio(values, ["a", "b", "a", "b", "b"])
    assert correlation_ratio(values * scale, ["a", "b", "a", "b", "b"]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("classes", [[1, "1", 1, "1"], np.array([1, "1", 1, "1"], dtype=object), ["a", None, "a", "b"]])
def test_texts_beside_numbers_are_no_classes(classes: Sequence[object]) -> None:
    with pytest.raises(InvalidInput, match=r"classes: (texts stand beside others|one is missing)"):
        correlation_ratio([1, 2, 1, 2], np.asarray(classes, dtype=object))
    with pytest.raises(InvalidInput, match="classes"):
        correlation_ratio([1, 2, 1, 2], classes)  # type: ignore[arg-type]
