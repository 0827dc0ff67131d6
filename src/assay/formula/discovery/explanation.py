"""Why this formula: what was tried, what it leaves on rows that it was not chosen by, and where it may fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.expression.expression import Apply, Expression, subtrees, symbols_of, to_text
from assay.formula.expression.program import table_values

if TYPE_CHECKING:
    from assay.formula.discovery.search import Outcome

__all__ = ["Explanation", "FrontModel", "explain"]

_POINTS = 500
_RESAMPLES = 400
_WILD = 5.0  # times the training target's range
_RISKY = {"exp": "an exponential", "div": "a division", "log": "a logarithm", "sqrt": "a root", "tan": "a tangent"}


class FrontModel(NamedTuple):
    """A model of the front: its text, its size, its mean squared errors on fitted and on held-out rows, its stage."""

    formula: str
    nodes: int
    error: float
    valid_error: float
    stage: str


class Explanation(NamedTuple):
    """The stage that found the formula, R² on held-out rows with a 95 % interval, and what to know of it."""

    formula: str
    stage: str
    valid_r2: float
    interval: tuple[float, float]
    stopped: str
    notes: tuple[str, ...]
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        low, high = self.interval
        lines = [
            f"formula: {self.formula}",
            f"found by: {self.stage}; stopped: {self.stopped}",
            f"R² on held-out rows: {self.valid_r2:.6g} [{low:.6g}, {high:.6g}]",
            *self.notes,
            *(f"warning: {text}" for text in self.warnings),
        ]
        return "\n".join(lines)


def explain(
    outcome: Outcome, expression: Expression, names: Sequence[str], inputs: FloatArray, target: FloatArray
) -> Explanation:
    """Put into words what a search did."""
    r2, low, high = _interval(outcome.valid_errors, float(np.var(target)))
    unused = [name for name in names if name not in symbols_of(expression)]
    notes = list(outcome.notes)
    if unused:
        notes.append(f"not used: {', '.join(unused)}")
    return Explanation(
        formula=to_text(expression),
        stage=outcome.models[0].stage,
        valid_r2=r2,
        interval=(low, high),
        stopped=outcome.stopped,
        notes=tuple(notes),
        warnings=tuple(_warnings(expression, names, inputs, target)),
    )


def _interval(errors: FloatArray, variance: float) -> tuple[float, float, float]:
    """R² from squared errors on held-out rows, with percentiles of resampled ones."""
    if not len(errors) or not variance:
        return float("nan"), float("nan"), float("nan")
    rng = np.random.default_rng(0)
    means = errors[rng.integers(len(errors), size=(_RESAMPLES, len(errors)))].mean(axis=1)
    worst, best = np.quantile(means, [0.975, 0.025])
    return 1 - float(errors.mean()) / variance, 1 - float(worst) / variance, 1 - float(best) / variance


def _warnings(expression: Expression, names: Sequence[str], inputs: FloatArray, target: FloatArray) -> list[str]:
    """What happens on a box that is wider by half on every side."""
    low, high = inputs.min(axis=0), inputs.max(axis=0)
    half = (high - low) / 2
    rng = np.random.default_rng(0)
    rows = rng.uniform(low - half, high + half + 1e-300, size=(_POINTS, inputs.shape[1]))
    with np.errstate(all="ignore"):
        values = table_values(expression, names, rows)
    finite = np.isfinite(values)
    kinds = [
        text
        for op, text in _RISKY.items()
        if any(isinstance(one, Apply) and one.op == op for one in subtrees(expression))
    ]
    because = f" ({', '.join(kinds)})" if kinds else ""
    messages = []
    if not finite.all():
        messages.append(
            f"no value at {1 - finite.mean():.0%} of the points of a box wider by half on every side{because}"
        )
    for node in subtrees(expression):
        if isinstance(node, Apply) and node.op == "div" and symbols_of(node.args[1]):
            with np.errstate(all="ignore"):
                below = table_values(node.args[1], names, rows)
            if bool((below > 0).any() and (below < 0).any()):
                messages.append(f"a division by {to_text(node.args[1])}, which is zero somewhere on that wider box")
    spread = float(np.ptp(target)) or 1.0
    far = float(np.max(np.abs(values[finite] - target.mean()), initial=0.0)) / spread
    if far > _WILD:
        messages.append(
            f"on a box wider by half on every side values go {far:.0f} times the target's range away{because}"
        )
    return messages
