from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.insight.search import kernels
from assay.insight.search.ranges import Grouping, Measured, recency
from assay.insight.search.recipes import AGGREGATES, NEVER, Window

WINDOWS = [
    Window(),
    Window("end", None, 30.0),
    Window("end", 30.0, 60.0),
    Window("row", None, None),
    Window("row", None, None, True),
    Window("row", None, 30.0),
    Window("row", None, 30.0, True),
    Window("row", 30.0, 60.0),
]


def by_the_words(
    window: Window, function: str, keys: Any, table_keys: Any, days: Any, row_days: Any, values: Any
) -> Any:
    """What a written function would return for each row, by its own lines."""
    groups = kernels.group_rows(table_keys, ~np.isnan(values), days, values)
    end = float(np.nanmax(days)) if len(days) and not np.isnan(days).all() else 0.0
    found = []
    for key, day in zip(keys, row_days, strict=True):
        own, held = groups.get(key, (np.empty(0), np.empty(0)))
        space = {**kernels.KERNELS, "np": np, "now": day if window.anchor == "row" else end, "days": own}
        if window.anchor is not None:
            counted = eval(window.code(), space)
            own, held = own[counted], held[counted]
        space |= {"days": own, "values": held}
        found.append(eval(AGGREGATES[function], space) if len(held) else NEVER.get(function, 0.0))
    return np.nan_to_num(np.array(found, dtype=np.float64))


tables = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", None]), st.sampled_from([0.0, 10.0, 25.5, 40.0, 75.0]), st.integers(-5, 5)
    ),
    min_size=1,
    max_size=14,
)
rows = st.lists(
    st.tuples(st.sampled_from(["a", "b", "d", None]), st.sampled_from([5.0, 25.5, 60.0])), min_size=1, max_size=6
)


@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: window.slug or "all")
@settings(max_examples=30)
@given(tables, rows)
def test_ranges_give_what_the_written_lines_give(window: Window, table: Any, row: Any) -> None:
    table_keys = np.array([entry[0] for entry in table], dtype=object)
    days = np.array([entry[1] for entry in table])
    values = np.array([float(entry[2]) for entry in table])
    keys = np.array([entry[0] for entry in row], dtype=object)
    row_days = np.array([entry[1] for entry in row])
    grouping = Grouping(keys, table_keys, days)
    span = grouping.span(window, row_days if window.anchor == "row" else None)
    measured = Measured(grouping, values)
    found = {
        "count": (span.high - span.low).astype(float),
        "sum": measured.sum(span),
        "mean": measured.mean(span),
        "std": measured.std(span),
        "min": measured.extreme(span, "min"),
        "max": measured.extreme(span, "max"),
        "first": measured.at(span, 0),
        "last": measured.at(span, -1),
        "slope": measured.slope(span),
        **recency(grouping, span),
    }
    for function, computed in found.items():
        expected = by_the_words(window, function, keys, table_keys, days, row_days, values)
        np.testing.assert_allclose(computed, expected, atol=1e-6, err_msg=function)


def test_missing_values_do_not_count_and_missing_dates_count_only_without_a_window() -> None:
    keys = np.array(["a"], dtype=object)
    grouping = Grouping(keys, np.array(["a", "a", "a"], dtype=object), np.array([1.0, np.nan, 2.0]))
    measured = Measured(grouping, np.array([np.nan, 5.0, 7.0]))
    everything = grouping.span(Window())
    assert measured.count(everything).tolist() == [2.0]
    assert measured.mean(everything).tolist() == [6.0]
    dated = grouping.span(Window("row", None, None), np.array([3.0]))
    assert measured.sum(dated).tolist() == [7.0]


def test_a_row_without_a_date_or_key_has_no_past() -> None:
    grouping = Grouping(np.array(["a", None], dtype=object), np.array(["a"], dtype=object), np.array([1.0]))
    span = grouping.span(Window("row", None, None), np.array([np.nan, 5.0]))
    assert (span.high - span.low).tolist() == [0, 0]
