"""Test sets on disk: folders of detector files with golden documents in a column, and problem folders of our own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from assay.core import InvalidInput, Problem, digest_folder
from assay.core.folders import is_file, walk
from assay.drift.documents.document import Corpus
from assay.drift.documents.folder import read_corpus
from assay.drift.logs.event_log import EventLog, read_log
from assay.drift.problem.detector_files import RESULTS, read_detections
from assay.drift.problem.task import DOCUMENTS, GLOSSARY, DriftTask, DriftTruth, find_log, load, read_glossary

__all__ = ["LoadedSet", "find_test_sets", "log_beside", "read_test_set"]


class LoadedSet(NamedTuple):
    """A test set that was read, and what was wrong with it without making it unusable."""

    problem: Problem[DriftTask, DriftTruth]
    notes: tuple[str, ...] = ()


def find_test_sets(path: Path) -> dict[str, Path]:
    """The test sets at a path, by name: every folder at or below it that holds a detector's results."""
    if not path.is_dir():
        raise InvalidInput(f"{path}: there is no such folder of test sets. Give one with --logs.")
    if (path / RESULTS).is_file():
        return {path.resolve().name: path}
    results = sorted(file for file in walk(path) if file.name == RESULTS and is_file(file))
    found = {file.parent.relative_to(path).as_posix(): file.parent for file in results}
    if not found:
        raise InvalidInput(f"{path}: no test set here. Each is a folder with {RESULTS} and window_info.json.")
    return found


def read_test_set(
    folder: Path,
    *,
    name: str | None = None,
    corpus: Corpus | None = None,
    glossary: Mapping[str, str] | None = None,
    timezone: str | None = None,
    matching: str = "exact",
) -> LoadedSet:
    """Read one test set; the golden column goes to the truth and nowhere else.

    A folder with a problem.json is a problem folder and brings its own documents. Any other takes its documents from
    ``corpus`` or, without one, from its own subfolder ``documents``. Its event log is optional: without one, or with
    one that cannot be read, the drifts are judged without what changed in the process, and the notes say so.
    """
    folder = Path(folder)
    if (folder / "problem.json").is_file():
        return LoadedSet(load(folder))
    name = name or folder.resolve().name
    if matching not in ("exact", "last-number"):
        raise InvalidInput(f"matching must be 'exact' or 'last-number', got {matching!r}.")
    detections = read_detections(
        folder,
        test_set=name,
        timezone=timezone,
        matching="exact" if matching == "exact" else "last-number",
    )
    if not detections:
        raise InvalidInput(f"{folder / RESULTS}: lists no drift; there is nothing to explain.")
    if not any(detection.golden for detection in detections):
        raise InvalidInput(
            f"{folder / RESULTS}: names no golden document, so nothing can be evaluated. "
            "Add the column 'gold_source_document'."
        )
    if corpus is None:
        corpus = read_corpus(folder / DOCUMENTS)
    notes: list[str] = []
    logs: dict[str, EventLog] = {}
    for process in dict.fromkeys(detection.drift.process for detection in detections):
        log = log_beside(folder, process, notes, timezone)
        if log is not None:
            logs[process] = log
    if not glossary and (folder / GLOSSARY).is_file():
        glossary = read_glossary(folder / GLOSSARY)
    task = DriftTask(
        name=name,
        drifts=tuple(detection.drift for detection in detections),
        corpus=corpus,
        logs=logs,
        glossary=dict(glossary or {}),
    )
    truth = DriftTruth.of(
        corpus, [detection.golden for detection in detections], what=f"{folder / RESULTS}: golden documents"
    )
    return LoadedSet(Problem(id=name, digest=digest_folder(folder), task=task, truth=truth), tuple(notes))


def log_beside(folder: Path, process: str, notes: list[str], timezone: str | None) -> EventLog | None:
    """The event log of a process in a test set's folder; without one, or with a broken one, the notes say so."""
    path = find_log(folder, process)
    if path is None:
        notes.append(f"{folder}: there is no event log {process}.xes; drifts are explained without a change profile.")
        return None
    try:
        log = read_log(path, timezone=timezone)
    except InvalidInput as error:
        notes.append(f"{error} Until then drifts of {process!r} are explained without a change profile.")
        return None
    notes.extend(f"{path}: {note}" for note in log.notes)
    return log
