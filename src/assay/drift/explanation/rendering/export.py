"""Explanations as a document to hand on: Markdown, HTML or Word."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from assay.core import InvalidInput
from assay.drift.detection.profile import ChangeProfile
from assay.drift.documents.words import split_name
from assay.drift.explanation.explanation import BANDS, Cause, Explanation, Link
from assay.drift.explanation.rendering.formats import (
    Block,
    Heading,
    Paragraph,
    Quotation,
    Table,
    to_docx,
    to_html,
    to_markdown,
)

__all__ = ["export", "outline"]

_CHANGES = 10


def export(explanations: Sequence[Explanation], path: str | os.PathLike[str], *, links: Sequence[Link] = ()) -> Path:
    """Write explanations to a file whose suffix says the format: .md, .html or .docx; returns its path."""
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in (".md", ".html", ".docx"):
        raise InvalidInput(f"explanations are exported as .md, .html or .docx, not as {target.name!r}.")
    if not explanations:
        raise InvalidInput("there is no explanation to export.")
    blocks = outline(explanations, links=links)
    target.parent.mkdir(parents=True, exist_ok=True)
    if suffix == ".docx":
        target.write_bytes(to_docx(blocks))
    else:
        target.write_text(to_markdown(blocks) if suffix == ".md" else to_html(blocks), encoding="utf-8")
    return target


def outline(explanations: Sequence[Explanation], *, links: Sequence[Link] = ()) -> list[Block]:
    """The parts of the document: per drift a summary, the causes with their quotes, what changed; then the links."""
    processes = dict.fromkeys(split_name(explanation.drift.process) for explanation in explanations)
    blocks: list[Block] = [Heading(1, f"Drifts of {', '.join(processes)}")]
    for explanation in explanations:
        blocks += _drift(explanation)
    if links:
        blocks.append(Heading(2, "Links between drifts"))
        blocks.append(
            Table(("drifts", "connection", "why"), [(f"{x.first}, {x.second}", x.connection, x.reason) for x in links])
        )
    bands = ", ".join(f"{band} from {least:.0%}" for band, least in BANDS.items())
    blocks.append(
        Paragraph(
            f"Confidence is the calibrated chance that a document tells the cause ({bands}). Every quote stands in its "
            "document word for word."
        )
    )
    return blocks


def _drift(explanation: Explanation) -> list[Block]:
    drift = explanation.drift
    blocks: list[Block] = [
        Heading(2, f"{drift.id}: {drift.type} drift"),
        Paragraph(f"From {drift.start:%Y-%m-%d %H:%M} to {drift.end:%Y-%m-%d %H:%M} (UTC{drift.start:%z})."),
        Paragraph(explanation.summary),
    ]
    for place, cause in enumerate(explanation.causes, start=1):
        blocks += _cause(place, cause)
    blocks += _changes(explanation)
    if explanation.next_step:
        blocks += [Heading(3, "Next step"), Paragraph(explanation.next_step)]
    blocks += [Paragraph(f"Note: {note}") for note in explanation.notes]
    return blocks


def _cause(place: int, cause: Cause) -> list[Block]:
    where = f"{cause.document}, page {cause.page}, characters {cause.start} to {cause.end}"
    days = sorted({mention.day.isoformat() for mention in cause.dates})
    signs = sorted(cause.contributions.items(), key=lambda item: -abs(item[1]))
    evidence = ", ".join(f"{name} {value:+.1f}" for name, value in signs if abs(value) >= 0.05)
    rows = [
        ("confidence", f"{cause.confidence:.0%} ({cause.band})"),
        ("context", str(cause.category)),
        ("days it names", ", ".join(days) or "none"),
        ("evidence (log-odds)", evidence or "none"),
    ]
    return [
        Heading(3, f"{place}. {cause.document}"),
        Paragraph(cause.description),
        Quotation(cause.quote, where),
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
        return [heading, Paragraph("No certain change.")]
    rows = []
    for row in changed:
        form = "{:.1f} h" if row.kind == "duration" else "{:.0%}"
        p = "< 0.0001" if row.p_value < 1e-4 else f"{row.p_value:.4f}"
        rows.append((row.kind, row.name, form.format(row.before), form.format(row.after), p))
    return [heading, Table(("kind", "what", "before", "after", "p"), rows)]
