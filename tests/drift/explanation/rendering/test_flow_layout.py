from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from assay.drift.explanation.rendering.flow import Flow, FlowChange, Step
from assay.drift.explanation.rendering.flow_layout import Box, Layout, lay_out


def change(flows: dict[tuple[str, str], float]) -> FlowChange:
    names = dict.fromkeys(name for pair in flows for name in pair)
    steps = tuple(Step(name, 1.0, 1.0, "same") for name in names)
    return FlowChange(steps, tuple(Flow(*pair, share, share, "same") for pair, share in flows.items()), 0)


def random_change(seed: int) -> FlowChange:
    rng = np.random.default_rng(seed)
    names = [f"Step {'with a rather long name ' * int(rng.integers(0, 2))}{number}" for number in range(12)]
    flows = dict.fromkeys(pairwise(names), 1.0)
    for _ in range(14):
        first, second = rng.choice(12, 2)
        flows[names[first], names[second]] = float(rng.uniform(0.05, 0.5))
    return change(flows)


def overlap(one: Box, two: Box) -> bool:
    return abs(one.x - two.x) < (one.width + two.width) / 2 and abs(one.y - two.y) < (one.height + two.height) / 2


@pytest.mark.parametrize("seed", range(8))
def test_boxes_never_overlap_and_lie_in_the_picture(seed: int) -> None:
    layout = lay_out(random_change(seed))
    assert not [pair for pair in combinations(layout.boxes.values(), 2) if overlap(*pair)]
    for box in layout.boxes.values():
        assert box.x - box.width / 2 >= 0
        assert box.x + box.width / 2 <= layout.width
        assert 0 <= box.y - box.height / 2 < box.y + box.height / 2 <= layout.height


@pytest.mark.parametrize("seed", range(8))
def test_flows_pass_between_the_boxes_of_other_steps(seed: int) -> None:
    given = random_change(seed)
    layout = lay_out(given)
    for (source, target), way in layout.ways.items():
        for name, box in layout.boxes.items():
            if name not in (source, target):
                assert not [point for point in way if inside(box, point)], (source, target, name)


def inside(box: Box, point: tuple[float, float]) -> bool:
    return abs(point[0] - box.x) < box.width / 2 and abs(point[1] - box.y) < box.height / 2


def test_names_are_written_whole() -> None:
    layout = lay_out(change({("Vorprüfung der Antragsunterlagen", "Genehmigungsbescheidausfertigung"): 1.0}))
    for name, box in layout.boxes.items():
        assert "".join("".join(box.lines).split()) == "".join(name.split())
        assert box.width >= 7 * max(map(len, box.lines))


def test_the_common_way_leads_downwards_and_rework_leads_back() -> None:
    layout = lay_out(change({("a", "b"): 1.0, ("b", "c"): 1.0, ("c", "b"): 0.3, ("b", "b"): 0.2}))
    assert layout.boxes["a"].y < layout.boxes["b"].y < layout.boxes["c"].y
    assert first_and_last(layout, "b", "c")[0] < first_and_last(layout, "b", "c")[1]
    assert first_and_last(layout, "c", "b")[0] > first_and_last(layout, "c", "b")[1]
    assert ("b", "b") not in layout.ways


def first_and_last(layout: Layout, source: str, target: str) -> tuple[float, float]:
    way = layout.ways[source, target]
    return way[0][1], way[-1][1]


def test_two_steps_in_a_circle_and_one_alone_have_places() -> None:
    assert len(lay_out(change({("a", "b"): 0.5, ("b", "a"): 0.5})).boxes) == 2
    alone = FlowChange((Step("only", 1.0, 1.0, "same"),), (), 0)
    assert set(lay_out(alone).boxes) == {"only"}
