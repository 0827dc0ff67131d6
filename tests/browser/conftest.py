"""A real browser, and reports to open in it: one of ordinary results, one whose every text is hostile."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core import AnyTrack, Metric, Panel, Record, Track
from assay.harness import Run
from assay.report import Results, TrackResults, write_html

sync_api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
HOSTILE = (
    "<script>window.harmed = 1</script>",
    "\"'><img src=x onerror='window.harmed = 1'>",
    "</script><svg onload=window.harmed=1>",
    "null\x00byte\x1b[31m\u202egnirts",
    "שלום עולם مرحبا",
    "{{ 7 * 7 }}${7 * 7}`#?&=%",
    "long" * 600,
)
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def quality(evidence: Any) -> float:
    r"""Share of right claims.

    $$q = \frac{1}{n} \sum_i [c_i = e_i]$$

    >>> quality(None)
    1.0
    """
    return 1.0


def _refuse(*_: object) -> Any:
    raise AssertionError("a report calls nothing of a track but its texts")


def draw(records: Sequence[Record]) -> list[Panel]:
    bar = '<rect class="series-1" x="0" y="0" width="60" height="20"></rect>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 20">{bar}</svg>'
    return [Panel("A chart", svg, "A bar.")]


def make_track(name: str, question: str) -> AnyTrack:
    return Track(
        name=name,
        question=question,
        load=_refuse,
        builtin=_refuse,
        encode=_refuse,
        decode=_refuse,
        examine=_refuse,
        metrics=(
            Metric("quality", quality, definition=quality, oracle=1.0),
            Metric("delay", quality, definition=quality, goal="min", floor=10.0),
            Metric("target_leak", quality, definition=quality, goal="min", floor=0.0, flag="leak"),
        ),
        headline="quality",
        oracle=_refuse,
        subjects={},
        panels=f"{__name__}:draw",
    )


def make_record(track: str, problem: str, subject: str, seed: int, quality: float, **other: Any) -> Record:
    values: dict[str, Any] = {
        "key": f"{track}/{problem}/{subject}/{seed}",
        "answer_key": "a",
        "track": track,
        "problem": problem,
        "problem_digest": "d" * 64,
        "subject": subject,
        "subject_digest": "s" * 64,
        "seed": seed,
        "status": "ok",
        "scores": {"quality": quality, "delay": 10 * (1 - quality), "target_leak": 0.0},
        "details": {"truth": f"the truth of {problem}", "note": "noted"},
        "isolation": "confined",
        "seconds": 0.2,
        "cost": {"cpu_seconds": 0.1},
        "versions": {"quality": 1, "delay": 1},
    }
    return Record(**{**values, **other})


def make_results(records: Mapping[str, Sequence[Record]], questions: Mapping[str, str]) -> Results:
    tracks = tuple(
        TrackResults(
            track=make_track(name, questions.get(name, "Which is better?")),
            run=Run(id=1, track=name, created="2026-01-02T03:04:05+00:00", settings={"preset": "spec"}),
            records=tuple(found),
            planned=len(found),
        )
        for name, found in records.items()
    )
    return Results(folder=Path("results"), tracks=tracks)


def ordinary() -> Results:
    """Two tracks, twelve problems; an oracle, a good subject, a middling one, and one that fails at times."""
    generator = np.random.default_rng(5)
    found: dict[str, list[Record]] = {"alpha": [], "beta": []}
    for track, records in found.items():
        for number in range(12):
            tags = {"family": "even" if number % 2 == 0 else "odd", "noise": 0.1 * (number % 3)}
            for place, subject in enumerate(("oracle", "good", "middling", "shaky")):
                score = 1.0 if place == 0 else float(np.clip(0.95 - 0.2 * place + generator.normal(0, 0.06), 0, 1))
                other: dict[str, Any] = {"tags": tags}
                if place == 0:
                    other |= {"isolation": "examiner", "cost": {}}
                if subject == "shaky" and number in (3, 7):
                    score = 0.0
                    other |= {"status": "failed", "error": "gave up on row 3", "error_kind": "time-out"}
                records.append(make_record(track, f"problem-{number:02d}", subject, 0, score, **other))
    return make_results(found, {"alpha": "Is it alpha?", "beta": "Is it beta?"})


def hostile() -> Results:
    """Every name, tag, error, detail and question tries to be more than text."""
    records = []
    for p, problem in enumerate(HOSTILE):
        for s, subject in enumerate(HOSTILE):
            other: dict[str, Any] = {
                "tags": {HOSTILE[0]: HOSTILE[p % 2], "family": HOSTILE[p % 3]},
                "details": {"truth": HOSTILE[p], HOSTILE[1]: HOSTILE[2], "deep": {HOSTILE[0]: [HOSTILE[3]]}},
                "settings": {"preset": HOSTILE[0]},
            }
            if s == 0:
                other |= {"status": "failed", "error": HOSTILE[p], "error_kind": HOSTILE[1]}
            records.append(make_record("wild", problem, subject, 0, 0.3 + 0.05 * s + 0.01 * p, **other))
    return make_results({"wild": records}, {"wild": HOSTILE[0]})


@dataclass
class Watched:
    """A page and everything it did that a report must not do."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def quiet(self) -> None:
        """Nothing went wrong, and nothing but the file was asked for."""
        assert self.errors == []
        assert [address for address in self.requests if not address.startswith("file:")] == []
        assert len(self.requests) == 1
        assert self.page.evaluate("window.harmed") is None


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {"ordinary": folder / "ordinary.html", "hostile": folder / "hostile.html"}
    write_html(ordinary(), found["ordinary"], resamples=200)
    write_html(hostile(), found["hostile"], resamples=200)
    return found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser of the system, or one that Playwright brought; without either the tests are skipped and say so."""
    system = next((path for name in NAMES if (path := shutil.which(name))), None)
    with sync_api.sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=system, args=["--no-sandbox", "--disable-gpu"])
        except sync_api.Error as error:
            pytest.skip(f"no chromium to test with (Debian: apt install chromium): {str(error).splitlines()[0]}")
        yield browser
        browser.close()


@pytest.fixture
def open_report(chromium: Any, reports: dict[str, Path]) -> Iterator[Callable[..., Watched]]:
    """Open a report at an address inside it; the context knows no network."""
    contexts = []

    def open_it(name: str = "ordinary", address: str = "", *, phone: bool = False, dark: bool = False) -> Watched:
        context = chromium.new_context(
            viewport=PHONE if phone else WIDE, color_scheme="dark" if dark else "light", offline=True
        )
        contexts.append(context)
        page = context.new_page()
        watched = Watched(page)
        page.on("console", lambda message: watched.errors.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: watched.errors.append(str(error)))
        page.on("request", lambda request: watched.requests.append(request.url))
        page.goto(reports[name].as_uri() + address)
        return watched

    yield open_it
    for context in contexts:
        context.close()
