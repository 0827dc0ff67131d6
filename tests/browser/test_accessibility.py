"""Every page as axe-core judges it: no violation, light and dark, on a desk and on a phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the accessibility tests need axe-core")

SECTIONS = ("leaderboard", "compare", "charts", "problems", "subject", "methods")


def violations(page: Any) -> list[str]:
    """What axe-core finds, each with the first element that it is about."""
    found = axe.Axe().run(page).response["violations"]
    return [f"{entry['id']}: {len(entry['nodes'])} x {entry['nodes'][0]['html'][:200]}" for entry in found]


@pytest.mark.parametrize(
    ("phone", "dark"),
    [
        pytest.param(False, False, id="desktop-light"),
        pytest.param(True, True, id="phone-dark", marks=pytest.mark.soak),
        pytest.param(False, True, id="desktop-dark", marks=pytest.mark.soak),
        pytest.param(True, False, id="phone-light", marks=pytest.mark.soak),
    ],
)
def test_no_page_of_the_report_violates_a_rule(open_report: Callable[..., Any], phone: bool, dark: bool) -> None:
    page = open_report(phone=phone, dark=dark).page
    found = {"overview": violations(page)}
    for section in SECTIONS:
        page.evaluate(f"location.hash = '#alpha-{section}'")
        page.wait_for_selector(f"#alpha-{section}.current")
        found[section] = violations(page)
    page.evaluate("location.hash = '#alpha-problems?p=problem-03'")
    page.wait_for_selector(".problem-card h4")
    found["problem"] = violations(page)
    page.evaluate("location.hash = '#alpha-cell?p=problem-03&s=shaky'")
    page.wait_for_selector("#alpha-cell .cell-body h3")
    found["cell"] = violations(page)
    assert {name: entries for name, entries in found.items() if entries} == {}
