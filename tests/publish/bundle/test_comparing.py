"""Two records side by side: what counts as equal, what is a difference, and which reason is given."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from assay.core import Record
from assay.publish.bundle.comparing import Rounding, compare_records, same_number

STORED = Record(
    key="k",
    answer_key="a",
    track="cases",
    problem="iris",
    problem_digest="p",
    subject="vote",
    subject_digest="s",
    seed=3,
    status="ok",
    scores={"auroc": 0.5, "ece": math.nan},
    details={"rows": [1, {"gap": 0.25}], "word": "a"},
    versions={"examine": 1, "auroc": 1, "ece": 1},
    seconds=1.5,
    cost={"tokens": 3.0, "examine_seconds": 0.1},
    software={"python": "3.11.7", "numpy": "2.4.6", "scipy": "1.16.0", "gplearn (solving)": "0.4.2"},
)
FOUND = replace(STORED, cost={"tokens": 3.0, "examine_seconds": 9.0})


def differences(examined: Record, stored: Record = STORED) -> list[tuple[str, str]]:
    compared = compare_records(stored, examined, unchecked=frozenset(), rounding=Rounding())
    return [(difference.kind, difference.name) for difference in compared]


def test_equal_records_do_not_differ_whatever_examining_took() -> None:
    assert differences(FOUND) == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"scores": {"auroc": 0.5 + 1e-6, "ece": math.nan}}, ("score", "auroc")),
        ({"scores": {"auroc": 0.5, "ece": 0.0}}, ("score", "ece")),
        ({"scores": {"auroc": 0.5}}, ("score", "ece")),
        ({"scores": {"auroc": math.inf, "ece": math.nan}}, ("score", "auroc")),
        ({"details": {"rows": [1, {"gap": 0.26}], "word": "a"}}, ("detail", "rows[1].gap")),
        ({"details": {"rows": [1], "word": "a"}}, ("detail", "rows")),
        ({"details": {"rows": [True, {"gap": 0.25}], "word": "a"}}, ("detail", "rows[0]")),
        ({"details": {"rows": [1, {"gap": 0.25}]}}, ("detail", "word")),
        ({"status": "failed"}, ("record", "status")),
        ({"error": "crashed"}, ("record", "error")),
        ({"problem": "wine"}, ("record", "problem")),
        ({"tags": {"family": "x"}}, ("record", "tags")),
        ({"isolation": "container"}, ("record", "isolation")),
        ({"seconds": 0.1}, ("record", "seconds and cost")),
        ({"cost": {"tokens": 4.0}}, ("record", "seconds and cost")),
    ],
)
def test_every_field_that_tables_and_reports_show_is_compared(
    changed: dict[str, object], expected: tuple[str, str]
) -> None:
    assert differences(replace(FOUND, **changed)) == [expected]  # type: ignore[arg-type]


def test_a_metric_that_came_later_is_no_difference_and_one_that_nobody_has_is() -> None:
    assert differences(replace(FOUND, scores={**FOUND.scores, "new": 1.0})) == []
    made_up = replace(STORED, scores={**STORED.scores, "made_up": 1.0})
    assert differences(FOUND, made_up) == [("score", "made_up")]


def test_numbers_within_the_tolerance_are_equal_and_counted_with_the_reason() -> None:
    rounding = Rounding()
    software = {**STORED.software, "numpy": "2.5.4"}
    result = replace(FOUND, scores={"auroc": 0.5 + 1e-12, "ece": math.nan}, software=software)
    assert list(compare_records(STORED, result, unchecked=frozenset(), rounding=rounding)) == []
    assert rounding.note() == (
        "1 numbers differ by at most 1.0e-12, which counts as equal (tolerance 1e-09): other library versions "
        "(numpy 2.4.6 -> 2.5.4)"
    )
    assert Rounding().note() == ""


def test_large_numbers_are_compared_relative_to_their_size() -> None:
    assert same_number(1e12, 1e12 + 1)
    assert not same_number(1e12, 1e12 + 1e4)
    assert not same_number(math.nan, 0.0)
    assert not same_number(math.inf, -math.inf)


@pytest.mark.parametrize(
    ("examined", "reason"),
    [
        ({"versions": {**STORED.versions, "auroc": 2}}, "another version of the metric (1 there, 2 here)"),
        ({"versions": {**STORED.versions, "examine": 2}}, "another version of the examination (1 there, 2 here)"),
        ({"software": {"numpy": "2.5.4"}}, "other library versions (numpy 2.4.6 -> 2.5.4), or the record was changed"),
        ({}, "Likely reason: the record was changed"),
    ],
)
def test_the_likely_reason_is_named(examined: dict[str, object], reason: str) -> None:
    other = replace(FOUND, scores={"auroc": 0.9, "ece": math.nan}, **examined)  # type: ignore[arg-type]
    (difference,) = compare_records(STORED, other, unchecked=frozenset(), rounding=Rounding())
    assert reason in difference.reason
    assert str(difference).startswith("cases: iris / vote / seed 3: auroc: 0.5 in the bundle, 0.9 here. ")
