"""Every page in Firefox, too: nothing goes wrong, nothing is asked for, policy and hostile texts as in Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.browser.firefox import Firefox
from tests.browser.test_serve import address  # noqa: F401 (a fixture)
from tests.serve.conftest import Written

pytestmark = pytest.mark.soak
PAGES = (
    "overview",
    *(f"alpha-{name}" for name in ("leaderboard", "compare", "charts", "problems", "subject", "methods")),
)
CELL = "alpha-cell?p=problem-03&s=shaky"


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    program = next((path for name in ("firefox", "firefox-esr") if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip("no firefox to test with (Debian: apt install firefox-esr)")
    browser = Firefox(program, tmp_path_factory.mktemp("firefox"))
    yield browser
    browser.end()


@pytest.mark.parametrize("width", [1280, 500])  # the narrowest window that Firefox makes is wider than a phone
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_opens_quietly_and_fits_the_screen(
    firefox: Firefox, reports: dict[str, Path], width: int, theme: str
) -> None:
    firefox.seen.clear()
    place = reports["ordinary"].as_uri()
    firefox.open(place, width=width, height=900)
    firefox.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    for page in PAGES:
        firefox.evaluate(f"location.hash = '#{page}'")
        firefox.wait(f"getComputedStyle(document.getElementById('{page}')).display !== 'none'")
        assert firefox.evaluate("document.documentElement.scrollWidth <= innerWidth"), page
    firefox.evaluate(f"location.hash = '#{CELL}'")
    firefox.wait("document.querySelector('#alpha-cell .cell-body h3') !== null")  # unpacked from the file
    assert "the truth of problem-03" in firefox.evaluate("document.querySelector('#alpha-cell').textContent")
    assert firefox.entries == []
    assert [url for url in firefox.requests if not url.startswith(("file:", "data:"))] == []


def test_hostile_texts_stay_texts_and_the_policy_stops_what_is_not_the_reports_own(
    firefox: Firefox, reports: dict[str, Path]
) -> None:
    firefox.seen.clear()
    firefox.open(reports["hostile"].as_uri(), width=1280, height=900)
    for section in ("leaderboard", "compare", "charts", "problems", "subject", "methods"):
        firefox.evaluate(f"location.hash = '#wild-{section}'")
        firefox.wait(f"getComputedStyle(document.getElementById('wild-{section}')).display !== 'none'")
    assert firefox.entries == []
    assert (
        firefox.evaluate("document.querySelectorAll('img, iframe, object, embed, link:not([rel=icon]), base').length")
        == 0
    )
    violated = firefox.evaluate(
        "new Promise((done) => { addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective));"
        " const added = document.createElement('script'); added.textContent = 'window.harmed = 1';"
        " document.body.append(added); })"
    )
    assert violated == "script-src-elem"
    assert firefox.evaluate("window.harmed === undefined")
    assert [url for url in firefox.requests if not url.startswith(("file:", "data:"))] == []


def test_a_chart_can_be_walked_along_and_taken_away_as_a_picture(firefox: Firefox, reports: dict[str, Path]) -> None:
    firefox.open(reports["ordinary"].as_uri() + "#alpha-charts", width=1280, height=900)
    chart = "document.querySelector('#alpha-charts figure[data-figure=\"spread\"]')"
    key = "new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true })"
    firefox.evaluate(f"{chart}.querySelector('.scroll').dispatchEvent({key})")
    assert " on problem-" in firefox.evaluate(f"{chart}.querySelector('.readout').textContent")
    size = firefox.evaluate(f"asPng({chart}.querySelector('svg')).then((blob) => blob.size)")
    assert size > 10_000  # not an empty canvas


def test_a_run_is_followed(firefox: Firefox, address: tuple[str, Written]) -> None:  # noqa: F811
    place, written = address
    firefox.seen.clear()
    firefox.open(f"{place}results/#toy-problems", width=1280, height=900)
    firefox.wait("document.querySelector('#live')?.dataset.state === 'live'")
    assert firefox.evaluate("document.querySelectorAll('#toy-problems table.grid tbody tr').length") == 1
    written.write(2, 3, share=0.25)
    firefox.wait("document.querySelectorAll('#toy-problems table.grid tbody tr').length === 2", 60)
    assert firefox.entries == []
    assert {url.split("/")[2] for url in firefox.requests if not url.startswith("data:")} == {place.split("/")[2]}
