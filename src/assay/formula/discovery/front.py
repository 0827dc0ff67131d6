"""What was found so far: models with their errors on rows they were and were not fitted to, and the choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.fitting import Fit, price_of
from assay.formula.discovery.tape import Tape
from assay.formula.expression.expression import Expression, to_text

__all__ = ["EXACT", "Entry", "Front"]

EXACT = 1e-19  # of the target's variance: what is left is rounding
_LARGEST = 400
_ALIKE = 1.001


class Entry(NamedTuple):
    """A model, the stage that found it, and its mean squared errors on training and on validation rows."""

    expression: Expression
    stage: str
    error: float
    valid_error: float


@dataclass(slots=True, kw_only=True)
class Front:
    """Models that no other beats in both size and error."""

    columns: Mapping[str, FloatArray]
    target: FloatArray
    variance: float
    fitted: int
    entries: dict[str, Entry] = field(default_factory=dict)
    leaders: dict[str, Entry] = field(default_factory=dict)  # the best of every stage, whatever others found
    changes: int = 0

    @property
    def floor(self) -> float:
        """Errors below it are rounding."""
        return EXACT * 1e-3 * self.variance

    def add(self, fit: Fit, stage: str) -> Entry | None:
        """Keep it, unless a smaller one is as good; None where it has no finite values."""
        if not np.isfinite(fit.error) or fit.expression.nodes > _LARGEST:
            return None
        with np.errstate(all="ignore"):
            values = Tape(fit.expression).values(self.columns, len(self.target))
            valid = float(np.mean(np.square(values - self.target)))
        if not np.isfinite(valid):
            if len(self.target):
                return None
            valid = fit.error
        entry = Entry(fit.expression, stage, fit.error, valid)
        rows, kind = len(self.target) + self.fitted, stage.partition(" (")[0]
        if kind not in self.leaders or self.criterion(entry, rows) < self.criterion(self.leaders[kind], rows):
            self.leaders[kind] = entry
            self.changes += 1
        for other in self.entries.values():
            if other.expression.nodes <= fit.expression.nodes and self._size(other) <= self._size(entry):
                return entry
            if other.expression.nodes == fit.expression.nodes and self._size(other) <= _ALIKE * self._size(entry):
                entry = entry._replace(stage=other.stage)  # the same once more, its constants a little better
        self.entries = {
            text: other
            for text, other in self.entries.items()
            if other.expression.nodes < fit.expression.nodes or self._size(other) < self._size(entry)
        }
        self.entries[to_text(fit.expression)] = entry
        self.changes += 1
        return entry

    def _size(self, entry: Entry) -> float:
        """The error that counts, of fitted and held-out rows together: what is below rounding is alike."""
        valid_share = len(self.target) / (len(self.target) + self.fitted)
        return max((1 - valid_share) * entry.error + valid_share * entry.valid_error, self.floor)

    def criterion(self, entry: Entry, rows: int) -> float:
        """Less is better: twice the negative log-likelihood, and the price of what is written."""
        return rows * float(np.log(self._size(entry) / self.variance)) + price_of(entry.expression)

    def best(self, rows: int) -> Entry:
        """The one to stand by."""
        return min(self.entries.values(), key=lambda entry: (self.criterion(entry, rows), entry.expression.nodes))

    def is_exact(self) -> bool:
        """Whether a model leaves nothing but rounding."""
        return any(self._size(entry) <= EXACT * self.variance for entry in self.entries.values())

    def ordered(self, rows: int) -> list[Entry]:
        """The best first."""
        return sorted(self.entries.values(), key=lambda entry: self.criterion(entry, rows))

    def starts(self, rows: int, count: int) -> list[Entry]:
        """What is worth improving: the best models, then the best of every stage."""
        leaders = sorted(self.leaders.values(), key=lambda entry: self.criterion(entry, rows))
        return [*self.ordered(rows)[:count], *leaders]
