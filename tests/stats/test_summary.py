from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from assay.core import Interval, InvalidInput, Record
from assay.stats import ScoreTable, bootstrap_interval, mean_ranks, score_table, summarise, summarise_all

NAN = math.nan


def test_the_interval_is_that_of_the_problem_means(make_record: Callable[..., Record]) -> None:
    scores = np.random.default_rng(0).random((10, 3))
    records = [make_record("a", f"p{p}", s, float(scores[p, s])) for p, s in np.ndindex(scores.shape)]
    (line,) = summarise(score_table(records, "auroc"), confidence=0.9, method="percentile", resamples=500, seed=3)
    expected = bootstrap_interval(scores.mean(axis=1), confidence=0.9, method="percentile", resamples=500, seed=3)
    assert line.mean == pytest.approx(expected)
    assert (line.problems, line.scored_problems, line.cells) == (10, 10, 30)


def test_failures_count_in_the_mean_and_not_in_scored_only(make_record: Callable[..., Record]) -> None:
    records = [make_record("a", f"p{place}", 0, 0.8) for place in range(3)]
    records.append(make_record("a", "p3", 0, 0.0, status="failed"))
    records.append(make_record("a", "p4", 0, NAN))
    (line,) = summarise(score_table(records, "auroc"))
    assert line.mean.value == pytest.approx(0.6)
    assert line.mean.low < 0.6 < line.mean.high
    assert line.scored_only == Interval(0.8, 0.8, 0.8)
    assert (line.problems, line.scored_problems) == (4, 3)
    assert (line.cells, line.failed, line.undefined) == (5, 1, 1)


def test_best_comes_first_by_the_goal_ties_by_name_and_nan_last(make_table: Callable[..., ScoreTable]) -> None:
    scores = [[0.5, 0.5], [NAN, NAN], [0.9, 0.7], [0.5, 0.5], [0.1, 0.2]]
    assert "".join(line.subject for line in summarise(make_table(scores, "max"))) == "cadeb"
    assert "".join(line.subject for line in summarise(make_table(scores, "min"))) == "eadcb"


def test_each_line_has_its_own_mean_rank(make_table: Callable[..., ScoreTable]) -> None:
    table = make_table(np.random.default_rng(1).random((5, 7)))
    found = {line.subject: line.mean_rank for line in summarise(table, resamples=100)}
    assert found == dict(zip(table.subjects, mean_ranks(table).tolist(), strict=True))
    assert sum(found.values()) == pytest.approx(15)


def test_one_problem_has_no_bounds_however_many_seeds(make_record: Callable[..., Record]) -> None:
    records = [make_record("a", "p", seed, seed / 10) for seed in range(11)]
    (line,) = summarise(score_table(records, "auroc"))
    assert line.mean.value == pytest.approx(0.5)
    assert math.isnan(line.mean.low)
    assert math.isnan(line.mean.high)


def test_a_subject_that_only_failed_has_no_scored_mean(make_record: Callable[..., Record]) -> None:
    records = [make_record("a", f"p{place}", 0, 0.0, status="failed") for place in range(3)]
    (line,) = summarise(score_table(records, "auroc"))
    assert line.mean == Interval(0.0, 0.0, 0.0)
    assert all(math.isnan(bound) for bound in line.scored_only)
    assert (line.scored_problems, line.failed) == (0, 3)


def test_an_empty_table_has_no_lines_and_wrong_options_are_refused(make_table: Callable[..., ScoreTable]) -> None:
    assert summarise(score_table([], "auroc")) == ()
    with pytest.raises(InvalidInput, match="resamples"):
        summarise(make_table([[0.5]]), resamples=1)


def test_many_tables_at_once_have_the_digits_that_each_has_alone(make_table: Callable[..., ScoreTable]) -> None:
    generator = np.random.default_rng(5)
    tables = [make_table(generator.random((3, size)), goal) for size, goal in ((8, "max"), (8, "min"), (20, "max"))]
    assert summarise_all(tables, resamples=200) == [summarise(table, resamples=200) for table in tables]


def test_no_interval_of_clusters_goes_beyond_the_ends_of_a_metric() -> None:
    rows = [("a", "one", 1.0), ("b", "one", 1.0), ("c", "two", 0.2), ("d", "two", 0.9), ("e", "three", 1.0)]
    records = [
        Record(
            key="",
            answer_key="",
            track="cases",
            problem=problem,
            problem_digest="",
            subject="knn",
            subject_digest="",
            seed=0,
            status="ok",
            scores={"auroc": score},
            tags={"dataset": dataset},
        )
        for problem, dataset, score in rows
    ]
    (free,) = summarise(score_table(records, "auroc", clusters=["dataset"]))
    (cut,) = summarise(score_table(records, "auroc", clusters=["dataset"], best=1.0))
    assert free.mean.high > 1.0
    assert cut.mean == free.mean._replace(high=1.0)
    (both,) = summarise(score_table(records, "auroc", clusters=["dataset"], best=1.0, worst=0.2))
    assert free.mean.low < 0.2
    assert both.mean == free.mean._replace(low=0.2, high=1.0)
    (neither,) = summarise(score_table(records, "auroc", clusters=["dataset"], best=0.9, worst=0.3))
    assert neither.mean == free.mean
