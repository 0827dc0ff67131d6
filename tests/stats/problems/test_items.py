"""What each problem tells, and the split of variance: every figure recomputed with pandas."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from assay.core import Goal, Record
from assay.stats import ScoreTable, VarianceSplit, item_analysis, variance_split

MakeTable = Callable[..., ScoreTable]
MakeRecord = Callable[..., Record]


@pytest.mark.parametrize("goal", ["max", "min"])
def test_the_figures_of_each_problem_are_those_of_pandas(make_table: MakeTable, goal: Goal) -> None:
    generator = np.random.default_rng(0)
    scores = generator.random((6, 1)) + 0.3 * generator.normal(size=(6, 9))
    scores[2, 4] = math.nan
    frame = pd.DataFrame(scores, index=list("abcdef"), columns=[f"p{n:03d}" for n in range(9)])
    hardness = frame.mean().rank(ascending=goal == "max", method="min").astype(int)
    for item in item_analysis(make_table(scores, goal=goal)):
        here, others = frame[item.problem], frame.drop(columns=item.problem).mean(axis=1)
        assert item.mean == pytest.approx(here.mean())
        assert item.spread == pytest.approx(here.std())
        assert item.subjects == here.count()
        assert item.difficulty == hardness[item.problem]
        assert item.discrimination == pytest.approx(here.corr(others))
        assert item.agreement == pytest.approx(here.corr(others, method="kendall"))


def test_problems_that_all_or_none_solve_are_told(make_table: MakeTable) -> None:
    table = make_table([[1, 0, 0.5], [1, 0, 1], [1, 0, 0]])
    assert [item.solved_by for item in item_analysis(table, best=1.0, worst=0.0)] == ["all", "none", "some"]
    assert [item.solved_by for item in item_analysis(table)] == ["some"] * 3
    lower = make_table([[0, 9, 3], [0, 9, 0], [0, 9, 9]], goal="min")
    assert [item.solved_by for item in item_analysis(lower, best=0.0, worst=9.0)] == ["all", "none", "some"]
    assert all(math.isnan(item.discrimination) for item in item_analysis(table)[:2])


def test_a_problem_that_repeats_another_is_its_twin_and_a_contrary_one_is_below_zero(make_table: MakeTable) -> None:
    base = np.array([0.9, 0.7, 0.6, 0.4, 0.2])
    scores = np.stack([base, base * 0.5 + 0.1, base[::-1], base + np.array([0.0, 0.1, -0.2, 0.1, 0.3]), base], axis=1)
    items = item_analysis(make_table(scores))
    assert [item.twin for item in items] == ["p001", "p000", "", "", "p000"]
    assert items[0].twin_correlation == pytest.approx(1.0)
    assert items[2].agreement == pytest.approx(-1.0)
    assert not any(item.twin for item in item_analysis(make_table(scores[:4])))  # four subjects prove nothing


def test_two_subjects_tell_nothing_about_discrimination(make_table: MakeTable) -> None:
    (first, *_) = item_analysis(make_table([[0.1, 0.2, 0.3], [0.4, 0.1, 0.2]]))
    assert math.isnan(first.discrimination)
    assert math.isnan(first.agreement)


def _records(make_record: MakeRecord, frame: pd.DataFrame) -> list[Record]:
    return [
        make_record("a", row.problem, row.seed, row.score, tags={"family": row.cluster})
        for row in frame.itertuples(index=False)
    ]


def _drawn(seed: int, clusters: int, problems: int, seeds: int) -> pd.DataFrame:
    """Standard deviations 3, 2 and 1 of clusters, problems and seeds."""
    generator = np.random.default_rng(seed)
    rows = []
    for c in range(clusters):
        of_cluster = 3 * generator.normal()
        for p in range(problems):
            of_problem = 2 * generator.normal()
            rows += [(f"c{c}", f"c{c}-p{p}", s, of_cluster + of_problem + generator.normal()) for s in range(seeds)]
    return pd.DataFrame(rows, columns=["cluster", "problem", "seed", "score"])


def test_a_balanced_split_is_that_of_pandas(make_record: MakeRecord) -> None:
    frame = _drawn(1, 5, 4, 3)
    (found,) = variance_split(_records(make_record, frame), "auroc", clusters=("family",))
    means = frame.groupby(["cluster", "problem"]).score.mean()
    seeds = frame.groupby("problem").score.var().mean()
    problems = means.groupby("cluster").var().mean() - seeds / 3
    clusters = means.groupby("cluster").mean().var() - means.groupby("cluster").var().mean() / 4
    assert (found.seeds, found.problems, found.clusters) == pytest.approx((seeds, problems, clusters))


def test_an_unbalanced_split_finds_the_variances_that_were_drawn(make_record: MakeRecord) -> None:
    found: list[VarianceSplit] = []
    for seed in range(30):
        frame = _drawn(seed, 20, 4, 3).sample(frac=0.7, random_state=seed)
        found += variance_split(_records(make_record, frame), "auroc", clusters=("family",))
    means = [np.mean([getattr(split, name) for split in found]) for name in ("clusters", "problems", "seeds")]
    assert means == pytest.approx([9.0, 4.0, 1.0], rel=0.15)


def test_what_cannot_be_told_is_undefined(make_record: MakeRecord) -> None:
    frame = _drawn(2, 4, 3, 1)
    (alone,) = variance_split(_records(make_record, frame), "auroc")
    assert math.isnan(alone.seeds)
    assert math.isnan(alone.clusters)
    assert alone.problems == pytest.approx(frame.score.var())
    (single,) = variance_split(_records(make_record, frame[:1]), "auroc")
    assert math.isnan(single.problems)


def test_problems_with_equal_scores_in_another_order_are_equally_hard(make_table: MakeTable) -> None:
    items = item_analysis(make_table([[0.1, 0.3, 0.9], [0.2, 0.2, 0.9], [0.3, 0.1, 0.9]]))
    assert [item.difficulty for item in items] == [1, 1, 3]
    assert items[0].mean == items[1].mean


@pytest.mark.parametrize("scale", [1e-200, 1e-13, 1e-3, 1e9])
def test_discrimination_does_not_depend_on_the_unit_of_the_scores(make_table: MakeTable, scale: float) -> None:
    scores = np.random.default_rng(0).random((4, 6))
    for item, scaled in zip(item_analysis(make_table(scores)), item_analysis(make_table(scores * scale)), strict=True):
        assert scaled.discrimination == pytest.approx(item.discrimination)
        assert scaled.agreement == pytest.approx(item.agreement)


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e15])
def test_sums_that_differ_in_their_last_digit_only_are_equal(make_table: MakeTable, scale: float) -> None:
    last = item_analysis(
        make_table(scale * np.array([[0.1, 0.2, 0.3, 0.7], [0.3, 0.2, 0.1, 0.8], [0.2, 0.3, 0.1, 0.9]]))
    )[-1]
    assert math.isnan(last.discrimination)


def test_scores_that_differ_by_rounding_agree_as_ties(make_table: MakeTable) -> None:
    scores = np.array([[0.1 + 0.2, 0.2], [0.3, 0.1], [0.5, 0.9]])
    exact = np.array([[0.3, 0.2], [0.3, 0.1], [0.5, 0.9]])
    rounded, tied = (item_analysis(make_table(table))[0].agreement for table in (scores, exact))
    assert rounded == tied == pytest.approx(kendalltau(exact[:, 0], exact[:, 1]).statistic)
