from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import pytest

from assay.core.contract.lookup import what_exists
from assay.formula import FormulaTask
from assay.insight.problem.tables import Tables
from assay.sandbox.guest.rows import RowSource

FRAME = pd.DataFrame({"region": ["west"], "amount": [3]})
TASK: Any = FormulaTask(name="square", variables=("x",), target="y", parts=())
ANYTHING: Any = "text"
TABLES = Tables({"orders.csv": FRAME, "visits.csv": FRAME})


@dataclass
class OwnTask:
    numbers: tuple[int, ...] = ()
    logs: dict[str, int] = field(default_factory=lambda: {"Permits": 1})


def hint(asks: Callable[[], Any], task: object = None) -> str:
    with pytest.raises((AttributeError, KeyError, TypeError)) as raised:
        asks()
    return what_exists(raised.value, task)


@pytest.mark.parametrize(
    ("asks", "expected"),
    [
        (lambda: TASK.trget, "Did you mean 'target'? FormulaTask has: name, variables, target, parts, test_inputs."),
        (lambda: TASK.X, "FormulaTask has: name, variables, target, parts, test_inputs."),
        (lambda: TASK["x"], "Write task.NAME. FormulaTask has: name, variables, target, parts, test_inputs."),
        (lambda: TABLES["orders"], "Did you mean 'orders.csv'? There are: orders.csv, visits.csv."),
        (lambda: FRAME["regoin"], "Did you mean 'region'? Columns: region, amount."),
        (lambda: FRAME[["regoin"]], "Columns: region, amount."),
        (lambda: FRAME.regoin, "Did you mean 'region'? Columns: region, amount."),
        (lambda: FRAME.groupby("regoin"), "Did you mean 'region'? Columns: region, amount."),
        (lambda: FRAME.loc[0, "regoin"], "Did you mean 'region'? Columns: region, amount."),
        (lambda: FRAME.iloc[0]["regoin"], "Did you mean 'region'? Columns: region, amount."),
        (lambda: next(iter(RowSource(FRAME)))["regoin"], "Did you mean 'region'? Columns: region, amount."),
        (lambda: dict[str, int]()["regoin"], ""),
        (lambda: ANYTHING.regoin, ""),
    ],
)
def test_what_exists_is_told_beside_what_does_not(asks: Callable[[], Any], expected: str) -> None:
    assert hint(asks, TASK).strip() == expected


def test_a_plain_dictionary_of_the_task_is_found_by_a_likely_name() -> None:
    task: Any = OwnTask()
    assert hint(lambda: task.logs["permit"], task) == " Did you mean 'Permits'? task.logs has: Permits."
    assert hint(lambda: dict[str, int]()["unlike"], task) == ""
    assert hint(lambda: task.nmbers, task) == " Did you mean 'numbers'? OwnTask has: numbers, logs."
    assert hint(lambda: task.nmbers) == "", "objects of libraries are left alone"


def test_a_long_list_is_cut_and_counted() -> None:
    wide = pd.DataFrame({f"column_{place}": [1] for place in range(500)})
    result = hint(lambda: wide["column_77x"])
    assert result.startswith(" Did you mean 'column_77'? Columns: column_0, column_1, ")
    assert result.endswith(", ... (500 in all).")
    assert len(result) < 250


def test_objects_that_cannot_be_looked_at_give_no_hint() -> None:
    class Hostile(dict[str, int]):
        def __missing__(self, key: str) -> int:
            raise KeyError(key)

        def __iter__(self) -> Any:
            raise RuntimeError("no")

    assert hint(lambda: Hostile(a=1)["b"]) == ""
