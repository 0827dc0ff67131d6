"""Arrival order must not move a digit: one test over every statistic."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest

import assay.stats
from assay.core import Goal, Record
from assay.stats import (
    ScoreTable,
    compare,
    compare_all,
    compare_pairs,
    item_analysis,
    mean_ranks,
    rank_ranges,
    score_table,
    summarise,
    tiers,
    variance_split,
)

STATISTICS: dict[str, Callable[[ScoreTable], object]] = {
    "summarise": lambda table: summarise(table, resamples=300, seed=1),
    "summarise by percentile": lambda table: summarise(table, method="percentile", resamples=300, seed=1),
    "mean_ranks": lambda table: mean_ranks(table).tolist(),
    "rank_ranges": lambda table: rank_ranges(table, resamples=300, seed=1),
    "compare": lambda table: compare(table, "s1", "s0", resamples=300, seed=1),
    "compare_pairs": lambda table: compare_pairs(table, [("s1", "s0"), ("s0", "s3")], resamples=300, seed=1),
    "compare_all": lambda table: compare_all(table, resamples=300, seed=1),
    "item_analysis": item_analysis,
    "tiers": lambda table: tiers(table, ["s3", "s2", "s1", "s0"], seed=1),
    "compare_all with a baseline": lambda table: compare_all(table, baseline="s2", resamples=300, seed=1),
}


def _records(make_record: Callable[..., Record]) -> list[Record]:
    generator = np.random.default_rng(0)
    return [
        make_record(
            f"s{subject}",
            f"p{problem}",
            seed,
            math.nan if generator.random() < 0.1 else float(generator.normal(subject / 5)),
            status="failed" if generator.random() < 0.1 else "ok",
            tags={"family": f"f{problem % 7}"},
        )
        for subject in range(4)
        for problem in range(18)
        for seed in range(5)
        if generator.random() < 0.9
    ]


@pytest.mark.parametrize("goal", ["max", "min"])
@pytest.mark.parametrize("name", STATISTICS)
def test_shuffled_records_give_the_same_digits(make_record: Callable[..., Record], name: str, goal: Goal) -> None:
    records = _records(make_record)
    expected = STATISTICS[name](score_table(records, "auroc", goal=goal))
    for seed in range(3):
        random.Random(seed).shuffle(records)
        # repr shows every digit, and nan equals nan there
        assert repr(STATISTICS[name](score_table(records, "auroc", goal=goal))) == repr(expected)


@pytest.mark.parametrize("name", ["summarise", "rank_ranges", "compare", "tiers"])
def test_shuffled_records_of_related_problems_give_the_same_digits(
    make_record: Callable[..., Record], name: str
) -> None:
    records = _records(make_record)
    expected = STATISTICS[name](score_table(records, "auroc", clusters=("family",)))
    split = variance_split(records, "auroc", clusters=("family",))
    for seed in range(3):
        random.Random(seed).shuffle(records)
        assert repr(STATISTICS[name](score_table(records, "auroc", clusters=("family",)))) == repr(expected)
        assert repr(variance_split(records, "auroc", clusters=("family",))) == repr(split)


def test_no_statistic_over_tables_was_forgotten() -> None:
    over_tables = {
        name for name in assay.stats.__all__ if "table" in getattr(getattr(assay.stats, name), "__annotations__", {})
    }
    assert over_tables == {name.partition(" ")[0] for name in STATISTICS}
