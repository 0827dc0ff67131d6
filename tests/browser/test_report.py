"""The report as a reader meets it, in headless Chromium, under its own content security policy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.report.wording import format_number, shown

SECTIONS = ("leaderboard", "compare", "charts", "problems", "subject", "methods")
Open = Callable[..., Any]


def names(page: Any, selector: str = "#alpha-leaderboard table.leaderboard tbody:not([hidden]) .name a") -> list[str]:
    return [str(text) for text in page.locator(selector).all_inner_texts()]


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_page_opens_quietly_and_fits_the_screen(open_report: Open, phone: bool, dark: bool) -> None:
    watched = open_report(phone=phone, dark=dark)
    page = watched.page
    assert page.locator("#overview").is_visible()
    for section in SECTIONS:
        page.evaluate(f"location.hash = '#alpha-{section}'")
        page.wait_for_selector(f"#alpha-{section}.current")
        assert page.locator(".view:visible").count() == 1
        width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert width[0] <= width[1], f"{section} is wider than the screen"
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") is not dark
    watched.quiet()


def test_the_page_is_there_within_two_seconds(open_report: Open) -> None:
    page = open_report(address="#alpha-leaderboard").page
    spent = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    assert 0 < spent < 2000


def test_a_heading_sorts_and_turns_the_order(open_report: Open) -> None:
    watched = open_report(address="#alpha-leaderboard")
    page = watched.page
    assert names(page) == ["oracle", "good", "middling", "shaky"]
    heading = page.locator("#alpha-leaderboard table.leaderboard th", has_text="quality ↑")
    heading.get_by_role("button").click()
    assert names(page) == ["shaky", "middling", "good", "oracle"]
    assert heading.get_attribute("aria-sort") == "ascending"
    heading.get_by_role("button").click()
    assert names(page) == ["oracle", "good", "middling", "shaky"]
    assert heading.get_attribute("aria-sort") == "descending"
    watched.quiet()


def test_the_leaderboard_can_be_filtered_and_the_filter_is_in_the_address(open_report: Open) -> None:
    watched = open_report(address="#alpha-leaderboard")
    page = watched.page
    cells = "#alpha-leaderboard tbody:not([hidden]) tr:nth-child(2) td:nth-child(4)"
    whole = page.locator(cells).inner_text()
    page.locator("#alpha-leaderboard .board-filter").select_option("family=even")
    page.wait_for_function("location.hash.includes('tag=family')")
    assert page.locator(cells).inner_text() != whole
    assert "the 6 problems with family=even" in page.locator("#alpha-leaderboard .filter-note").inner_text()
    again = open_report(address=page.evaluate("location.hash")).page
    assert again.locator("#alpha-leaderboard .board-filter").input_value() == "family=even"
    watched.quiet()


def test_two_subjects_are_compared_with_numbers_and_a_scatter(open_report: Open) -> None:
    watched = open_report(address="#alpha-compare")
    page = watched.page
    pair = page.locator("#alpha-compare .pair")
    assert (
        pair.locator(".versus").inner_text() == "good against middling"
    )  # the first two that were not given the truth
    assert pair.locator("circle").count() == 12
    difference = pair.locator("dd strong").first.inner_text()
    page.locator("#alpha-compare .swap").click()
    page.wait_for_function("document.querySelector('.track.current .versus').textContent.startsWith('middling')")
    turned = pair.locator("dd strong").first.inner_text()
    assert turned.partition(" ")[0] == f"-{difference.partition(' ')[0]}"
    page.locator("#alpha-compare .pick-a").select_option(label="shaky")
    page.wait_for_function("document.querySelector('.track.current .versus').textContent.startsWith('shaky')")
    assert "a=shaky" in page.evaluate("location.hash")
    pair.locator("svg.scatter a").first.click()
    page.wait_for_selector("#alpha-problems.current .problem-card h4")
    watched.quiet()


def test_problems_are_found_by_words_and_tags_and_shown_in_full(open_report: Open) -> None:
    watched = open_report(address="#alpha-problems")
    page = watched.page
    section = page.locator("#alpha-problems")
    section.locator(".find").fill("problem-1")
    assert section.locator(".found").inner_text() == "2 of 12 shown"
    section.locator(".find").fill("")
    section.locator(".more-filters summary").click()
    section.locator('.tag-filter[data-tag="family"]').select_option("odd")
    page.wait_for_function("location.hash.includes('odd')")
    assert section.locator("table.grid tbody tr:visible").count() == 6
    section.locator("table.grid a", has_text="problem-03").click()
    card = section.locator(".problem-card")
    card.wait_for()
    assert "the truth of problem-03" in card.inner_text()
    assert "failed: time-out: gave up on row 3" in card.locator("details", has_text="shaky").text_content()
    assert card.locator("tbody tr").count() == 4
    card.locator(".close").click()
    page.wait_for_selector("#alpha-problems .problem-card", state="hidden")
    watched.quiet()


def test_another_metric_fills_the_grid(open_report: Open) -> None:
    page = open_report(address="#alpha-problems").page
    cell = page.locator("#alpha-problems table.grid tbody tr").first.locator("td").first
    assert cell.inner_text() == "1.000"
    page.locator("#alpha-problems .pick-metric").select_option(label="delay ↓")
    page.wait_for_function("document.querySelector('#alpha-problems .grid-title').textContent.startsWith('delay')")
    assert cell.inner_text() == "0.000"


def test_a_subject_has_its_profile_and_failures(open_report: Open) -> None:
    watched = open_report(address="#alpha-subject?s=shaky")
    section = watched.page.locator("#alpha-subject")
    assert section.locator("article:visible h4").inner_text() == "shaky"
    assert "Failures: time-out (2)" in section.locator("article:visible").inner_text()
    section.locator(".pick-subject").select_option(label="good")
    watched.page.wait_for_function("location.hash.endsWith('s=good')")
    assert "It never failed." in section.locator("article:visible").inner_text()
    watched.quiet()


def test_the_theme_can_be_chosen_and_is_kept(open_report: Open) -> None:
    watched = open_report()
    page = watched.page
    button = page.locator("#theme")
    seen = []
    for _ in range(3):
        button.click()
        seen.append(
            (button.get_attribute("aria-label"), page.evaluate("getComputedStyle(document.body).backgroundColor"))
        )
    assert [label for label, _ in seen] == ["Colours: light", "Colours: dark", "Colours: as the system"]
    assert seen[0][1] == seen[2][1] == "rgb(255, 255, 255)"
    assert seen[1][1] != seen[0][1]
    watched.quiet()


def test_the_keyboard_reaches_everything(open_report: Open) -> None:
    watched = open_report()
    page = watched.page
    focused = "document.activeElement.textContent.trim()"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "Skip to the content"
    for expected in ("Assay report", "overview", "alpha", "beta"):
        page.keyboard.press("Tab")
        assert page.evaluate(focused) == expected
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_selector("#alpha-leaderboard.current")
    page.evaluate("document.querySelector('.track.current nav.sections a').focus()")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("#alpha-compare.current")
    page.go_back()
    page.wait_for_selector("#alpha-leaderboard.current")
    page.locator("#alpha-leaderboard th button").nth(2).focus()
    page.keyboard.press("Enter")
    assert names(page)[0] == "shaky"
    watched.quiet()


def test_paper_shows_all_tracks_and_no_controls(open_report: Open, tmp_path: Path) -> None:
    watched = open_report(address="#beta-compare", dark=True)
    page = watched.page
    page.emulate_media(media="print")
    for section in ("overview", "alpha-leaderboard", "alpha-methods", "beta-subject"):
        assert page.locator(f"#{section}").is_visible()
    assert page.locator(".controls:visible, nav:visible, #theme:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.pdf(path=str(tmp_path / "report.pdf"))
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    watched.quiet()


def test_hostile_texts_stay_texts_on_every_page(open_report: Open) -> None:
    watched = open_report("hostile")
    page = watched.page
    tags = page.evaluate(
        "Array.from(document.querySelectorAll('img, iframe, object, embed, link:not([rel=icon]), base')).length"
    )
    assert tags == 0
    subjects = page.evaluate("JSON.parse(document.querySelector('script.data').textContent).subjects")
    assert len(set(subjects)) == 7
    page.evaluate("location.hash = '#wild-leaderboard'")
    page.wait_for_selector("#wild-leaderboard.current")
    cells = "#wild-leaderboard table.leaderboard tbody:not([hidden]) .name a"
    assert set(page.locator(cells).all_text_contents()) == set(subjects)
    for option in page.locator("#wild-leaderboard .board-filter option").evaluate_all("all => all.map(o => o.value)"):
        page.locator("#wild-leaderboard .board-filter").select_option(option)
        assert page.locator("#wild-leaderboard table.leaderboard tbody:not([hidden])").count() == 1
    for address in ("subject?s=", "problems?p="):
        for name in subjects:
            page.evaluate("([a, n]) => { location.hash = '#wild-' + a + encodeURIComponent(n) }", [address, name])
            shown_name = (
                "#wild-subject article.current h4 bdi" if "subject" in address else "#wild-problems .problem-card h4"
            )
            page.wait_for_function("([s, n]) => document.querySelector(s)?.textContent === n", arg=[shown_name, name])
    for name in subjects[1:3]:
        page.evaluate("([a, b]) => { location.hash = address('wild', 'compare', { a, b }) }", [name, subjects[0]])
        page.wait_for_function("n => document.querySelector('#wild-compare .versus bdi')?.textContent === n", arg=name)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    watched.quiet()


ADD_SCRIPT = """new Promise((done) => {
  addEventListener("securitypolicyviolation", (event) => done(event.violatedDirective));
  const added = document.createElement("script");
  added.textContent = "window.harmed = 1";
  document.body.append(added);
})"""
ADD_STYLE = """(() => {
  const added = document.createElement("div");
  added.innerHTML = '<p style="color: red">x</p>';
  document.body.append(added);
  return getComputedStyle(added.firstChild).color;
})()"""


def test_the_policy_stops_what_is_not_the_reports_own(open_report: Open) -> None:
    page = open_report().page
    assert page.evaluate(ADD_SCRIPT) == "script-src-elem"
    assert page.evaluate("window.harmed") is None
    assert page.evaluate(ADD_STYLE) != "rgb(255, 0, 0)"


def test_the_script_words_numbers_as_the_rest_does(open_report: Open) -> None:
    page = open_report(address="#alpha-problems").page
    values = [
        0.0,
        -0.0,
        1.0,
        0.8125,
        0.0625,
        0.1875,
        -0.4375,
        2.0e-5,
        0.00049,
        12.3456,
        99.9996,
        123.45,
        123.456,
        9999.94,
        12345.0,
        -1234567.0,
        1e300,
    ]
    assert page.evaluate("values => values.map(number)", values) == [format_number(value) for value in values]
    assert page.evaluate("[number(null), number('inf'), number('-inf')]") == ["–", "∞", "-∞"]


def test_no_text_is_left_that_could_steer_the_page(reports: dict[str, Path]) -> None:
    text = reports["hostile"].read_text(encoding="utf-8")
    assert "\x00" not in text
    assert "\u202e" not in text
    assert shown("\u202e") in text
