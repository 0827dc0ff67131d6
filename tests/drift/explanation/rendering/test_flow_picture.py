from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from assay.drift.explanation.rendering.flow import Flow, FlowChange, Step
from assay.drift.explanation.rendering.flow_layout import lay_out
from assay.drift.explanation.rendering.flow_picture import flow_png, flow_svg

STEPS = (
    Step("receive <order>", 1.0, 1.0, "same"),
    Step("check credit", 0.9, 0.0, "less"),
    Step("ship", 1.0, 1.0, "same"),
)
CHANGE = FlowChange(
    STEPS,
    (
        Flow("receive <order>", "check credit", 0.9, 0.0, "less"),
        Flow("check credit", "ship", 0.9, 0.0, "less"),
        Flow("receive <order>", "ship", 0.1, 1.0, "more"),
        Flow("ship", "ship", 0.2, 0.2, "same"),
    ),
    0,
)
LAYOUT = lay_out(CHANGE)
SVG = "{http://www.w3.org/2000/svg}"


def test_each_side_shows_its_own_shares_and_colours_what_changed() -> None:
    before, after = (flow_svg(CHANGE, LAYOUT, side) for side in ("before", "after"))
    assert "90%" in before
    assert "90%" not in after.replace("90% of cases before", "")
    tree = ElementTree.fromstring(after)
    boxes = {box.get("class"): box.get("style") for box in tree.iter(f"{SVG}rect") if box.get("rx")}
    assert boxes["box-2"] == "stroke-dasharray:5 4"  # it no longer happens
    classes = [path.get("class") for path in tree.iter(f"{SVG}path")]
    assert (classes.count("line-2"), classes.count("line-1"), classes.count("frame")) == (2, 1, 1)
    words = {title.text for title in tree.iter(f"{SVG}title")}
    assert "receive <order> → ship: 10% of cases before, 100% after" in words


def test_the_picture_for_paper_holds_both_sides() -> None:
    png = flow_png(CHANGE, LAYOUT)
    assert png.startswith(b"\x89PNG")
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    assert abs(width - 2 * 2 * LAYOUT.width) <= 2
    assert height > 2 * LAYOUT.height
