from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.cases import CaseExplainer, ExplanationBatch
from assay.cases.explanation.context import Familiarity, Unlike

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(40, 10)), np.arange(40) % 2
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&</style>"


def batch(*, names: tuple[str, str] = ("no", "yes"), known: bool = True, **options: Any) -> ExplanationBatch:
    explainer = CaseExplainer(X, Y, k=3, class_names=list(names), **options)
    context: Any = SimpleNamespace(
        unlike=lambda rows: Unlike(np.where(rows.predicted == 0, 1, 0), np.full(len(rows.queries), 9.5)),
        familiarity=lambda rows: Familiarity(np.full(len(rows.queries), 0.99), np.full(len(rows.queries), True)),
        fidelity=lambda rows: np.full(len(rows.queries), 2 / 3),
        prior=lambda rows: np.full(len(rows.queries), 0.5),
    )
    explained = explainer.explain_batch(
        X[:15] + 0.2, predictions=Y[:15], y=Y[[0, 1, 2, *range(16, 28)]] if known else None
    )
    return replace(explained, context=context)


class Page(HTMLParser):
    """The texts of a page; fails on an element that is not closed, or is not among the few that are used."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {"div", "style", "table", "thead", "tbody", "tr", "th", "td", "svg", "rect", "b", "ul", "li"}
        assert {name for name, _ in attrs} <= {"class", "width", "height", "x", "y", "rx", "role", "aria-label"}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.texts)


def test_an_explanation_shows_prediction_neighbours_what_separates_and_cautions() -> None:
    shown = batch()[2]
    text = Page(shown._repr_html_()).text
    verdict = "right" if shown.is_correct else "wrong"
    assert f"Predicted no (0), {verdict}: the true class is " in text
    agreeing = sum(map(shown.agrees, shown.neighbors))
    assert (
        f"Correspondence {shown.correspondence:.1%} ({shown.interpretation},  but the query is unfamiliar ): "
        f"{agreeing} of the 3 nearest of 40" in text
    )
    assert f"prior lift  {shown.prior_lift:.2f}  · fidelity  67%  · distance percentile" in text
    assert "neighbour class distance" in text
    assert "feature query case difference scaled" in text
    assert "about" not in text
    assert "(unfamiliar)" in text
    assert all(f"case {neighbor.index}" in text for neighbor in shown.neighbors)
    assert "nearest unlike" in text
    assert "What separates it from the nearest unlike case (1, yes (1))" in text
    assert shown.contrast()[0].shown in text
    assert "2 more features differ." in text
    assert all(sentence in text for sentence in shown.cautions())


def test_rows_say_in_words_and_colour_who_agrees() -> None:
    rng = np.random.default_rng(2)
    explainer = CaseExplainer(
        rng.normal(size=(20, 2)), np.arange(20) % 2, k=8, class_names=["no", "yes"], metadata={"id": list(range(20))}
    )
    shown = explainer.explain_instance([0.0, 0.0], predicted_class=0)
    html = shown._repr_html_()
    unlike = shown.nearest_unlike
    assert unlike is not None
    words = {"no (0)": "agrees", "yes (1)": "differs"}
    for neighbor in shown.neighbors:
        name = "no (0)" if shown.agrees(neighbor) else "yes (1)"
        word = "nearest unlike" if neighbor.index == unlike.index else words[name]
        row = html.split(f'<td class="number">case {neighbor.index}</td>')[1].split("</tr>")[0]
        assert row.startswith(f'<td class="{words[name]}">{name}</td><td>{word}</td>')
        assert f'<rect class="{words[name]}" x="0" y="1" width="' in row
        assert row.endswith(f"<td>id {neighbor.index}</td>")
    assert "about" in Page(html).text


def test_without_a_context_nothing_unknown_is_shown() -> None:
    text = Page(replace(batch()[2], lazy=None)._repr_html_()).text
    assert "prior lift" not in text
    assert "nearest unlike" not in text


def test_a_batch_shows_its_numbers_and_first_rows() -> None:
    shown = batch()
    text = Page(shown._repr_html_()).text
    overview = shown.overview()
    assert "15 explained predictions" in text
    assert f"mean correspondence  {overview.mean_correspondence:.1%}" in text
    assert (
        f"high  {overview.high} ({overview.high} of them unfamiliar) , medium  {overview.medium} , low  {overview.low}"
        in text
    )
    assert f"right  {overview.right}  (mean {overview.mean_correspondence_right:.1%})" in text
    assert f"wrong  {overview.wrong}  (mean {overview.mean_correspondence_wrong:.1%})" in text
    assert "5 more rows are not shown." in text
    assert "not correctness; thresholds depend on the domain" in text
    assert "predicted true correspondence band neighbours" in text
    names = ("no (0)", "yes (1)")
    assert shown.true is not None
    for row in range(10):
        labels, right = shown.labels[row].tolist(), shown[row].is_correct
        tally = ", ".join(f"{labels.count(label)} × {names[label]}" for label in dict.fromkeys(labels))
        html = shown._repr_html_().split(f'<tr><td class="number">{row}</td>')[1].split("</tr>")[0]
        assert f"<td>{tally}</td>" in html
        assert f'<td class="{"agrees" if right else "differs"}">{names[int(shown.true[row])]}</td>' in html
    unknown = Page(batch(known=False)[:3]._repr_html_()).text
    assert "wrong" not in unknown
    assert "not shown" not in unknown
    assert "0 explained predictions" in Page(batch()[:0]._repr_html_()).text


def test_looking_at_a_batch_asks_for_no_more_than_the_warning_beside_a_band() -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a look asked the explainer")

    def far(rows: Any) -> Familiarity:
        return Familiarity(np.full(len(rows.queries), 0.99), np.full(len(rows.queries), True))

    deaf: Any = SimpleNamespace(unlike=refuse, familiarity=far, fidelity=refuse, prior=refuse)
    html = replace(batch(), context=deaf)._repr_html_()
    assert "unfamiliar  15" in Page(html).text
    assert html.count('high, <b class="differs">unfamiliar</b>') == (batch().interpretation[:10] == "high").sum()
    assert "unfamiliar" not in Page(replace(batch(), context=None)._repr_html_()).text


def test_many_neighbours_are_cut_and_the_rest_is_counted() -> None:
    shown = CaseExplainer(X, Y, k="all").explain_instance(X[0], predicted_class=0)
    assert "20 farther cases are not shown." in Page(shown._repr_html_()).text


@pytest.mark.parametrize("name", [HOSTILE, "a\x00b\ud800", "</div></table>"])
def test_hostile_names_are_text(name: str) -> None:
    features = [name, *(f"f{number}" for number in range(9))]
    shown = batch(names=(name, name + "!"), feature_names=features)
    for html in (shown._repr_html_(), shown[0]._repr_html_()):
        assert "<script" not in html
        assert "<img" not in html
        assert html.count("</style>") == 1
        html.encode("utf-8")
        Page(html)
    assert escape(HOSTILE) in batch(names=(HOSTILE, "x"))[0]._repr_html_()


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters()), st.text(st.characters()))
def test_any_name_gives_a_well_formed_page(first: str, second: str) -> None:
    shown = batch(names=(first, second))
    Page(shown[0]._repr_html_())
    Page(shown._repr_html_())


def test_the_style_stays_inside_its_own_class_and_assumes_no_background() -> None:
    html = batch()[0]._repr_html_()
    style = html.split("<style>")[1].split("</style>")[0]
    rules = [rule.split("{")[0] for rule in style.split("}") if rule.strip()]
    assert rules
    assert all(part.strip().startswith(".assay-cases") for rule in rules for part in rule.split(","))
    assert "url(" not in html
    assert "http" not in html
    assert "color: inherit" in style
    assert "white" not in style.replace("white-space", "")
