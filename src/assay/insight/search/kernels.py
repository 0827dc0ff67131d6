"""What feature functions are made of: small functions that the search calls, and whose very text it hands out.

Each stands alone with numpy, pandas and the others named in ``uses``: the search and a function in the sandbox compute
with the same lines.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["KERNELS", "kernel_source"]


def key_of(value: Any) -> Any:
    """A key as text, the same for 407, 407.0 and "407"; None when it is missing."""
    if value is None or value is pd.NA or value != value:
        return None
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, float, np.integer, np.floating)):
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    text = str(value).strip()
    return text[:-2] if text.endswith(".0") and text[:-2].lstrip("-").isdigit() else text or None


def number_of(value: Any) -> float:
    """A number, a truth value or its words as a number, the first number of a text such as "127mg"; else nan."""
    if value is None or value is pd.NA or value != value:
        return float("nan")
    if isinstance(value, (bool, np.bool_, int, float, np.integer, np.floating)):
        return float(value)
    text = str(value).strip().lower()
    if text in ("true", "yes", "y", "t"):
        return 1.0
    if text in ("false", "no", "n", "f"):
        return 0.0
    found = re.search(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", text.replace(",", ""))
    return float(found.group()) if found else float("nan")


def day_of(value: Any) -> float:
    """A date as days since 1970, fractions for times of day; nan when it is missing or no date."""
    if value is None or value is pd.NA or value != value:
        return float("nan")
    if isinstance(value, (int, float, np.integer, np.floating)):
        return float(value)
    try:
        moment: Any = datetime.fromisoformat(str(value).strip())
    except ValueError:
        moment = pd.to_datetime(str(value), errors="coerce", utc=True)
        if moment is pd.NaT:
            return float("nan")
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return float((moment - datetime(1970, 1, 1)).total_seconds()) / 86400.0


def pair_of(a: Any, b: Any) -> Any:
    """Two keys as one; None when either is missing."""
    first, second = key_of(a), key_of(b)
    return None if first is None or second is None else first + " | " + second


def each_of(values: Any, function: Any, kind: Any) -> Any:
    """A function of single values over a column, called once for each distinct value."""
    codes, distinct = pd.factorize(pd.Series(values), use_na_sentinel=False)
    found = np.empty(len(distinct), dtype=kind)
    for place, value in enumerate(distinct.tolist() if hasattr(distinct, "tolist") else distinct):
        found[place] = function(value)
    return found[codes] if len(found) else np.empty(0, dtype=kind)


def keys_of(values: Any) -> Any:
    """The keys of a column."""
    return each_of(values, key_of, object)


def numbers_of(values: Any) -> Any:
    """The numbers of a column."""
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "biuf":
        return values.to_numpy(dtype=np.float64)
    return each_of(values, number_of, np.float64)


def days_of(values: Any) -> Any:
    """The dates of a column."""
    return each_of(values, day_of, np.float64)


def count_in(value: Any, word: str) -> float:
    """How often a word stands in a list written as text."""
    if value is None or value is pd.NA or value != value:
        return 0.0
    return float(sum(part.strip(" '\"[]()") == word for part in str(value).split(",")))


def counts_of(values: Any, word: str) -> Any:
    """How often a word stands in each list of a column."""
    return each_of(values, lambda value: count_in(value, word), np.float64)


def run_in(value: Any, word: str) -> float:
    """The longest unbroken run of a word in a list written as text."""
    longest = run = 0
    for part in str(value).split(","):
        run = run + 1 if part.strip(" '\"[]()") == word else 0
        longest = max(longest, run)
    return float(longest)


def runs_of(values: Any, word: str) -> Any:
    """The longest run of a word in each list of a column."""
    return each_of(values, lambda value: run_in(value, word), np.float64)


def members_of(values: Any, lists: Any) -> Any:
    """Whether each value of a column stands in the list, written as text, of the same row."""
    found = [
        key is not None and count_in(text, key) > 0
        for key, text in zip(keys_of(values).tolist(), lists.tolist())  # noqa: B905
    ]
    return np.array(found, dtype=np.float64)


def look_up(kept: Any, tables: Any, name: str, key: str, column: str) -> Any:
    """A column of a table by key, as a dict made once; of several rows with one key the first counts."""
    table = tables[name]
    entry = kept.get((name, key, column))
    if entry is None or entry[0] is not table:
        found: dict[Any, Any] = {}
        for one, value in zip(keys_of(table[key]).tolist(), table[column].tolist()):  # noqa: B905
            if one is not None:
                found.setdefault(one, value)
        entry = kept[name, key, column] = (table, found)
    return entry[1]


def joined(kept: Any, tables: Any, values: Any, name: str, key: str, column: str) -> Any:
    """For each key in a column, what a table's column says."""
    known = look_up(kept, tables, name, key, column)
    return pd.Series([known.get(one) for one in keys_of(values).tolist()], dtype=object)


