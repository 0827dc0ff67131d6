"""Every number of the page equals the one that pandas and the documented formulas give for the exported scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.conftest import make_toy_track
from tests.report.page import shown_numbers

from assay.core import get_track
from assay.harness import RunSpec, run
from assay.report import Results, load, write_csv
from assay.report.page.html import html
from assay.report.wording import format_number

SUBJECTS = ("good", "fair", "weak", "shaky")
CHEAP = {
    "cases": ("vote", "max-probability", "nearest-distance", "correspondence", "oracle"),
    "conformal": ("global", "taskwise", "joint", "likeliest-class", "full-set", "oracle"),
    "drift": ("bm25", "date-only", "random", "oracle"),
    "formula": ("linear", "polynomial", "oracle"),
    "insight": ("nothing", "base-columns", "target", "oracle"),
}


@pytest.fixture(scope="module")
def study(make_results: Callable[..., Results], tmp_path_factory: pytest.TempPathFactory) -> shown_numbers.Track:
    """Twelve problems, four subjects, two seeds, some failures."""
    generator = np.random.default_rng(3)
    rows = []
    for p in range(12):
        for s, subject in enumerate(SUBJECTS):
            for seed in (0, 1):
                share = float(np.clip(0.9 - 0.12 * s + generator.normal(0, 0.08), 0, 1))
                other: dict[str, Any] = {"seconds": float(generator.uniform(0.1, 2))}
                if subject == "shaky" and p in (2, 5):
                    share = 0.0
                    other |= {"status": "failed", "error": "no", "error_kind": "crash"}
                rows.append((f"problem-{'x' * (p % 3)}{p}", subject, seed, share, float(p), other))
    results = make_results(rows)
    path = tmp_path_factory.mktemp("export") / "scores.csv"
    write_csv(results, path)
    metrics = {metric.name: metric for metric in make_toy_track().metrics}
    return shown_numbers.Track(html(results), shown_numbers.exported(path), "toy", metrics, frozenset())


def test_the_leaderboard_is_that_of_the_export_whole_and_on_every_tag(study: shown_numbers.Track) -> None:
    assert shown_numbers.check_leaderboards(study) == 1 + 2 + 3


def test_every_pair_is_that_of_the_export(study: shown_numbers.Track) -> None:
    assert shown_numbers.check_pairs(study) == 6


def test_other_metrics_grid_and_charts_are_those_of_the_export(study: shown_numbers.Track) -> None:
    assert shown_numbers.check_metrics(study) == 4
    assert shown_numbers.check_data(study) > 200
    table: Any = study.table()
    for row in study.rows("problems", "grid"):
        for name in SUBJECTS:
            assert row[name].split()[0] == format_number(table.loc[name, row["problem"]])


@pytest.mark.soak
@pytest.mark.parametrize("track", CHEAP)
def test_a_run_of_every_track_shows_what_its_export_holds(track: str, tmp_path: Path) -> None:
    run([RunSpec(track=track, subjects=CHEAP[track])], out=tmp_path / "results")
    results = load(tmp_path / "results")
    write_csv(results, tmp_path / "scores.csv")
    shown = shown_numbers.Track(
        html(results),
        shown_numbers.exported(tmp_path / "scores.csv"),
        track,
        {metric.name: metric for metric in get_track(track).metrics},
        frozenset({"oracle", "target"}),
    )
    assert shown_numbers.check_leaderboards(shown) > 1
    assert shown_numbers.check_metrics(shown) >= len(CHEAP[track])
    assert shown_numbers.check_pairs(shown) == len(CHEAP[track]) * (len(CHEAP[track]) - 1) / 2
    assert shown_numbers.check_data(shown) > 100
