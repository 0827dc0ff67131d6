from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from assay.drift.detection import changepoints
from assay.drift.detection.changepoints import Evidence, find_change_points
from assay.drift.detection.features import Feature, FeatureTable


def table_of(columns: np.ndarray, width: int = 1) -> FeatureTable:
    edges = np.append(np.arange(0, len(columns), width), len(columns))
    counts = np.add.reduceat(columns, edges[:-1], axis=0).astype(np.int32)
    return FeatureTable(tuple(Feature("activity", str(at)) for at in range(columns.shape[1])), counts, edges)


def draw(shares: list[float], lengths: list[int], features: int = 5, seed: int = 0) -> np.ndarray:
    """The first feature follows the shares, the others are noise."""
    rng = np.random.default_rng(seed)
    columns = (rng.random((sum(lengths), features)) < 0.3).astype(int)
    columns[:, 0] = rng.random(sum(lengths)) < np.repeat(shares, lengths)
    return columns


def test_the_statistic_is_the_likelihood_ratio_of_a_two_by_two_table() -> None:
    columns = draw([0.2, 0.7], [60, 40])
    evidence = Evidence(table_of(columns, width=5))
    places = evidence.ratios(2, np.array([6, 12]), 18)
    for row, split in enumerate((30, 60)):
        for feature in range(5):
            left, right = columns[10:split, feature], columns[split:90, feature]
            counts = [[left.sum(), len(left) - left.sum()], [right.sum(), len(right) - right.sum()]]
            expected = chi2_contingency(counts, correction=False, lambda_="log-likelihood").statistic
            assert places[row, feature] == pytest.approx(expected, abs=1e-9)
    effect = evidence.effect(2, 12, 18)
    np.testing.assert_allclose(effect, columns[60:90].mean(axis=0) - columns[10:60].mean(axis=0))


def test_the_statistic_of_millions_of_cases_is_as_exact() -> None:
    yes, cases = np.array([900_000, 902_000]), 2_000_000
    table = FeatureTable((Feature("activity", "a"),), yes[:, None].astype(np.int32), np.array([0, cases, 2 * cases]))
    expected = chi2_contingency([yes, cases - yes], correction=False, lambda_="log-likelihood").statistic
    assert Evidence(table).ratios(0, np.array([1]), 2)[0, 0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("width", [1, 4])
def test_change_points_are_found_where_they_are(width: int) -> None:
    table = table_of(draw([0.05, 0.9, 0.1, 0.8], [200, 100, 150, 200]), width)
    places = find_change_points(table, alpha=0.01, min_cases=20, min_effect=0.05)
    assert [point.case for point in places] == pytest.approx([200, 300, 450], abs=4 + width)
    assert all(point.statistic >= point.threshold for point in places)


def test_points_that_others_have_made_weak_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(draw([0.1, 0.8], [200, 450]))
    options = {"alpha": 0.01, "min_cases": 20, "min_effect": 0.05}
    expected = find_change_points(table, **options)  # type: ignore[arg-type]
    assert len(expected) == 1

    def with_a_false_one(*arguments: Any) -> list[tuple[int, int, int, float]]:
        return [(200, 0, 650, 300.0), (430, 300, 650, 50.0)]

    monkeypatch.setattr(changepoints, "_candidates", with_a_false_one)
    assert find_change_points(table, **options) == expected  # type: ignore[arg-type]


def test_noise_alone_is_found_about_as_often_as_allowed() -> None:
    hits = 0
    for seed in range(60):
        table = table_of(draw([0.3], [400], features=20, seed=seed))
        hits += bool(find_change_points(table, alpha=0.05, min_cases=20, min_effect=0.0))
    assert hits <= 8  # 0.05 of 60 is 3; more than 8 has a chance below 1 %


def test_small_effects_and_short_logs_are_left_alone() -> None:
    columns = draw([0.40, 0.52], [3000, 3000])
    strong = find_change_points(table_of(columns), alpha=0.01, min_cases=50, min_effect=0.05)
    assert [point.case for point in strong] == pytest.approx([3000], abs=150)
    assert find_change_points(table_of(columns), alpha=0.01, min_cases=50, min_effect=0.2) == ()
    assert find_change_points(table_of(columns[:30]), alpha=0.01, min_cases=20, min_effect=0.0) == ()
    empty = FeatureTable((), np.zeros((100, 0), np.int32), np.arange(101))
    assert find_change_points(empty, alpha=0.01, min_cases=20, min_effect=0.0) == ()
