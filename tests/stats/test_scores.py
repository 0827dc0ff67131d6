from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import InvalidInput, Record, UnknownName
from assay.stats import RecordTable, ScoreTable, compare, score_table, summarise

MakeRecord = Callable[..., Record]
NAN = math.nan


def _random_records(make_record: MakeRecord, *, count: int = 600) -> list[Record]:
    generator = np.random.default_rng(0)
    places = generator.permutation(4 * 30 * 8)[:count]  # some cells are never run
    return [
        make_record(
            f"subject{place % 4}",
            f"problem{place // 4 % 30}",
            int(place // 120),
            NAN if generator.random() < 0.1 else float(generator.normal()),
            status="failed" if generator.random() < 0.2 else "ok",
        )
        for place in places
    ]


def test_cells_are_means_over_seeds_as_pandas_has_them(make_record: MakeRecord) -> None:
    records = _random_records(make_record)
    table = score_table(records, "auroc")
    frame = pd.DataFrame(
        [(entry.subject, entry.problem, entry.scores["auroc"], entry.status) for entry in records],
        columns=["subject", "problem", "score", "status"],
    )
    for kept, ours in ((frame, table.with_floor), (frame[frame.status == "ok"], table.scored_only)):
        expected = kept.pivot_table(index="subject", columns="problem", values="score", aggfunc="mean", dropna=False)
        expected = expected.reindex(index=list(table.subjects), columns=list(table.problems))
        assert np.allclose(ours, expected.to_numpy(), rtol=1e-13, atol=1e-15, equal_nan=True)
    by_subject = frame.groupby("subject")
    assert table.cells.tolist() == by_subject.size().tolist()
    assert table.failed.tolist() == by_subject.status.apply(lambda status: (status == "failed").sum()).tolist()
    assert table.undefined.tolist() == by_subject.score.apply(lambda score: score.isna().sum()).tolist()


def test_failed_records_count_with_their_floor_or_not_at_all(make_record: MakeRecord) -> None:
    records = [
        make_record("a", "p", 0, 0.8),
        make_record("a", "p", 1, 0.0, status="failed"),
        make_record("a", "q", 0, -1.0, status="failed"),
        make_record("a", "r", 0, NAN),
        make_record("b", "p", 0, 0.6),
    ]
    table = score_table(records, "auroc")
    assert table.subjects == ("a", "b")
    assert table.problems == ("p", "q", "r")
    assert np.array_equal(table.with_floor, [[0.4, -1.0, NAN], [0.6, NAN, NAN]], equal_nan=True)
    assert np.array_equal(table.scored_only, [[0.8, NAN, NAN], [0.6, NAN, NAN]], equal_nan=True)
    assert (table.cells.tolist(), table.failed.tolist(), table.undefined.tolist()) == ([4, 1], [2, 0], [1, 0])


def test_order_of_the_records_does_not_move_a_digit(make_record: MakeRecord) -> None:
    records = _random_records(make_record)
    expected = score_table(records, "auroc")
    for seed in range(5):
        shuffled = records.copy()
        random.Random(seed).shuffle(shuffled)
        table = score_table(iter(shuffled), "auroc")
        assert (table.subjects, table.problems) == (expected.subjects, expected.problems)
        for name in ("with_floor", "scored_only", "cells", "failed", "undefined"):
            assert np.array_equal(getattr(table, name), getattr(expected, name), equal_nan=True)


def test_the_same_scores_have_the_same_mean_whatever_their_seeds(make_record: MakeRecord) -> None:
    records = [make_record("a", "p", seed, score) for seed, score in enumerate((0.1, 0.2, 0.3, 0.7))]
    records += [make_record("b", "p", seed, score) for seed, score in enumerate((0.7, 0.3, 0.1, 0.2))]
    records += [make_record("c", "p", seed, 0.1) for seed in range(3)]  # 0.1 + 0.1 + 0.1 is not 0.3
    with_floor = score_table(records, "auroc").with_floor
    assert with_floor[0, 0] == with_floor[1, 0]
    assert with_floor[2, 0] == 0.1


def test_infinite_scores_pass_without_a_warning(make_record: MakeRecord) -> None:
    inf = math.inf
    cells = {"p": (1.0, inf), "q": (-inf, 2.0), "r": (-inf, inf), "s": (inf, inf), "t": (1.7e308, -1.7e308)}
    records = [make_record("a", name, seed, score) for name, pair in cells.items() for seed, score in enumerate(pair)]
    table = score_table(records, "auroc", goal="min")
    assert np.array_equal(table.with_floor[0, :4], [inf, -inf, NAN, inf], equal_nan=True)


def test_huge_seeds_are_fine(make_record: MakeRecord) -> None:
    records = [make_record("a", "p", 2**70, 0.0), make_record("a", "p", 2**70 + 1, 1.0)]
    assert score_table(records, "auroc").with_floor.tolist() == [[0.5]]


def test_no_records_are_an_empty_table() -> None:
    table = score_table([], "auroc")
    assert (table.subjects, table.problems, table.with_floor.shape) == ((), (), (0, 0))


def test_two_records_of_one_cell_and_seed_are_named(make_record: MakeRecord) -> None:
    records = [
        make_record("a", "p", 7, 0.5, key="one"),
        make_record("a", "p", 0, 0.5),
        make_record("a", "p", 7, 0.5, key="another"),
    ]
    with pytest.raises(
        InvalidInput, match=r"keys 'another' and 'one'.*subject 'a' on problem 'p' with seed 7: keep one"
    ):
        score_table(records, "auroc")


def test_an_unknown_metric_is_answered_with_the_known_ones(make_record: MakeRecord) -> None:
    records = [make_record("a", "p", 0, 0.5), make_record("b", "p", 0, 0.5, scores={"accuracy": 1.0})]
    with pytest.raises(UnknownName, match=r"No metric named 'aurok'. Did you mean 'auroc'\? Known: accuracy, auroc\."):
        score_table(records, "aurok")


def test_the_record_that_lacks_the_metric_is_named(make_record: MakeRecord) -> None:
    records = [make_record("a", "p", 0, 0.5), make_record("b", "q", 3, 0.5, scores={"accuracy": 1.0})]
    expected = "No metric in the record of subject 'b' on problem 'q' with seed 3 named 'auroc'.*Known: accuracy"
    with pytest.raises(UnknownName, match=expected):
        score_table(records, "auroc")


def test_an_unknown_goal_is_refused(make_record: MakeRecord) -> None:
    goal: Any = "maximum"
    with pytest.raises(UnknownName, match=r"No goal named 'maximum'\. .*Known: max, min"):
        score_table([make_record("a", "p", 0, 0.5)], "auroc", goal=goal)


def test_a_table_cannot_be_changed(make_table: Callable[..., ScoreTable]) -> None:
    table = make_table([[0.5, 0.25]])
    with pytest.raises(ValueError, match="read-only"):
        table.with_floor[0, 0] = 1.0


def test_an_unknown_subject_is_answered_with_the_known_ones(make_table: Callable[..., ScoreTable]) -> None:
    table = make_table([[0.5], [0.25]])
    assert table.row("b") == 1
    with pytest.raises(UnknownName, match=r"No subject named 'z'\. Known: a, b"):
        table.row("z")


def test_two_hundred_thousand_records_take_seconds_not_minutes(make_record: MakeRecord) -> None:
    records = [
        make_record(f"s{place % 10}", f"p{place // 10 % 2000}", place // 20_000, place / 200_000)
        for place in range(200_000)
    ]
    started = time.process_time()
    table = score_table(records, "auroc")
    assert time.process_time() - started < 5  # a tenth of that where it was measured
    assert table.with_floor.shape == (10, 2000)
    assert table.cells.tolist() == [20_000] * 10


def test_lost_cells_count_with_their_floor_and_beside_the_others(make_record: MakeRecord) -> None:
    records = [make_record("a", "p", 0, 0.5), make_record("a", "q", 0, 0.25, status="failed")]
    records += [make_record("b", "p", 0, 0.75), make_record("b", "q", 0, 1.0)]
    lost = [make_record("b", "q", 1, 0.0), make_record("b", "r", 0, 0.125), make_record("b", "s", 0, NAN)]
    table = score_table(RecordTable.of(records).with_lost(RecordTable.of(lost)), "auroc")
    assert (table.subjects, table.problems) == (("a", "b"), ("p", "q", "r", "s"))
    np.testing.assert_equal(table.with_floor, [[0.5, 0.25, NAN, NAN], [0.75, 0.5, 0.125, NAN]])
    np.testing.assert_equal(table.finished, [[0.5, 0.25, NAN, NAN], [0.75, 1.0, NAN, NAN]])
    np.testing.assert_equal(table.scored_only, [[0.5, NAN, NAN, NAN], [0.75, 1.0, NAN, NAN]])
    counts = [counted.tolist() for counted in (table.cells, table.failed, table.undefined, table.lost)]
    assert counts == [[2, 2], [1, 0], [0, 0], [0, 3]]
    first, second = summarise(table)
    assert (first.subject, first.mean.value, first.lost_as_floor.value) == ("b", 0.875, 1.375 / 3)
    assert (second.mean, second.lost) == (second.lost_as_floor, 0)
    found = compare(table, "a", "b")
    assert (found.problems, found.difference.value, found.lost_a, found.lost_b) == (2, -0.25, 0, 3)
