from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assay.sandbox.guest.call import SignatureUnknown, plan_call


def defined(source: str) -> Callable[..., Any]:
    namespace: dict[str, Any] = {}
    exec(f"import pandas as pd\nfrom typing import Dict\n{source}: return 0", namespace)
    return namespace["f"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("source", "positional", "named"),
    [
        ("def f(row)", ("row",), ()),
        ("def f(r)", ("row",), ()),
        ("def f(row, aux)", ("row", "auxiliary"), ()),
        ("def f(row, aux_dataframes: Dict[str, pd.DataFrame])", ("row", "auxiliary"), ()),
        ("def f(row, aux_data: Dict[str, pd.DataFrame] = None)", ("row", "auxiliary"), ()),
        ("def f(row, df_train: pd.DataFrame)", ("row", "train"), ()),
        ("def f(row, df_train, aux_dataframes)", ("row", "train", "auxiliary"), ()),
        ("def f(row, aux_data, df_train)", ("row", "auxiliary", "train"), ()),
        ("def f(row: pd.Series, aux_data: Dict[str, pd.DataFrame]) -> float", ("row", "auxiliary"), ()),
        ("def f(row, aux_data, threshold=10.0)", ("row", "auxiliary"), ()),
        ("def f(row, ref_date=pd.Timestamp('2024-01-01'))", ("row",), ()),
        ("def f(row, threshold=3, aux_data=None)", ("row",), (("aux_data", "auxiliary"),)),
        ("def f(row, *, df_train)", ("row",), (("df_train", "train"),)),
        ("def f(row, *args, **options)", ("row",), ()),
        ("def f(row, history: pd.DataFrame)", ("row", "train"), ()),
        ("def f(row, lookup: Dict[str, pd.DataFrame])", ("row", "auxiliary"), ()),
        ("def f(row, other)", ("row", "auxiliary"), ()),
        ("def f(customer_id, aux_data)", ("key", "auxiliary"), ()),
        ("def f(df)", ("frame",), ()),
        ("def f(df, aux)", ("frame", "auxiliary"), ()),
        ("def f(table: pd.DataFrame, df_train)", ("frame", "train"), ()),
    ],
)
def test_arguments_are_found_by_the_parameters_names(source: str, positional: object, named: object) -> None:
    plan = plan_call(defined(source), ["customer_id"])
    assert (plan.positional, plan.named) == (positional, named)
    assert plan.vectorised == (plan.positional[0] == "frame")


def test_a_first_parameter_named_like_a_column_gets_that_columns_value() -> None:
    assert plan_call(defined("def f(customer_id, aux)"), ["customer_id"]).key == "customer_id"
    assert plan_call(defined("def f(row, aux)"), ["row"]).key == ""


@pytest.mark.parametrize("source", ["def f()", "def f(*, row)", "def f(row, aux, mystery)"])
def test_what_cannot_be_called_says_so(source: str) -> None:
    with pytest.raises(SignatureUnknown):
        plan_call(defined(source), [])


def test_a_callable_without_signature_gets_the_row() -> None:
    assert plan_call(int, []).positional == ("row",)
