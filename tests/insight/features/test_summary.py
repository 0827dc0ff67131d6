from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from assay.insight.features import RelationalFeatures
from assay.insight.features.effects import effect_of


@pytest.fixture(scope="module")
def fitted() -> RelationalFeatures:
    rng = np.random.default_rng(5)
    rows = pd.DataFrame({"customer": np.arange(90), "day": 400, "age<b>": rng.integers(20, 60, 90)})
    orders = pd.DataFrame({"customer": rng.integers(0, 90, 600), "sent": rng.integers(0, 400, 600)})
    often = rows["customer"].map(orders["customer"].value_counts()).fillna(0)
    y = (often + rng.normal(size=90) > often.median()).astype(int).rename("bought & kept")
    return RelationalFeatures(
        {"orders": orders}, time="day", table_times={"orders": "sent"}, columns=4, candidates=200
    ).fit(rows, y)


def test_the_summary_is_a_text_and_a_page_with_a_picture_of_each_column(
    fitted: RelationalFeatures, tmp_path: Path
) -> None:
    summary = fitted.summary()
    assert summary.startswith("4 columns found. bought & kept is 1 in ")
    page = summary.write(tmp_path / "found.html").read_text(encoding="utf-8")
    (picture,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    drawn = ElementTree.fromstring(picture)
    written = drawn.iter("{http://www.w3.org/2000/svg}text")
    texts = [(text.text or "") + "".join(title.tail or "" for title in text) for text in written]
    names = [text for text in texts if re.match(r"\d\. ", text)]
    assert [name[:1] for name in names] == ["1", "2", "3", "4"]
    assert any(text.startswith("bought & kept is 1, % of rows, with 95 % intervals") for text in texts)
    dots = sum(1 for _ in drawn.iter("{http://www.w3.org/2000/svg}circle"))
    assert dots == sum(len(effect.groups) for effect in fitted.effects_)
    assert all(name in page for name in fitted.get_feature_names_out())
    assert "<b>age<b>" not in page
    assert page.count("<details>") == 4
    assert "<svg" in summary._repr_html_()


@pytest.mark.parametrize("kind", ["binary", "regression", "multiclass"])
def test_groups_of_rows_hold_all_rows_and_average_to_the_whole(kind: Any) -> None:
    rng = np.random.default_rng(0)
    values = np.round(rng.gamma(1.0, 3.0, 400))
    target: Any = {
        "binary": (values > 3).astype(int),
        "regression": values + rng.normal(size=400),
        "multiclass": np.where(values > 5, "much", np.where(values > 1, "some", "none")),
    }[kind]
    effect = effect_of(values, target, kind, "y")
    assert 3 <= len(effect.groups) <= 5
    assert sum(group.rows for group in effect.groups) == 400
    assert all(a.high < b.low for a, b in zip(effect.groups, effect.groups[1:], strict=False))
    assert all(group.below <= group.value <= group.above for group in effect.groups)
    if kind == "regression":
        mean = sum(group.rows * group.value for group in effect.groups) / 400
        assert mean == pytest.approx(target.mean())
        assert effect.outcome == "mean of y"
    if kind == "binary":
        assert effect.groups[0].value == 0
        assert effect.groups[0].above > 0  # no rows of 100 is not never
