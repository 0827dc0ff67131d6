"""A joint probability of all tasks: each task's own, corrected, and how the labels of two tasks go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.conformal.sets.checks import FloatArray, IntArray

__all__ = ["Association", "choose_association", "fit_association", "log_probabilities"]

_SMALLEST = 1e-4  # a probability of 0 would forbid a class for good, whatever the other tasks say
_FOLDS = 3
# what may be corrected, and how strongly it is pulled back to nothing: (pairs of labels too?, penalty)
_CANDIDATES: tuple[tuple[bool, float], ...] = ((False, 1.0), (True, 20.0), (True, 5.0))
_SCALE_PENALTY = 0.3  # of the penalty, for temperatures: one number per task rests on every sample


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Association:
    r"""A log-linear model of the labels of all tasks given the classifier's probabilities.

    $$\log p(y \mid x) = \sum_t \bigl(\theta_t \log p_t(y_t \mid x) + b_t(y_t)\bigr) + \sum_{s < t} A_{st}(y_s, y_t)
    - \log Z(x)$$

    With θ = 1, b = 0 and A = 0 the tasks are independent and the probabilities are taken as they are. ``offsets`` has
    all b, task after task; ``pairs`` is symmetric over all classes of all tasks, zero within a task.
    """

    scales: FloatArray  # [tasks]
    offsets: FloatArray  # [all classes]
    pairs: FloatArray  # [all classes, all classes]

    @classmethod
    def none(cls, classes: Sequence[int]) -> Association:
        """Independent tasks, probabilities as they are."""
        whole = sum(classes)
        return cls(scales=np.ones(len(classes)), offsets=np.zeros(whole), pairs=np.zeros((whole, whole)))

    @property
    def is_none(self) -> bool:
        """Whether nothing is corrected."""
        return bool((self.scales == 1).all() and not self.offsets.any() and not self.pairs.any())

    def to_json(self) -> dict[str, Any]:
        """Plain numbers."""
        return {name: getattr(self, name).tolist() for name in ("scales", "offsets", "pairs")}

    @classmethod
    def from_json(cls, body: dict[str, Any], classes: Sequence[int]) -> Association:
        """The inverse of :meth:`to_json`."""
        model = cls(**{name: np.asarray(body[name], dtype=np.float64) for name in ("scales", "offsets", "pairs")})
        whole = sum(classes)
        shapes = (model.scales.shape, model.offsets.shape, model.pairs.shape)
        if shapes != ((len(classes),), (whole,), (whole, whole)):
            raise ValueError(f"the model's parts have the shapes {shapes}, which do not fit the classes")
        return model


def log_probabilities(matrices: Sequence[Any]) -> list[FloatArray]:
    """Logarithms of each task's probabilities, none of them below a small one."""
    logs = []
    for matrix in matrices:
        raised = np.maximum(np.asarray(matrix, dtype=np.float64), _SMALLEST)
        logs.append(np.log(raised / raised.sum(axis=1, keepdims=True)))
    return logs


def choose_association(logs: Sequence[FloatArray], labels: IntArray) -> Association:
    """The correction that predicts left-out samples best, by the likelihood of each label given the others; or none.

    ``labels`` is [samples, tasks]. Folds are taken in turn: the caller has shuffled the samples.
    """
    classes = [matrix.shape[1] for matrix in logs]
    fold = np.arange(len(labels)) % _FOLDS
    best, chosen = _loss(Association.none(classes), logs, labels), None
    for candidate in _CANDIDATES:
        loss = 0.0
        for part in range(_FOLDS):
            inside, outside = fold != part, fold == part
            fitted = fit_association([matrix[inside] for matrix in logs], labels[inside], *candidate)
            loss += _loss(fitted, [matrix[outside] for matrix in logs], labels[outside])
        if loss < best:
            best, chosen = loss, candidate
    return Association.none(classes) if chosen is None else fit_association(logs, labels, *chosen)


