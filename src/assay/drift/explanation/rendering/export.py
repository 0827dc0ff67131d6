"""Explanations as a document to hand on: Markdown, HTML or Word."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from assay.charts.raster import Raster
from assay.core import InvalidInput
from assay.drift.detection.drift import Drift
from assay.drift.detection.profile import ChangeProfile
from assay.drift.documents.document import Corpus
from assay.drift.documents.words import split_name
from assay.drift.explanation.explanation import BANDS, Cause, Explanation, Link
from assay.drift.explanation.rendering.flow import flow_change
from assay.drift.explanation.rendering.flow_layout import lay_out
from assay.drift.explanation.rendering.flow_picture import LEGEND, SIDES, flow_png, flow_svg
from assay.drift.explanation.rendering.formats import (
    Block,
    Heading,
    Paragraph,
    Picture,
    Quotation,
    Table,
    to_docx,
    to_html,
    to_markdown,
)
from assay.drift.explanation.rendering.happened import happened
from assay.drift.explanation.rendering.time_axis import WIDTH, draw_time_axis, time_axis_svg
from assay.drift.logs.event_log import EventLog
from assay.drift.problem.writing import writing

__all__ = ["export", "outline"]

_CHANGES = 10
_CONTEXT = 600  # characters around a quote


def export(
    explanations: Sequence[Explanation],
    path: str | os.PathLike[str],
    *,
    links: Sequence[Link] = (),
    corpus: Corpus | None = None,
    documents: str | os.PathLike[str] | None = None,
    logs: Mapping[str, EventLog] | None = None,
) -> Path:
    """Write explanations to a file whose suffix says the format: .md, .html or .docx; returns its path.

    With the corpus, quotes stand in their context and documents on an axis of time; with their folder, quotes lead to
    the files; with the logs, the axis shows the course of what changed.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in (".md", ".html", ".docx"):
        raise InvalidInput(f"explanations are exported as .md, .html or .docx, not as {target.name!r}.")
    if not explanations:
        raise InvalidInput("there is no explanation to export.")
    folder = None if documents is None else os.path.relpath(documents, target.parent)
    blocks = outline(explanations, links=links, corpus=corpus, folder=folder, logs=logs)
    forms = {".md": to_markdown, ".html": to_html}
    content = forms[suffix](blocks).encode() if suffix in forms else to_docx(blocks)
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return target


def outline(
    explanations: Sequence[Explanation],
    *,
    links: Sequence[Link] = (),
    corpus: Corpus | None = None,
    folder: str | None = None,
    logs: Mapping[str, EventLog] | None = None,
) -> list[Block]:
    """The parts of the document: per drift a summary, the causes with their quotes, what changed; then the links."""
    sources = _Sources(corpus, folder, logs or {})
    processes = dict.fromkeys(split_name(explanation.drift.process) for explanation in explanations)
    blocks: list[Block] = [Heading(1, f"Drifts of {', '.join(processes)}")]
    for explanation in explanations:
        blocks += _drift(explanation, sources)
    if links:
        blocks.append(Heading(2, "Links between drifts"))
        blocks.append(
            Table(("drifts", "connection", "why"), [(f"{x.first}, {x.second}", x.connection, x.reason) for x in links])
        )
    bands = ", ".join(f"{band} from {least:.0%}" for band, least in BANDS.items())
    blocks.append(
        Paragraph(
            f"Confidence is the explainer's own estimate that a document tells the cause ({bands}). Every quote stands "
            "in its document word for word."
        )
    )
    return blocks


class _Sources(NamedTuple):
    """Where more can be read than an explanation holds."""

    corpus: Corpus | None
    folder: str | None
    logs: Mapping[str, EventLog]


