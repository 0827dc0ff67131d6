"""Regions over a stream that may drift: thresholds learn from every truth, and long-run coverage is kept."""

from __future__ import annotations

from math import sqrt
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from assay.conformal.regions.checks import (
    TaskGuarantee,
    as_tasks,
    as_truth,
    check_names,
    check_tasks,
    demand_guarantee,
    forms_of,
    owners_of,
)
from assay.conformal.regions.region import Prediction
from assay.conformal.regions.regions import NEW, Regions, regions_at
from assay.conformal.regions.trackers import Aci, DtAci, Pid, ScoreWindow, Tracker
from assay.conformal.sets.checks import FloatArray, IntArray, as_alpha
from assay.core import InvalidInput, UnknownName
from assay.core.checks import demand_positive, demand_whole

__all__ = ["StreamCalibration"]

StreamMethod: TypeAlias = Literal["aci", "dtaci", "pid"]

_ALLOWANCE = 1.0  # of the safeguard: misses above their share that are let pass, as a multiple of sqrt(t)


class StreamCalibration:
    r"""Regions for one sample after another, of tasks of any kind, without any assumption on the stream.

    ``aci`` moves the level by a step after every sample; ``dtaci`` weighs many step sizes by how well they did lately;
    ``pid`` controls the threshold itself, with a saturating integral of past misses. For every stream, drifting or
    chosen by an adversary, after T samples

    $$\Bigl|\frac{\mathrm{misses}}{T} - \alpha\Bigr| \le \frac{\max(\alpha, 1 - \alpha) + \gamma}{\gamma T}
    \text{ (aci)}, \qquad \frac{\mathrm{misses}}{T} \le \alpha + \frac{1}{\sqrt T} + \frac{1}{T} \text{ (dtaci, pid)}$$

    the latter because regions become everything when misses exceed their share by $\sqrt t$.

    Parameters
    ----------
    alpha : float, default 0.1
        The share of errors that is allowed in the long run.
    method : "aci", "dtaci" or "pid"
        How thresholds follow the stream.
    guarantee : "taskwise" or "joint"
        Each task follows its own misses, or all tasks together those of any.
    window : int, default 500
        How many of the last samples a threshold looks at.
    step : float, optional
        γ of ``aci``, 0.01 unless given; the rate of ``pid`` in units of the largest score, 0.1 unless given.

    Examples
    --------
    >>> from assay.conformal.regions import Values
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(size=2000) * np.where(np.arange(2000) < 1000, 1, 3)  # the noise triples half-way
    >>> stream = StreamCalibration(alpha=0.1, method="aci")
    >>> regions = stream.run(Values(np.zeros(2000)), truth)
    >>> round(float(regions.covered(truth).mean()), 2)
    0.9
    >>> stream
    StreamCalibration('aci', alpha 0.1, taskwise, 2000 samples seen)
    """

    def __init__(
        self,
        *,
        alpha: float = 0.1,
        method: StreamMethod = "dtaci",
        guarantee: TaskGuarantee = "taskwise",
        window: int = 500,
        step: float | None = None,
    ) -> None:
        if method not in get_args(StreamMethod):
            raise UnknownName("stream method", str(method), get_args(StreamMethod))
        demand_guarantee(guarantee)
        demand_whole(window, "window", least=1)
        if step is not None:
            demand_positive(step, "step")
            if method == "dtaci":
                raise InvalidInput('step: "dtaci" weighs many steps and takes none; give it to "aci" or "pid".')
        self.alpha, self.method, self.guarantee, self.window = float(as_alpha(alpha)), method, guarantee, window
        self.step = step if step is not None else {"aci": 0.01, "pid": 0.1}.get(method)
        self._rows: dict[str, int] = {}
        self._forms: dict[str, str] = {}
        self._trackers: list[tuple[IntArray, _Guarded]] = []  # the rows of each, and what follows them
        self._seen = 0

    def __repr__(self) -> str:
        return f"StreamCalibration({self.method!r}, alpha {self.alpha:g}, {self.guarantee}, {self._seen} samples seen)"

    def start(self, predictions: Any, truth: Any) -> StreamCalibration:
        """Fill the window from a calibration table, before the stream begins.

        Parameters
        ----------
        predictions : mapping of str to predictions
            As in :func:`calibrate_regions`.
        truth : mapping of str to arrays
            Their truths.

        Returns
        -------
        StreamCalibration
            Itself.
        """
        scores = self._scores(as_tasks(predictions), truth)
        for column in scores.T[-self.window :]:
            for rows, tracker in self._trackers:
                if not np.isnan(column[rows]).any():
                    tracker.window.add(column[rows])
        return self

    def predict(self, predictions: Any) -> Regions:
        """The regions of the next samples, all with the thresholds of now; nothing is learnt.

        Parameters
        ----------
        predictions : mapping of str to predictions
            The predictions of samples whose truth is not known yet.

        Returns
        -------
        Regions
            By the names of the tasks.
        """
        tasks = self._checked(as_tasks(predictions))
        limits = np.repeat(self._limits()[:, None], next(iter(tasks.values())).samples, axis=1)
        return self._regions(limits, tasks)

    def update(self, predictions: Any, truth: Any) -> StreamCalibration:
        """Learn from samples whose truth became known, one after another; a missing truth teaches nothing.

        Each counts as missed or not under the thresholds of its turn: the bound above is for samples that are
        predicted and learnt one at a time, as :meth:`run` does.

        Parameters
        ----------
        predictions : mapping of str to predictions
            What was given to :meth:`predict`.
        truth : mapping of str to arrays
            Their truths.

        Returns
        -------
        StreamCalibration
            Itself.
        """
        self._follow(self._scores(as_tasks(predictions), truth))
        return self

    def run(self, predictions: Any, truth: Any) -> Regions:
        """Predict and update sample by sample: the region of each knows only the truths before it.

        Parameters
        ----------
        predictions : mapping of str to predictions
            The predictions of the whole stream, in its order.
        truth : mapping of str to arrays
            Its truths.

        Returns
        -------
        Regions
            One per sample of the stream.
        """
        tasks = as_tasks(predictions)
        return self._regions(self._follow(self._scores(tasks, truth)), tasks)

    def _checked(self, tasks: dict[str, Prediction]) -> dict[str, Prediction]:
        """The same tasks as ever; the first ones say which there are."""
        if not self._rows:
            self._rows = {name: prediction.rows for name, prediction in tasks.items()}
            self._forms = forms_of(tasks)
            owners = np.asarray(owners_of(self._rows))
            parts: list[IntArray] = [np.arange(len(owners))]
            if self.guarantee == "taskwise":
                parts = [np.flatnonzero(owners == task) for task in range(len(self._rows))]
            self._trackers = [(rows, self._tracker(len(rows))) for rows in parts]
        check_tasks(self._rows, self._forms, tasks)
        return {name: tasks[name] for name in self._rows}

    def _tracker(self, rows: int) -> _Guarded:
        window = ScoreWindow(rows, self.window)
        if self.method == "aci":
            return _Guarded(window, Aci(window, self.alpha, self.step or 0.0), self.alpha, guarded=False)
        inner = DtAci(window, self.alpha) if self.method == "dtaci" else Pid(window, self.alpha, self.step or 0.0)
        return _Guarded(window, inner, self.alpha, guarded=True)

    def _scores(self, tasks: dict[str, Prediction], truth: Any) -> FloatArray:
        checked, right = self._checked(tasks), as_truth(truth)
        check_names(checked, right, "truth")
        return np.concatenate([prediction.scores(right[name], NEW) for name, prediction in checked.items()])

    def _limits(self) -> FloatArray:
        limits = np.empty(sum(self._rows.values()))
        for rows, tracker in self._trackers:
            limits[rows] = tracker.limits()
        return limits

    def _follow(self, scores: FloatArray) -> FloatArray:
        limits = np.empty(scores.shape)
        for sample, column in enumerate(scores.T):
            limits[:, sample] = self._limits()
            for rows, tracker in self._trackers:
                if not np.isnan(column[rows]).any():
                    tracker.learn(column[rows], bool((column[rows] > limits[rows, sample]).any()))
        self._seen += scores.shape[1]
        return limits

    def _regions(self, limits: FloatArray, tasks: dict[str, Prediction]) -> Regions:
        return regions_at(limits, tasks, self._rows, alpha=self.alpha, guarantee=self.guarantee)


class _Guarded:
    """A tracker that rules nothing out while misses exceed their share by too much."""

    def __init__(self, window: ScoreWindow, inner: Tracker, alpha: float, *, guarded: bool) -> None:
        self.window, self._inner, self._alpha, self._guarded = window, inner, alpha, guarded
        self._excess, self._seen = 0.0, 0

    def limits(self) -> FloatArray:
        """Those of the tracker, or infinite ones."""
        if self._guarded and self._excess > _ALLOWANCE * sqrt(self._seen):
            return np.full(self.window.rows, np.inf)
        return self._inner.limits()

    def learn(self, scores: FloatArray, missed: bool) -> None:
        """Count the miss, and let the tracker learn."""
        self._seen += 1
        self._excess += missed - self._alpha
        self._inner.learn(scores, missed)
