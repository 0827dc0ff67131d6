from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from assay.report import Results, leaderboard, write_html
from assay.report.page.html import html
from assay.report.page.views import track_view
from assay.report.tables import profiles
from assay.report.wording import format_interval, shown

VOID = {"meta", "br", "wbr", "img", "link", "input"}


class Page(HTMLParser):
    """The tree as lists: every tag with its attributes, the cells of every table, the text of script and style.

    The rows of a table's body that is hidden at first stand under "class|filter".
    """

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.raw: dict[str, str] = {"script": "", "style": ""}
        self.data: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self._table: list[list[str]] = []
        self._class = ""
        self.feed(text)
        self.close()
        assert not self._open, f"never closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in VOID:
            return
        self._open.append(tag)
        if tag == "script" and dict(attrs).get("type") == "application/json":
            self._open[-1] = "data"
            self.data.append("")
        elif tag == "table":
            self._class = str(dict(attrs)["class"])
            self._table = self.tables.setdefault(self._class, [])
        elif tag == "tbody" and "hidden" in dict(attrs):
            self._table = self.tables.setdefault(f"{self._class}|{dict(attrs)['data-filter']}", [])
        elif tag == "tr":
            self._table.append([])
        elif tag in ("td", "th"):
            self._table[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        opened = self._open.pop()
        assert opened == tag or (opened, tag) == ("data", "script")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "data":
            self.data[-1] += data
            return
        if self._open and self._open[-1] in self.raw:
            self.raw[self._open[-1]] += data
            return
        self.text += data
        if "td" in self._open or "th" in self._open:
            self._table[-1][-1] += data

    def rows(self, table: str) -> list[list[str]]:
        return [[" ".join(cell.split()) for cell in row] for row in self.tables[table]]


@pytest.fixture(scope="module")
def page(results: Results) -> Page:
    return Page(html(results))


def test_the_leaderboard_shows_the_numbers_of_the_data_frame(results: Results, page: Page, frame: pd.DataFrame) -> None:
    titles, *rows = page.rows("leaderboard")
    board = leaderboard(results.tracks[0])
    assert titles[:2] == ["#", "subject"]
    assert titles[2].startswith("share on a scale")
    assert titles[3] == "share ↑"
    assert [row[1] for row in rows] == [row.subject for row in board.rows]
    for cells, row in zip(rows, board.rows, strict=True):
        own = frame[frame.subject == row.subject]
        assert cells[3].startswith(format_interval(row.mean("share")))
        mean = own.groupby("problem").share.mean().mean()
        assert float(cells[3].split()[0]) == pytest.approx(mean, abs=0.0005 + 1e-9)
        assert cells[titles.index("problems")] == str(own.problem.nunique())
        failed = own.failed.sum()
        assert cells[titles.index("failed")] == (f"{failed} of {len(own)}" if failed else "0")
    vote = next(cells for cells in rows if cells[1] == "vote")
    assert "scored only" in vote[3]
    delay = page.rows("metrics")
    assert delay[0] == ["subject", "delay ↓"]
    assert "2 of 10 undefined" in next(row[1] for row in delay if row[0] == "knn(k=5)")


def test_every_interval_has_a_bar_or_a_strip(page: Page) -> None:
    bands = [attributes for tag, attributes in page.tags if tag == "rect" and attributes["class"] == "band"]
    means = [attributes for tag, attributes in page.tags if tag == "rect" and attributes["class"] == "mean"]
    assert len(means) == 3 + 3 * 2  # of the other metric, and in the profiles of two metrics each
    assert 0 < len(bands) <= len(means)
    assert all(0 <= float(str(band["x"])) <= 100 for band in bands)
    strips = [attributes for tag, attributes in page.tags if attributes.get("class") == "strip"]
    groups = 2 + 3  # families and noise levels, of which each has three subjects
    assert len(strips) == 3 + 3 + 3 * groups  # on the overview, the board and its groups


def test_a_strip_stands_on_its_scale_where_the_value_is(results: Results, page: Page) -> None:
    view = track_view(results.summaries()[0], name="toy")
    scale = view.scales["share"]
    marks = [
        (str(attributes["href"]).removeprefix("#mark-"), float(str(attributes["x"]).rstrip("%")))
        for tag, attributes in page.tags
        if tag == "use" and "x" in attributes
    ]
    rows = leaderboard(results.tracks[0]).rows
    expected = [(view.marks[row.subject].shape, round(scale(row.mean("share").value), 2)) for row in rows]
    assert expected == marks[:3]  # the card of the overview
    assert scale.low <= min(number for row in rows for number in row.mean("share") if number == number)


def test_the_problems_table_shows_failures_and_what_is_not_run(page: Page, frame: pd.DataFrame) -> None:
    titles, *rows = page.rows("grid")
    wine = next(row for row in rows if row[0] == "wine")
    mean = frame[(frame.problem == "wine") & (frame.subject == "vote")].share.mean()
    assert wine[titles.index("vote")] == f"{mean:.3f} 1 failed"
    assert next(row for row in rows if row[0] == "circles")[titles.index("random")] == "…"


def test_failures_and_lost_cells_stand_with_their_reasons(page: Page) -> None:
    assert page.rows("failures")[1:] == [["wine", "1", "time-out", "gave up on <row> 3"]]
    assert page.rows("losses")[1:] == [["circles", "vote", "1", "worker died: no space left"]]
    assert "3 of 30 planned cells are not finished, 1 of them lost" in page.text


def test_the_methods_hold_definitions_settings_digests_and_versions(page: Page) -> None:
    (_, delay, share, spread) = page.rows("definitions")
    assert share[1] == "Share of right claims <b>.share=1n∑i[ci<ei]"  # typeset: a fraction has no slash
    assert [tag for tag, _ in page.tags].count("math") == 3
    assert share[2:] == ["higher", "0.000", "3"]
    assert delay[2:] == ["lower", "depends on the problem", "1"]
    assert spread[0] == "spread"
    for part in ("k = 7 (default 5)", "digest-iris", "digest-vote", "5.0 s, 256 MB", "process (19)", "scikit-learn"):
        assert part in page.text


def test_only_the_own_style_and_script_may_run(page: Page) -> None:
    policy = next(
        str(attributes["content"])
        for tag, attributes in page.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for name, content in page.raw.items():
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert [attributes.get("type") for tag, attributes in page.tags if tag == "script"] == ["application/json", None]
    assert [tag for tag, _ in page.tags].count("style") == 1


def test_the_page_loads_nothing(results: Results, page: Page) -> None:
    assert not {"img", "iframe", "object", "base", "form"} & {tag for tag, _ in page.tags}
    (icon,) = (attributes for tag, attributes in page.tags if tag == "link")
    assert icon["rel"] == "icon"
    assert str(icon.pop("href")).startswith("data:image/svg+xml,")
    for _, attributes in page.tags:
        assert "src" not in attributes
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        assert str(attributes.get("href", "#")).startswith("#")
    text = re.sub("[\"']http://www.w3.org/2000/svg[\"']", "", html(results))  # a name, not an address that is fetched
    assert not re.search(r"https?:|url\(|@import|\beval\b|new Function|innerHTML", text)


def test_hostile_names_show_as_text(hostile: Results, hostile_names: tuple[str, ...]) -> None:
    text = html(hostile, resamples=100)
    assert "\x00" not in text
    assert "\x1b" not in text
    page = Page(text)
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert "img" not in {tag for tag, _ in page.tags}
    rows = page.rows("leaderboard")[1:]
    assert {row[1] for row in rows} == {shown(name) for name in hostile_names}
    assert {row[0] for row in page.rows("grid")[1:]} == {shown(name) for name in hostile_names}
    assert {row[3] for row in page.rows("failures") if row[0] != "problem"} == {shown(name) for name in hostile_names}
    assert page.rows("losses")[1][3] == hostile_names[1]


def test_undefined_numbers_sort_last_by_an_empty_key(page: Page) -> None:
    keys = [attributes.get("data-sort") for tag, attributes in page.tags if tag == "td"]
    assert "" in keys
    assert "nan" not in keys


def test_many_failures_are_counted_and_not_all_listed(
    results: Results, monkeypatch: pytest.MonkeyPatch, hostile: Results
) -> None:
    monkeypatch.setattr(profiles, "FAILURES_LISTED", 5)
    page = Page(html(hostile, resamples=100))
    assert len(page.rows("failures")) == 6 * 6  # for each of six subjects a heading and five of six failures
    assert page.text.count("1 more are in the CSV and JSON exports.") == 6


def test_a_run_without_any_record_says_so(results: Results) -> None:
    (toy,) = results.tracks
    page = Page(html(Results(folder=results.folder, tracks=(replace(toy, records=()),))))
    assert "No cell is finished yet." in page.text
    assert "leaderboard" not in page.tables


def test_several_tracks_are_linked(results: Results, make_results: Callable[..., Results]) -> None:
    other = make_results([("iris", "vote", 0, 0.5, 1.0, {})], track="game")
    page = Page(html(Results(folder=results.folder, tracks=(*other.tracks, *results.tracks))))
    links = [str(attributes["href"]).removeprefix("#") for tag, attributes in page.tags if tag == "a"]
    sections = [attributes["id"] for tag, attributes in page.tags if tag == "section"]
    assert sections[0] == "overview"
    assert sections[1:] == [
        f"{track}-{section}"
        for track in ("game", "toy")
        for section in ("leaderboard", "compare", "charts", "problems", "subject", "methods", "cell")
    ]
    identities = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    targets = {link.partition("?")[0] for link in links}
    assert targets <= {*identities, "main"}
    assert {*sections, "main"} - targets == {"game-cell", "toy-cell"}  # reached from scores, not by links
    assert set(sections) <= identities


def test_the_file_holds_the_page_and_equal_results_give_equal_bytes(results: Results, tmp_path: Path) -> None:
    write_html(results, tmp_path / "first.html")
    write_html(results, tmp_path / "second.html")
    assert (tmp_path / "first.html").read_text(encoding="utf-8") == html(results)
    assert (tmp_path / "first.html").read_bytes() == (tmp_path / "second.html").read_bytes()


def test_the_file_starts_with_its_doctype(results: Results) -> None:
    assert html(results).lstrip().startswith("<!DOCTYPE html>")


def test_names_of_subjects_break_at_punctuation(results: Results) -> None:
    assert '<button type="button">knn<wbr>(k=<wbr>5)</button>' in html(results)
