"""The site is built as `make docs` builds it, and needs no network to be read."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.threads import in_thread

LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data"}


class Loads(HTMLParser):
    """Collects what a browser fetches for a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = dict(attrs).get(LOADED.get(tag, ""))
        if address is not None:
            self.addresses.append(address)


def loads(page: str) -> list[str]:
    parser = Loads()
    parser.feed(page)
    return parser.addresses


def is_external(address: str) -> bool:
    return bool(re.match(r"(?:[a-z]+:)?//", address.strip(), re.IGNORECASE))


@pytest.fixture(scope="module")
def site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    # proxies that lead nowhere: a build that asks the network fails
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)],
        cwd=root,
        env={**os.environ, **nowhere},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return target


def test_every_page_is_built(root: Path, site: Path) -> None:
    for source in (root / "docs").rglob("*.md"):
        name = source.relative_to(root / "docs").with_suffix(".html").as_posix().replace("README.html", "index.html")
        assert (site / name).is_file(), f"{source} has no page {name}"
    assert not list(site.rglob("hooks.py"))


def test_formulas_are_mathml_and_no_dollar_or_placeholder_is_left(site: Path) -> None:
    cases = (site / "tracks" / "cases.html").read_text(encoding="utf-8")
    assert cases.count("<math") >= 8
    assert 'display="block"' in cases
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "wzxhzdk" not in text, page  # what Markdown puts in the place of a formula
        prose = re.sub(r"<(pre|code|script)\b.*?</\1>", "", text, flags=re.DOTALL)
        assert "$$" not in prose, page


def test_the_metric_reference_names_every_metric_with_its_examples(site: Path) -> None:
    from assay.core import get_track

    page = (site / "tracks" / "cases.html").read_text(encoding="utf-8")
    for metric in get_track("cases").metrics:
        assert f"assay.cases.metrics.{metric.definition.__name__}" in page
        assert f"&gt;&gt;&gt; {metric.definition.__name__}(" in page


def test_the_pages_of_the_api_show_signatures_and_the_sections_of_docstrings(site: Path) -> None:
    page = (site / "api" / "conformal.html").read_text(encoding="utf-8")
    assert 'id="assay.conformal.calibrate"' in page
    signature = re.search(r'id="assay.conformal.calibrate".*?<pre>(.*?)</pre>', page, re.DOTALL)
    assert signature is not None
    assert "method" in signature[1]
    assert "taskwise" in signature[1]
    for title in ("Parameters:", "Returns:", "Raises:", "Examples:"):
        assert title in page
    assert not list(site.rglob("objects.inv"))


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    found = {address for page in pages for address in loads(page.read_text(encoding="utf-8"))}
    assert found, "a page without any style is no page of ours"
    assert not [address for address in found if is_external(address)]
    for sheet in site.rglob("*.css"):
        for address in re.findall(r"url\(['\"]?([^'\")]+)", sheet.read_text(encoding="utf-8")):
            assert not is_external(address), f"{sheet}: {address}"


def test_the_check_for_outside_addresses_can_fail() -> None:
    page = '<script src="https://cdn.example/x.js"></script><img src="//example/y.png"><link href="css/theme.css">'
    assert [is_external(address) for address in loads(page)] == [True, True, False]


@pytest.mark.browser
def test_search_works_from_disk_and_nothing_is_fetched(site: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no browser in the system")
    requested: list[str] = []
    troubles: list[str] = []

    def search() -> None:
        with playwright.sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page()
            page.on("request", lambda request: requested.append(request.url))
            page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
            page.on("pageerror", lambda error: troubles.append(str(error)))
            page.goto((site / "index.html").as_uri())
            page.keyboard.press("/")
            page.keyboard.type("bonferroni")
            page.wait_for_selector(".md-search-result__link[href*='conformal']", timeout=30_000)
            browser.close()

    in_thread(search)
    assert not troubles
    assert [address for address in requested if not address.startswith(("file:", "data:", "blob:"))] == []
