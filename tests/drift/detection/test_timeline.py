from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
from tests.drift.conftest import swapped_log

from assay.drift.detection.profile import ChangeProfile, change_profile
from assay.drift.detection.timeline import answers, draw_svg, draw_text
from assay.drift.generate.simulate import Simulated, simulate


def simulated_with(
    kind: str = "sudden", pattern: str = "re", cases: int = 300
) -> tuple[Simulated, dict[str, ChangeProfile]]:
    simulated = simulate(seed=61, drifts=[kind], patterns=[pattern], cases=cases)  # type: ignore[list-item]
    drift = simulated.drifts[0].drift
    return simulated, {drift.id: change_profile(simulated.log, drift)}


def test_the_terminal_shows_the_place_and_the_course() -> None:
    simulated, profiles = simulated_with()
    drift = simulated.drifts[0].drift
    lines = draw_text(simulated.log, [drift], profiles).splitlines()
    assert lines[0].startswith(f"{simulated.log.name}: 300 cases")
    column = lines[1].index("1") - 1
    assert column == simulated.points[0] * 60 // 300
    assert "sudden drift" in lines[3]
    course = lines[4][1:61]
    outer = course[: column - 1], course[column + 2 :]
    assert {*outer[0]} != {*outer[1]}
    assert {"█", " "} == {*outer[0], *outer[1]}


def test_a_drift_that_takes_time_is_a_stretch() -> None:
    simulated, profiles = simulated_with("gradual")
    stretch = draw_text(simulated.log, [simulated.drifts[0].drift], profiles).splitlines()[1]
    assert stretch.index("1") == simulated.points[0] * 60 // 300 + 1
    assert stretch.count("▒") + 1 == np.diff(np.array(simulated.points) * 60 // 300)[0] + 1


def test_the_svg_is_well_formed_and_names_escape() -> None:
    simulated, profiles = simulated_with(pattern="cf")
    log = replace(simulated.log, name='<P & "Q">', activities=tuple(f"{name} <&>" for name in simulated.log.activities))
    drift = replace(simulated.drifts[0].drift, process=log.name)
    root = ElementTree.fromstring(draw_svg(log, [drift], {drift.id: change_profile(log, drift)}))
    texts = [element.text or "" for element in root.iter() if element.tag.endswith("text")]
    assert any('<P & "Q">' in text for text in texts)
    assert any("<&>" in text for text in texts)
    circles = [element for element in root.iter() if element.tag.endswith("circle")]
    assert len(circles) == 12
    assert all(250 <= float(circle.get("cx", "nan")) <= 810 for circle in circles)
    assert profiles


def test_durations_repetitions_and_unknown_cases_are_drawn() -> None:
    for pattern in ("du", "lp"):
        simulated, profiles = simulated_with(pattern=pattern)
        drift = replace(simulated.drifts[0].drift, start_case="elsewhere 1", end_case="elsewhere 1")
        svg = draw_svg(simulated.log, [drift], profiles)
        ElementTree.fromstring(svg)
        assert (" h before" in svg) == (pattern == "du")
        assert (", repeated" in draw_text(simulated.log, [drift], profiles)) == (pattern == "lp")


def test_short_logs_and_logs_without_drifts_are_drawn() -> None:
    simulated, profiles = simulated_with(cases=20)
    text = draw_text(simulated.log, [simulated.drifts[0].drift], profiles)
    assert all(len(line) >= 62 for line in text.splitlines() if line.startswith("|"))
    assert draw_text(simulated.log, [], {}).endswith("no drifts")
    assert "0 drifts" in draw_svg(simulated.log, [], {})


def test_the_course_of_a_relation_at_a_distance_is_that_of_its_own_cases() -> None:
    log, drift = swapped_log()
    row = change_profile(log, drift, window=None).changed()[0]
    yes = answers(log, row)
    assert row.is_far
    assert (yes[:60].mean(), yes[60:].mean()) == (row.before, row.after)
