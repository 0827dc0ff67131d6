"""Ranks over the subjects of a run, against values worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import pytest

from assay.core import Record
from assay.formula import TRACK

NAN = math.nan


def record(
    problem: str,
    subject: str,
    r2: float,
    size: float,
    score: float,
    *,
    seed: int = 0,
    status: Literal["ok", "failed"] = "ok",
) -> Record:
    scores = {"r2": r2, "complexity": 2 * size, "simplified_complexity": size, "property_score": score}
    return Record(
        key="k", answer_key="a", track="formula", problem=problem, problem_digest="d", subject=subject,
        subject_digest="s", seed=seed, status=status, scores=scores,
    )  # fmt: skip


def aggregate(name: str, records: list[Record]) -> dict[str, float]:
    (aggregate,) = [entry for entry in TRACK.aggregates if entry.name == name]
    return dict(aggregate.function(records))


RECORDS = [
    # accuracy ranks 1, 2, 2 (equal to 3 decimals); simplicity 2, 1, 3; property 1, 1, 2
    record("p", "a", 0.9, 10, 1.0),
    record("p", "b", 0.80004, 5, 1.0),
    record("p", "c", 0.8, 20, 0.5),
    # a failed subject ranks last everywhere
    record("q", "a", -1.0, NAN, 0.0, status="failed"),
    record("q", "b", 0.5, 7, 0.2),
    record("q", "c", 0.6, 7, 0.1),
]


def test_the_default_judgement_by_hand() -> None:
    # values N - k + 1 with N = 3
    p = {"a": 3 / (1 / 3 + 1 / 2 + 1 / 3), "b": 3 / (1 / 2 + 1 / 3 + 1 / 3), "c": 3 / (1 / 2 + 1 / 1 + 1 / 2)}
    q = {"a": 3 / (1 / 1 + 1 / 2 + 1 / 1), "b": 3 / (1 / 2 + 1 / 3 + 1 / 3), "c": 3 / (1 / 3 + 1 / 3 + 1 / 2)}
    expected = {subject: (p[subject] + q[subject]) / 2 for subject in "abc"}
    assert aggregate("judged", RECORDS) == pytest.approx(expected)


def test_the_judgement_of_2022_by_hand() -> None:
    # N - k: the last place is worth 0; sizes 10, 5, 20 are 1.4, 1.0, 1.9 powers of five, and 7 and 7 tie
    p = {"a": 3 / (1 / 2 + 1 / 1 + 1 / 2), "b": 3 / (1 / 1 + 1 / 2 + 1 / 2), "c": 0.0}
    q = {"a": 0.0, "b": 3 / (1 / 1 + 1 / 2 + 1 / 2), "c": 3 / (1 / 2 + 1 / 2 + 1 / 1)}
    expected = {subject: (p[subject] + q[subject]) / 2 for subject in "abc"}
    assert aggregate("judged_2022", RECORDS) == pytest.approx(expected)


def test_the_judgement_of_2023_by_hand() -> None:
    # not rounded: on p the accuracies rank 1, 2, 3
    expected = {
        "a": 4 / (1 / 3 + 1 / 2 + 1 / 1 + 1 / 2),
        "b": 4 / (1 / 2 + 1 / 3 + 1 / 2 + 1 / 3),
        "c": 4 / (1 / 1 + 1 / 1 + 1 / 3 + 1 / 3),
    }
    assert aggregate("judged_2023", RECORDS) == pytest.approx(expected)


def test_seeds_are_averaged_and_the_order_of_records_does_not_count() -> None:
    seeds = [
        record("p", "a", 1.0, 4, 1.0, seed=0),
        record("p", "a", 0.0, 6, 0.0, seed=1),
        record("p", "b", 0.5, 5, 0.5),
    ]
    for name in ("judged", "judged_2022", "judged_2023"):
        scores = aggregate(name, seeds)
        assert scores["a"] == scores["b"]
        assert aggregate(name, seeds[::-1]) == scores
        assert aggregate(name, []) == {}


def test_every_aggregate_says_what_it_is() -> None:
    assert [entry.name for entry in TRACK.aggregates] == ["judged", "judged_2022", "judged_2023"]
    for entry in TRACK.aggregates:
        assert entry.summary
        assert "$$" in (entry.function.__doc__ or "")


def test_the_competition_of_2022_judges_by_the_plain_score_where_a_record_has_it() -> None:
    plain = [
        replace(
            each, scores={**each.scores, "plain_property_score": each.scores["property_score"], "property_score": 0.0}
        )
        for each in RECORDS
    ]
    assert aggregate("judged_2022", plain) == aggregate("judged_2022", RECORDS)
    assert aggregate("judged", plain) != aggregate("judged", RECORDS)
