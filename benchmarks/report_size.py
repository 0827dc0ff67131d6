"""How large the HTML report grows, how long it takes to write, and how soon it opens: 200 and 1,000 problems."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from assay.core import Metric, Record, Track
from assay.harness import Run
from assay.report import Results, TrackResults, write_archive, write_html
from benchmarks.measure import Rows, counted, shown, sized

SUBJECTS = 10
SEEDS = sized(5, 1)
METRICS = 8


def quality(evidence: Any) -> float:
    r"""Share of right claims.

    $$q = \frac{1}{n} \sum_i [c_i = e_i]$$

    >>> quality(None)
    1.0
    """
    return 1.0


def _refuse(*_: object) -> Any:
    raise AssertionError("a report calls nothing of a track but its texts")


def synthetic(problems: int, *, subjects: int = SUBJECTS, seeds: int = SEEDS, metrics: int = METRICS) -> Results:
    """Random records of a made-up track: details as large as real ones, three tags, a failure in fifty."""
    generator = np.random.default_rng(0)
    names = [f"metric-{number}" for number in range(metrics)]
    track: Track[Any, Any, Any, Any] = Track(
        name="synthetic",
        question="How large does a report grow?",
        load=_refuse,
        builtin=_refuse,
        encode=_refuse,
        decode=_refuse,
        examine=_refuse,
        metrics=tuple(Metric(name, quality, definition=quality) for name in names),
        headline=names[0],
        oracle=_refuse,
        subjects={},
    )
    records = []
    for problem in range(problems):
        tags = {
            "family": f"family {problem % 6}",
            "difficulty": ("easy", "hard")[problem % 2],
            "noise": problem % 4 / 10,
        }
        for subject in range(subjects):
            for seed in range(seeds):
                scores = np.clip(generator.normal(0.8 - 0.03 * subject, 0.1, metrics), 0, 1)
                failed = generator.random() < 0.02
                details = {f"finding {number}": float(generator.random()) for number in range(12)}
                records.append(
                    Record(
                        key=f"{problem}/{subject}/{seed}",
                        answer_key="a",
                        track="synthetic",
                        problem=f"problem-{problem:04d}",
                        problem_digest=f"{problem:064d}",
                        subject=f"subject-{subject}(depth={subject})",
                        subject_digest=f"{subject:064d}",
                        seed=seed,
                        status="failed" if failed else "ok",
                        scores=dict.fromkeys(names, 0.0) if failed else dict(zip(names, scores.tolist(), strict=True)),
                        details={"truth": f"y = {problem} * x + {seed}", **details},
                        error="the subject gave up" if failed else None,
                        error_kind="crash" if failed else None,
                        isolation="confined",
                        tags=tags,
                        seconds=float(generator.random()),
                        cost={"cpu_seconds": float(generator.random())},
                    )
                )
    run = Run(id=1, track="synthetic", created="2026-01-02T03:04:05+00:00", settings={})
    track_results = TrackResults(track=track, run=run, records=tuple(records), planned=len(records))
    return Results(folder=Path("synthetic"), tracks=(track_results,))


def opening_seconds(page: Path) -> float | None:
    """From the request to the end of the load event, in Chromium; None without one."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if browser is None:
        return None
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        tab = chromium.new_page()
        tab.goto(page.as_uri())
        spent = float(tab.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"))
        chromium.close()
    return spent / 1000


def main() -> Rows:
    print(f"{SUBJECTS} subjects, {SEEDS} seeds, {METRICS} metrics; CPU seconds of this process")
    print("| problems | records | html | html, MB | opens in | zip | zip, MB |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for problems in sized((200, 1000), (10, 20)):
            results = synthetic(problems)
            page, archive = Path(folder) / "report.html", Path(folder) / "run.zip"
            start = time.process_time()
            write_html(results, page)
            html_seconds = time.process_time() - start
            opens = opening_seconds(page)
            start = time.process_time()
            write_archive(results, archive, with_html=False)
            zip_seconds = time.process_time() - start
            opening = "no browser" if opens is None else f"{opens:.2f} s"
            sizes = [path.stat().st_size / 1e6 for path in (page, archive)]
            count = len(results.tracks[0].records)
            print(
                f"| {problems} | {count} | {html_seconds:.1f} s | {sizes[0]:.2f} | {opening} | {zip_seconds:.1f} s | "
                f"{sizes[1]:.2f} |"
            )
            yield counted(f"{problems} problems: html", 1e6 * sizes[0] / count, "bytes per record")
            yield counted(f"{problems} problems: zip", 1e6 * sizes[1] / count, "bytes per record")
            yield shown(f"{problems} problems: html, CPU", html_seconds, "s")
