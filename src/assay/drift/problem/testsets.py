"""Test sets on disk: folders of detector files with golden documents in a column, and problem folders of our own."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from assay.core import InvalidInput, Problem, digest_folder
from assay.core.files.folders import is_file, walk
from assay.core.files.near import near_path
from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Corpus
from assay.drift.documents.folder import read_corpus
from assay.drift.logs.event_log import EventLog, Order
from assay.drift.logs.read import read_log_file
from assay.drift.problem.detector_files import RESULTS, read_detections
from assay.drift.problem.names import NameBook
from assay.drift.problem.task import (
    DOCUMENTS,
    GLOSSARY,
    DriftTask,
    DriftTruth,
    find_log,
    load,
    read_glossary,
    write_problem,
)
from assay.intake.table.options import TableOptions

__all__ = [
    "Detected",
    "LoadedSet",
    "LoadedSets",
    "adopt",
    "find_test_sets",
    "read_detected",
    "read_test_set",
    "read_test_sets",
]


_DETECT = TableOptions()


class LoadedSet(NamedTuple):
    """A test set that was read, and what was wrong with it without making it unusable."""

    problem: Problem[DriftTask, DriftTruth]
    notes: tuple[str, ...] = ()


class Detected(NamedTuple):
    """The drifts of an event log or of a detector's folder, the golden documents of each, and what belongs to them."""

    drifts: tuple[Drift, ...]
    golden: tuple[tuple[str, ...], ...]
    logs: Mapping[str, EventLog]
    glossary: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()


class LoadedSets(NamedTuple):
    """The test sets that were read, and why the others could not be read, by name."""

    sets: dict[str, LoadedSet]
    broken: dict[str, str]


def find_test_sets(path: Path) -> dict[str, Path]:
    """The test sets at a path, by name: every folder at or below it that holds a detector's results."""
    if not path.is_dir():
        raise InvalidInput(f"{path}: folder of test sets not found.{near_path(path)} Give one with --logs.")
    if (path / RESULTS).is_file():
        return {path.resolve().name: path}
    results = sorted(file for file in walk(path) if file.name == RESULTS and is_file(file))
    folders = {file.parent.relative_to(path).as_posix(): file.parent for file in results}
    if not folders:
        raise InvalidInput(f"{path}: no test set here. Each is a folder with {RESULTS} and window_info.json.")
    return folders


def read_test_sets(
    logs: Path | Mapping[str, Path],
    *,
    corpus: Corpus | None = None,
    glossary: Mapping[str, str] | None = None,
    options: TableOptions = _DETECT,
    matching: str = "exact",
    count_from: int = 1,
) -> LoadedSets:
    """Read all test sets at a path, or folders by name; at least one must be readable."""
    folders = logs if isinstance(logs, Mapping) else find_test_sets(Path(logs))
    sets, broken = {}, {}
    for name, folder in folders.items():
        try:
            sets[name] = read_test_set(
                folder,
                name=name,
                corpus=corpus,
                glossary=glossary,
                options=options,
                matching=matching,
                count_from=count_from,
            )
        except (InvalidInput, OSError) as error:
            broken[name] = str(error)
    if not sets:
        raise InvalidInput(f"none of {len(folders)} test sets could be read: {'; '.join(broken.values())}")
    return LoadedSets(sets, broken)


def read_test_set(
    folder: Path,
    *,
    name: str | None = None,
    corpus: Corpus | None = None,
    glossary: Mapping[str, str] | None = None,
    options: TableOptions = _DETECT,
    matching: str = "exact",
    count_from: int = 1,
) -> LoadedSet:
    """Read one test set; the golden column goes to the truth and nowhere else.

    A folder with a problem.json is a problem folder and brings its own documents. Any other takes its documents from
    ``corpus`` or, without one, from its own subfolder ``documents``. Its event log is optional: without one, or with
    one that cannot be read, the drifts are judged without what changed in the process, and the notes say so. So they do
    of a drift whose golden document is not in the corpus: it is left out, and the others stay.
    """
    folder = Path(folder)
    if (folder / "problem.json").is_file():
        return LoadedSet(load(folder))
    if matching not in ("exact", "last-number"):
        raise InvalidInput(f"matching must be 'exact' or 'last-number', got {matching!r}.")
    detected = read_detected(folder, name=name, options=options, matching=matching, count_from=count_from)
    if not detected.drifts:
        raise InvalidInput(f"{folder / RESULTS}: lists no drift; there is nothing to explain.")
    if not any(detected.golden):
        raise InvalidInput(
            f"{folder / RESULTS}: names no golden document, so nothing can be evaluated. "
            "Add the column 'gold_source_document'."
        )
    if corpus is None:
        corpus = read_corpus(folder / DOCUMENTS)
    detected = _with_known_goldens(detected, corpus, what=f"{folder / RESULTS}: golden documents")
    task = DriftTask(
        name=name or folder.resolve().name,
        drifts=detected.drifts,
        corpus=corpus,
        logs=detected.logs,
        glossary=dict(glossary or detected.glossary),
    )
    truth = DriftTruth.of(corpus, detected.golden, what=f"{folder / RESULTS}: golden documents")
    return LoadedSet(Problem(id=task.name, digest=digest_folder(folder), task=task, truth=truth), detected.notes)


