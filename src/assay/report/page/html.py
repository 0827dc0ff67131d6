"""The report as one HTML file that opens offline and loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.charts.marks import SHAPES, mark_path
from assay.report.export.files import write_whole
from assay.report.page.environment import environment, page_parts
from assay.report.page.methods import software
from assay.report.page.views import Served, TrackView, slug, track_view
from assay.report.result_set import ResultSet
from assay.report.tables.pairs import SURE
from assay.report.tables.sampling import MOST_PROBLEMS
from assay.report.tables.summary import TrackSummary

__all__ = ["html", "render", "write_html"]

LOSSES_LISTED = 500  # a page must stay readable; all of them are in the exports
DIGESTS_LISTED = 2000
MINI_ROWS = 7  # subjects on a card of the overview
_SCRIPTS = ("words.js", "tables.js", "compare.js", "problems.js", "figures.js", "theme.js", "report.js")


def write_html(
    results: ResultSet,
    path: Path,
    *,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = 2000,
    truth: bool = True,
) -> None:
    """Write the report; equal results give equal bytes. Without ``truth`` nothing in it tells a problem's truth."""
    page = html(results, confidence=confidence, seed=seed, resamples=resamples, truth=truth)
    write_whole(path, page.encode("utf-8", errors="backslashreplace"))


def html(
    results: ResultSet,
    *,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = 2000,
    most_problems: int = MOST_PROBLEMS,
    truth: bool = True,
    served: Served | None = None,
) -> str:
    """The report as text."""
    summaries = results.summaries(confidence=confidence, seed=seed, resamples=resamples)
    return render(summaries, most_problems=most_problems, truth=truth, served=served)


def render(
    summaries: Sequence[TrackSummary],
    *,
    most_problems: int = MOST_PROBLEMS,
    truth: bool = True,
    served: Served | None = None,
) -> str:
    """The report as text. Only its own style and script, known by their hashes, may run in it.

    More problems than ``most_problems`` are not listed one by one, which the page says; its numbers rest on all.
    Without ``truth`` the page holds no truth, no details of examination and no charts that are drawn from them. A
    page that is ``served`` links to its cells and hears of changes.
    """
    views: list[TrackView] = []
    for summary in summaries:
        name = slug(summary.results.track.name, [view.slug for view in views])
        views.append(track_view(summary, name=name, most_problems=most_problems, truth=truth, keys=served is not None))
    scripts = _SCRIPTS if served is None else (*_SCRIPTS, "live.js")
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            **page_parts(*scripts, live=served is not None),
            served=served,
            truth=truth,
            views=views,
            shapes={shape: mark_path(shape, 0, 0, 5) for shape in SHAPES},
            bootstrap=summaries[0].bootstrap if summaries else {},
            software=software(),
            sure=SURE,
            mini_rows=MINI_ROWS,
            failures_listed=LOSSES_LISTED,
            digests_listed=DIGESTS_LISTED,
        )
    )
