"""Results as they show themselves: first places, failures, and what the run did with its cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from assay.core.display import counted
from assay.harness.driver.result import RunResult
from assay.harness.metric_facts import MetricFacts
from assay.harness.plan import Cell
from assay.report.failure_groups import FailureGroup, group_failures
from assay.report.failures import Failures, failures_of, is_fault_of_metric, unfinished_of
from assay.report.result_set import ResultSet, TrackResults
from assay.report.wording import format_number, shown

__all__ = ["Outcome", "ShownResults"]

_FIRST_PLACES = 3
_REASONS = 10  # groups of failures that a repr tells


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run did with its cells: solved, failed, scored again, found in the store, left out, not finished."""

    cells: int
    solved: int  # subjects that were called and answered
    rescored: int
    reused: int
    withdrawn: int
    lost: tuple[str, ...]  # a line for each cell that could not be finished in this run
    interrupted: bool
    out_of_time: bool
    traces: tuple[Path, ...]
    left_out: tuple[MetricFacts, ...] = ()  # metrics from outside that a rescoring was not given again
    solved_again: tuple[str, ...] = ()  # subjects that had answered here before and are others now: a line with the why
    failed: int = 0  # subjects that were called and failed: they have the floor of every metric
    failed_before: int = 0  # of those found in the store
    not_run: tuple[str, ...] = ()  # subjects that cannot be run and were left out: a line with the why
    not_needed: int = 0  # cells that a run that stops when decided did not run
    called: Mapping[tuple[str, str], Cell] = field(default_factory=dict)  # a cell by track and subject that is code
    folders: Mapping[tuple[str, str], str] = field(default_factory=dict)  # of problems, by track and id

    @classmethod
    def of(cls, result: RunResult) -> Outcome:
        """Without the plans, which may be large."""
        derived: dict[str, Any] = {
            "solved": result.solved - result.failed,
            "lost": tuple(f"{loss.cell}: {loss.reason}" for loss in result.lost),
            "not_needed": sum(own.not_run for own in result.decisions.values()),
            "called": {
                (cell.track, cell.subject.name): cell
                for plan in result.plans
                for cell in plan.cells
                if cell.subject.runs_code
            },
            "folders": {(cell.track, cell.problem): cell.folder for plan in result.plans for cell in plan.cells},
        }
        copied = {part.name: getattr(result, part.name) for part in fields(cls) if part.name not in derived}
        return cls(**copied, **derived)

    @property
    def left(self) -> int:
        """Cells that an interrupt or the time limit left undone."""
        finished = self.solved + self.failed + self.rescored + self.reused
        return self.cells - finished - self.withdrawn - len(self.lost) - self.not_needed

    @property
    def ended_early(self) -> bool:
        """Whether an interrupt or the time limit ended the run."""
        return self.interrupted or self.out_of_time

    def notes(self) -> list[str]:
        """What else the reader must know about the run: a sentence each."""
        notes = []
        if self.ended_early:
            why = "Interrupted" if self.interrupted else "The time limit is reached"
            notes.append(
                f"{why}: {self.left} of {self.cells} cells are left; the same call with out=results.folder continues."
            )
        notes += [f"{line}." for line in self.solved_again]
        notes += [f"Left out: {shown(line)}" for line in self.not_run]
        if self.left_out:
            names = ", ".join(repr(facts.text) for facts in self.left_out)
            notes.append(f"Left out, since their code was not given again: metrics=[{names}] scores them.")
        return notes


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ShownResults(ResultSet):
    """Results with their failures; they show themselves in a terminal and in a notebook."""

    outcome: Outcome | None = None

    @property
    def subjects(self) -> tuple[str, ...]:
        """The names of the subjects that have records, sorted."""
        return self._values("subject")

    @property
    def problems(self) -> tuple[str, ...]:
        """The ids of the problems that have records, sorted."""
        return self._values("problem")

    def _values(self, label: str) -> tuple[str, ...]:
        return tuple(sorted({value for entry in self.tracks for value in entry.table.labels[label].values}))

    @cached_property
    def failures(self) -> Failures:
        """Who failed where, and why: failed, lost and withdrawn cells."""
        return failures_of(self.tracks)

    @cached_property
    def failure_groups(self) -> tuple[FailureGroup, ...]:
        """The failures that say the same, told once: the subjects with most of them first."""
        cells: Counter[tuple[str, str]] = Counter()
        for entry in self.tracks:
            for subject, count in entry.table.labels["subject"].counts().items():
                cells[entry.track.name, subject] += count
            cells.update((entry.track.name, cell.subject.name) for cell, _ in entry.losses)
        return group_failures(self.failures, cells)

    def __repr__(self) -> str:
        lines = [f"Results({self._size()}) in {self.folder}"]
        lines += [self._first_places(entry) for entry in self.tracks if len(entry.records)]
        return "\n".join([*lines, *self._notes()])

    def _repr_html_(self) -> str:
        """As a notebook shows it: all tracks, one below the other, then what is missing."""
        boards = "".join(
            f"<p>{escape(shown(entry.track.question))}</p>" + self.summary(entry).board_of(())._repr_html_()
            for entry in self.tracks
        )
        notes = "".join(f"<p>{escape(line)}</p>" for note in self._notes() for line in note.splitlines())
        return f"{boards}{notes}<p><small>{escape(self._size())}, in {escape(str(self.folder))}</small></p>"

    def _size(self) -> str:
        records = sum(len(entry.records) for entry in self.tracks)
        sizes = {"track": len(self.tracks), "subject": len(self.subjects), "problem": len(self.problems)}
        return ", ".join(counted(count, noun) for noun, count in {**sizes, "record": records}.items())

    def _first_places(self, entry: TrackResults) -> str:
        rows = self.summary(entry).board_of(()).rows
        named = ", ".join(
            f"{row.place}. {row.subject} {format_number(row.mean(entry.headline).value)}"
            for row in rows[:_FIRST_PLACES]
        )
        more = f", {len(rows) - _FIRST_PLACES} more" if len(rows) > _FIRST_PLACES else ""
        return shown(f"{entry.track.name}, {entry.headline}: {named}{more}")

    def _notes(self) -> list[str]:
        """What the reader must know of the run: failures, and why it ended early."""
        lost = [reason for entry in self.tracks for _, reason in entry.losses]
        broken = sum(map(is_fault_of_metric, lost))
        counts = {
            "failed": sum(int(entry.table.failed.sum()) for entry in self.tracks),
            "lost": len(lost) - broken,
            "lost to a broken metric": broken,
            "withdrawn": sum(entry.withdrawn for entry in self.tracks),
        }
        totals = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        notes = ["\n".join([f"{totals}: see results.failures", *self._reasons()])] if totals else []
        unfinished = unfinished_of(self.tracks)
        run_notes = [] if self.outcome is None else self.outcome.notes()
        if unfinished and not (self.outcome is not None and self.outcome.ended_early):
            notes.append(f"{unfinished}.")
        return notes + run_notes

    def _reasons(self) -> list[str]:
        groups = self.failure_groups
        lines = [shown(f"- {group.headline}: {group.reason}") for group in groups[:_REASONS]]
        more = len(groups) - _REASONS
        return [*lines, f"- ... and {more} more: results.failure_groups"] if more > 0 else lines