def stacked(first: Any, second: Any, columns: Any, dates: Any) -> Any:
    """The rows of two tables as one: the columns that both have, and their dates as the column ``date``."""
    parts = [table[columns].reset_index(drop=True) for table in (first, second)]
    if dates:
        named = zip((first, second), dates)  # noqa: B905
        for part, (table, name) in zip(parts, list(named)):  # noqa: B905
            part["date"] = table[name].tolist()
    return pd.concat(parts, ignore_index=True)


def group_rows(keys: Any, keep: Any, days: Any, values: Any) -> Any:
    """For each key its days and values, in order of time; rows that are not kept are left out."""
    order = np.argsort(np.where(np.isnan(days), -np.inf, days), kind="stable")
    places: dict[Any, list[int]] = {}
    for place in order[np.asarray(keep, dtype=bool)[order]].tolist():
        places.setdefault(keys[place], []).append(place)
    return {key: (days[rows], values[rows]) for key, rows in places.items() if key is not None}


def divide(a: float, b: float) -> float:
    """A ratio; 0 where it is not defined."""
    return a / b if b == b and a == a and abs(b) > 1e-12 else 0.0


def relative(a: float, b: float) -> float:
    """The change from b to a, as a share of b; 0 where there is none to compare with."""
    return (a - b) / b if b == b and a == a and abs(b) > 1e-12 else 0.0


def plain(value: float) -> float:
    """A finite number; a missing one is 0."""
    return float(value) if -1e300 < value < 1e300 else 0.0


def entropy_of(values: Any) -> float:
    """The entropy of the values' frequencies, in nats."""
    counts = np.sort(np.unique(values, return_counts=True)[1])
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def slope_of(days: Any, values: Any) -> float:
    """The slope of a straight line through values over days; 0 where there is none."""
    moved = days - days.mean()
    below = float((moved * moved).sum())
    return float((moved * values).sum()) / below if below > 1e-9 else 0.0


def monthly(days: Any, values: Any, how: str) -> Any:
    """The total, mean or number of values in each calendar month that has some, in order of time."""
    known = np.isfinite(days)
    months = np.floor(days[known]).astype("int64").astype("datetime64[D]").astype("datetime64[M]").astype("int64")
    places = np.unique(months, return_inverse=True)[1].reshape(-1)
    counts = np.bincount(places).astype(np.float64)
    if how == "count":
        return counts
    sums = np.bincount(places, weights=values[known])
    return sums if how == "sum" else sums / counts


def course(series: Any, what: str) -> float:
    """How a series of numbers goes: its mean, spread, trend by step, changes; 0 where it is too short."""
    if len(series) < (1 if what in ("mean", "max", "min", "last") else 2):
        return 0.0
    steps = np.diff(series)
    if what == "std":
        return float(series.std(ddof=1))
    if what == "slope":
        places = np.arange(len(series)) - (len(series) - 1) / 2
        return float((places * series).sum() / (places * places).sum())
    if what == "deviation":
        return float(series[-1] - series.mean())
    if what == "step":
        return float(steps[-1])
    if what == "drift":
        return float(series[-1] - series[0]) / len(steps)
    if what == "growth":
        before = series[:-1]
        usable = np.abs(before) > 1e-12
        return float((steps[usable] / before[usable]).mean()) if usable.any() else 0.0
    if what in ("rises", "falls", "changes"):
        moved = steps > 0 if what == "rises" else steps < 0 if what == "falls" else steps != 0
        return float(moved.sum())
    if what in ("climb", "descent"):
        return float(np.maximum(steps if what == "climb" else -steps, 0.0).sum())
    if what == "jump":
        return float(np.abs(steps).mean())
    return float(series[-1]) if what == "last" else float(getattr(series, what)())


KERNELS: dict[str, Any] = {
    function.__name__: function
    for function in (
        key_of, number_of, day_of, pair_of, each_of, keys_of, numbers_of, days_of, count_in, counts_of, run_in, runs_of,
        members_of, look_up, joined, stacked, group_rows, divide, relative, plain, entropy_of, slope_of, monthly,
        course,
    )
}  # fmt: skip


class _Bare(ast.NodeTransformer):
    """Takes annotations away: a function that stands alone does not need them."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return node
        return ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)


@cache
def _text(name: str) -> str:
    tree = _Bare().visit(ast.parse(inspect.getsource(KERNELS[name])))
    return ast.unparse(ast.fix_missing_locations(tree))


@cache
def _uses(name: str) -> frozenset[str]:
    names = {node.id for node in ast.walk(ast.parse(_text(name))) if isinstance(node, ast.Name)}
    return frozenset(names & KERNELS.keys()) - {name}


def kernel_source(used: Iterable[str]) -> str:
    """The text of kernels and of all that they use, in the order in which they are defined here."""
    needed: set[str] = set()
    open_names = [name for name in used if name in KERNELS]
    while open_names:
        name = open_names.pop()
        if name not in needed:
            needed.add(name)
            open_names += _uses(name)
    return "\n\n\n".join(_text(name) for name in KERNELS if name in needed)
