from __future__ import annotations

import re
from importlib.resources import files

from assay.charts.styles import COLOURS, chart_rules, standalone_style, subject_numbers


def test_a_subject_has_one_colour_whoever_is_drawn_first() -> None:
    names = [f"subject-{number:02d}" for number in range(10)]
    numbers = subject_numbers(names)
    assert subject_numbers(reversed(names)) == numbers
    assert [numbers[name] for name in names] == [1, 2, 3, 4, 5, 6, 7, 8, 1, 2]


def test_every_colour_is_defined_for_light_and_dark_in_the_report_and_alone() -> None:
    rules = chart_rules()
    assert all(f".series-{place} " in rules and f".line-{place} " in rules for place in range(1, COLOURS + 1))
    used = set(re.findall(r"var\((--[a-z-]+)\)", rules))
    report = (files("assay.report") / "templates" / "report.css").read_text(encoding="utf-8")
    for name in used:
        assert len(re.findall(rf"{name}: #", standalone_style())) == 2, name  # light, dark
        assert len(re.findall(rf"[ ;]{name}: #", report)) == 4, name  # light, dark by system or by choice, on paper
