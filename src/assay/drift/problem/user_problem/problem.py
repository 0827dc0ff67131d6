"""A problem folder from a user's own event log, documents and causes, written whole or not at all, and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from assay.core import InvalidInput, Tags
from assay.core.display import counted
from assay.core.files.drafts import demand_new_folder, new_folder
from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Corpus
from assay.drift.documents.folder import read_corpus
from assay.drift.logs.event_log import EventLog
from assay.drift.logs.read import read_log_file
from assay.drift.problem.task import DriftTask, DriftTruth, read_glossary, write_problem
from assay.drift.problem.user_problem.causes import Assigned, assign_causes, is_table, parse_causes, table_causes
from assay.drift.problem.user_problem.drifts import UserDrifts, find_drifts
from assay.drift.problem.user_problem.material import Material
from assay.intake.new_problem import NewProblem, check_problems
from assay.intake.table.options import TableOptions
from assay.intake.table.reading import TableReading

__all__ = ["build_problem", "new_problem"]

_SUBJECTS = ("explainer", "bm25", "date-only")
_LATE = timedelta(days=14)  # a document that is issued so long after a drift hardly caused it


def new_problem(
    folder: str | Path,
    log: str | Path | EventLog | Any,
    documents: str | Path | Corpus,
    *,
    causes: Mapping[Any, Any] | Sequence[tuple[Any, Any]] | str | Path | Any,
    drifts: Sequence[str | date | Drift] = (),
    detections: str | Path | None = None,
    within: float = 30.0,
    process: str | None = None,
    glossary: str | Path | Mapping[str, str] | None = None,
    id: str | None = None,
    tags: Tags | None = None,
    options: TableOptions | None = None,
) -> NewProblem:
    """Make a problem of an event log, documents and known causes of one's own, checked and ready to run.

    Parameters
    ----------
    folder : str or Path
        The problem folder; must be new or empty.
    log : path, EventLog or DataFrame
        The event log: a XES, CSV, Parquet or Excel file, or a frame with a row per event.
    documents : str, Path or Corpus
        The folder of documents, or texts.
    causes : mapping, sequence of pairs, path or DataFrame
        What is known, the hidden truth: a date, a case or a drift's id, and the document that tells the cause; several
        documents as a list, None where no document explains the drift. A table has a column of each.
    drifts : sequence of str, date or Drift, optional
        Where the process drifts: dates, cases, or ``2021-03-01..2021-04-15`` for a gradual one; detected by default.
    detections : str or Path, optional
        The folder of a detector's files instead.
    within : float, default 30.0
        How many days a cause and its drift may lie apart.
    process : str, optional
        The process as the documents call it; the log's name by default.
    glossary : str, Path or mapping, optional
        Definitions by term, or a CSV file with the columns ``term`` and ``definition``.
    id : str, optional
        The problem's id; the folder's name by default.
    tags : mapping, optional
        Texts or numbers by name, for grouped statistics.
    options : TableOptions, optional
        How log and causes are to be read; its ``columns`` are those of the log.

    Returns
    -------
    NewProblem
        What was written and decided, with warnings and the next commands.

    Raises
    ------
    InvalidInput
        Something does not fit; the message names it and the remedy. Nothing is written then.

    Examples
    --------
    >>> import tempfile
    >>> from assay.drift import Corpus, simulate
    >>> log = simulate(seed=1, cases=200).log
    >>> corpus = Corpus.from_texts({"2019-07-15_Rule.txt": "New checks.", "2019-02-01_Menu.txt": "Soup."})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = new_problem(f"{folder}/credit", log, corpus, causes={"2019-07-20": "2019-07-15_Rule"})
    >>> made.problems, made.facts["cause 1"]
    (('credit',), '2019-07-20: 2019-07-15_Rule.txt; sudden drift of 2019-07-21, 1 day later')
    """
    material = Material(
        log=log,
        documents=documents,
        causes=() if is_table(causes) else parse_causes(causes),
        causes_table=causes if is_table(causes) else None,
        drifts=(drifts,) if isinstance(drifts, str | date) else tuple(drifts),
        detections=None if detections is None else Path(detections),
        within=within,
        process=process,
        glossary=Path(glossary) if isinstance(glossary, str) else glossary,
        id=id,
        tags=dict(tags or {}),
        options=options or TableOptions(),
    )
    return build_problem(Path(folder), material)


def build_problem(out: Path, material: Material) -> NewProblem:
    """Write and check the problem; what is wrong is said before anything is written."""
    demand_new_folder(out)
    identity = material.id or out.resolve().name
    log = _read_log(material)
    readings: list[TableReading] = []
    folder = None if isinstance(material.documents, Corpus) else Path(material.documents)
    corpus = material.documents if folder is None else read_corpus(folder)
    own = find_drifts(material, log)
    causes = [*material.causes, *own.causes]
    if material.causes_table is not None:
        more, reading = table_causes(material.causes_table, corpus, log, own.drifts, material.options)
        causes += more
        readings.append(reading)
    assigned = assign_causes(material, causes, log, own.drifts, corpus)
    if not any(assigned.documents):
        raise InvalidInput("no cause names a document: a problem needs at least one drift that a document explains.")
    glossary = read_glossary(material.glossary) if isinstance(material.glossary, Path) else material.glossary
    task = DriftTask(
        name=identity, drifts=assigned.drifts, corpus=corpus, logs={log.name: log}, glossary=dict(glossary or {})
    )
    truth = DriftTruth.of(corpus, assigned.documents)
    with new_folder(out) as draft:
        write_problem(draft, id=identity, task=task, truth=truth, tags=material.tags, documents=folder)
        (problem,), oracle = check_problems("drift", draft)
    return NewProblem(
        track="drift",
        folder=out,
        problems=(problem.id,),
        facts=_facts(log, corpus, own, assigned),
        warnings=tuple(_warnings(material, corpus, assigned)),
        notes=log.notes,
        tables=tuple(readings),
        oracle=oracle,
        subjects=_SUBJECTS,
    )


def _read_log(material: Material) -> EventLog:
    if isinstance(material.log, EventLog):
        log = material.log
    elif isinstance(material.log, str | Path):
        options = material.options
        if material.causes_table is not None and str(material.log).lower().endswith((".xes", ".xes.gz")):
            # how tables are written is then said of the causes
            options = TableOptions(columns=options.columns, timezone=options.timezone, syntax=options.syntax)
        log = read_log_file(material.log, options=options)
    else:
        from assay.drift.logs.tables import log_of_frame
        from assay.intake.table.layout.frames import frame_of

        log = log_of_frame(frame_of(material.log), name="log", options=material.options)
    process = material.process or log.name
    if not process.strip() or any(mark in process for mark in "/\\\n\0") or process.startswith("."):
        raise InvalidInput(
            f"the process {process!r} cannot be a file name. Give another: {material.remedy('process', 'permits')}."
        )
    return replace(log, name=process)


def _facts(log: EventLog, corpus: Corpus, own: UserDrifts, assigned: Assigned) -> dict[str, Any]:
    first, last = log.period
    return {
        "log": f"{log.name}: {counted(len(log), 'case')}, {counted(log.events, 'event')}, "
        f"{first:%Y-%m-%d} to {last:%Y-%m-%d}",
        "documents": f"{len(corpus)} read",
        "drifts": f"{len(own.drifts)} {own.origin}, {len(assigned.drifts)} with a known cause",
        **{f"cause {number}": words for number, words in enumerate(assigned.words, start=1)},
    }


def _warnings(material: Material, corpus: Corpus, assigned: Assigned) -> list[str]:
    warnings = [f"not read: {one.message}" for one in corpus.troubles]
    for drift in assigned.left_out:
        when = f"{drift.start:%Y-%m-%d}"
        warnings.append(
            f"the drift of {when} has no known cause and is left out. If no document explains it: "
            f"{material.remedy('causes', '', role=when).replace(repr(''), 'None')}"
        )
    for drift, names in zip(assigned.drifts, assigned.documents, strict=True):
        for name in names:
            issued = corpus[name].issued
            if issued is not None and issued > (drift.end + _LATE).date():
                warnings.append(
                    f"{name} is of {issued}, after the drift of {drift.start:%Y-%m-%d} that it is to explain"
                )
    if len(assigned.drifts) == 1:
        warnings.append("one drift tells little about explainers: bring more, or more problems")
    return warnings
