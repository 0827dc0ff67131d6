"""What a run did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from assay.core import AnyTrack, Record
from assay.harness.metric_facts import MetricFacts
from assay.harness.plan import Plan
from assay.harness.runners import Lost
from assay.harness.store.store import Store
from assay.stats.sequential.decisions import Decisions

__all__ = ["RunResult"]


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """What a run did, and the records of its plans."""

    out: Path
    plans: tuple[Plan, ...]
    runs: Mapping[str, int]  # of each track the number of its plan in the store
    solved: int  # subjects called, also where they failed
    rescored: int  # stored answers examined again
    reused: int  # records that were there already
    lost: tuple[Lost, ...]
    interrupted: bool
    out_of_time: bool = False  # the time limit ended it; the same command continues
    traces: tuple[Path, ...] = ()  # logs of the system calls of subjects that were traced
    withdrawn: int = 0  # cells whose answers are withdrawn: neither solved nor scored
    tracks: Mapping[str, AnyTrack] = field(default_factory=dict)  # with the metrics of this run
    left_out: tuple[MetricFacts, ...] = ()  # metrics from outside that a rescoring was not given again
    solved_again: tuple[str, ...] = ()  # subjects that had answered here before and are others now: a line with the why
    failed: int = 0  # of the subjects called, those that failed
    failed_before: int = 0  # of the records that were there already
    not_run: tuple[str, ...] = ()  # subjects that cannot be run and were left out: a line with the why
    decisions: Mapping[str, Decisions] = field(default_factory=dict)  # by track, of a run that stopped when decided

    @property
    def cells(self) -> int:
        """How many cells the plans have."""
        return sum(len(plan.cells) for plan in self.plans)

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The records of the plans, read from the store at the first use; for very many load a report."""
        with Store(self.out, read_only=True) as store:
            return tuple(record for track in sorted(self.runs) for record in store.records(self.runs[track]))
