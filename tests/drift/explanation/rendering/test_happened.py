from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from assay.drift.detection.drift import Drift
from assay.drift.detection.profile import ChangeProfile, ChangeRow
from assay.drift.explanation.rendering.happened import happened

START = datetime(2023, 3, 3, 9, tzinfo=UTC)
DRIFT = Drift(id="d", process="Orders", type="sudden", start_case="1", end_case="1", start=START, end=START)


def row(
    kind: str, name: str, before: float, after: float, *activities: str, strength: float = 50.0, p: float = 1e-9
) -> ChangeRow:
    return ChangeRow(kind, name, before, after, after - before, strength, p, activities or (name,))  # type: ignore[arg-type]


def words_of(*rows: ChangeRow, drift: Drift = DRIFT) -> str:
    return happened(ChangeProfile(rows=rows, cases_before=100, cases_after=100), drift)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            [row("activity", "credit check", 1.0, 0.38)],
            "From 3 March 2023, 62% of cases skip 'credit check' (none before).",
        ),
        (
            [row("activity", "credit check", 0.9, 0.0)],
            "From 3 March 2023, no case has 'credit check' any longer (90% before).",
        ),
        ([row("activity", "scan", 0.0, 0.7)], "From 3 March 2023, 'scan' is new, in 70% of cases."),
        ([row("activity", "scan", 0.2, 0.7)], "From 3 March 2023, 70% of cases have 'scan' (20% before)."),
        (
            [row("activity", "pay, repeated", 0.0, 0.3, "pay")],
            "From 3 March 2023, 30% of cases repeat 'pay' (none before).",
        ),
        (
            [row("relation", "b → a", 0.05, 0.9, "b", "a"), row("relation", "a → b", 0.95, 0.0, "a", "b")],
            "From 3 March 2023, 'a' comes right after 'b' in 90% of cases (5% before).",
        ),
        (
            [row("duration", "until pay", 20.0, 100.0, "pay")],
            "From 3 March 2023, the time until 'pay' is 4.2 days in the median (20.0 h before).",
        ),
        (
            [row("resource", "sign by Ms Lind", 0.0, 0.8, "sign"), row("resource", "sign by Bo", 1.0, 0.2, "sign")],
            "From 3 March 2023, Ms Lind carries out 'sign' in 80% of cases (none before).",
        ),
        (
            [row("weekday", "pay on Thursdays", 0.2, 0.98, "pay")],
            "From 3 March 2023, 98% of 'pay' take place on Thursdays (20% before).",
        ),
        ([row("activity", "scan", 0.5, 0.55)], ""),  # certain, and too small to be told
        ([row("activity", "scan", 0.2, 0.7, p=0.2)], ""),
    ],
)
def test_what_changed_is_a_sentence(rows: list[ChangeRow], sentence: str) -> None:
    assert words_of(*rows) == sentence


def test_a_step_at_the_place_of_another_replaces_it() -> None:
    rows = [
        row("activity", "letter", 0.95, 0.0),
        row("activity", "e-mail", 0.0, 0.93),
        row("relation", "write → letter", 0.95, 0.0, "write", "letter"),
        row("relation", "write → e-mail", 0.0, 0.93, "write", "e-mail"),
    ]
    assert words_of(*rows) == "From 3 March 2023, 'e-mail' takes the place of 'letter' in 93% of cases."
    elsewhere = [*rows[:3], row("relation", "pay → e-mail", 0.0, 0.93, "pay", "e-mail")]
    assert "takes the place" not in words_of(*elsewhere)


def test_the_surest_comes_first_and_three_are_enough() -> None:
    rows = [row("activity", f"step {number}", 0.0, 0.5, strength=float(number)) for number in range(5)]
    sentence = words_of(*rows)
    assert sentence.startswith("From 3 March 2023, 'step 4' is new")
    assert sentence.count("is new") == 3


def test_the_manner_of_the_drift_is_told() -> None:
    slow = replace(DRIFT, type="gradual", end=datetime(2023, 4, 20, tzinfo=UTC))
    change = row("activity", "scan", 0.0, 0.7)
    assert words_of(change, drift=slow).startswith("Little by little between 3 March and 20 April 2023, 'scan' is new")
    again = replace(slow, type="recurring", end=datetime(2024, 4, 20, tzinfo=UTC))
    assert words_of(change, drift=again).startswith("Now and again between 3 March 2023 and 20 April 2024, ")


def test_a_relation_at_a_distance_is_not_told_as_a_direct_one() -> None:
    rows = [
        row("relation", "check → … → pay", 0.17, 0.9, "check", "pay"),
        row("relation", "pay → … → check", 0.83, 0.1, "pay", "check"),
    ]
    assert words_of(*rows) == "From 3 March 2023, 'check' comes before 'pay' in 90% of cases (17% before)."
