"""The task that a subject saw, for the page of its cell: read from the problem's folder if that is unchanged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assay.core import AnyTrack, InvalidInput, Panel, Record
from assay.core.files.folders import walk
from assay.report.page.tree import Node, tree
from assay.report.story import beside_panels

__all__ = ["GONE", "OMITTED", "TaskReader", "TaskView", "task_view"]

MOST_BYTES = 24_000_000  # of problem folders that an offline file may read
MOST_PROBLEMS = 100
GONE = "The problem's folder is not there any more, or is not what it was."
OMITTED = "The task is left out of this file for its size; assay serve shows it."


class TaskView(NamedTuple):
    """What the template reads: charts and named parts, or a sentence that says why there are none."""

    note: str = ""
    facts: Node | None = None
    panels: tuple[Panel, ...] = ()


class TaskReader:
    """Reads the task of a record; keeps the last one, since the records of a problem follow each other.

    ``find`` gives the folder of a record's problem by the record's key. With ``bounded``, reading stops at a number of
    folders and at their total size.
    """

    def __init__(self, find: Callable[[str], Path | None], *, bounded: bool = False) -> None:
        self._find = find
        self._room = MOST_BYTES if bounded else None
        self._problems = 0
        self._cached: tuple[tuple[str, str], Any] | None = None

    def read(self, track: AnyTrack, record: Record) -> Any:
        """The task of a record's problem, or a sentence that says why there is none; None where none is shown."""
        key = (track.name, record.problem_digest)
        if self._cached is None or self._cached[0] != key:
            self._cached = (key, self._read(track, record))
        return self._cached[1]

    def _read(self, track: AnyTrack, record: Record) -> Any:
        if _task_parts(track) is None:
            return None
        folder = self._find(record.key)
        if folder is None or not (folder / track.marker).is_file():
            return GONE
        try:
            if self._room is not None:
                size = sum(path.stat().st_size for path in walk(folder) if path.is_file())
                if size > self._room or self._problems == MOST_PROBLEMS:
                    return OMITTED
                self._room -= size
                self._problems += 1
            problem = track.load(folder)
        except (InvalidInput, OSError):
            return GONE
        return problem.task if problem.digest == record.problem_digest else GONE


def _task_parts(track: AnyTrack) -> Callable[[Any, Any], Mapping[str, Any]] | None:
    """What the track shows of a task: a function ``given(task, answer)`` beside its panels.

    It returns panels and other values by name. The answer is None where it must not be shown.
    """
    return beside_panels(track, "given")


def task_view(track: AnyTrack, task: Any, payload: bytes | None) -> TaskView | None:
    """A task, or the sentence in its place, as a page shows it; None where the track shows none."""
    describe = _task_parts(track)
    if describe is None:
        return None
    if isinstance(task, str):
        return TaskView(task)
    try:
        parts = describe(task, None if payload is None else track.decode(payload))
    except Exception as error:  # noqa: BLE001 - whatever a track's function raises, the rest must still be shown
        return TaskView(f"The task could not be shown: {type(error).__name__}: {error}")
    panels = tuple(part for part in parts.values() if isinstance(part, Panel))
    facts = {name: part for name, part in parts.items() if not isinstance(part, Panel)}
    return TaskView("", tree(facts), panels)
