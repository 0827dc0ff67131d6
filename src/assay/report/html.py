"""The report as one HTML file that opens offline and loads nothing."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from assay.core import Panel
from assay.report.bars import Axis, axis_of
from assay.report.facts import Fact, facts
from assay.report.files import write_whole
from assay.report.grid import ProblemGrid, problem_grid
from assay.report.leaderboard import Leaderboard, leaderboard
from assay.report.methods import Content, Definition, contents, definitions, software
from assay.report.panels import track_panels
from assay.report.results import Results, TrackResults
from assay.report.sheet import heading, legend
from assay.report.wording import ARROWS, duration, format_interval, format_number, format_rank, shown

__all__ = ["html", "write_html"]

FAILURES_LISTED = 500  # a page must stay readable; all of them are in the CSV


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackView:
    """Everything the template shows of one track."""

    results: TrackResults
    facts: tuple[Fact, ...]
    board: Leaderboard
    legend: str
    axes: dict[str, Axis]
    grid: ProblemGrid
    grid_axis: Axis
    definitions: tuple[Definition, ...]
    problems: tuple[Content, ...]
    subjects: tuple[Content, ...]
    panels: tuple[Panel, ...]


def write_html(results: Results, path: Path, *, confidence: float = 0.95, seed: int = 0, resamples: int = 2000) -> None:
    """Write the report; equal results give equal bytes."""
    page = html(results, confidence=confidence, seed=seed, resamples=resamples)
    write_whole(path, page.encode("utf-8", errors="backslashreplace"))


def html(results: Results, *, confidence: float = 0.95, seed: int = 0, resamples: int = 2000) -> str:
    """The report as text. Only its own style and script, known by their hashes, may run in it."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_visible
    )
    environment.filters.update(
        number=format_number,
        interval=format_interval,
        rank=format_rank,
        duration=duration,
        heading=heading,
        sort_key=_sort_key,
    )
    style, script = _template("report.css"), _template("report.js")
    return environment.from_string(_template("report.html.j2")).render(
        policy=_policy(style, script),
        style=style,
        script=script,
        views=[
            _view(track, leaderboard(track, confidence=confidence, seed=seed, resamples=resamples))
            for track in results.tracks
        ],
        bootstrap={"confidence": confidence, "seed": seed, "resamples": resamples},
        software=software(),
        arrows=ARROWS,
        failures_listed=FAILURES_LISTED,
    )


def _view(results: TrackResults, board: Leaderboard) -> TrackView:
    axes = {
        column.name: axis_of(number for row in board.rows for number in row.mean(column.name))
        for column in board.columns
    }
    grid = problem_grid(results)
    problems, subjects = contents(results)
    return TrackView(
        results=results,
        facts=facts(results),
        board=board,
        legend=legend(board),
        axes=axes,
        grid=grid,
        grid_axis=axis_of(cell.value for row in grid.rows for cell in row.cells),
        definitions=definitions(results),
        problems=problems,
        subjects=subjects,
        panels=track_panels(results),
    )


def _template(name: str) -> str:
    return (files("assay.report") / "templates" / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; "
        "form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _visible(value: Any) -> Any:
    """Control characters have no business on a page; markup is our own and stays as it is."""
    return shown(value, lines=True) if type(value) is str else value


def _sort_key(value: float) -> str:
    """What the page's script sorts by; undefined is empty and goes last."""
    return "" if value != value else repr(float(value))
