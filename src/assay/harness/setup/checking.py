"""Which subjects of a run cannot be run: they cannot be loaded, or their folder of answers belongs to other problems.

What a file imports is tried where it will solve: in its confined process, by the workers of the run, before their first
cell. That takes some hundredths of a second for each subject.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from assay.core import AnyTrack, InvalidInput, SubjectFailed
from assay.harness.execute import Job
from assay.harness.plan import Cell, Plan
from assay.harness.programs.program import read_answer
from assay.harness.runners.protocol import Lost
from assay.harness.setup.mistakes import listed, mistakes_error
from assay.harness.store.stored_answer import Finished

__all__ = ["SetupCheck"]

_LOADED: Final = ("file", "module", "pickle")
_READY: Final = "ready"
_MISTAKES: Final = ("exception", "cannot be built")  # time-outs, crashes and memory are results
_LISTED: Final = 5  # names of each kind
_LOAD: Final = "load "


class SetupCheck:
    """Looks at every subject that has cells to solve and has not answered here before."""

    def __init__(
        self, plans: Sequence[Plan], unsolved: Sequence[Cell], answered: Collection[str], tracks: Mapping[str, AnyTrack]
    ) -> None:
        """``answered`` are the answer keys under which subjects gave answers that were good."""
        first: dict[tuple[str, str], Cell] = {}
        for cell in unsolved:
            if cell.subject.kind in (*_LOADED, _READY):
                first.setdefault((cell.track, cell.subject.name), cell)
        if first:
            every = (cell for plan in plans for cell in plan.cells if cell.answer_key in answered)
            for key in {(cell.track, cell.subject.name) for cell in every}:
                first.pop(key, None)
        self._subjects = len({(plan.track, subject.name) for plan in plans for subject in plan.subjects})
        self._waiting = {f"{_LOAD}{cell.record_key}": cell for cell in first.values() if cell.subject.kind in _LOADED}
        self.broken: dict[tuple[str, str], str] = {}
        for (track, name), cell in first.items():
            if cell.subject.kind == _READY:
                problems = [entry.problem for entry in unsolved if (entry.track, entry.subject.name) == (track, name)]
                if trouble := _no_answer(tracks[track], Path(cell.subject.target), problems):
                    self.broken[track, name] = f"subject {name!r}: {trouble}"

    @property
    def waiting(self) -> tuple[str, ...]:
        """The subjects that are still to be loaded."""
        return tuple(cell.subject.name for cell in self._waiting.values())

    def is_broken(self, cell: Cell) -> bool:
        """Whether this is a cell of a subject that cannot be run."""
        return (cell.track, cell.subject.name) in self.broken

    def jobs(self) -> Iterator[Job]:
        """A job for each subject that must be loaded; each counts as a problem of its own, so that none waits."""
        for key, cell in list(self._waiting.items()):
            yield Job(cell=replace(cell, record_key=key, problem_digest=key), load_only=True)

    def take(self, result: Finished | Lost) -> bool:
        """Note what a job of these found; False where the result is that of a cell."""
        key = result.cell.record_key if isinstance(result, Lost) else result[0].key
        cell = self._waiting.pop(key, None)
        if cell is None:
            return False
        if not isinstance(result, Lost):
            record, _ = result
            if record.status == "failed" and record.error_kind in _MISTAKES:
                self.broken[cell.track, cell.subject.name] = (
                    f"subject {cell.subject.name!r}: cannot be loaded: {_with_remedy(record.error or '')}"
                )
        return True

    def settle(self, plans: Sequence[Plan], *, keep_going: bool) -> tuple[Plan, ...]:
        """The plans without the subjects that cannot be run, where that is wanted and leaves any; else an error."""
        if not self.broken:
            return tuple(plans)
        if not keep_going or len(self.broken) == self._subjects:
            raise mistakes_error(list(self.broken.values()), of=self._subjects)
        return tuple(
            replace(
                plan,
                cells=tuple(cell for cell in plan.cells if (plan.track, cell.subject.name) not in self.broken),
                subjects=tuple(ref for ref in plan.subjects if (plan.track, ref.name) not in self.broken),
            )
            for plan in plans
        )


def _with_remedy(error: str) -> str:
    text = error if error.endswith(".") else f"{error}."
    if error.startswith("ModuleNotFoundError"):
        return f"{text} Install it where Assay is installed, or put it beside the subject's file."
    return text


def _no_answer(track: AnyTrack, folder: Path, problems: Sequence[str]) -> str:
    """Why a folder holds no answer to any of these problems; empty where it holds one, good or not."""
    for problem in problems:
        try:
            read_answer(track, folder, problem)
        except SubjectFailed as failure:
            if failure.kind == "missing answer":
                continue
        except InvalidInput:
            pass
        return ""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        names = []
    expected = listed([f"{problem}{track.answer_suffix}" for problem in problems], _LISTED) or "nothing"
    present = listed(names, _LISTED) or "nothing"
    return f"the folder {folder} holds no answer to any problem. Expected: {expected}. Found: {present}."