def _with_known_goldens(detected: Detected, corpus: Corpus, *, what: str) -> Detected:
    """Without the drifts whose golden documents are not in the corpus; at least one must be left to evaluate."""
    book, notes, places = NameBook(corpus.names), list(detected.notes), []
    trouble: InvalidInput | None = None
    for place, (drift, names) in enumerate(zip(detected.drifts, detected.golden, strict=True)):
        try:
            book.resolve(names, what=f"{what} of {drift.id!r}")
            places.append(place)
        except InvalidInput as error:
            trouble = error
            notes.append(f"{error} The drift is left out.")
    if trouble is not None and not any(detected.golden[place] for place in places):
        raise trouble
    return detected._replace(
        drifts=tuple(detected.drifts[place] for place in places),
        golden=tuple(detected.golden[place] for place in places),
        notes=tuple(notes),
    )


def adopt(path: Path, target: Path) -> None:
    """Write test sets in a detector's layout as problem folders, the golden documents apart from what subjects see.

    Their documents lie in a folder ``documents`` in each of them, or beside or above them.
    """
    shared = next((place for place in (path / DOCUMENTS, path.parent / DOCUMENTS) if place.is_dir()), None)
    for number, (name, folder) in enumerate(find_test_sets(path).items()):
        source = folder / DOCUMENTS if (folder / DOCUMENTS).is_dir() else shared
        if source is None:
            raise InvalidInput(
                f"{folder}: there is no folder {DOCUMENTS!r} in it, beside or above it. Put the documents "
                "there, or use assay drift evaluate with --documents."
            )
        loaded = read_test_set(folder, name=name, corpus=read_corpus(source))
        for note in (note for note in loaded.notes if note.endswith("is left out.")):
            warnings.warn(note, UserWarning, stacklevel=2)
        problem = loaded.problem
        write_problem(
            target / f"{number:05}",
            id=name,
            task=problem.task,
            truth=problem.truth,
            tags={},
            log_suffix=".parquet",
            documents=source,
        )


def read_detected(
    folder: Path,
    *,
    name: str | None = None,
    options: TableOptions,
    matching: str,
    count_from: int = 1,
    order: Order = "start",
) -> Detected:
    """The drifts of a detector's folder; an event log that is missing or broken is left out, and the notes say so."""
    detections = read_detections(
        folder,
        test_set=name,
        timezone=options.timezone,
        matching="exact" if matching == "exact" else "last-number",
        count_from=count_from,
    )
    notes: list[str] = []
    processes = dict.fromkeys(detection.drift.process for detection in detections)
    logs = {process: _log_beside(folder, process, notes, options, order) for process in processes}
    return Detected(
        drifts=tuple(detection.drift for detection in detections),
        golden=tuple(detection.golden for detection in detections),
        logs={process: log for process, log in logs.items() if log is not None},
        glossary=read_glossary(folder / GLOSSARY) if (folder / GLOSSARY).is_file() else {},
        notes=tuple(notes),
    )


def _log_beside(folder: Path, process: str, notes: list[str], options: TableOptions, order: Order) -> EventLog | None:
    """The event log of a process in a test set's folder; without one, or with a broken one, the notes say so."""
    path = find_log(folder, process)
    if path is None:
        notes.append(f"{folder}: there is no event log {process}.xes; drifts are explained without a change profile.")
        return None
    try:
        log = read_log_file(path, options=options, order=order)
    except InvalidInput as error:
        notes.append(f"{error} Until then drifts of {process!r} are explained without a change profile.")
        return None
    notes.extend(f"{path}: {note}" for note in log.notes)
    return log
