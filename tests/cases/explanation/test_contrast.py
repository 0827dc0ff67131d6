import json
import math
from typing import Any

import numpy as np
import pytest

from assay.cases.explanation.contrast import Contrast, FeatureDifference, compare
from assay.cases.neighbors.casebase import CaseBase, build_case_base

X = np.array([[0.0, 10.0, 1.0], [1.0, 10.0, 1.0], [2.0, 30.0, 1.0], [8.0, 30.0, 1.0]])


def cases() -> CaseBase:
    return build_case_base(X, [0, 0, 1, 1], feature_names=["size", "age", "steady"])


def test_a_contrast_is_ordered_by_the_share_of_the_distance_and_adds_up_to_it() -> None:
    base = cases()
    query = np.array([1.0, 29.0, 1.0])
    contrast = compare(query, X[3], base)
    assert [row.name for row in contrast] == ["size", "age", "steady"]
    assert [(row.query, row.case) for row in contrast] == [(1.0, 8.0), (29.0, 30.0), (1.0, 1.0)]
    expected = (query - X[3]) / base.scaling.spread
    np.testing.assert_allclose([row.scaled for row in contrast], expected)
    assert [row.sides for row in contrast] == ["1 against 8", "29 against 30", "both 1"]
    assert [row.shown for row in contrast] == [f"{expected[0]:+.3g}", f"{expected[1]:+.3g}", "same"]


def test_the_top_holds_only_what_differs() -> None:
    contrast = compare(X[3], X[3], cases())
    assert contrast.top(3) == ()
    assert [row.name for row in compare(np.array([0.0, 10.0, 1.0]), X[1], cases()).top(3)] == ["size"]
    both = compare(np.array([1.0, 29.0, 1.0]), X[3], cases())
    assert [row.name for row in both.top(1)] == ["size"]
    assert len(both) == 3
    assert both[0].name == "size"


def test_equal_shares_keep_the_order_of_the_features() -> None:
    base = build_case_base(np.array([[0.0, 0.0], [1.0, 1.0]]), [0, 1], scale=False)
    assert [row.name for row in compare(np.array([2.0, 2.0]), np.array([1.0, 3.0]), base)] == ["x0", "x1"]


@pytest.mark.parametrize(
    ("query", "case", "words", "kind"),
    [
        ("red", "blue", "differs", "category"),
        ("red", "red", "same", "category"),
        (np.str_("red"), "red", "same", "category"),
        ("red", None, "not comparable", "category"),
        (True, False, "differs", "category"),
        (1.5, None, "not comparable", "number"),
        (float("nan"), 1.5, "not comparable", "number"),
        (None, None, "same", "number"),
        (2, 0, "+2", "number"),
    ],
)
def test_categories_and_missing_values_are_told_in_words(query: Any, case: Any, words: str, kind: str) -> None:
    options: dict[str, Any] = {"metric": "gower"} if kind == "category" else {"scale": False}
    values: list[Any] = [0.0, 1.0] if kind == "number" else [True, False] if query is True else ["red", "blue"]
    train = np.array([[values[0], 0.0], [values[1], 1.0]], dtype=object)
    base = build_case_base(train, [0, 1], feature_names=["a", "b"], **options)
    contrast = compare(np.array([query, 0.5], dtype=object), np.array([case, 0.0], dtype=object), base)
    row = next(row for row in contrast if row.name == "a")
    assert (row.shown, row.kind) == (words, kind)
    assert type(row.query) in (str, bool, float, type(None))
    assert [entry.name for entry in contrast] == (["a", "b"] if row.differs else ["b", "a"])
    assert json.loads(json.dumps(contrast.to_records(), allow_nan=False)) == contrast.to_records()


def test_numbers_that_mean_categories_differ_or_do_not() -> None:
    train = np.array([[1.0, 0.0], [7.0, 1.0]])
    base = build_case_base(train, [0, 1], metric="gower", categorical=[0], feature_names=["code", "size"])
    row = compare(np.array([7.0, 0.5], dtype=object), np.array([1.0, 0.5], dtype=object), base)[0]
    assert (row.name, row.kind, row.shown, row.sides) == ("code", "category", "differs", "7 against 1")


def test_a_private_feature_keeps_values_and_difference_to_itself_and_stands_last() -> None:
    base = build_case_base(X, [0, 0, 1, 1], feature_names=["size", "age", "steady"], private=["size"])
    rows = compare(np.array([987654.321, np.nan, 1.0]), X[3], base)
    assert [entry.name for entry in rows] == ["steady", "age", "size"]
    row = rows[2]
    assert (row.name, row.query, row.case, row.kind) == ("size", "•••", "•••", "private")
    assert math.isnan(row.scaled)
    assert row.shown == "•••"
    assert row.sides == "••• against •••"
    assert not row.differs


def test_a_feature_without_weight_is_not_called_the_same() -> None:
    row = FeatureDifference("a", 1.0, 2.0, 0.0)
    assert row.shown == "not counted"
    assert not row.differs


def test_a_contrast_is_a_table_in_text_records_and_frame() -> None:
    contrast = compare(np.array([1.0, 29.0, 1.0]), X[3], cases())
    lines = str(contrast).splitlines()
    assert lines[0].split() == ["feature", "query", "case", "difference"]
    assert lines[1].split()[:3] == ["size", "1", "8"]
    starts = {line.index(word) for line, word in zip(lines[:3], ["query", "1 ", "29"], strict=True)}
    assert len(starts) == 1
    assert lines[3:] == ["(1 feature is the same)"]
    records = contrast.to_records()
    assert records[0] == {
        "feature": "size",
        "query": 1.0,
        "case": 8.0,
        "difference": pytest.approx(contrast[0].scaled),
        "kind": "number",
        "unit": None,
        "differs": True,
    }
    assert records[2]["differs"] is False
    frame = contrast.to_frame()
    assert frame["feature"].tolist() == ["size", "age", "steady"]
    columns = ["feature", "query", "case", "difference", "kind", "unit", "differs"]
    assert list(Contrast(()).to_frame().columns) == list(frame.columns) == columns


def test_what_cannot_be_compared_is_null_in_records() -> None:
    records = Contrast((FeatureDifference("a", None, 1.0, math.nan),)).to_records()
    assert (records[0]["difference"], records[0]["differs"], records[0]["query"]) == (None, None, None)


def test_both_sides_of_long_categories_can_be_read() -> None:
    row = FeatureDifference("plan", "public insurance with dental cover", "employer-funded policy", 1.0, "category")
    assert row.sides_within(None) == row.sides == "public insurance with dental cover against employer-funded policy"
    assert row.sides_within(200) == row.sides
    short = row.sides_within(40)
    assert len(short) <= 40
    first, second = short.split(" against ")
    assert first.startswith("public")
    assert second.endswith("policy")
    # a short value leaves its room to the other
    beside = FeatureDifference("plan", "public insurance with dental cover", "no", 1.0, "category").sides_within(40)
    assert beside.endswith(" against no")
    assert len(beside) == 40
