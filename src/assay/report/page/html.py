"""The report as one HTML file that opens offline and loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from assay.charts.marks import SHAPES, mark_path
from assay.core.display import counted
from assay.report.export.files import write_whole
from assay.report.page.environment import environment, page_parts
from assay.report.page.methods import software
from assay.report.page.packing import BUDGET, TASKS, StoredAnswers, stored_answers
from assay.report.page.study import Study, markdown_html
from assay.report.page.views import Served, TrackView, slug, track_view
from assay.report.result_set import ResultSet
from assay.report.tables.pairs import SURE
from assay.report.tables.sampling import MOST_PROBLEMS
from assay.report.tables.summary import Bootstrap, TrackSummary

__all__ = ["html", "render", "write_html"]

LOSSES_LISTED = 500  # a page must stay readable; all of them are in the exports
DIGESTS_LISTED = 2000
FILTERED_ROWS = 60  # of a leaderboard on one tag's value
MINI_ROWS = 7  # subjects on a card of the overview
_SCRIPTS = (
    "words.js",
    "tables.js",
    "compare.js",
    "problems.js",
    "squeeze.js",
    "figures.js",
    "cells.js",
    "theme.js",
    "report.js",
)


def write_html(
    results: ResultSet,
    path: Path,
    *,
    truth: bool = True,
    study: Study | None = None,
    **bootstrap: Unpack[Bootstrap],
) -> None:
    """Write the report; equal results give equal bytes. Without ``truth`` nothing in it tells a problem's truth."""
    page = html(results, truth=truth, study=study, **bootstrap)
    write_whole(path, page.encode("utf-8", errors="backslashreplace"))


def html(
    results: ResultSet,
    *,
    most_problems: int = MOST_PROBLEMS,
    truth: bool = True,
    served: Served | None = None,
    study: Study | None = None,
    **bootstrap: Unpack[Bootstrap],
) -> str:
    """The report as text."""
    summaries = results.summaries(**bootstrap)
    if served is not None:
        return render(summaries, most_problems=most_problems, truth=truth, served=served)
    with stored_answers(results.folder) as answers:
        return render(summaries, most_problems=most_problems, truth=truth, answers=answers, study=study)


def render(
    summaries: Sequence[TrackSummary],
    *,
    most_problems: int = MOST_PROBLEMS,
    truth: bool = True,
    served: Served | None = None,
    answers: StoredAnswers | None = None,
    study: Study | None = None,
) -> str:
    """The report as text. Only its own style and script, known by their hashes, may run in it.

    More problems than ``most_problems`` are not listed one by one, which the page says; its numbers rest on all.
    Without ``truth`` the page holds no truth, no details of examination and no charts that are drawn from them. A
    page that is ``served`` links to the pages of its cells and reloads after changes; any other holds the cells whose
    answers are in ``answers``, as far as their budget goes.
    """
    names: list[str] = []
    for summary in summaries:
        names.append(slug(summary.results.track.name, names))
    view_at: dict[int, TrackView] = {}
    room = BUDGET
    for place in sorted(range(len(summaries)), key=lambda place: len(summaries[place].results.records)):
        # small tracks first: what they leave of their share of the room is for the larger ones
        view_at[place] = track_view(
            summaries[place],
            name=names[place],
            most_problems=most_problems,
            truth=truth,
            keys=served is not None,
            answers=answers,
            budget=room // (len(summaries) - len(view_at)),
        )
        on_top = 0 if answers is None else TASKS - answers.task_room
        room = BUDGET + on_top - sum(view.packed for view in view_at.values())
    views = [view_at[place] for place in range(len(summaries))]
    scripts = _SCRIPTS if served is None else (*_SCRIPTS, "live.js")
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            **page_parts(*scripts, live=served is not None),
            served=served,
            truth=truth,
            views=views,
            study=study or Study(),
            notes=markdown_html(study.notes) if study is not None and study.notes.strip() else "",
            dates=_dates(views),
            sizes=_sizes(views),
            shapes={shape: mark_path(shape, 0, 0, 5) for shape in SHAPES},
            bootstrap=summaries[0].bootstrap if summaries else {},
            software=software(),
            sure=SURE,
            mini_rows=MINI_ROWS,
            filtered_rows=FILTERED_ROWS,
            failures_listed=LOSSES_LISTED,
            digests_listed=DIGESTS_LISTED,
        )
    )


def _dates(views: Sequence[TrackView]) -> str:
    """The days on which the runs were started."""
    days = sorted({view.results.run.created[:10] for view in views if view.results.run.created})
    return " to ".join(dict.fromkeys([days[0], days[-1]])) if days else "no date"


def _sizes(views: Sequence[TrackView]) -> str:
    """How much was run, in words."""
    cells = sum(len(view.results.records) for view in views)
    subjects = {row.subject for view in views for row in view.board.rows}
    problems = sum(len(view.problems) for view in views)
    parts = [counted(len(views), "track")] if len(views) > 1 else []
    parts += [counted(len(subjects), "subject"), counted(problems, "problem"), counted(cells, "cell")]
    return ", ".join(parts)
