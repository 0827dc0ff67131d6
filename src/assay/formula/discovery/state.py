"""What the stages of a search share: rows, models found so far, the clock, the counted work and the log."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.fitting import Fit, criterion, fit_constants, without_weak_parts
from assay.formula.discovery.forms.redundancy import needed_features
from assay.formula.discovery.forms.subproblem import Subproblem
from assay.formula.discovery.front import Entry, Front
from assay.formula.discovery.growth.grow import constant_model, grow
from assay.formula.discovery.growth.proposals import Plan
from assay.formula.discovery.library import Variable, make_library
from assay.formula.discovery.tape import WORK
from assay.formula.expression.expression import Expression, Symbol, symbols_of

__all__ = ["WAITING", "State"]

WAITING = object()  # what a stage yields that has nothing to do until the front changes

_MOST_ACTIVE = 8


@dataclass(slots=True, kw_only=True)
class State:
    """What the stages share: the rows, what was found, the clock and the log."""

    columns: Mapping[str, FloatArray]
    target: FloatArray
    front: Front
    until: float
    work: float
    rng: np.random.Generator
    log: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    dropped: frozenset[str] = frozenset()
    by_units: Subproblem | None = None  # the problem in groups without a unit, where units are given
    stopped: str = "every stage has run"
    notes: list[str] = field(default_factory=list)
    _active: list[Variable] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """Those that a model is chosen by."""
        return len(self.target) + len(self.front.target)

    def is_over(self) -> bool:
        """Whether the work or the time is up; the work comes first, unless the machine is slow or busy."""
        if WORK.spent >= self.work:
            self.stopped = "the work that its seconds allow was done"
        elif time.monotonic() >= self.until:
            self.stopped = "the time was up before the work was: another run may end elsewhere"
        else:
            return False
        return True

    def offer(self, tree: Expression, stage: str) -> Entry | None:
        """Fit a tree to the target and keep it."""
        return self.front.add(fit_constants(tree, self.columns, self.target), stage)

    def keep(self, fit: Fit, stage: str) -> None:
        """Keep a model, and what is left of it without the parts that the data do not ask for."""
        self.front.add(fit, stage)
        self.front.add(self.shortened(fit), stage)

    def shortened(self, fit: Fit) -> Fit:
        """Without the parts that the data do not ask for."""
        return without_weak_parts(fit, self.columns, self.target, floor=self.front.floor)

    def cost(self, fit: Fit) -> float:
        """What models are compared by before the front has seen them: less is better."""
        return criterion(fit, len(self.target), self.front.floor)

    def note(self, text: str) -> None:
        """Into the log, with the seconds since the start."""
        self.log.append(f"{time.monotonic() - self.started:6.2f} s  {text}")

    def variables(self) -> list[Variable]:
        """All of them."""
        return [Variable(Symbol(name), values) for name, values in self.columns.items()]

    def whole(self) -> Subproblem:
        """The problem in all variables."""
        return Subproblem(name="whole", variables=self.variables(), target=self.target)

    def reduced(self) -> Subproblem:
        """The problem in the variables that matter, by what first models with all of them use."""
        if not self._active:
            self._active = self._with_needed(self._chosen())
        return Subproblem(name="whole", variables=self._active, target=self.target)

    def _chosen(self) -> list[Variable]:
        variables = [one for one in self.variables() if symbols_of(one.expression)[0] not in self.dropped]
        if len(variables) <= _MOST_ACTIVE:
            return variables
        library = make_library(variables, pairs=False, degree=1)
        counts: Counter[str] = Counter()
        plan = Plan(width=2, tried=4, steps=8)
        for fit in grow([constant_model(self.target)], library, self.columns, self.target, plan):
            counts.update(symbols_of(fit.expression))
            self.front.add(fit, "first terms")
            if self.is_over():
                break
        chosen = [name for name, _ in counts.most_common(_MOST_ACTIVE)]
        return [one for one in variables if symbols_of(one.expression)[0] in chosen] or variables[:_MOST_ACTIVE]

    def _with_needed(self, active: list[Variable]) -> list[Variable]:
        """And those features that others predict, but that the target needs."""
        dropped = [one for one in self.variables() if symbols_of(one.expression)[0] in self.dropped]
        needed = needed_features(active, dropped, self.target)
        if needed:
            self.note(f"needed all the same: {', '.join(symbols_of(one.expression)[0] for one in needed)}")
        return [*active, *needed]
