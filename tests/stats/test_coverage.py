"""Do 95 % intervals hold the truth 95 times in a hundred? Fixed seeds, 2,000 trials each."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.core import Interval, Record
from assay.stats import IntervalMethod, bootstrap_interval, compare, score_table, summarise

METHODS = get_args(IntervalMethod)
TRIALS = 2000
RESAMPLES = 999

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]


def _holds(interval: Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("draw", "size", "truth"),
    [
        pytest.param(lambda generator, size: generator.normal(size=size), 12, 0.0, id="normal-12"),
        pytest.param(lambda generator, size: generator.normal(size=size), 40, 0.0, id="normal-40"),
        pytest.param(lambda generator, size: generator.beta(8, 2, size=size), 30, 0.8, id="beta-30"),
    ],
)
def test_intervals_hold_the_true_mean_as_often_as_they_say(
    draw: Draw, size: int, truth: float, method: IntervalMethod
) -> None:
    generator = np.random.default_rng(20)
    held = sum(
        _holds(bootstrap_interval(draw(generator, size), method=method, resamples=RESAMPLES, seed=trial), truth)
        for trial in range(TRIALS)
    )
    assert 0.93 <= held / TRIALS <= 0.97, held / TRIALS


def _clustered_scores(generator: np.random.Generator, *, trials: int) -> NDArray[np.float64]:
    """Twenty problems of three seeds per trial: seeds of one problem resemble each other. The true mean is 0.5."""
    problems = generator.normal(0.5, 0.2, size=(trials, 20, 1))
    return np.asarray(problems + generator.normal(0, 0.1, size=(trials, 20, 3)))


@pytest.mark.parametrize("method", METHODS)
def test_summaries_of_clustered_records_hold_the_true_mean_as_often_as_they_say(
    make_record: Callable[..., Record], method: IntervalMethod
) -> None:
    # every trial is a subject; 20 tables of 100, so that trials do not all share one set of resamples
    generator = np.random.default_rng(21)
    held = 0
    for batch in range(20):
        scores = _clustered_scores(generator, trials=TRIALS // 20)
        records = [
            make_record(f"s{trial}", f"p{problem}", seed, float(scores[trial, problem, seed]))
            for trial, problem, seed in np.ndindex(scores.shape)
        ]
        lines = summarise(score_table(records, "auroc"), method=method, resamples=RESAMPLES, seed=batch)
        held += sum(_holds(line.mean, 0.5) for line in lines)
    assert 0.93 <= held / TRIALS <= 0.97, held / TRIALS


def test_taking_records_for_independent_values_would_not_do() -> None:
    # shows that the clustered case can tell right from wrong
    scores = _clustered_scores(np.random.default_rng(21), trials=400)
    held = sum(_holds(bootstrap_interval(trial.ravel(), resamples=RESAMPLES), 0.5) for trial in scores)
    assert held / 400 < 0.85


def test_a_true_hypothesis_is_rejected_no_more_often_than_agreed(make_record: Callable[..., Record]) -> None:
    generator = np.random.default_rng(22)
    rejected, held = 0, 0
    for trial in range(TRIALS):
        shared = generator.beta(4, 2, size=9)  # problems are easy or hard for both, and neither subject is better
        scores = shared + generator.normal(0, 0.05, size=(2, 9))
        records = [
            make_record("ab"[subject], f"p{problem}", 0, float(scores[subject, problem]))
            for subject, problem in np.ndindex(scores.shape)
        ]
        found = compare(score_table(records, "auroc"), "a", "b", resamples=RESAMPLES, seed=trial)
        rejected += found.p_value <= 0.05
        held += _holds(found.difference, 0.0)
    assert 0.035 <= rejected / TRIALS <= 0.065, rejected / TRIALS
    assert 0.92 <= held / TRIALS <= 0.97, held / TRIALS  # nine problems: a little short, as documented
