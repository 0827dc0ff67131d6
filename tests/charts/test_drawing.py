"""The SVG kit: marks where their values are, axes with round numbers, texts that stay texts."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from assay.charts import Drawing, Scale
from assay.charts.drawing import LEFT

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("x")</script>&'


def elements(drawing: Drawing, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(drawing.svg(100)).iter(SVG + tag))


def test_every_text_is_escaped_wherever_it_stands() -> None:
    drawing = Drawing(HOSTILE)
    drawing.text(0, 0, HOSTILE, title=HOSTILE)
    drawing.name(10, HOSTILE)
    drawing.rect("series-1", 0, 0, 1, 1, title=HOSTILE)
    drawing.dot("series-1", 0, 0, title=HOSTILE)
    drawing.legend(0, [("series-1", HOSTILE)], step=10)
    drawing.x_axis(Scale(0, 1, 0, 10), 5, title=HOSTILE, label=lambda _: HOSTILE)
    drawing.y_axis(Scale(0, 1, 0, 10), 5, title=HOSTILE, label=lambda _: HOSTILE)
    markup = drawing.svg(20)
    assert "<script" not in markup
    tree = ElementTree.fromstring(markup)
    assert tree.attrib["aria-label"] == HOSTILE
    assert {element.text for element in tree.iter(SVG + "title")} == {HOSTILE}


def test_an_axis_has_a_line_and_its_ticks_at_their_places() -> None:
    drawing = Drawing("axes", width=200)
    scale = Scale(0, 4, 100, 80)
    drawing.x_axis(scale, 50, ticks=(0, 1, 4), title="steps")
    texts = {element.text: element for element in elements(drawing, "text")}
    assert set(texts) == {"0", "1", "4", "steps"}
    assert [float(texts[tick].attrib["x"]) for tick in ("0", "1", "4")] == [100, 120, 180]
    first = elements(drawing, "path")[0]
    assert (first.attrib["class"], first.attrib["d"]) == ("frame", "M100 50L180 50")


def test_a_vertical_axis_runs_upwards() -> None:
    drawing = Drawing("axes", width=200)
    drawing.y_axis(Scale(0, 1, 90, -80), 30, ticks=(0, 1))
    low, high = (float(element.attrib["y"]) for element in elements(drawing, "text"))
    assert high == low - 80


def test_an_interval_is_a_line_with_a_dot_in_one_colour() -> None:
    drawing = Drawing("interval", width=10)
    drawing.interval(3, (1, 5), (4, 5), (9, 5), title="0.4")
    (line,), (dot,) = elements(drawing, "path"), elements(drawing, "circle")
    assert (line.attrib["class"], line.attrib["d"]) == ("line-3", "M1 5L9 5")
    assert (dot.attrib["class"], dot.attrib["cx"]) == ("series-3", "4")


def test_long_names_are_cut_and_end_before_their_row() -> None:
    drawing = Drawing("rows")
    drawing.name(10, "n" * 80)
    (name,) = elements(drawing, "text")
    assert (name.text or "").endswith("n…")
    assert float(name.attrib["x"]) < LEFT
    assert name.attrib["text-anchor"] == "end"


def test_sizes_are_never_negative() -> None:
    drawing = Drawing("bars", width=10)
    drawing.rect("series-1", 0, 0, -3, -1e-9)
    (bar,) = elements(drawing, "rect")
    assert (bar.attrib["width"], bar.attrib["height"]) == ("0", "0")


def test_a_picture_that_scrolls_keeps_its_size() -> None:
    tree = ElementTree.fromstring(Drawing("wide", width=2000, scrolls=True).svg(30))
    assert (tree.attrib["class"], tree.attrib["width"], tree.attrib["height"]) == ("wide", "2000", "30")


@pytest.mark.parametrize("standalone", [False, True])
def test_a_picture_brings_a_style_only_where_it_stands_alone(standalone: bool) -> None:
    tree = ElementTree.fromstring(Drawing("alone", width=10).svg(10, standalone=standalone))
    styles = [element.text or "" for element in tree.iter(SVG + "style")]
    assert len(styles) == standalone
    assert all("prefers-color-scheme: dark" in style and ".series-8" in style for style in styles)
