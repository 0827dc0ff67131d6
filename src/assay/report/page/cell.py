"""The page of one cell: answer, truth, notes of examination, and cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.charts.marks import marked_among
from assay.core import Listing, Panel, Record
from assay.harness.store.stored_answer import StoredAnswer
from assay.report.conversation import NOTES, Message, conversation_of
from assay.report.page.addresses import slug
from assay.report.page.environment import environment, page_parts
from assay.report.page.methods import Definition, definitions
from assay.report.page.panels import track_panels
from assay.report.page.task import TaskView, task_view
from assay.report.page.tree import Node, answer_tree, tree
from assay.report.story import beside_panels
from assay.report.tables.leaderboard import REFERENCE
from assay.report.tables.truths import truths
from assay.report.track_records import TrackRecords
from assay.report.wording import shown

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["CellView", "CodeLine", "CodeView", "cell_page", "cell_part", "cell_view"]

MOST_LINES = 400  # of one listing


class CodeLine(NamedTuple):
    """A line of source, with what is remarked on it."""

    number: int
    text: str
    remarks: tuple[str, ...]


class CodeView(NamedTuple):
    """Source that was answered, line by line; long stretches without a remark are folded away by the page."""

    listing: Listing
    lines: tuple[CodeLine, ...]


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
    code: tuple[CodeView, ...]
    conversation: tuple[Message, ...]
    printed: str
    panels: tuple[Panel, ...]
    task: TaskView | None  # None where nothing was looked for
    facts: tuple[tuple[str, Node], ...]
    listed: frozenset[str]  # the code's texts, as the page shows them
    siblings: tuple[Record, ...]  # the same problem and seed by others, in the order of names
    seeds: tuple[Record, ...]  # the same subject on the same problem with other seeds, and this one


def cell_view(
    results: TrackRecords, record: Record, stored: StoredAnswer | None, *, truth: bool = True, task: Any = None
) -> CellView:
    """Everything about one record of these results; without ``truth`` nothing that reveals it.

    The answer of a subject that was given the truth is the truth; examination's notes speak of it. ``task`` is what a
    subject saw, or a sentence in its place.
    """
    alone = replace(results, records=(record,), planned=1, losses=(), withdrawals=())
    with marked_among(results.table.labels["subject"].values):
        panels = track_panels(alone) if truth else ()
    beside = sorted(results.where("problem", record.problem).records, key=lambda other: (other.subject, other.seed))
    secret = not truth and record.isolation == REFERENCE
    conversation = () if secret else conversation_of(record)
    notes = {name: entry for name, entry in record.details.items() if truth and not (conversation and name == NOTES)}
    metrics = {definition.name: definition for definition in definitions(alone)}
    headline_first = sorted(record.scores, key=lambda name: name != results.headline)
    payload = None if stored is None or secret else stored.payload
    code = _code(results, record, payload) if truth and payload is not None else ()
    return CellView(
        record=record,
        slug=slug(results.track.name, ()),
        truth=truths(alone).get(record.problem, "") if truth else "",
        hidden=not truth,
        scores=tuple((metrics[name], record.scores[name]) for name in headline_first if name in metrics),
        answer=None if payload is None else answer_tree(results.track, payload),
        notes=tree(notes) if notes else None,
        code=code,
        listed=frozenset(shown(view.listing.code, lines=True) for view in code if view.listing.code),
        conversation=conversation,
        printed="" if stored is None or secret else stored.log,
        panels=panels,
        task=None if task is None else task_view(results.track, task, payload),
        facts=_facts(record),
        siblings=tuple(other for other in beside if other.seed == record.seed),
        seeds=tuple(other for other in beside if other.subject == record.subject),
    )


def cell_page(view: CellView) -> str:
    """The page as text, under the same policy as the report."""
    return (
        environment()
        .get_template("cell.html.j2")
        .render(**page_parts("words.js", "figures.js", "theme.js"), cell=view, served=True)
    )


def cell_part(template: Template, view: CellView) -> str:
    """The same without a page around it, to stand inside the report's own file."""
    return template.render(cell=view, served=False)


def _code(results: TrackRecords, record: Record, payload: bytes) -> tuple[CodeView, ...]:
    """What the track lists of an answer: a function ``listings(record, answer)`` beside its panels."""
    listings = beside_panels(results.track, "listings")
    if listings is None:
        return ()
    try:
        entries = listings(record, results.track.decode(payload))
    except Exception as error:  # noqa: BLE001 - whatever a track's listing raises, the rest must still be shown
        entries = (Listing("Code", "", (), f"could not be listed: {type(error).__name__}: {error}"),)
    return tuple(CodeView(listing, _lines(listing)) for listing in entries)


def _lines(listing: Listing) -> tuple[CodeLine, ...]:
    remarks: dict[int, list[str]] = {}
    for line, words in listing.remarks:
        remarks.setdefault(line, []).append(words)
    lines = shown(listing.code.expandtabs(4), lines=True).splitlines()[:MOST_LINES]
    return tuple(CodeLine(place, text, tuple(remarks.get(place, ()))) for place, text in enumerate(lines, start=1))


def _facts(record: Record) -> tuple[tuple[str, Node], ...]:
    values = {
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
    return tuple((name, tree(value)) for name, value in values.items())
