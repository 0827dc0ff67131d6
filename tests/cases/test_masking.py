"""What is private is compared but never shown: planted values are searched for in everything that people see."""

import io
import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.cases import CaseExplainer, ExplanationBatch

SENTINEL, SECRET = 987654.321, "sentinel-secret"


@pytest.fixture(params=["numbers", "mixed"])
def shown(request: pytest.FixtureRequest) -> ExplanationBatch:
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"income": SENTINEL + rng.normal(size=30), "size": rng.normal(size=30)})
    table.loc[::2, "income"] = SENTINEL
    if request.param == "mixed":
        table["town"] = np.where(rng.random(30) < 0.5, SECRET, SECRET + "-two")
        table["colour"] = np.where(rng.random(30) < 0.5, "red", "blue")
    metadata = {"patient": [f"{SECRET}-{row}" for row in range(30)], "site": ["north", "south"] * 15}
    private = ["income", "patient", *(["town"] if "town" in table else [])]
    y = np.arange(30) % 2
    explainer = CaseExplainer(table, y, k=4, metric="auto", metadata=metadata, private=private)
    return explainer.explain_batch(table.iloc[:5], predictions=y[:5], y=y[:5])


def planted(text: str) -> list[str]:
    """Traces of the private values: the texts, and numbers near the planted one in any notation."""
    numbers = re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", text)
    return re.findall(SECRET, text) + [number for number in numbers if abs(float(number) - SENTINEL) < 500]


def test_the_search_would_find_what_is_planted() -> None:
    assert planted(f"x {SENTINEL} {SENTINEL:.4g} {SENTINEL:.0f} {SECRET}-3") == [
        SECRET,
        "987654.321",
        "9.877e+05",
        "987654",
    ]


def test_the_raw_values_stay_with_the_objects_for_programs(shown: ExplanationBatch) -> None:
    assert shown[0].query[0] == SENTINEL
    assert str(shown[0].neighbors[0].metadata["patient"]).startswith(SECRET)


def test_no_text_shows_a_private_value(shown: ExplanationBatch) -> None:
    for entry in shown:
        for text in (entry.summary(), repr(entry), str(entry), repr(entry.neighbors), repr(entry.nearest_unlike)):
            assert planted(text) == []
        for table in (entry.contrast(), entry.differences(), entry.cautions()):
            assert planted(str(table)) == []
            assert planted(repr(table)) == []
        assert "patient •••" in entry.summary()
        assert "site " in entry.summary()
    assert planted(repr(shown) + str(shown) + shown.summary()) == []


def test_no_dictionary_record_or_frame_holds_a_private_value(shown: ExplanationBatch) -> None:
    for entry in shown:
        body: Any = entry.to_dict()
        assert planted(json.dumps(body)) == []
        assert body["query"]["income"] == "•••"
        assert body["neighbors"][0]["features"]["income"] == "•••"
        assert body["neighbors"][0]["metadata"]["patient"] == "•••"
        assert body["neighbors"][0]["metadata"]["site"] in ("north", "south")
        assert body["nearest_unlike"]["metadata"]["patient"] == "•••"
        private = [row for row in body["nearest_unlike"]["contrast"] if row["feature"] == "income"]
        assert private == [
            {"feature": "income", "query": "•••", "case": "•••", "difference": None, "kind": "private"}
            | {"unit": None, "differs": None}
        ]
        assert planted(entry.contrast().to_frame().to_csv()) == []
    for full in (False, True):
        assert planted(json.dumps(shown.to_records(full=full))) == []
        assert planted(shown.to_frame(full=full).to_csv()) == []
    assert set(shown.to_frame(full=True)["query_income"]) == {"•••"}


def test_no_html_shows_a_private_value(shown: ExplanationBatch) -> None:
    assert planted(shown._repr_html_()) == []
    for entry in shown:
        assert planted(entry._repr_html_()) == []
        assert "private" in entry._repr_html_()


@pytest.mark.parametrize("kind", ["neighbours", "contrast", "both"])
def test_no_picture_shows_a_private_value(shown: ExplanationBatch, kind: Any) -> None:
    from matplotlib import rc_context
    from matplotlib.text import Text

    figure = shown[1].plot(kind=kind)
    assert planted("\n".join(text.get_text() for text in figure.findobj(Text) if isinstance(text, Text))) == []
    svg = io.StringIO()
    with rc_context({"svg.fonttype": "none"}):  # texts as texts, so that they can be searched
        figure.savefig(svg, format="svg")
    texts = " ".join(re.findall(r">([^<]*)<", svg.getvalue()))
    assert planted(texts) == []
    if kind != "neighbours":
        assert re.search(r"\d+ (is|are|features? (is|are)) private", texts)
        assert "income" not in texts
