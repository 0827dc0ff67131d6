"""The report as one HTML file that opens offline and loads nothing."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assay.charts.mathml import to_mathml
from assay.charts.styles import chart_rules
from assay.report.export.files import write_whole
from assay.report.page.methods import software
from assay.report.page.views import TrackView, slug, track_view
from assay.report.result_set import ResultSet
from assay.report.tables.pairs import SURE, corrected_p_value, is_sure
from assay.report.tables.sampling import MOST_PROBLEMS
from assay.report.tables.standings import heading, lost_words
from assay.report.tables.summary import TrackSummary
from assay.report.wording import (
    ARROWS,
    cost_title,
    duration,
    format_cost,
    format_interval,
    format_number,
    format_p_value,
    format_rank,
    format_signed,
    shown,
)
from assay.stats import Comparison

__all__ = ["html", "render", "write_html"]

LOSSES_LISTED = 500  # a page must stay readable; all of them are in the exports
DIGESTS_LISTED = 2000
MINI_ROWS = 7  # subjects on a card of the overview
_LONGEST_ERROR = 2000
_SCRIPTS = ("words.js", "tables.js", "compare.js", "problems.js", "report.js")


def write_html(
    results: ResultSet, path: Path, *, confidence: float = 0.95, seed: int = 0, resamples: int = 2000
) -> None:
    """Write the report; equal results give equal bytes."""
    page = html(results, confidence=confidence, seed=seed, resamples=resamples)
    write_whole(path, page.encode("utf-8", errors="backslashreplace"))


def html(
    results: ResultSet,
    *,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = 2000,
    most_problems: int = MOST_PROBLEMS,
) -> str:
    """The report as text."""
    summaries = results.summaries(confidence=confidence, seed=seed, resamples=resamples)
    return render(summaries, most_problems=most_problems)


def render(summaries: Sequence[TrackSummary], *, most_problems: int = MOST_PROBLEMS) -> str:
    """The report as text. Only its own style and script, known by their hashes, may run in it.

    More problems than ``most_problems`` are not listed one by one, which the page says; its numbers rest on all.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
        loader=FunctionLoader(_template),
    )
    environment.filters.update(
        number=format_number,
        interval=format_interval,
        rank=format_rank,
        p_value=format_p_value,
        corrected=corrected_p_value,
        signed=format_signed,
        duration=duration,
        cost=format_cost,
        cost_title=cost_title,
        heading=heading,
        lost_words=lost_words,
        sort_key=_sort_key,
        address=_address,
        verdict=_verdict,
        cut=_cut,
        typeset=_typeset,
    )
    environment.globals["undefined_number"] = math.nan  # macros see globals only
    style, script = _template("report.css") + chart_rules(), "".join(_template(name) for name in _SCRIPTS)
    views: list[TrackView] = []
    for summary in summaries:
        name = slug(summary.results.track.name, [view.slug for view in views])
        views.append(track_view(summary, name=name, most_problems=most_problems))
    return environment.get_template("report.html.j2").render(
        policy=_policy(style, script),
        style=style,
        script=script,
        views=views,
        bootstrap=summaries[0].bootstrap if summaries else {},
        software=software(),
        arrows=ARROWS,
        sure=SURE,
        mini_rows=MINI_ROWS,
        failures_listed=LOSSES_LISTED,
        digests_listed=DIGESTS_LISTED,
    )


@cache
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


def _address(name: str) -> str:
    """A name inside an address of the page, as the script reads it."""
    return quote(shown(name), safe="")


def _verdict(comparison: Comparison) -> str:
    """How a pair is coloured: better and worse are said only where chance is unlikely."""
    if not is_sure(comparison):
        return "unsure"
    gain = comparison.difference.value if comparison.goal == "max" else -comparison.difference.value
    return "better" if gain > 0 else "worse"


def _typeset(formula: str) -> Any:
    """A line of TeX as MathML, or as it is where it cannot be typeset."""
    from markupsafe import Markup

    mathml = to_mathml(formula)
    return formula if mathml is None else Markup(mathml)  # every text in it is escaped


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_ERROR else text[: _LONGEST_ERROR - 1] + "…"
