"""The pictures of a report in the documentation: ``python -m tools.report_pictures REPORT DOCS``.

Every page is taken in four forms, and the five questions of a reader are answered for every track by real clicks, which
are counted: more than two are an error. The questions with their answers become ``DOCS/questions.md``. It needs
playwright, Pillow and a Chromium of the system, or one that the variable ``CHROMIUM`` names.
"""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tools.screenshot import address_of

__all__ = ["Answer", "ask_all", "pictures"]

MOST_CLICKS = 2
WIDE, PHONE = (1280, 844), (390, 844)
PAGES = ("leaderboard", "compare", "charts", "problems", "subject", "methods")
_GAP, _CAPTION = 20, 44
_PATIENCE = 180_000  # milliseconds, of a browser on a busy machine
_LEADER = "document.querySelector('#{0}-leaderboard .outcome bdi').textContent.split(', ')[0]"
# of the leader's scores the palest: where it stands in the grid
_WORST = """(() => {
  const heads = [...document.querySelectorAll('#%s-problems table.grid thead th')].map((one) => one.textContent.trim());
  const column = heads.findIndex((one) => one.startsWith(%r));
  const shade = (cell) => Number(/shade-(\\d)/.exec(cell.className)?.[1] ?? 9);
  const rows = [...document.querySelectorAll('#%s-problems table.grid tbody tr')];
  const shades = rows.map((row) => shade(row.children[column]));
  return [shades.indexOf(Math.min(...shades)), column];
})()"""


class Answer(NamedTuple):
    """A question of a reader: the clicks from the overview, what the page then tells, and a picture of it."""

    question: str
    clicks: tuple[str, ...]
    text: str
    picture: bytes


class _Reader:
    """Somebody who opens the report on its first page, and counts the clicks."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self._clicks: list[str] = []
        page.evaluate("location.hash = '#overview'; scrollTo(0, 0)")
        page.wait_for_timeout(300)

    def click(self, selector: str, words: str) -> None:
        self.page.locator(selector).first.click()
        self.page.wait_for_timeout(300)  # scripts of the page have drawn by then
        self._clicks.append(words)

    def answer(self, question: str, text: str) -> Answer:
        assert len(self._clicks) <= MOST_CLICKS, f"{question} takes {len(self._clicks)} clicks"
        return Answer(question, tuple(self._clicks), " ".join(text.split()), self.page.screenshot())


def ask_all(page: Any, track: str) -> Iterator[Answer]:
    """The five questions on one track, each from the overview of an open report."""
    card = f".card:has(h3 a[href='#{track}-leaderboard'])"
    reader = _Reader(page)
    leader = str(reader.page.evaluate(_LEADER.format(track)))
    yield reader.answer("Who leads?", reader.page.inner_text(f".findings li:has(a[href='#{track}-leaderboard']) span"))
    reader = _Reader(page)
    reader.page.locator(f"{card} .sureness").scroll_into_view_if_needed()
    yield reader.answer("How sure is that?", reader.page.inner_text(f"{card} .sureness"))
    reader = _Reader(page)
    reader.click(f"{card} .links a[href='#{track}-problems']", "Problems")
    row, column = reader.page.evaluate(_WORST % (track, leader, track))
    scores = reader.page.locator(f"#{track}-problems table.grid tbody tr").nth(row).locator("th, td")
    problem, score = scores.first.inner_text(), scores.nth(column).inner_text()
    scores.nth(column).scroll_into_view_if_needed()
    yield reader.answer("Where does it fail?", f"{leader} is palest on {problem}: {score}")
    reader = _Reader(page)
    reader.click(f"{card} .links a[href='#{track}-problems']", "Problems")
    chosen = f"#{track}-problems table.grid tbody tr:nth-child({row + 1}) > :nth-child({column + 1}) a"
    reader.click(chosen, f"the score {score.split()[0]}")
    cell = reader.page.locator(f"#{track}-cell .cell-body")
    cell.locator("h3").first.wait_for()
    first = cell.locator("table.definitions tbody tr").first
    words = f"{leader} {cell.locator('.question').inner_text()} {first.locator('th').inner_text()} "
    yield reader.answer("What did it answer there?", words + first.locator("td").first.inner_text())
    reader = _Reader(page)
    reader.click(f"{card} .links a[href='#{track}-leaderboard']", "Leaderboard")
    board = f"#{track}-leaderboard table.leaderboard"
    titles = [" ".join(text.split()) for text in reader.page.locator(f"{board} thead th").all_inner_texts()]
    own = reader.page.locator(f"{board} tbody:not([hidden]) tr", has=reader.page.get_by_role("link", name=leader)).first
    cells = dict(zip(titles, own.locator("td").all_inner_texts(), strict=True))
    spent = [title for title in titles[titles.index("solve time") :] if title[-1] not in "↑↓"]
    costs = "; ".join(f"{title} {cells[title]}" for title in spent)
    yield reader.answer("What did it cost?", f"{leader}: {costs}")


def pictures(report: str, docs: Path, *, pages: bool = True) -> None:
    """Write them all, or the questions alone."""
    with _browser() as browser:
        page = browser.new_page(viewport={"width": 1180, "height": 760})
        page.set_default_timeout(_PATIENCE)
        page.goto(address_of(report))
        tracks = page.evaluate("[...document.querySelectorAll('nav.tracks a[data-track]')].map((a) => a.dataset.track)")
        sections = {"overview": "#overview", **{name: f"#{tracks[0]}-{name}" for name in PAGES}}
        for name, place in sections.items() if pages else ():
            _four_forms(browser, report + place, docs / "pictures" / f"{name}.webp")
        text = _HEAD
        for track in tracks:
            answers = list(ask_all(page, track))
            _joined(answers, docs / "pictures" / f"questions-{track}.webp")
            text += f"\n## {track}\n\n| question | clicks | answer |\n|---|---|---|\n"
            for one in answers:
                clicks = f"{len(one.clicks)}: *{'*, then *'.join(one.clicks)}*" if one.clicks else "0"
                text += f"| {one.question} | {clicks} | {one.text.replace('|', '/')} |\n"
            text += f"\n![Five questions on {track}](pictures/questions-{track}.webp)\n"
        (docs / "questions.md").write_text(text, encoding="utf-8")


_HEAD = """# Five questions, two clicks

