"""The critical-difference diagram: marks at their ranks, bars over groups, names that stay text."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from assay.charts import critical_difference
from assay.charts.critical_difference import CD_WIDTH, draw_critical_difference
from assay.charts.raster import Raster

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("lasso", "forest", "<b>net</b>", "vote")
RANKS = (1.5, 2.0, 2.75, 3.75)


def bars(svg: str) -> list[tuple[float, float, float]]:
    """The left end, right end and height of each bar."""
    tree = ElementTree.fromstring(svg)
    paths = [path.attrib["d"] for path in tree.iter(SVG + "path") if path.attrib["class"] == "bar-line"]
    found = [[float(part) for part in re.findall(r"-?[\d.]+", path)] for path in paths]
    return [(left, right, y) for left, y, right, _ in found]


def places(svg: str) -> dict[str, float]:
    """Where each subject's mark stands, by the title that is told to who points at it."""
    tree = ElementTree.fromstring(svg)
    found = {}
    for path in tree.iter(SVG + "path"):
        if (title := path.find(SVG + "title")) is not None and title.text:
            xs = [float(part) for part in re.findall(r"[ML]?(-?[\d.]+) -?[\d.]+", path.attrib["d"].split("a")[0])]
            arc = re.findall(r"a([\d.]+)", path.attrib["d"])
            found[title.text.split(": mean rank ")[0]] = xs[0] + float(arc[0]) if arc else sum(xs) / len(xs)
    return found


def test_marks_stand_where_their_ranks_are() -> None:
    found = places(critical_difference(NAMES, RANKS, ()))
    step = (found["vote"] - found["lasso"]) / (3.75 - 1.5)
    for name, rank in zip(NAMES, RANKS, strict=True):
        assert found[name] == pytest.approx(found["lasso"] + step * (rank - 1.5), abs=0.6)


def test_bars_reach_over_their_group_and_overlapping_ones_stand_on_two_lines() -> None:
    svg = critical_difference(NAMES, RANKS, (NAMES[:2], NAMES[1:3]))
    (left, right, upper), (start, end, lower) = bars(svg)
    found = places(svg)
    assert left < found["lasso"] < found["forest"] < right < found["<b>net</b>"]
    assert start < found["forest"] < found["<b>net</b>"] < end < found["vote"]
    assert upper != lower


def test_names_stay_text_and_a_rank_that_is_unknown_is_left_out() -> None:
    svg = critical_difference(NAMES, (*RANKS[:3], float("nan")), (NAMES,))
    assert "<b>" not in svg
    assert "vote" not in svg
    assert len(bars(svg)) == 1


def test_nothing_to_rank_is_said() -> None:
    assert "There is no rank to draw." in critical_difference((), (), ())


def test_two_hundred_names_do_not_collide() -> None:
    names = [f"subject {place}" for place in range(200)]
    tree = ElementTree.fromstring(critical_difference(names, [1 + place for place in range(200)], ()))
    spots = [
        (text.attrib.get("text-anchor", "start"), float(text.attrib["y"]))
        for text in tree.iter(SVG + "text")
        if text.find(SVG + "title") is not None
    ]
    assert len(spots) == 200
    assert all(one[0] != other[0] or abs(one[1] - other[1]) > 12 for one, other in combinations(spots, 2))


def test_it_becomes_a_png_too() -> None:
    pytest.importorskip("matplotlib")
    picture = Raster("ranks", width=CD_WIDTH)
    assert picture.png(draw_critical_difference(picture, NAMES, RANKS, (NAMES[:2],))).startswith(b"\x89PNG")
