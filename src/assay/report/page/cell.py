"""The page of one cell: what was answered, what is true, what was found in examining it, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.core import Panel, Record
from assay.harness.store.stored_answer import StoredAnswer
from assay.report.conversation import NOTES, Message, conversation_of
from assay.report.page.environment import environment, page_parts
from assay.report.page.methods import Definition, definitions
from assay.report.page.panels import track_panels
from assay.report.page.tree import Node, answer_tree, tree
from assay.report.page.views import slug
from assay.report.tables.leaderboard import REFERENCE
from assay.report.tables.truths import truths
from assay.report.track_records import TrackRecords

__all__ = ["CellView", "cell_page", "cell_view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellView:
    """What the template reads."""

    record: Record
    slug: str
    truth: str
    hidden: bool  # whether the truth is
    scores: tuple[tuple[Definition, float], ...]
    answer: Node | None
    notes: Node | None
    conversation: tuple[Message, ...]
    printed: str
    panels: tuple[Panel, ...]
    facts: tuple[tuple[str, Node], ...]
    siblings: tuple[Record, ...]  # the same problem and seed by others, in the order of names


def cell_view(results: TrackRecords, record: Record, stored: StoredAnswer | None, *, truth: bool = True) -> CellView:
    """Everything that is known of one record of these results; without ``truth`` nothing that tells it.

    The answer of a subject that was given the truth is the truth; examination's notes speak of it.
    """
    alone = replace(results, records=(record,), planned=1, losses=(), withdrawals=())
    secret = not truth and record.isolation == REFERENCE
    said = () if secret else conversation_of(record)
    notes = {name: entry for name, entry in record.details.items() if truth and not (said and name == NOTES)}
    known = {definition.name: definition for definition in definitions(alone)}
    answer = None
    if stored is not None and stored.payload is not None and not secret:
        answer = answer_tree(results.track, stored.payload)
    return CellView(
        record=record,
        slug=slug(results.track.name, ()),
        truth=truths(alone).get(record.problem, "") if truth else "",
        hidden=not truth,
        scores=tuple((known[name], value) for name, value in record.scores.items() if name in known),
        answer=answer,
        notes=tree(notes) if notes else None,
        conversation=said,
        printed="" if stored is None or secret else stored.log,
        panels=track_panels(alone) if truth else (),
        facts=_facts(record),
        siblings=_siblings(results, record),
    )


def cell_page(view: CellView) -> str:
    """The page as text, under the same policy as the report."""
    return environment().get_template("cell.html.j2").render(**page_parts("theme.js"), cell=view)


def _siblings(results: TrackRecords, record: Record) -> tuple[Record, ...]:
    table = results.table
    rows = table.labels["problem"].where(record.problem).nonzero()[0]
    beside = [other for other in results.part(rows).records if other.seed == record.seed]
    return tuple(sorted(beside, key=lambda other: other.subject))


def _facts(record: Record) -> tuple[tuple[str, Node], ...]:
    told = {
        "tags": record.tags,
        "settings": record.settings,
        "budget": record.budget,
        "cost": record.cost,
        "isolation": record.isolation,
        "versions": record.versions,
        "software": record.software or "not recorded",
        "created": record.created or "not recorded",
        "host": record.host or "not recorded",
        "problem digest": record.problem_digest,
        "subject digest": record.subject_digest,
        "answer key": record.answer_key,
        "record key": record.key,
        **({"withdrawn": "yes"} if record.withdrawn else {}),
        **({"imported": record.imported} if record.imported else {}),
    }
    return tuple((name, tree(value)) for name, value in told.items())
