"""Which column is taken for the one to predict, and tables in which none is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pandas as pd
import pytest

from assay.intake.table.read import read_user_table

Draw = Callable[[Random], Any]


def one_of(*texts: str) -> Draw:
    return lambda rng: rng.choice(texts)


def between(low: float, high: float) -> Draw:
    return lambda rng: round(rng.uniform(low, high), 2) if isinstance(low, float) else rng.randint(int(low), int(high))


YES, ZERO_ONE, CLASS = one_of("yes", "no"), one_of("0", "1"), one_of("a", "b", "c")
NUMBER, AMOUNT = between(1.0, 90.0), between(1000, 90000)


def label_of(columns: Sequence[tuple[str, Draw]], rows: int = 80) -> str | None:
    rng = Random(5)
    frame = pd.DataFrame({name: [str(draw(rng)) for _ in range(rows)] for name, draw in columns})
    result = read_user_table(frame).find("label")
    return result[0].name if result else None


@pytest.mark.parametrize(
    ("outcome", "draw"),
    [
        ("left", ZERO_ONE), ("churned", YES), ("fault", ZERO_ONE), ("readmitted", YES), ("admitted", ZERO_ONE),
        ("paid_late", YES), ("disease", YES), ("Gekündigt", one_of("ja", "nein")), ("résilié", one_of("oui", "non")),
        ("opgezegd", one_of("ja", "nee")), ("fraude", one_of("sí", "no")), ("rezygnacja", one_of("tak", "nie")),
        ("přijat", one_of("ano", "ne")), ("uppsagd", one_of("ja", "nej")), ("malattia", one_of("sì", "no")),
    ],
)  # fmt: skip
@pytest.mark.parametrize("other", ["vehicle_class", "salary"])
def test_an_outcome_stands_before_a_class_or_an_amount_at_the_end(outcome: str, draw: Draw, other: str) -> None:
    last = CLASS if other == "vehicle_class" else AMOUNT
    assert label_of([("age", between(18, 80)), (outcome, draw), ("score_a", NUMBER), (other, last)], rows=30) == outcome


@pytest.mark.parametrize(
    ("names", "label"),
    [
        ([("price", AMOUNT), ("area", NUMBER), ("rooms", between(1, 6)), ("heating", CLASS)], "price"),
        ([("x", NUMBER), ("price", AMOUNT), ("y", NUMBER), ("z", NUMBER)], "price"),
        ([("fuel_price", NUMBER), ("weekly_sales", AMOUNT), ("temperature", NUMBER)], "weekly_sales"),
        ([("cap", CLASS), ("gill", CLASS), ("quality", between(1, 5))], "quality"),
        ([("a", NUMBER), ("b", NUMBER), ("ringsum", NUMBER)], "ringsum"),
        ([("age", NUMBER), ("diabetes", ZERO_ONE), ("bmi", NUMBER), ("TenYearCHD", ZERO_ONE)], "TenYearCHD"),
        ([("actual_class", CLASS), ("predicted_class", CLASS), ("confidence", NUMBER)], "actual_class"),
    ],
)  # fmt: skip
def test_the_label_may_stand_anywhere(names: list[tuple[str, Draw]], label: str) -> None:
    assert label_of(names) == label


@pytest.mark.parametrize(
    "names",
    [
        [("SKU", NUMBER), ("Warehouse", CLASS), ("Unit Price", NUMBER), ("Active", YES)],
        [("Buchungstag", NUMBER), ("Betrag", NUMBER), ("Saldo", AMOUNT), ("Geprüft", one_of("ja", "nein"))],
        [("Klant", CLASS), ("Postcode", CLASS), ("Omzet 2022", AMOUNT), ("Actief", one_of("ja", "nee"))],
        [("Artikel", CLASS), ("Bestand", between(1, 90)), ("Preis", NUMBER), ("Lieferant", CLASS)],
        [("country", CLASS), ("2019", NUMBER), ("2020", NUMBER), ("2021", NUMBER)],
    ],
)
def test_lists_of_things_have_no_label(names: list[tuple[str, Draw]]) -> None:
    assert label_of(names) is None


def test_probabilities_by_task_are_features() -> None:
    share = between(0.0, 1.0)
    tasks: list[tuple[str, Draw]] = [
        ("mood:good", share),
        ("mood:bad", share),
        ("place:in", share),
        ("place:out", share),
    ]
    assert label_of(tasks) is None
    assert label_of([*tasks, ("mood", one_of("good", "bad"))]) == "mood"


def test_a_rating_beside_a_text_is_the_label() -> None:
    words = one_of("the", "room", "was", "clean", "but", "staff", "slow", "and", "water", "cold", "again")

    def review(rng: Random) -> str:
        return " ".join(words(rng) for _ in range(9))

    assert label_of([("avis", review), ("note", between(1, 5)), ("magasin", CLASS)]) == "note"
