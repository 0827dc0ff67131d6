from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from assay.core import InvalidInput, Record, UnknownName
from assay.stats.problems.memorisation import memorisation_gaps


def record(base: str, drawn: str, score: float, *, subject: str = "s", seed: int = 0) -> Record:
    return Record(
        key="", answer_key="", track="formula", problem=f"{base}-{drawn}", problem_digest="", subject=subject,
        subject_digest="", seed=seed, status="ok", scores={"r2": score}, tags={"base": base, "drawn": drawn},
    )  # fmt: skip


def test_the_gap_is_the_paired_t_interval_of_scipy_over_bases() -> None:
    rng = np.random.default_rng(3)
    public, fresh = rng.random((2, 15))
    records = [record(f"b{k}", "public", value) for k, value in enumerate(public)]
    records += [record(f"b{k}", "fresh", value) for k, value in enumerate(fresh)]
    (found,) = memorisation_gaps(records[::-1], "r2")
    expected = stats.ttest_rel(public, fresh).confidence_interval(0.95)
    np.testing.assert_allclose(found.gap, [np.mean(public - fresh), expected.low, expected.high], rtol=1e-9)
    assert found.pairs == 15
    assert [found.public, found.fresh] == pytest.approx([public.mean(), fresh.mean()])
    (mirrored,) = memorisation_gaps(records, "r2", goal="min")
    np.testing.assert_allclose(mirrored.gap.value, -found.gap.value)


def test_seeds_and_drawings_of_a_base_are_averaged_and_half_pairs_left_out() -> None:
    records = [record("a", "public", 1.0), record("a", "public", 0.0, seed=1), record("a", "fresh", 0.2)]
    records += [record("b", "public", 0.5), record("b", "fresh", math.nan), record("c", "fresh", 0.9)]
    (found,) = memorisation_gaps(records, "r2")
    assert found.pairs == 1
    assert found.gap.value == pytest.approx(0.3)
    assert math.isnan(found.gap.low)
    assert not found.found
    (nothing,) = memorisation_gaps(records[3:], "r2")
    assert nothing.pairs == 0
    assert math.isnan(nothing.p_value)


def test_intervals_of_subjects_that_remember_nothing_cover_zero_in_about_95_of_100() -> None:
    rng = np.random.default_rng(8)
    covered = 0
    for _ in range(200):
        hard = rng.beta(2, 2, size=12)  # a base's own difficulty, which pairing cancels
        scores = np.clip(hard + rng.normal(0, 0.2, size=(2, 12)), 0, 1)
        records = [
            record(f"b{k}", side, scores[row, k]) for row, side in enumerate(("public", "fresh")) for k in range(12)
        ]
        (found,) = memorisation_gaps(records, "r2")
        covered += found.gap.low <= 0 <= found.gap.high
    assert 0.91 <= covered / 200 <= 0.99


def test_problems_without_the_tags_and_records_without_the_metric_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"problem 'a-other': has no tags 'base' and 'drawn' .* assay arena"):
        memorisation_gaps([record("a", "other", 1.0)], "r2")
    with pytest.raises(InvalidInput, match="lacks 'mrr'"):
        memorisation_gaps([record("a", "fresh", 1.0)], "mrr")


def test_infinite_scores_on_both_sides_are_no_difference() -> None:
    scores = {"a": (math.inf, math.inf), "b": (0.1, 0.2), "c": (0.1, 0.3)}
    records = [
        record(base, side, score)
        for base, both in scores.items()
        for side, score in zip(("public", "fresh"), both, strict=True)
    ]
    (gap,) = memorisation_gaps(records, "r2", goal="min")
    assert gap.gap.value == pytest.approx(0.1)
    assert gap.pairs == 3
    assert gap.p_value == pytest.approx(0.5)


def test_an_unknown_goal_is_refused() -> None:
    records = [record("b", "public", 0.7), record("b", "fresh", 0.5)]
    with pytest.raises(UnknownName, match="maximum"):
        memorisation_gaps(records, "r2", goal="maximum")  # type: ignore[arg-type]
