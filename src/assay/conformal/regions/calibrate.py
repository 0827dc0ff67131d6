"""Regions for tasks of any kind: intervals and sets, calibrated task by task or for all tasks at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from assay.conformal.regions.checks import (
    TaskGuarantee,
    as_tasks,
    as_truth,
    check_names,
    check_tasks,
    demand_guarantee,
    forms_of,
    group_places,
    groups_of,
    owners_of,
)
from assay.conformal.regions.region import Prediction
from assay.conformal.regions.regions import Regions, regions_at
from assay.conformal.regions.thresholds import JointChoice, find_thresholds, joint_method, sample_weights
from assay.conformal.sets.checks import FloatArray, IntArray, as_alpha
from assay.core import InvalidInput
from assay.core.display import counted

__all__ = ["RegionCalibration", "calibrate_regions"]

_CALIBRATION_SEED = 0  # of randomised scores of calibration samples


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RegionCalibration:
    """Scores of calibration samples, ready to give regions at its levels.

    Made by :func:`calibrate_regions`.

    Parameters
    ----------
    rows : mapping of str to int
        The tasks, and how many rows of scores each has.
    scores : array [rows, samples]
        The scores of the calibration samples; nan is missing.
    alphas : tuple of Fraction
        The levels, the largest first.
    guarantee : "taskwise" or "joint"
        What is covered with probability 1 - α.
    method : "auto", "max-rank" or "bonferroni"
        How all tasks are covered at once.
    groups : array, optional
        A number per sample, the place of its group in ``names``.
    names : tuple
        The groups that are calibrated apart.
    weights : array of one number per sample, optional
        The weights of a covariate shift.
    notes : tuple of str
        What a reader must know, such as regions that will be everything.
    forms : mapping of str to str
        Kind, score and number of classes of each task's predictions; new ones must have the same.

    Examples
    --------
    >>> from assay.conformal.regions import Values, calibrate_regions
    >>> calibrate_regions({"price": Values([1.0, 2.0, 3.0])}, {"price": [2.0, 2.0, 5.0]}, alpha=[0.5, 0.25])
    RegionCalibration(tasks price, alpha 0.5, 0.25, taskwise, 3 samples)
    """

    rows: Mapping[str, int]
    scores: FloatArray
    alphas: tuple[Fraction, ...]
    guarantee: TaskGuarantee
    method: JointChoice
    groups: IntArray | None
    names: tuple[Any, ...]
    weights: FloatArray | None
    notes: tuple[str, ...] = ()
    forms: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        levels = ", ".join(f"{float(alpha):g}" for alpha in self.alphas)
        how = f"joint by {self.method}" if self.guarantee == "joint" else "taskwise"
        groups = f", {counted(len(self.names), 'group')}" if self.names else ""
        weighted = ", weighted" if self.weights is not None else ""
        samples = counted(self.scores.shape[1], "sample")
        return f"RegionCalibration(tasks {', '.join(self.rows)}, alpha {levels}, {how}{groups}{weighted}, {samples})"

    def predict(
        self, predictions: Any, *, alpha: float | Fraction | None = None, groups: Any = None, weights: Any = None
    ) -> Regions:
        """The regions of new samples at one of the calibrated levels; those of a smaller α hold those of a larger.

        Parameters
        ----------
        predictions : mapping of str to predictions
            The predictions of new samples, for the same tasks and of the same kinds.
        alpha : float or Fraction, optional
            Which of the levels; may be left out where there is one.
        groups : sequence of one group per sample, optional
            Needed where groups were calibrated apart. A group that calibration never saw gets the common thresholds.
        weights : sequence of one number per sample, optional
            Needed where calibration had weights: the likelihood ratios of the new samples.

        Returns
        -------
        Regions
            By the names of the tasks.

        Raises
        ------
        InvalidInput
            When tasks, groups, weights or the level are not those of the calibration.
        """
        tasks = as_tasks(predictions)
        check_tasks(self.rows, self.forms, tasks)
        level = self._level(alpha)
        samples = next(iter(tasks.values())).samples
        limits = self._limits(level, samples, groups, weights)
        return regions_at(limits, tasks, self.rows, alpha=float(level), guarantee=self.guarantee)

    def _level(self, alpha: float | Fraction | None) -> Fraction:
        if alpha is None and len(self.alphas) == 1:
            return self.alphas[0]
        levels = ", ".join(f"{float(level):g}" for level in self.alphas)
        if alpha is None:
            raise InvalidInput(f"alpha: say which of the calibrated levels {levels}, as in predict(..., alpha=0.1).")
        if as_alpha(alpha) not in self.alphas:
            raise InvalidInput(f"alpha: {float(alpha):g} was not calibrated; the levels are {levels}.")
        return as_alpha(alpha)

    def _limits(self, alpha: Fraction, samples: int, groups: Any, weights: Any) -> FloatArray:
        """The thresholds of new samples, [rows, samples]."""
        if (weights is None) != (self.weights is None):
            raise InvalidInput(
                "weights: calibration had weights, so new samples need theirs."
                if weights is None
                else "weights: were given, but calibration had none; give them to calibrate_regions, too."
            )
        new = None if weights is None else sample_weights(weights, samples, "weights")
        places = group_places(groups, self.names, samples)
        limits = np.empty((self.scores.shape[0], samples))
        for place in np.unique(places).tolist():
            chosen = places == place
            within = slice(None) if place < 0 or self.groups is None else self.groups == place
            scores = self.scores[:, within]
            complete = int((~np.isnan(scores)).all(axis=0).sum())
            # one method for all levels, so that regions are nested
            joint = joint_method(self.method, complete, len(scores), self.alphas[-1])
            limits[:, chosen] = find_thresholds(
                scores,
                owners_of(self.rows),
                alpha,
                joint=joint if self.guarantee == "joint" else None,
                weights=None if self.weights is None else self.weights[within],
                new_weights=None if new is None else new[chosen],
            )
        return limits


def calibrate_regions(
    predictions: Any,
    truth: Any,
    *,
    alpha: float | Fraction | Sequence[float | Fraction],
    guarantee: TaskGuarantee = "taskwise",
    method: JointChoice = "auto",
    groups: Any = None,
    weights: Any = None,
) -> RegionCalibration:
    r"""Calibrate tasks of any kind on held-out samples: numbers, quantiles, classes and labels, in any mixture.

    $$P(y_t \in R_t(x)) \ge 1 - \alpha \text{ for each } t \text{ (taskwise)}, \qquad
    P(\forall t : y_t \in R_t(x)) \ge 1 - \alpha \text{ (joint)}$$

    for exchangeable samples, in every sample size, whatever the model; in each group that is calibrated apart; and
    under a covariate shift whose likelihood ratios are the weights. At several levels regions are nested.

    Parameters
    ----------
    predictions : mapping of str to Values, Quantiles, Classes or Labels
        What the model says of samples that it was not trained on, by task; one prediction alone is a task, too.
    truth : mapping of str to arrays
        What is right, by the same names; nan is a missing number, -1 a missing class. Joint coverage uses the samples
        that have all.
    alpha : float, Fraction, or sequence of them
        The share of errors that is allowed; several levels give nested regions.
    guarantee : "taskwise" or "joint"
        Cover each task, or all tasks of a sample at once.
    method : "auto", "max-rank" or "bonferroni"
        How to cover all at once. ``max-rank`` uses how tasks depend on each other and asks for no common scale;
        ``bonferroni`` shares α among the tasks; ``auto`` takes ``bonferroni`` where samples are few.
    groups : sequence of one group per sample, optional
        Are calibrated apart, so that the promise holds in each of them (Mondrian).
    weights : sequence of one number per sample, optional
        Test density over calibration density at each sample, up to a factor (covariate shift).

    Returns
    -------
    RegionCalibration
        Gives regions for new predictions.

    Raises
    ------
    UnknownName
        When guarantee or method is not known.
    InvalidInput
        When predictions and truth do not fit together, or a task has no truth at all.

    Examples
    --------
    >>> from assay.conformal.regions import Classes, Values
    >>> calibration = calibrate_regions(
    ...     {"kind": Classes([0.1, 0.4, 0.8, 0.3, 0.05]), "price": Values([1.0, 2.0, 3.0, 4.0, 5.0])},
    ...     {"kind": [0, 0, 1, 0, 0], "price": [1.5, 2.0, 2.0, 3.75, 5.125]},
    ...     alpha=0.5,
    ...     guarantee="joint",
    ...     method="max-rank",
    ... )
    >>> regions = calibration.predict({"kind": Classes([0.35]), "price": Values([5.0])})
    >>> low, high = regions["price"]
    >>> regions["kind"].tolist(), low.round(6).tolist(), high.round(6).tolist()
    ([[True, False]], [4.0], [6.0])
    """
    tasks, right = as_tasks(predictions), as_truth(truth)
    check_names(tasks, right, "truth")
    demand_guarantee(guarantee, method)
    levels = [alpha] if isinstance(alpha, int | float | Fraction | np.number) else list(alpha)
    if not levels:
        raise InvalidInput("alpha: there is no level; give one, such as 0.1, or several.")
    alphas = tuple(sorted({as_alpha(level) for level in levels}, reverse=True))
    scores = np.concatenate([_scores(prediction, right[name], name) for name, prediction in tasks.items()])
    samples = scores.shape[1]
    there = ~np.isnan(scores)
    if guarantee == "joint" and not there.all(axis=0).any():
        raise InvalidInput("truth: no sample has the truth of all tasks, which joint coverage needs.")
    names, numbers = groups_of(groups, samples)
    calibration = RegionCalibration(
        rows={name: prediction.rows for name, prediction in tasks.items()},
        forms=forms_of(tasks),
        scores=scores,
        alphas=alphas,
        guarantee=guarantee,
        method=method,
        groups=numbers,
        names=names,
        weights=None if weights is None else sample_weights(weights, samples, "weights"),
    )
    return calibration if weights is not None else _with_notes(calibration)


def _scores(prediction: Prediction, truth: Any, name: str) -> FloatArray:
    try:
        scores = prediction.scores(truth, _CALIBRATION_SEED)
    except InvalidInput as error:
        raise InvalidInput(f"task {name!r}: {error}") from None
    if np.isnan(scores).all():
        raise InvalidInput(f"task {name!r}: there is no truth at all; give at least one sample that has it.")
    return scores


def _with_notes(calibration: RegionCalibration) -> RegionCalibration:
    """Says of every level and group at which regions will be everything."""
    notes = []
    groups = np.arange(max(len(calibration.names), 1))
    for alpha in calibration.alphas:
        limits = calibration._limits(alpha, len(groups), list(calibration.names) or None, None)
        for group in groups[np.isposinf(limits).any(axis=0)].tolist():
            where = f"group {calibration.names[group]!r}, " if calibration.names else ""
            tasks = [
                name
                for task, name in enumerate(calibration.rows)
                if np.isposinf(limits[np.asarray(owners_of(calibration.rows)) == task, group]).any()
            ]
            notes.append(
                f"{where}alpha {float(alpha):g}: too few samples for a finite threshold; regions of "
                f"{', '.join(tasks)} will be everything."
            )
    return replace(calibration, notes=tuple(notes))