def fit_association(logs: Sequence[FloatArray], labels: IntArray, pairs: bool, penalty: float) -> Association:
    r"""Maximum pseudo-likelihood with a quadratic penalty; only temperatures without ``pairs``.

    $$\min_{\theta, b, A} - \sum_i \sum_t \log p(y_{it} \mid y_{i,-t}, x_i)
    + \frac{\lambda}{2} \bigl(0.3 \lVert \theta - 1 \rVert^2 + \lVert b \rVert^2 + \lVert A \rVert^2\bigr)$$
    """
    from scipy.optimize import minimize

    classes = [matrix.shape[1] for matrix in logs]
    tasks, whole = len(classes), sum(classes)
    starts = np.concatenate([[0], np.cumsum(classes)])
    upper = np.zeros((whole, whole), dtype=np.bool_)
    for task in range(tasks):
        upper[starts[task] : starts[task + 1], starts[task + 1] :] = pairs
    places = np.nonzero(upper)
    indicators = _indicators(labels, starts)
    used = whole if pairs else 0
    strength = penalty * np.concatenate([np.full(tasks, _SCALE_PENALTY), np.ones(used + len(places[0]))])

    def unpacked(moved: FloatArray) -> Association:
        matrix = np.zeros((whole, whole))
        matrix[places] = moved[tasks + used :]
        offsets = moved[tasks : tasks + used] if pairs else np.zeros(whole)
        return Association(scales=1 + moved[:tasks], offsets=offsets, pairs=matrix + matrix.T)

    def objective(moved: FloatArray) -> tuple[float, FloatArray]:
        loss = 0.5 * float(strength @ (moved * moved))
        slopes = strength * moved
        crossed = np.zeros((whole, whole))
        for task, (missed, value) in enumerate(_conditionals(unpacked(moved), logs, labels, indicators, starts)):
            loss += value
            slopes[task] += float((missed * logs[task]).sum())
            if pairs:
                columns = slice(starts[task], starts[task + 1])
                slopes[tasks + starts[task] : tasks + starts[task + 1]] += missed.sum(axis=0)
                crossed[:, columns] += indicators.T @ missed
        slopes[tasks + used :] += (crossed + crossed.T)[places]
        return loss, slopes

    start = np.zeros(len(strength))
    outcome = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 40})
    return unpacked(np.asarray(outcome.x))


def _conditionals(
    model: Association, logs: Sequence[FloatArray], labels: IntArray, indicators: FloatArray, starts: IntArray
) -> list[tuple[FloatArray, float]]:
    """Per task: probabilities given the other labels, minus 1 at the true one; and the sum of their losses."""
    pulled, rows, conditionals = indicators @ model.pairs, np.arange(len(labels)), []
    for task, matrix in enumerate(logs):
        columns = slice(starts[task], starts[task + 1])
        values = model.scales[task] * matrix + model.offsets[columns] + pulled[:, columns]
        values -= values.max(axis=1, keepdims=True)
        shares = np.exp(values)
        totals = shares.sum(axis=1)
        loss = float((np.log(totals) - values[rows, labels[:, task]]).sum())
        missed = shares / totals[:, None]
        missed[rows, labels[:, task]] -= 1.0
        conditionals.append((missed, loss))
    return conditionals


def _loss(model: Association, logs: Sequence[FloatArray], labels: IntArray) -> float:
    starts = np.concatenate([[0], np.cumsum([matrix.shape[1] for matrix in logs])])
    return sum(loss for _, loss in _conditionals(model, logs, labels, _indicators(labels, starts), starts))


def _indicators(labels: IntArray, starts: IntArray) -> FloatArray:
    indicators = np.zeros((len(labels), int(starts[-1])))
    for task in range(labels.shape[1]):
        indicators[np.arange(len(labels)), starts[task] + labels[:, task]] = 1.0
    return indicators