Who leads, how sure is that, where does it fail, what did it answer there, what did it cost: each is answered on the
report of `assay demo` within two clicks from its first page. This page and its pictures were made by a browser that
follows the clicks:

```console no-run
$ assay demo --out demo-results
$ python -m tools.report_pictures demo-results/report.html docs
```
"""


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        system = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=system, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def _four_forms(browser: Any, address: str, path: Path) -> None:
    """Light above dark, a desk beside a phone."""
    from PIL import Image

    shots = []
    for dark in (False, True):
        for width, height in (WIDE, PHONE):
            theme = "dark" if dark else "light"
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
            page.goto(address_of(address), timeout=_PATIENCE)
            page.wait_for_timeout(300)
            shots.append(Image.open(io.BytesIO(page.screenshot())))
            page.close()
    whole = Image.new("RGB", (WIDE[0] + _GAP + PHONE[0], 2 * WIDE[1] + _GAP), "#8a8f96")
    for place, one in enumerate(shots):
        whole.paste(one, ((WIDE[0] + _GAP) * (place % 2), (WIDE[1] + _GAP) * (place // 2)))
    whole.resize((whole.width * 3 // 5, whole.height * 3 // 5), Image.Resampling.LANCZOS).save(path, quality=82)


def _joined(answers: list[Answer], path: Path) -> None:
    """Two pictures in a row, each under its question and the clicks."""
    from PIL import Image, ImageDraw, ImageFont

    shots = [Image.open(io.BytesIO(one.picture)) for one in answers]
    width, height = shots[0].width, shots[0].height + _CAPTION
    whole = Image.new("RGB", (2 * width + _GAP, 3 * (height + _GAP)), "white")
    pen, font = ImageDraw.Draw(whole), ImageFont.load_default(26)
    for place, (one, shot) in enumerate(zip(answers, shots, strict=True)):
        x, y = (width + _GAP) * (place % 2), (height + _GAP) * (place // 2)
        pen.text((x + 10, y + 6), f"{one.question}  {', '.join(one.clicks) or 'no click'}", fill="#16202c", font=font)
        whole.paste(shot, (x, y + _CAPTION))
        pen.rectangle((x, y + _CAPTION, x + width - 1, y + height - 1), outline="#8a8f96")
    whole.resize((whole.width * 11 // 20, whole.height * 11 // 20), Image.Resampling.LANCZOS).save(path, quality=82)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.report_pictures")
    parser.add_argument("report", help="file of a report")
    parser.add_argument("docs", type=Path, help="folder of the documentation")
    parser.add_argument("--questions", action="store_true", help="only the questions, not the pages in four forms")
    options = parser.parse_args()
    pictures(options.report, options.docs, pages=not options.questions)


if __name__ == "__main__":
    main()