def _drift(explanation: Explanation, sources: _Sources) -> list[Block]:
    drift, profile = explanation.drift, explanation.profile
    blocks: list[Block] = [Heading(2, f"{drift.id}: {drift.type} drift")]
    if isinstance(profile, ChangeProfile) and (what := happened(profile, drift)):
        blocks.append(Paragraph(what))
    blocks += [
        Paragraph(f"{_when(drift)} (UTC{drift.start:%z})."),
        Paragraph(explanation.summary),
    ]
    if sources.corpus is not None:
        blocks.append(_time_axis(explanation, sources.corpus, sources.logs.get(drift.process)))
    for place, cause in enumerate(explanation.causes, start=1):
        blocks += _cause(place, cause, sources)
    blocks += _changes(explanation)
    if explanation.next_step:
        blocks += [Heading(3, "Next step"), Paragraph(explanation.next_step)]
    blocks += [Paragraph(f"Note: {note}") for note in explanation.notes]
    return blocks


def _time_axis(explanation: Explanation, corpus: Corpus, log: EventLog | None) -> Picture:
    def png() -> bytes:
        raster = Raster("", width=WIDTH)
        return raster.png(draw_time_axis(raster, explanation, corpus, log))

    caption = "The drift and the documents around it: numbered are the causes that were found, the likeliest first."
    return Picture([("", time_axis_svg(explanation, corpus, log))], caption, png)


def _flow(profile: ChangeProfile) -> list[Block]:
    """The process on both sides, where there is more than one step."""
    change = flow_change(profile)
    if len(change.steps) < 2 or not change.flows:
        return []
    layout = lay_out(change)
    drawings = [(side, flow_svg(change, layout, side)) for side in SIDES]
    rare = f" {change.left_out} rare way{'s' * (change.left_out > 1)} left out." if change.left_out else ""
    return [Picture(drawings, LEGEND + rare, lambda: flow_png(change, layout))]


def _quotation(cause: Cause, where: str, sources: _Sources) -> Quotation:
    """The quote with what stands around it, and the file that holds it."""
    before = after = link = ""
    if sources.corpus is not None and cause.document in sources.corpus:
        text = sources.corpus[cause.document].text
        before, after = text[max(0, cause.start - _CONTEXT) : cause.start], text[cause.end : cause.end + _CONTEXT]
    if sources.folder is not None:
        page = f"#page={cause.page}" if cause.document.lower().endswith(".pdf") else ""
        link = quote(f"{sources.folder}/{cause.document}") + page
    return Quotation(cause.quote, where, before, after, link)


def _when(drift: Drift) -> str:
    start, end = f"{drift.start:%Y-%m-%d %H:%M}", f"{drift.end:%Y-%m-%d %H:%M}"
    return f"At {start}" if start == end else f"From {start} to {end}"


def _cause(place: int, cause: Cause, sources: _Sources) -> list[Block]:
    where = f"{cause.document}, page {cause.page}, characters {cause.start} to {cause.end}"
    days = sorted({mention.day.isoformat() for mention in cause.dates})
    signs = sorted(cause.contributions.items(), key=lambda item: -abs(item[1]))
    evidence = ", ".join(f"{name} {value:+.1f}" for name, value in signs if abs(value) >= 0.05)
    rows = [
        ("confidence", f"{cause.confidence:.0%} ({cause.band})"),
        ("kind of cause", f"{cause.category.words}; {cause.category}"),
        ("days it names", ", ".join(days) or "none"),
        ("signals for (+) and against (-) it, in log-odds", evidence or "none"),
    ]
    return [
        Heading(3, f"{place}. {cause.document}"),
        Paragraph(cause.description),
        _quotation(cause, where, sources),
        Table(("", ""), rows),
    ]


def _changes(explanation: Explanation) -> list[Block]:
    profile = explanation.profile
    if profile is None:
        return []
    heading = Heading(3, "What changed in the process")
    if not isinstance(profile, ChangeProfile):
        words = ", ".join(profile.vocabulary())
        return [heading, Paragraph(words or "No certain change.")]
    changed = profile.changed()[:_CHANGES]
    if not changed:
        return [heading, Paragraph("No certain change."), *_flow(profile)]
    rows = []
    for row in changed:
        p = "< 0.0001" if row.p_value < 1e-4 else f"{row.p_value:.4f}"
        rows.append((row.kind, row.name, row.figure(row.before), row.figure(row.after), p))
    return [heading, *_flow(profile), Table(("kind", "what", "before", "after", "p"), rows)]
