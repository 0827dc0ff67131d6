import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.cases import CaseExplainer, ExplanationBatch
from assay.core import InvalidInput

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, 60).astype(float),
        "work": RNG.choice(["farm", "city"], 60),
        **{f"flag {number}": [0.0] * 59 + [1.0] for number in range(18)},
    }
)
LABELS = (TABLE["age"] > 50).astype(int).to_numpy()


def batch(names: tuple[str, str] = ("young", "old"), **options: Any) -> ExplanationBatch:
    explainer = CaseExplainer(TABLE, LABELS, k=3, class_names=list(names), units={"age": "years"}, **options)
    queries = TABLE.iloc[:12].copy()
    queries.loc[0, "age"] = 900.0
    return explainer.explain_batch(queries, predictions=LABELS[:12], y=1 - LABELS[:12])


class Whole(HTMLParser):
    """Fails on elements that are not closed; keeps the texts outside of styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag != "script"
        assert not {name for name, _ in attrs} & {"src", "href", "onload"}
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text += data + " "


def cards(page: str) -> list[str]:
    return re.findall(r'<div class="card .*?</ul></div>', page)


def test_a_card_shows_names_beside_numbers_units_and_only_what_differs() -> None:
    shown = batch()
    page = shown.to_html()
    assert len(cards(page)) == 12
    (card,) = (text for text in (Whole(each).text for each in cards(page)) if text.split()[:2] == ["Query", "1"])
    entry = shown[1]
    assert re.search(r"(young \(0\)|old \(1\)) , wrong: the true class is", card)
    assert f"{entry.correspondence:.1%} {entry.interpretation}" in card
    assert "both" not in card
    assert "are the same" in card
    differing = [row for row in entry.contrast() if row.differs]
    assert all(row.sides in card for row in differing[:3])
    assert any(row.name == "age" and row.sides.endswith(" years") for row in differing)


def test_a_far_away_query_is_never_read_without_its_warning() -> None:
    """Gower's distance hardly sees one column, so the distance alone would call this query usual."""
    explainer = CaseExplainer(TABLE, LABELS, k=1)
    far = TABLE.iloc[[0]].assign(age=900.0)
    shown = explainer.explain_batch(far, predictions=[1])
    shown = explainer.explain_batch(far, predictions=[int(shown.labels[0, 0])])  # whatever its neighbours say
    entry = shown[0]
    assert entry.interpretation == "high"
    assert entry.distance_percentile < 0.99
    assert explainer.reference.index.query(explainer.cases.numbers(far.to_numpy()), 1).distances[0, 0] < 0.1
    assert entry.outside == ("age",)
    assert entry.unfamiliar
    picture = entry.plot().axes[0].get_title(loc="left")
    for text in (repr(entry), entry.summary(), Whole(entry.to_html()).text, Whole(shown.to_html()).text, picture):
        assert re.search(r"high, +but the query is unfamiliar", text)
    assert "high 1 (1 of them unfamiliar)" in shown.summary()
    assert "high, <b" in shown._repr_html_()
    assert shown.to_records()[0]["unfamiliar"] is True
    assert "far outside the training cases in age." in entry.cautions()[2]
    hidden = CaseExplainer(TABLE, LABELS, k=3, private=["age"]).explain_batch(far, predictions=[1])[0]
    assert "in a private column." in hidden.cautions()[2]


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "manhattan", "correlation"])
def test_a_point_a_thousand_deviations_away_is_unfamiliar_under_any_metric(metric: str) -> None:
    X = RNG.normal(size=(80, 4))
    shown = CaseExplainer(X, np.zeros(80, dtype=int), metric=metric).explain_batch(
        [[1000.0] * 4, X[0] * 1.01], predictions=[0, 0]
    )
    assert shown.interpretation.tolist() == ["high", "high"]
    assert shown.unfamiliar is not None
    assert shown.unfamiliar[0]
    assert not shown[1].outside


def test_what_is_at_the_edge_or_missing_or_weightless_is_not_outside() -> None:
    X = np.array([[0.0, 5.0, 1.0], [10.0, 5.0, 2.0], [4.0, 5.0, 3.0], [6.0, 5.0, 1.0]])
    explainer = CaseExplainer(X, [0, 1, 0, 1], k=1, metric="nan_euclidean", feature_weights=[1, 1, 0])
    queries = [[20.0, 5.0, 1.0], [20.5, 5.0, 1.0], [-10.5, 5.0, 1.0], [np.nan, 6.0, 1.0], [0.0, 6.5, 1.0], [0, 5, 1e6]]
    explained = explainer.explain_batch(queries, predictions=[0] * 6)
    assert [entry.outside for entry in explained] == [(), ("x0",), ("x0",), (), ("x1",), ()]


def test_a_single_case_says_that_familiarity_is_unknown() -> None:
    shown = CaseExplainer([[1.0]], ["a"], k=1).explain_instance([2.0], predicted_class="a")
    assert "(high, familiarity unknown)" in shown.summary()


def test_a_page_is_whole_loads_nothing_and_is_written(tmp_path: Path) -> None:
    shown = batch()
    page = shown.to_html(tmp_path / "page.html", full=2, most=7)
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    whole = Whole(page)
    assert page.startswith("<!DOCTYPE html>")
    assert '<meta name="viewport" content="width=device-width' in page
    assert len(cards(page)) == 5
    assert page.count("What separates it from") == 2
    assert "5 more are not shown." in whole.text
    lowest = np.argsort(shown.correspondence, kind="stable")[:7].tolist()
    assert [int(number) for number in re.findall(r"Query (\d+)", page)] == lowest
    assert "http" not in page
    one = shown[3].to_html(tmp_path / "one.html")
    assert Whole(one).text.count("Predicted ") == 1
    assert Whole(shown[:0].to_html()).text.strip().startswith("0 explained predictions")
    with pytest.raises(InvalidInput, match="cannot be written"):
        shown.to_html(tmp_path / "absent" / "page.html")


def test_hostile_names_are_text_and_private_values_stay_so() -> None:
    hostile = "<script>alert(1)</script>\"'&</style>"
    page = batch(names=(hostile, hostile + "!"), private=["age"]).to_html(full=1)
    Whole(page)
    assert "<script" not in page
    assert "900" not in page
    assert "1 is private" in page


def test_the_bars_of_a_contrast_under_gowers_distance_are_what_the_features_add_to_it() -> None:
    explainer = CaseExplainer(TABLE, LABELS, k=1)
    entry = explainer.explain_instance(TABLE.iloc[[0]].assign(age=900.0), predicted_class=int(LABELS[0]))
    unlike = entry.nearest_unlike
    assert unlike is not None
    assert sum(abs(row.scaled) for row in entry.contrast()) == pytest.approx(unlike.distance)
