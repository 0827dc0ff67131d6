"""Problems of the drift track: detected drifts, their logs and the documents that may explain them; the golden ones."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from assay.core import InvalidInput, Json, Problem, Tags, find_inside, read_json, read_manifest
from assay.core.display import counted, object_html, shortened
from assay.core.files.text import write_json
from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Corpus
from assay.drift.documents.folder import read_corpus
from assay.drift.logs.event_log import EventLog
from assay.drift.logs.read import read_log, write_log
from assay.drift.problem.detector_files import read_detections, write_detections
from assay.drift.problem.names import NameBook
from assay.intake.columns import read_rows
from assay.intake.csv_lines import write_rows

if TYPE_CHECKING:
    from assay.drift.detection.profile import ChangeProfile

__all__ = [
    "DOCUMENTS",
    "GLOSSARY",
    "GOLDEN",
    "LOG_SUFFIXES",
    "TEXTS",
    "DriftTask",
    "DriftTruth",
    "find_log",
    "load",
    "profile_of",
    "read_glossary",
    "windows_of",
    "write_problem",
]

DOCUMENTS = "documents"
TEXTS = ".texts"  # extracted texts of the documents, by digest of the file; optional
GLOSSARY = "glossary.csv"
GOLDEN = Path("truth") / "golden.json"
LOG_SUFFIXES = (".xes", ".xes.gz", ".csv", ".csv.gz", ".parquet")

_TRACK = "drift"
_WINDOWS = 200
_TEXT_SUFFIXES = (".txt", ".md")  # the formats whose text is the file


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DriftTask:
    """What a subject sees: the drifts of a test set, the documents, and the event logs by process, if any.

    Parameters
    ----------
    name : str
        The test set's id.
    drifts : tuple of Drift
        The drifts to explain.
    corpus : Corpus
        The documents.
    logs : mapping of str to EventLog, optional
        Event logs by process.
    glossary : mapping of str to str, optional
        Definitions by term.

    Examples
    --------
    >>> DriftTask(name="permits", drifts=(), corpus=Corpus.from_texts({"rule.txt": "New."}))
    DriftTask('permits': 0 drifts, 1 document, 0 event logs)
    """

    name: str
    drifts: tuple[Drift, ...]
    corpus: Corpus
    logs: Mapping[str, EventLog] = field(default_factory=dict)
    glossary: Mapping[str, str] = field(default_factory=dict)  # term -> what it stands for

    def __repr__(self) -> str:
        sizes = [counted(len(self.drifts), "drift"), counted(len(self.corpus), "document")]
        return f"DriftTask({shortened(self.name)!r}: {', '.join(sizes)}, {counted(len(self.logs), 'event log')})"

    def _repr_html_(self) -> str:
        facts = {"documents": len(self.corpus), "event logs": ", ".join(self.logs) or "none"}
        rows = ((drift.id, drift.process, drift.type, f"{drift.start:%Y-%m-%d}") for drift in self.drifts)
        columns = ("drift", "process", "type", "start")
        return object_html(f"Task {self.name}", facts, columns=columns, rows=rows, total=len(self.drifts))


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftTruth:
    """For each drift the golden documents, as places in the corpus; a drift may have none.

    Parameters
    ----------
    goldens : tuple of tuples of int
        For each drift the golden documents, as places in the corpus.

    Examples
    --------
    >>> corpus = Corpus.from_texts({"memo.txt": "Menu.", "rule.txt": "New rule."})
    >>> truth = DriftTruth.of(corpus, [["rule"], []])
    >>> truth.goldens
    ((1,), ())
    >>> truth
    DriftTruth(2 drifts, 1 with a golden document)
    """

    goldens: tuple[tuple[int, ...], ...]

    def __repr__(self) -> str:
        caused = sum(bool(golden) for golden in self.goldens)
        return f"DriftTruth({counted(len(self.goldens), 'drift')}, {caused} with a golden document)"

    @classmethod
    def of(cls, corpus: Corpus, names: Sequence[Sequence[str]], *, what: str = "golden documents") -> DriftTruth:
        """From names, found by normalised stem; one that is not in the corpus is an error that names it."""
        book, places = NameBook(corpus.names), {name: place for place, name in enumerate(corpus.names)}
        resolved = [book.resolve(entry, what=what) for entry in names]
        return cls(goldens=tuple(tuple(sorted({places[name] for name in entry})) for entry in resolved))

    def names(self, corpus: Corpus) -> tuple[frozenset[str], ...]:
        """The golden documents by name."""
        all_names = corpus.names
        return tuple(frozenset(all_names[place] for place in places) for places in self.goldens)


def load(folder: str | Path) -> Problem[DriftTask, DriftTruth]:
    """Read and check one problem folder.

    Parameters
    ----------
    folder : str or Path
        A test-set folder: a detector's files, event logs, ``documents/`` and ``truth/``.

    Returns
    -------
    Problem
        The problem, with a ``DriftTask`` and a ``DriftTruth``.

    Raises
    ------
    InvalidInput
        A file is missing or malformed; the message names it and the remedy.

    Examples
    --------
    >>> import tempfile
    >>> from assay.drift import generate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder, problems=1, seed=1, cases=120)
    ...     problem = load(Path(folder, "generated-1-000"))
    >>> problem.task
    DriftTask('generated-1-000': 4 drifts, 43 documents, 1 event log)
    """
    folder = Path(folder)
    manifest = read_manifest(folder, track=_TRACK)
    where = f"problem {manifest.id!r} ({folder})"
    detections = read_detections(folder, test_set=manifest.id)
    if not detections:
        raise InvalidInput(f"{where}: prediction_results.csv lists no drift; there is nothing to explain.")
    if any(detection.golden for detection in detections):
        raise InvalidInput(
            f"{where}: prediction_results.csv names golden documents, where a subject would see them. "
            f"Move them to {GOLDEN.as_posix()}."
        )
    drifts = tuple(detection.drift for detection in detections)
    texts = folder / TEXTS
    corpus = read_corpus(folder / DOCUMENTS, index=texts if texts.is_dir() else None)
    logs = {}
    for process in dict.fromkeys(drift.process for drift in drifts):
        path = find_log(folder, process)
        if path is not None:
            logs[process] = read_log(path)
    glossary = read_glossary(folder / GLOSSARY) if (folder / GLOSSARY).is_file() else {}
    task = DriftTask(name=manifest.id, drifts=drifts, corpus=corpus, logs=logs, glossary=glossary)
    truth = _read_golden(folder / GOLDEN, task)
    return Problem(id=manifest.id, digest=manifest.digest, task=task, truth=truth, tags=manifest.tags, track=_TRACK)


def read_glossary(path: Path) -> dict[str, str]:
    """A CSV file with the columns ``term`` and ``definition``."""
    header, rows = read_rows(path)
    if not {"term", "definition"} <= set(header):
        raise InvalidInput(f"{path}: needs the columns 'term' and 'definition', has {', '.join(map(repr, header))}.")
    return {row["term"].strip(): (row["definition"] or "").strip() for row in rows if (row["term"] or "").strip()}


def profile_of(task: DriftTask, drift: Drift) -> ChangeProfile | None:
    """What changed in the process around a drift; None where there is no event log."""
    log = task.logs.get(drift.process)
    others = tuple(other for other in task.drifts if other.process == drift.process)
    return None if log is None else _profile(log, drift, others)


@lru_cache(maxsize=32)  # subjects and the examination ask for the same ones
def _profile(log: EventLog, drift: Drift, others: tuple[Drift, ...]) -> ChangeProfile:
    from assay.drift.detection.profile import change_profile

    return change_profile(log, drift, others=others)


def find_log(folder: Path, process: str) -> Path | None:
    """The event log of a process in a folder: the file of that name with the suffix of a log."""
    if Path(process).name != process:  # a name that leads elsewhere
        return None
    for suffix in LOG_SUFFIXES:
        path = find_inside(folder, f"{process}{suffix}")
        if path is not None and path.is_file():
            return path
    return None


def write_problem(
    folder: Path,
    *,
    id: str,
    task: DriftTask,
    truth: DriftTruth,
    tags: Tags,
    log_suffix: str = ".xes.gz",
    documents: Path | None = None,
) -> dict[str, str]:
    """Write one problem folder; the same problem gives the same bytes.

    Documents are copied from the folder ``documents``; without one they are written as the texts they are, so their
    names must end in .txt or .md. Drifts get the ids by which they are read again, from their place among the drifts
    of their process; they are returned, with the ids that were given.
    """
    folder = Path(folder)
    if len(truth.goldens) != len(task.drifts):
        raise InvalidInput(f"problem {id!r}: {len(truth.goldens)} golden entries for {len(task.drifts)} drifts.")
    for document in task.corpus if documents is None else ():
        if not document.name.endswith(_TEXT_SUFFIXES) or "/" in document.name:
            raise InvalidInput(f"problem {id!r}: document {document.name!r} cannot be written; name it *.txt or *.md.")
    for part in (folder / DOCUMENTS, folder / GOLDEN.parent):
        part.mkdir(parents=True, exist_ok=True)
    caused = sum(bool(golden) for golden in truth.goldens)
    manifest: dict[str, Json] = {
        "id": id,
        "track": _TRACK,
        "tags": {**tags, "drifts": len(task.drifts), "caused": caused},
    }
    write_json(folder / "problem.json", manifest)
    for process, log in task.logs.items():
        write_log(log, folder / f"{process}{log_suffix}")
    if task.glossary:
        with (folder / GLOSSARY).open("w", encoding="utf-8", newline="") as stream:
            write_rows(stream, [("term", "definition"), *sorted(task.glossary.items())])
    windows = {process: windows_of(log) for process, log in task.logs.items()}
    write_detections(folder, task.drifts, windows=windows)
    for document in task.corpus:
        target = folder / DOCUMENTS / document.name
        if documents is None:
            target.write_bytes(document.text.encode())
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(documents / document.name, target)
    read_again = [detection.drift for detection in read_detections(folder, test_set=id)]
    places = _places(task.drifts, read_again, id)
    names = truth.names(task.corpus)
    golden: dict[str, Json] = {drift.id: sorted(names[place]) for drift, place in zip(read_again, places, strict=True)}
    write_json(folder / GOLDEN, {"goldens": golden})
    return {drift.id: task.drifts[place].id for drift, place in zip(read_again, places, strict=True)}


def _places(drifts: Sequence[Drift], read: Sequence[Drift], id: str) -> list[int]:
    """Where each drift that was read again stands among the given ones: files group them by process."""
    remaining = {place: (drift.process, drift.start_case, drift.end_case) for place, drift in enumerate(drifts)}
    places = []
    for drift in read:
        same = [p for p, key in remaining.items() if key == (drift.process, drift.start_case, drift.end_case)]
        if not same:
            raise InvalidInput(f"problem {id!r}: drift {drift.id!r} does not survive being written.")
        places.append(same[0])
        del remaining[same[0]]
    return places


def windows_of(log: EventLog) -> dict[str, datetime]:
    """The first case of each of up to 200 windows of a log, as detectors write them."""
    firsts = np.unique(np.linspace(0, len(log), min(_WINDOWS, len(log)), endpoint=False).astype(np.int64))
    starts = log.starts
    return {log.cases[case]: log.local.moment(int(starts[case])) for case in firsts.tolist()}


def _read_golden(path: Path, task: DriftTask) -> DriftTruth:
    goldens = read_json(path).get("goldens")
    if not isinstance(goldens, dict):
        raise InvalidInput(f'{path}: must be {{"goldens": {{"<drift id>": ["<document>", ...], ...}}}}.')
    ids = [drift.id for drift in task.drifts]
    missing = [name for name in ids if name not in goldens]
    unknown = [name for name in goldens if name not in ids]
    if missing or unknown:
        fault = f"lacks drift {missing[0]!r}" if missing else f"names {unknown[0]!r}, which is not a drift here"
        raise InvalidInput(f"{path}: {fault}. Drifts: {', '.join(ids)}. A drift without a cause has an empty list.")
    for name, documents in goldens.items():
        if not isinstance(documents, list) or not all(isinstance(document, str) for document in documents):
            raise InvalidInput(f"{path}: drift {name!r} must have a list of document names, got {documents!r}.")
    return DriftTruth.of(task.corpus, [goldens[name] for name in ids], what=f"{path}: golden documents")
