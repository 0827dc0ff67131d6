"""Calibrating thresholds: for all tasks together, each task, class, cluster or group, or for joint coverage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from assay.conformal.calibration.calibration import COMBINATIONS, Calibration, Guarantee, expand
from assay.conformal.calibration.clusters import cluster_thresholds
from assay.conformal.calibration.joint import SELECTION_SHARE, bonferroni, choose_joint, max_rank, max_score
from assay.conformal.calibration.quantile import conformal_quantile
from assay.conformal.calibration.scores import Score, parse_score
from assay.conformal.calibration.smallest import FIT_SHARE, smallest_sets
from assay.conformal.sets.checks import MISSING, FloatArray, IntArray, as_alpha, as_groups, as_labels, as_probabilities
from assay.conformal.sets.combination_sets import demand_numbered
from assay.conformal.sets.named import by_name, in_order, with_columns
from assay.core import InvalidInput, UnknownName
from assay.core.checks import as_whole

__all__ = ["METHODS", "calibrate"]

METHODS: Mapping[str, Guarantee] = {
    "global": "pooled",
    "taskwise": "taskwise",
    "classwise": "taskwise",
    "task-clusters": "taskwise",
    "global-clusters": "taskwise",
    "mondrian": "taskwise",
    "bonferroni": "joint",
    "weighted-bonferroni": "joint",
    "max-score": "joint",
    "max-rank": "joint",
    "joint-threshold": "joint",
    "joint": "joint",
    "joint-combinations": "joint",
}
_BY_MODEL = ("joint", COMBINATIONS)


@dataclass(frozen=True, slots=True)
class _Data:
    """Scores of every class per task, labels per task, and the scores of the labels (nan where one is missing)."""

    scores: tuple[FloatArray, ...]
    labels: tuple[IntArray, ...]
    true: FloatArray  # [tasks, samples]

    @property
    def classes(self) -> tuple[int, ...]:
        return tuple(matrix.shape[1] for matrix in self.scores)

    def known(self, task: int, within: Any = None) -> FloatArray:
        """Scores of the labels that are there."""
        scores: FloatArray = self.true[task] if within is None else self.true[task][within]
        return scores[~np.isnan(scores)]


def calibrate(
    probabilities: Any,
    labels: Any,
    *,
    alpha: float | Fraction,
    method: str = "taskwise",
    score: str | Score = "hinge",
    weights: Any = None,
    groups: Any = None,
    clusters: int | Literal["auto"] = "auto",
    share: float | None = None,
    seed: int = 0,
    logits: bool = False,
) -> Calibration:
    """Thresholds from held-out probabilities and labels, for the level 1 - α.

    A missing label (-1) leaves its task's scores; joint methods use the samples that have all labels. Classes without
    samples get the pooled threshold of their task and are listed.

    Parameters
    ----------
    probabilities : sequence of (n, C) matrices, one per task, or dict of them by task
        What the classifier says of samples that it was not trained on; arrays of any library.
    labels : sequence of n class numbers per task, (n, T) matrix, or dict or data frame by task
        What is right; -1 is missing. Named tasks are matched by name.
    alpha : float or Fraction
        The share of errors that is allowed.
    method : str, default "taskwise"
        ``global`` pools the scores of all tasks; ``taskwise`` gives each task its own threshold; ``classwise`` each
        class; ``task-clusters`` and ``global-clusters`` each cluster of similar classes; ``mondrian`` each group.
        ``bonferroni``, ``weighted-bonferroni``, ``max-score`` and ``max-rank`` cover all tasks at once, and
        ``joint-threshold`` chooses the one of them with the smallest product sets. ``joint`` makes the smallest product
        sets by a joint model of the tasks, and ``joint-combinations`` the smallest sets of combinations. ``METHODS``
        says what each promises.
    score : str, default "hinge"
        How strange a class is: ``hinge``, ``margin``, ``pip``, ``aps``, ``raps`` or ``top_k``, with parameters as in
        ``raps(penalty=0.1, k_reg=2)``.
    weights : sequence of one number per task, optional
        The weights of ``weighted-bonferroni``.
    groups : sequence of one group per sample, optional
        The groups of ``mondrian``.
    clusters : int or "auto", default "auto"
        How many clusters of classes.
    share : float, optional
        The share of the samples with which ``joint`` and ``joint-combinations`` fit their model (0.4; with 0 tasks are
        taken as independent and all samples calibrate) and ``joint-threshold`` chooses (0.2).
    seed : int, default 0
        The seed of randomised scores, clusters and choices.
    logits : bool, default False
        The matrices hold logits, which are brought to probabilities first.

    Returns
    -------
    Calibration
        Gives sets for new probabilities.

    Raises
    ------
    UnknownName
        When method or score is not known.
    InvalidInput
        When shapes do not fit, rows are no probabilities, a task has no label, or an option belongs to another method.

    Examples
    --------
    >>> p = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]]
    >>> calibration = calibrate([p], [[0, 0, 1, 1]], alpha=0.25)
    >>> calibration
    Calibration('taskwise', score 'hinge', alpha 0.25, 1 task, 4 samples)
    >>> calibration.thresholds[0].round(2).tolist(), calibration.predict_sets([p]).labels(0)
    ([[0.4, 0.4]], [[0], [0], [1], [1]])
    """
    level, scoring, seed = as_alpha(alpha), parse_score(score), as_whole(seed, "seed")
    if method not in METHODS:
        raise UnknownName("calibration method", str(method), METHODS)
    _demand_options(method, weights, groups)
    if method in _BY_MODEL and not scoring.by_probability:
        raise InvalidInput(
            f'score: method "{method}" ranks by probability and takes no other score. Leave it out, or use method '
            '"joint-threshold" or "max-rank".'
        )
    inputs = by_name(with_columns(probabilities))
    matrices = as_probabilities(inputs.values, logits=logits)
    labels = in_order(labels, inputs.names, what="labels", like="the probabilities")
    columns = as_labels(labels, [matrix.shape[1] for matrix in matrices], samples=len(matrices[0]))
    common: dict[str, Any] = {"method": method, "score": str(scoring), "alpha": float(level), "seed": seed}
    common["names"] = inputs.names
    common["guarantee"] = METHODS[method]
    if method in _BY_MODEL:
        return _by_model(matrices, np.stack(columns, axis=1), level, FIT_SHARE if share is None else share, common)
    rng = np.random.default_rng([seed, 0])
    scores = tuple(scoring(matrix, rng) for matrix in matrices)
    rows = np.arange(len(matrices[0]))
    true = [np.where(y != MISSING, s[rows, np.maximum(y, 0)], np.nan) for s, y in zip(scores, columns, strict=True)]
    data = _Data(scores, columns, np.stack(true))
    for task in range(len(scores)):
        if not len(data.known(task)):
            where = _task_text(task, inputs.names)
            raise InvalidInput(f"calibration, {where}: there is no labelled sample; give at least one per task.")
    if METHODS[method] == "joint":
        chosen_by = SELECTION_SHARE if share is None else share
        return _jointly(data, level, weights=weights, share=chosen_by, common=common)
    if method == "mondrian":
        return _by_group(data, level, groups, common)
    if method in ("classwise", "task-clusters", "global-clusters"):
        return _by_class(data, level, clusters, common)
    if method == "global":
        pooled = conformal_quantile(np.concatenate([data.known(task) for task in range(len(scores))]), level)
        thresholds = [pooled] * len(scores)
    else:
        thresholds = [conformal_quantile(data.known(task), level) for task in range(len(scores))]
    return _finished(data, expand(thresholds, data.classes), common)


def _demand_options(method: str, weights: Any, groups: Any) -> None:
    for name, value, owner, needed in (
        ("groups", groups, "mondrian", "one group per sample"),
        ("weights", weights, "weighted-bonferroni", "one weight per task"),
    ):
        if value is None and method == owner:
            raise InvalidInput(f'{name}: method "{owner}" needs {needed}.')
        if value is not None and method != owner:
            raise InvalidInput(f'{name}: belong to method "{owner}", not to {method!r}.')


def _finished(data: _Data, thresholds: tuple[FloatArray, ...], common: dict[str, Any], **more: Any) -> Calibration:
    notes = []
    for task, rows in enumerate(thresholds):
        where = _task_text(task, common["names"])
        endless = np.flatnonzero(np.isposinf(rows[0]))
        if len(endless):
            which = "every class" if len(endless) == rows.shape[1] else f"classes {_listed(endless)}"
            notes.append(f"{where}: too few samples for a finite threshold; {which} will be in every set.")
        if task < len(more.get("pooled", ())) and more["pooled"][task]:
            notes.append(f"{where}: classes {_listed(more['pooled'][task])} got the pooled threshold.")
    samples = more.pop("samples", int((~np.isnan(data.true)).any(axis=0).sum()))
    return Calibration(thresholds=thresholds, samples=samples, notes=tuple(notes), **common, **more)


def _task_text(task: int, names: Sequence[str]) -> str:
    return f"task {names[task]!r}" if names else f"task {task}"


def _listed(classes: Any) -> str:
    shown = ", ".join(str(label) for label in list(classes)[:10])
    return shown if len(classes) <= 10 else f"{shown} and {len(classes) - 10} more"


def _by_model(
    matrices: Sequence[Any], labels: IntArray, alpha: Fraction, share: float, common: dict[str, Any]
) -> Calibration:
    complete = (labels != MISSING).all(axis=1)
    if not complete.any():
        raise InvalidInput("calibration: no sample has labels in all tasks, which joint coverage needs.")
    classes = [matrix.shape[1] for matrix in matrices]
    if common["method"] == COMBINATIONS:
        demand_numbered(classes)
    outcome = smallest_sets(
        [matrix[complete] for matrix in matrices],
        labels[complete],
        alpha,
        combinations=common["method"] == COMBINATIONS,
        share=share,
        seed=common["seed"],
    )
    notes = []
    if np.isposinf(outcome.level):
        notes.append("too few samples for a finite threshold; every class will be in every set.")
    return Calibration(
        thresholds=expand([outcome.level] * len(classes), classes),
        samples=outcome.samples,
        notes=tuple(notes),
        model=outcome.model,
        chosen="independent tasks" if outcome.model.is_none else "associated tasks",
        **common,
    )


def _jointly(data: _Data, alpha: Fraction, *, weights: Any, share: float, common: dict[str, Any]) -> Calibration:
    complete = ~np.isnan(data.true).any(axis=0)
    if not complete.any():
        raise InvalidInput("calibration: no sample has labels in all tasks, which joint coverage needs.")
    true = data.true[:, complete]
    chosen, samples = None, int(complete.sum())
    if common["method"] == "joint-threshold":
        scores = [matrix[complete] for matrix in data.scores]
        choice = choose_joint(scores, true, alpha, share=share, seed=common["seed"])
        thresholds, chosen, samples = choice.thresholds, choice.method, choice.samples
    elif common["method"] == "max-score":
        thresholds = max_score(true, alpha)
    elif common["method"] == "max-rank":
        thresholds = max_rank(true, alpha)
    else:
        thresholds = bonferroni(true, alpha, weights)
    return _finished(data, expand(thresholds.tolist(), data.classes), common, chosen=chosen, samples=samples)


def _by_group(data: _Data, alpha: Fraction, groups: Any, common: dict[str, Any]) -> Calibration:
    names = as_groups(groups, data.true.shape[1])
    order = sorted(set(names.tolist()), key=repr)
    thresholds = []
    for task, count in enumerate(data.classes):
        rows = [conformal_quantile(data.known(task), alpha)]
        rows += [conformal_quantile(data.known(task, names == name), alpha) for name in order]
        thresholds.append(np.repeat(np.asarray(rows)[:, None], count, axis=1))
    return _finished(data, tuple(thresholds), common, groups=tuple(order))


def _by_class(data: _Data, alpha: Fraction, clusters: int | Literal["auto"], common: dict[str, Any]) -> Calibration:
    tasks = range(len(data.classes))
    if common["method"] == "global-clusters":
        starts = np.concatenate([[0], np.cumsum(data.classes)])
        labels = [data.labels[task][data.labels[task] != MISSING] + starts[task] for task in tasks]
        true = np.concatenate([data.known(task) for task in tasks])
        whole, rare = cluster_thresholds(
            true, np.concatenate(labels), int(starts[-1]), alpha, clusters=clusters, seed=common["seed"]
        )
        thresholds = [whole[starts[task] : starts[task + 1]] for task in tasks]
        pooled = [tuple(int(c - starts[t]) for c in rare if starts[t] <= c < starts[t + 1]) for t in tasks]
    else:
        thresholds, pooled = [], []
        for task, count in enumerate(data.classes):
            column = data.labels[task][data.labels[task] != MISSING]
            if common["method"] == "task-clusters":
                row, rare = cluster_thresholds(
                    data.known(task), column, count, alpha, clusters=clusters, seed=common["seed"]
                )
            else:
                row, rare = _classwise(data.known(task), column, count, alpha)
            thresholds.append(row)
            pooled.append(rare)
    return _finished(data, tuple(row[None] for row in thresholds), common, pooled=tuple(pooled))


def _classwise(true: FloatArray, labels: IntArray, classes: int, alpha: Fraction) -> tuple[FloatArray, tuple[int, ...]]:
    """A class with samples keeps its own threshold, be it infinite: only so its coverage is guaranteed."""
    absent = np.flatnonzero(np.bincount(labels, minlength=classes) == 0)
    thresholds = np.asarray([conformal_quantile(true[labels == label], alpha) for label in range(classes)])
    thresholds[absent] = conformal_quantile(true, alpha)
    return thresholds, tuple(absent.tolist())
