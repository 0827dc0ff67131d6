"""Known causes, as users write them down, found among the drifts and the documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from assay.core import InvalidInput
from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Corpus
from assay.drift.logs.event_log import EventLog
from assay.drift.problem.names import NameBook, normalised_stem
from assay.drift.problem.user_problem.drifts import moment_of
from assay.drift.problem.user_problem.material import Cause, Material
from assay.intake.new_problem import further_reading
from assay.intake.table.options import TableOptions
from assay.intake.table.reading import TableReading, ambiguous_error

__all__ = ["Assigned", "assign_causes", "parse_cause", "parse_causes", "table_causes"]

_DATED = re.compile(r"^\d{4}_\d\d_\d\d_?")
_SHOWN = 5


class Assigned(NamedTuple):
    """The drifts whose causes are known, the documents of each, how they were found, and the drifts left out."""

    drifts: tuple[Drift, ...]
    documents: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]
    left_out: tuple[Drift, ...]


def parse_cause(text: str) -> Cause:
    """``WHEN=DOCUMENT`` of the command line; without a document nothing explains the drift.

    >>> parse_cause("2021-03-01=new_law.pdf")[:2]
    ('2021-03-01', ('new_law.pdf',))
    """
    when, equals, document = text.partition("=")
    if not equals or not when.strip():
        raise InvalidInput(f"--cause {text}: write when and which document, as in --cause 2021-03-01=new_law.pdf.")
    return Cause(when.strip(), (document.strip(),) if document.strip() else (), f"--cause {text}")


def parse_causes(source: object) -> tuple[Cause, ...]:
    """Causes of a mapping from when to documents, or of pairs; one document, several, or None."""
    entries: Iterable[Any] = (
        source.items() if isinstance(source, Mapping) else source if isinstance(source, Sequence) else ()
    )
    causes = []
    for entry in entries:
        try:
            when, documents = entry
            names = (documents,) if isinstance(documents, str) and documents else tuple(documents or ())
        except (TypeError, ValueError):
            raise InvalidInput(f"causes: {entry!r} is not a pair of time and document.") from None
        if not isinstance(when, str | date):
            raise InvalidInput(f"causes: {when!r} is neither a date nor a case.")
        if not all(isinstance(name, str) for name in names):
            raise InvalidInput(f"causes, {str(when)!r}: documents are given by name, got {documents!r:.80}.")
        causes.append(Cause(when, names, f"causes, {str(when)!r}"))
    return tuple(causes)


def table_causes(
    source: Any, corpus: Corpus, log: EventLog, drifts: Sequence[Drift], options: TableOptions
) -> tuple[tuple[Cause, ...], TableReading]:
    """Causes of a table: a column of documents, found by its values, and one of dates, cases or drift ids."""
    try:
        reading = further_reading(source, options)
    except InvalidInput:
        if options.time_format is None:
            raise
        reading = further_reading(source, replace(options, time_format=None))  # it is that of the log alone
    book = NameBook([*corpus.names, *(trouble.name for trouble in corpus.troubles)])
    names = [column.name for column in reading.columns]
    matches = {name: sum(_is_document(book, value) for value in reading.frame[name]) for name in names}
    document = max(matches, key=lambda name: matches[name])
    if not matches[document]:
        raise InvalidInput(
            f"{reading.source}: no column names one of the {len(corpus)} documents. Columns: {', '.join(names)}; "
            f"documents: {', '.join(corpus.names[:3])}, ..."
        )
    case_ids = {*log.cases, *(drift.id for drift in drifts)}
    times = [column for column in reading.columns if column.role == "time" and column.name != document]
    for column in times:
        if column.ambiguous:
            value = str(reading.frame[column.name].dropna().iloc[0])
            raise ambiguous_error(column, value, options, reading.source)
    cases = [name for name in names if name != document and {str(value) for value in reading.frame[name]} <= case_ids]
    when = next(iter([*(column.name for column in times), *cases]), None)
    if when is None:
        others = ", ".join(name for name in names if name != document) or "none"
        raise InvalidInput(
            f"{reading.source}: no column besides {document!r} holds dates, cases of the log or ids of drifts (there "
            f"are: {others}). If it holds dates, say how they are written: {options.remedy('time_format', '%d.%m.%Y')}."
        )
    is_time = when in {column.name for column in times}
    causes = []
    for row, (moment, name) in enumerate(zip(reading.frame[when], reading.frame[document], strict=True), start=1):
        place = f"{reading.source}, row {row}"
        if moment is None or moment != moment:
            raise InvalidInput(f"{place}: column {when!r} is empty. Say when, or remove the row.")
        documents = () if name is None or name != name or not str(name).strip() else (str(name),)
        causes.append(Cause(moment.to_pydatetime() if is_time else str(moment), documents, place))
    return tuple(causes), reading


def _is_document(book: NameBook, value: object) -> bool:
    try:
        return isinstance(value, str) and book.find(value) is not None
    except InvalidInput:  # it fits several
        return True


def assign_causes(
    material: Material, causes: Sequence[Cause], log: EventLog, drifts: Sequence[Drift], corpus: Corpus
) -> Assigned:
    """Every cause to the drift that is nearest to it, which must be near; drifts without one are left out."""
    if not causes:
        raise InvalidInput(
            "no cause is given, and known causes are the truth of a drift problem: "
            f"{material.remedy('causes', 'new_law.pdf', role='2021-03-01')}."
        )
    book = NameBook(corpus.names)
    golden: dict[int, list[str]] = {}
    origins: dict[int, Cause] = {}
    words: list[str] = []
    for cause in causes:
        documents = [_document(book, corpus, name, cause.place) for name in cause.documents]
        place, distance = _nearest(material, cause, log, drifts)
        first = origins.setdefault(place, cause)
        if bool(first.documents) != bool(documents):
            raise InvalidInput(
                f"{first.place} and {cause.place}: both are of the {drifts[place].type} drift of {drifts[place].days}; "
                "one says that no document explains it, the other names one. Remove one of them."
            )
        golden.setdefault(place, []).extend(name for name in documents if name not in golden.get(place, []))
        drift, explanation = drifts[place], ", ".join(documents) or "no document explains it"
        shown = f"{drift.start:%Y-%m-%d}" + (
            f" to {drift.end:%Y-%m-%d}" if drift.end.date() > drift.start.date() else ""
        )
        when = str(cause.when).removesuffix(" 00:00:00")
        words.append(f"{when}: {explanation}; {drift.type} drift of {shown}, {_apart(distance)}")
    chosen = sorted(golden)
    return Assigned(
        drifts=tuple(drifts[place] for place in chosen),
        documents=tuple(tuple(golden[place]) for place in chosen),
        words=tuple(words),
        left_out=tuple(drift for place, drift in enumerate(drifts) if place not in golden),
    )


def _document(book: NameBook, corpus: Corpus, name: str, place: str) -> str:
    match = book.find(name)
    if match is not None:
        return match
    for trouble in corpus.troubles:
        if trouble.name == name:
            raise InvalidInput(f"{place}: {trouble.message}")
    raise InvalidInput(f"{place}: no document {name!r} among {len(corpus)}. {_hint(name, corpus.names)}")


def _hint(name: str, names: Sequence[str]) -> str:
    """The nearest name, dates before it or not, and some of the names."""
    short = {_DATED.sub("", normalised_stem(entry)): entry for entry in names}
    near = get_close_matches(_DATED.sub("", normalised_stem(name)), list(short), n=1)
    listed = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    return f"Did you mean {short[near[0]]!r}?" if near else f"There are: {listed}."


def _nearest(material: Material, cause: Cause, log: EventLog, drifts: Sequence[Drift]) -> tuple[int, float]:
    """The drift that a cause belongs to, and how many days it starts after the cause (less than 0: before)."""
    named = [place for place, drift in enumerate(drifts) if drift.id == cause.when]
    if named:
        return named[0], 0.0
    stamp = moment_of(material, log, cause.when, cause.place)
    distances = []
    for drift in drifts:
        after = (drift.start.date() - stamp.date()).days
        over = (stamp.date() - drift.end.date()).days
        distances.append(float(max(after, 0) - max(over, 0)))
    place = min(range(len(drifts)), key=lambda at: abs(distances[at]))
    if abs(distances[place]) > material.within:
        nearest = drifts[place]
        raise InvalidInput(
            f"{cause.place}: no drift within {material.within:g} days of {stamp:%Y-%m-%d}; the nearest of "
            f"{len(drifts)} is on {nearest.start:%Y-%m-%d}, {_apart(distances[place])}. Correct the date, allow "
            f"more ({material.remedy('within', f'{abs(distances[place]):g}')}), or say where the drifts are: "
            f"{material.remedy('drifts', f'{stamp:%Y-%m-%d}')}."
        )
    return place, distances[place]


def _apart(days: float) -> str:
    if not days:
        return "on that day"
    return f"{abs(days):g} day{'s' * (abs(days) != 1)} {'later' if days > 0 else 'earlier'}"


def is_table(causes: object) -> bool:
    """Whether causes are given as a table: a file, or a frame."""
    return isinstance(causes, str | Path) or hasattr(causes, "columns")
