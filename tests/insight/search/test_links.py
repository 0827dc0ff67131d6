from __future__ import annotations

import numpy as np
import pandas as pd

from assay.insight.search.links import Link, find_links, reach_out
from assay.insight.search.typed_tables import SELF, Ref, TableData, TypedTable, read_typed


def sheets(primary: pd.DataFrame, **tables: pd.DataFrame) -> tuple[TableData, dict[str, TypedTable]]:
    data = TableData(primary, tables)
    return data, {name: read_typed(name, frame, data=data) for name, frame in data.frames.items()}


def linked(primary: pd.DataFrame, other: pd.DataFrame) -> list[Link]:
    data, found = sheets(primary, other=other)
    return find_links(data, found[SELF], found["other"])


ROWS = 60


def test_columns_of_one_name_that_share_values_are_keys_whatever_their_types() -> None:
    ids = np.arange(ROWS)
    for typed in (ids.astype(float), ids.astype(str), pd.Series(ids).astype(str) + ".0"):
        (link,) = linked(pd.DataFrame({"customer_id": ids}), pd.DataFrame({"customer_id": typed, "price": ids * 1.5}))
        assert (link.column, link.other, link.unique, link.named) == ("customer_id", "customer_id", True, True)


def test_a_key_that_repeats_is_not_unique() -> None:
    other = pd.DataFrame({"customer_id": np.arange(ROWS) % 20})
    (link,) = linked(pd.DataFrame({"customer_id": np.arange(ROWS)}), other)
    assert not link.unique


def test_names_may_have_a_prefix() -> None:
    left = pd.DataFrame({"sender_account_id": np.arange(ROWS)})
    (link,) = linked(left, pd.DataFrame({"account_id": np.arange(ROWS)}))
    assert link.named


def test_texts_that_agree_are_keys_under_any_name() -> None:
    towns = [f"town {number}" for number in range(ROWS)]
    (link,) = linked(pd.DataFrame({"city": towns}), pd.DataFrame({"place": towns[::-1], "n": np.linspace(0, 1, ROWS)}))
    assert (link.column, link.other, link.named) == ("city", "place", False)


def test_numbers_that_agree_by_chance_are_no_keys() -> None:
    left = pd.DataFrame({"order_id": np.arange(ROWS), "age": np.arange(ROWS)})
    right = pd.DataFrame({"order_id": np.arange(ROWS), "item_id": np.arange(ROWS), "quantity": np.arange(ROWS)})
    assert [(link.column, link.other) for link in linked(left, right)] == [("order_id", "order_id")]


def test_columns_that_share_nothing_are_no_keys() -> None:
    assert linked(pd.DataFrame({"customer_id": [1, 2, 3]}), pd.DataFrame({"customer_id": [7, 8, 9]})) == []


def test_what_a_key_identifies_is_within_reach_over_two_tables() -> None:
    primary = pd.DataFrame({"account_id": np.arange(ROWS)})
    accounts = pd.DataFrame({"account_id": np.arange(ROWS), "client_id": np.arange(ROWS) % 30})
    clients = pd.DataFrame({"client_id": np.arange(30), "income": np.arange(30) * 1.5})
    data, found = sheets(primary, accounts=accounts, clients=clients)
    links = [link for a in found.values() for b in found.values() if a is not b for link in find_links(data, a, b)]
    reach_out(data, found[SELF], list(found.values()), links, hops=2)
    income = Ref("income", Ref("client_id", Ref("account_id"), "accounts", "account_id"), "clients", "client_id")
    assert income in [column.ref for column in found[SELF].columns]
    np.testing.assert_array_equal(data.numbers(SELF, income), (np.arange(ROWS) % 30) * 1.5)
    assert income.hops == 2
    assert income.own == "account_id"
