"""A report of 200 problems, 10 subjects and 5 seeds stays small enough to mail."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core import AnyTrack, Record
from assay.harness import Run
from assay.report import Results, TrackResults
from assay.report.page.html import html
from assay.stats import signflip

MOST_BYTES = 5_000_000


def many(track: AnyTrack, like: Record, problems: int) -> Results:
    generator = np.random.default_rng(0)
    records = tuple(
        replace(
            like,
            key=f"{problem}/{subject}/{seed}",
            problem=f"problem-{problem:04d}",
            subject=f"subject-{subject}(depth={subject})",
            seed=seed,
            scores={"share": float(generator.random()), "delay": float(generator.random())},
            details={"truth": f"y = {problem} x", **{f"finding {n}": float(generator.random()) for n in range(12)}},
            tags={"family": f"family {problem % 6}", "difficulty": ("easy", "hard")[problem % 2]},
        )
        for problem, subject, seed in product(range(problems), range(10), range(5))
    )
    run = Run(id=1, track="toy", created="2026-01-02", settings={})
    return Results(folder=Path(), tracks=(TrackResults(track=track, run=run, records=records, planned=len(records)),))


@pytest.fixture(autouse=True)
def few_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signflip, "PATTERNS", 99)  # p-values have no size; their precision costs most of the time


def test_two_hundred_problems_stay_below_five_megabytes(toy_track: AnyTrack, toy_record: Record) -> None:
    page = html(many(toy_track, toy_record, 200), resamples=100)
    assert len(page.encode()) < MOST_BYTES
    assert page.count("<tr data-problem=") == 200


def test_a_thousand_problems_are_sampled_and_stay_below_it_too(toy_track: AnyTrack, toy_record: Record) -> None:
    results: Any = many(toy_track, toy_record, 1000)
    page = html(results, resamples=100)
    assert len(page.encode()) < MOST_BYTES
    assert page.count("<tr data-problem=") == 400
    assert "Down-sampled: 400 of 1000 problems are listed" in page
