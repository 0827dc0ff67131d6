from __future__ import annotations

import pytest

from assay.insight.search.recipes import Aggregate, Part, Window
from assay.insight.search.typed_tables import Ref

ONES, MINUTES = Part("np.ones(len(t))"), Part("numbers_of(t['minutes'])", "minutes", "minutes")
LONG = Part("(numbers_of(t['minutes']) > 5.0).astype(np.float64)", "minutes above 5", "minutes_above_5", holds=True)
APP = Part("keys_of(t['kind']) == 'app'", "kind app", "kind_app")


@pytest.mark.parametrize(
    ("function", "value", "keep", "words"),
    [
        ("count", ONES, (), "number of visits of the same customer id"),
        ("sum", MINUTES, (APP,), "total minutes of visits with kind app of the same customer id"),
        ("sum", LONG, (), "number of visits with minutes above 5 of the same customer id"),
        ("mean", LONG, (APP,), "share of visits with kind app with minutes above 5 of the same customer id"),
        ("std", MINUTES, (), "spread of minutes of visits of the same customer id"),
        ("recency", ONES, (), "days since the last visits of the same customer id"),
    ],
)
def test_an_aggregate_says_what_an_analyst_would_call_it(
    function: str, value: Part, keep: tuple[Part, ...], words: str
) -> None:
    key = Ref("customer_id")
    column = Aggregate("visits", key, key, function, value, keep, Window("row", None, 90.0), subject="visits")
    assert column.words == f"{words} in the 90 days before the row's date"
