"""Functions run in scenarios, and values of two scenarios compared."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns.available import Availability
from assay.insight.columns.calling import Needs, read_needs
from assay.insight.columns.distinct_rows import DistinctRows
from assay.insight.columns.spending import Spending
from assay.insight.leakage.perturbations import BoolArray, IntArray, Scenario, Setting
from assay.sandbox import CLOCK, Allowance, FunctionSource, Limits, SharedTable, Tables

__all__ = ["Candidate", "Outcome", "PerturbedRuns", "differ"]

_OTHER_TIME = timedelta(days=1003, hours=5, minutes=17)
_PROBED = 50  # rows that tell how fast a function is
_ENOUGH_SECONDS = 2.0  # per execution: slower functions are checked on fewer rows
_FEWEST = 400
_SIZES = (1600, 800, _FEWEST)
_MOST_TIMES, _STARTING = 2.0, 30.0  # what all runs of a function may take, counted with starting them
_IDLE = FeatureFunction(name="idle", code="def idle(row): return 0")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcome:
    """One function's values in one scenario, or why there are none."""

    status: str
    message: str = ""
    values: npt.NDArray[Any] = field(default_factory=lambda: np.empty(0, dtype=object))
    rows_failed: int = 0
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether there are values."""
        return self.status == "ok"

    @property
    def comparable(self) -> bool:
        """An exception is an outcome like any other; what a limit stopped says nothing."""
        return self.status in ("ok", "exception", "invalid output")


@dataclass(slots=True, kw_only=True, eq=False)
class Candidate:
    """A function under test: what it asks for, the rows it is checked on, its values in the problem as it is."""

    function: FeatureFunction
    needs: Needs
    rows: IntArray
    plain: Outcome = field(default_factory=lambda: Outcome(status="not run"))
    frozen: str = ""  # how its randomness is: for "calls", or for a "table"
    wall: float = 0.0  # seconds of all its runs, what it takes to start them included
    allowance: Allowance | None = None  # for all its runs
    stopped: str = ""  # which limit first stopped it, after which it is run no more
    attempts: dict[str, None] = field(default_factory=dict)  # what it reached for that the sandbox denies

    @property
    def source(self) -> FunctionSource:
        """What the sandbox runs."""
        return FunctionSource(self.function.name, self.function.code, self.allowance)

    def plain_values(self, rows: IntArray) -> npt.NDArray[Any]:
        """Its values of some of its rows in the problem as it is."""
        return self.plain.values[np.searchsorted(self.rows, rows)]

    @property
    def scale(self) -> float:
        """The size of its largest finite number."""
        numbers = [abs(value) for value in self.plain.values if isinstance(value, int | float)]
        return max((float(number) for number in numbers if number < math.inf), default=0.0)


def differ(a: npt.NDArray[Any], b: npt.NDArray[Any], *, tolerance: float = 0.0, scale: float = 0.0) -> BoolArray:
    """Where two columns of values differ; missing equals missing.

    Numbers may differ by a share of their size, or of a scale where that is larger: what is left of a difference of
    two sums is rounded as they are.

    >>> differ(np.array([1, None, "a"], dtype=object), np.array([1.0, float("nan"), "b"], dtype=object)).tolist()
    [False, False, True]
    """
    pairs = zip(a, b, strict=True)
    return np.fromiter((_differs(x, y, tolerance, scale) for x, y in pairs), dtype=np.bool_, count=len(a))


def _differs(x: Any, y: Any, tolerance: float, scale: float) -> bool:
    if x is None or x != x:
        return not (y is None or y != y)
    if y is None or y != y:
        return True
    if isinstance(x, str) or isinstance(y, str):
        return str(x) != str(y)
    if x == 0 == y:
        return math.copysign(1.0, x) != math.copysign(1.0, y)  # a sign can carry a label as well
    gap = abs(x - y)
    return bool(x != y) and (math.isinf(gap) or not gap <= tolerance * max(abs(x), abs(y), scale))


class PerturbedRuns:
    """Runs candidates in scenarios made from one problem."""

    def __init__(self, setting: Setting, distinct: DistinctRows, limits: Limits, *, seed: int) -> None:
        self.setting = setting
        self.seed = seed
        self.denies = distinct.sandbox.level == "strong"  # files, network and processes
        self._distinct = distinct
        self._limits = limits
        plain = setting.plain()
        self._unchanged = {id(frame): frame for frame in (plain.train, *plain.tables.values())}
        self._shared: dict[int, SharedTable] = {}

    @cached_property
    def available(self) -> Availability:
        """What was available at the times of the training rows."""
        return Availability(self.setting.task, self.setting.task.train)

    def reaches_labels(self, needs: Needs) -> bool:
        """Whether a function may read labels beside the one in its row: the source says that, or nothing."""
        return not needs.known or needs.train or (needs.auxiliary and bool(self.setting.cells))

    def as_scored(self) -> PerturbedRuns:
        """The same runs with the target withheld from the rows."""
        runs = copy(self)
        runs.setting = replace(self.setting, withheld=True)
        return runs

    def candidates(self, functions: Sequence[FeatureFunction], spending: Spending | None = None) -> list[Candidate]:
        """The functions with the rows to check them on: all, or a sample of the slow ones' with all classes in it."""
        task = self.setting.task
        count = len(task.train)
        spending = spending or Spending(self._limits)
        probed = self._sample(min(_PROBED, count))
        candidates = [
            Candidate(
                function=function,
                needs=read_needs(function.code, function.name, task.train.columns),
                rows=probed,
                allowance=spending.allowance(function),
            )
            for function in functions
        ]
        idle = Candidate(function=_IDLE, needs=Needs(train=False, auxiliary=False, known=True), rows=probed)
        # what starting and calling alone costs; every row counts, so that nothing is known from before
        first, *outcomes = self.run([idle, *candidates], self.setting.plain(), every_row=True)
        for candidate, outcome in zip(candidates, outcomes, strict=True):
            expected = max(outcome.seconds - first.seconds, 0.0) * count / max(len(probed), 1)
            sizes = [size for size in _SIZES if size < count and size * expected / count <= _ENOUGH_SECONDS]
            slow = expected > _ENOUGH_SECONDS and not candidate.needs.whole and count > _FEWEST
            candidate.rows = self._sample(max(sizes, default=_FEWEST)) if slow else np.arange(count)
        return candidates

    def run(
        self,
        candidates: Sequence[Candidate],
        scenario: Scenario,
        rows: IntArray | None = None,
        *,
        fresh: bool = False,
        every_row: bool = False,
    ) -> list[Outcome]:
        """Each candidate's values in a scenario, in the order of its rows or of the given ones.

        ``fresh`` asks the sandbox not to remember what the same call gave before, ``every_row`` for runs over all rows,
        also where some of them are known to have equal values.
        """
        outcomes: dict[int, Outcome] = {}
        groups: dict[tuple[Needs, str, bytes], list[int]] = {}
        for place, candidate in enumerate(candidates):
            chosen = candidate.rows if rows is None else rows
            if candidate.wall > _MOST_TIMES * self._limits.function_seconds + _STARTING:
                candidate.stopped = f"timeout: its runs took {candidate.wall:.0f} s, starting them included"
                outcomes[place] = Outcome(
                    status="timeout", message=candidate.stopped, values=np.full(len(chosen), None, dtype=object)
                )
                continue
            groups.setdefault((candidate.needs, candidate.frozen, chosen.tobytes()), []).append(place)
        for (needs, frozen, raw), places in groups.items():
            chosen = np.frombuffer(raw, dtype=np.int64)
            every = np.arange(len(scenario.order))
            positions = every if needs.whole else np.flatnonzero(np.isin(scenario.order, chosen))
            visible = Tables(  # what a function does not take would be loaded for nothing
                rows=scenario.rows if len(positions) == len(scenario.rows) else scenario.rows.iloc[positions],
                train=self._share(scenario.train, "train") if needs.train else None,
                auxiliary={
                    name: self._share(frame, name) for name, frame in scenario.tables.items() if needs.auxiliary
                },
            )
            sources = [candidates[p].source for p in places]
            clock: datetime = CLOCK + _OTHER_TIME if scenario.later else CLOCK
            started = time.monotonic()
            run = self._distinct.sandbox.run if every_row else self._distinct.run
            results = run(
                sources, visible, limits=self._limits, clock=clock, seed=scenario.seed, frozen=frozen, fresh=fresh
            )
            for place in places:
                candidates[place].wall += (time.monotonic() - started) / len(places)
            row_at = {int(row): place for place, row in enumerate(scenario.order[positions])}
            picked = [row_at[int(row)] for row in chosen]
            for place, result in zip(places, results, strict=True):
                candidates[place].attempts |= dict.fromkeys(result.attempts)
                if result.status == "timeout":
                    candidates[place].stopped = candidates[place].stopped or result.message
                values = np.full(len(chosen), None, dtype=object)
                if result.status == "ok":
                    listed = result.column.to_pylist()
                    values[:] = [listed[position] for position in picked]
                outcomes[place] = Outcome(
                    status=result.status,
                    message=result.message,
                    values=values,
                    rows_failed=result.rows_failed,
                    seconds=result.cpu_seconds,
                )
        return [outcomes[place] for place in range(len(candidates))]

    def one(
        self, candidate: Candidate, scenario: Scenario, rows: IntArray | None = None, *, fresh: bool = False
    ) -> Outcome:
        """One candidate's values."""
        return self.run([candidate], scenario, rows, fresh=fresh)[0]

    def _share(self, frame: pd.DataFrame, name: str) -> pd.DataFrame | SharedTable:
        if id(frame) not in self._unchanged:
            return frame
        if id(frame) not in self._shared:
            self._shared[id(frame)] = SharedTable(frame, name)
        return self._shared[id(frame)]

    def _sample(self, size: int) -> IntArray:
        """Rows drawn by the seed, half of them by class as far as they reach; samples of one size are the same."""
        labels = self.setting.labels
        rng = np.random.default_rng([self.seed, size])
        shuffled = rng.permutation(len(labels))
        if self.setting.task.problem_type == "regression":
            return np.sort(shuffled[:size])
        codes = pd.factorize(labels)[0][shuffled]
        classes = int(codes.max()) + 1
        rank = pd.Series(codes).groupby(codes).cumcount().to_numpy()
        quota = max(size // (2 * classes), 1)
        order = np.argsort(rank >= quota, kind="stable")
        return np.sort(shuffled[order[:size]])
