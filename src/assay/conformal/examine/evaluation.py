"""Everything that can be said of sets and labels, as plain values and as text; each number with its definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.conformal.metrics import (
    class_count_weights,
    class_coverage,
    confidence_weights,
    coverage_gap,
    coverage_interval,
    coverage_test,
    data_share_weights,
    difficulty_weights,
    efficiency,
    empty_rate,
    hardest_tasks,
    high_level_accuracy,
    informativeness,
    low_level_accuracy,
    relative_size,
    share_interval,
    singleton_accuracy,
    size_histogram,
    size_stratified_coverage,
    taskwise_coverage_gap,
    taskwise_coverage_interval,
    taskwise_efficiency,
    taskwise_empty_rate,
    taskwise_informativeness,
    taskwise_singleton_accuracy,
    weighted_efficiency,
    weighted_informativeness,
)
from assay.conformal.sets.checks import FloatArray, as_alpha, as_labels, as_probabilities, as_weights
from assay.conformal.sets.combination_sets import CombinationSets
from assay.conformal.sets.counts import count_sets
from assay.conformal.sets.prediction_sets import PredictionSets
from assay.core import InvalidInput, UnknownName
from assay.core.display import counted

__all__ = ["WEIGHTINGS", "evaluate_sets", "evaluation_text", "weights_by_name"]

WEIGHTINGS = ("classes", "difficulty", "data", "confidence")
_NEED_PROBABILITIES = ("difficulty", "confidence")


def weights_by_name(name: str, *, classes: Sequence[int], labels: Any, probabilities: Any = None) -> FloatArray:
    """The weights of a named weighting; two of them need the classifier's probabilities, and say so.

    >>> weights_by_name("classes", classes=(3, 1), labels=[[0], [0]]).tolist()
    [0.75, 0.25]
    """
    if name not in WEIGHTINGS:
        raise UnknownName("weighting", name, WEIGHTINGS)
    if name in _NEED_PROBABILITIES and probabilities is None:
        raise InvalidInput(f"weights by {name} need the classifier's probabilities: give --probabilities FILE.")
    if name == "classes":
        return class_count_weights(classes)
    if name == "data":
        return data_share_weights(labels)
    matrices = as_probabilities(probabilities, classes=classes)
    if name == "confidence":
        return confidence_weights(list(matrices))
    return difficulty_weights(labels, [matrix.argmax(axis=1) for matrix in matrices])


def evaluate_sets(
    sets: PredictionSets | CombinationSets,
    labels: Any,
    *,
    alpha: float | None = None,
    weights: str | Sequence[float] = "classes",
    probabilities: Any = None,
    names: Sequence[str] | None = None,
) -> dict[str, Any]:
    """All metrics of sets and labels; with α the gaps and tests against 1 - α, with probabilities the accuracies."""
    columns = as_labels(labels, sets.classes, samples=len(sets))
    counts = count_sets(sets, columns)
    tasks = names or [f"task {number}" for number in range(sets.tasks)]
    if isinstance(weights, str):
        chosen = weights_by_name(weights, classes=sets.classes, labels=columns, probabilities=probabilities)
    else:
        chosen = as_weights(np.asarray(weights, dtype=np.float64), sets.tasks)
        chosen = chosen / chosen.sum()
    body: dict[str, Any] = {
        "samples": counts.samples,
        "format": "combinations" if isinstance(sets, CombinationSets) else "product",
        "coverage": {
            "mean": list(coverage_interval(sets, columns)),
            "joint": list(share_interval(counts.covered, counts.known)),
        },
        "efficiency": {way: efficiency(counts, overall=way) for way in ("mean", "joint")},
        "relative_size": {way: relative_size(counts, overall=way) for way in ("mean", "joint")},
        "informativeness": {way: informativeness(counts, overall=way) for way in ("mean", "joint")},
        "weights": {"by": weights if isinstance(weights, str) else "given", "values": chosen.tolist()},
        "weighted_efficiency": weighted_efficiency(counts, chosen),
        "weighted_informativeness": weighted_informativeness(counts, chosen),
        "empty_rate": empty_rate(counts),
        "singleton_accuracy": singleton_accuracy(counts),
        "size_stratified_coverage": size_stratified_coverage(counts, smallest=20),
        "hardest_tasks": [tasks[number] for number in hardest_tasks(counts).tolist()],
        "tasks": _per_task(counts, tasks, alpha),
    }
    if alpha is not None:
        nominal = 1 - float(as_alpha(alpha))
        joint = coverage_test(counts.covered, counts.known, alpha=alpha)
        body["alpha"], body["nominal"] = float(alpha), nominal
        body["coverage_gap"] = coverage_gap(counts, alpha=alpha)
        body["joint_test"] = joint._asdict()
    if probabilities is not None:
        matrices = as_probabilities(probabilities, classes=sets.classes)
        guesses = [matrix.argmax(axis=1) for matrix in matrices]
        body["low_level_accuracy"] = low_level_accuracy(columns, guesses).tolist()
        body["high_level_accuracy"] = high_level_accuracy(columns, guesses)
    body["cautions"] = _cautions(counts, body)
    return body


def _per_task(counts: Any, names: Sequence[str], alpha: float | None) -> list[dict[str, Any]]:
    gaps = [None] * len(names) if alpha is None else taskwise_coverage_gap(counts, alpha=alpha).tolist()
    rows = []
    for number, task in enumerate(counts.tasks):
        row = {
            "name": names[number],
            "classes": task.classes,
            "labelled": task.labelled,
            "coverage": list(taskwise_coverage_interval(counts)[number]),
            "efficiency": float(taskwise_efficiency(counts)[number]),
            "informativeness": float(taskwise_informativeness(counts)[number]),
            "empty_rate": float(taskwise_empty_rate(counts)[number]),
            "singleton_accuracy": float(taskwise_singleton_accuracy(counts)[number]),
            "class_coverage": class_coverage(counts)[number].tolist(),
            "absent_classes": np.flatnonzero(task.by_class.sum(axis=1) == 0).tolist(),
            "size_histogram": size_histogram(counts)[number].tolist(),
        }
        if alpha is not None:
            row["coverage_gap"] = gaps[number]
            row["test"] = coverage_test(task.hits, task.labelled, alpha=alpha)._asdict()
        rows.append(row)
    return rows


def _cautions(counts: Any, body: Mapping[str, Any]) -> list[str]:
    """What makes numbers look better, or worse, than they are."""
    cautions = []
    if counts.samples and body["coverage"]["mean"][0] == 1.0:
        cautions.append("everything is covered: sets are too large, or labels were used to make them.")
    for row in body["tasks"]:
        if row["absent_classes"]:
            shown = ", ".join(map(str, row["absent_classes"][:10]))
            cautions.append(f"{row['name']}: classes {shown} have no sample; nothing is known of their coverage.")
        if row["empty_rate"] > 0:
            cautions.append(f"{row['name']}: {row['empty_rate']:.1%} of the sets are empty; they lower the mean size.")
    return cautions


def evaluation_text(body: Mapping[str, Any]) -> str:
    """The evaluation for people."""
    joint, mean = body["coverage"]["joint"], body["coverage"]["mean"]
    combinations = body["format"] == "combinations"
    joint_size = f"size, product of tasks         {body['efficiency']['joint']:.4f}"
    if combinations:
        share = body["relative_size"]["joint"]
        joint_size = f"size, sets of combinations     {body['efficiency']['joint']:.4f}; {share:.2%} of all of them"
    kind = ", sets of combinations; each task by what they leave open in it" if combinations else ""
    lines = [f"{counted(body['samples'], 'sample')}, {counted(len(body['tasks']), 'task')}{kind}", ""]
    width = max(len(row["name"]) for row in body["tasks"])
    head = f"{'task':{width}}  classes  coverage [95 %]         size   single  empty"
    lines.append(head + ("  gap    p(so low)" if "alpha" in body else ""))
    for row in body["tasks"]:
        value, low, high = row["coverage"]
        line = (
            f"{row['name']:{width}}  {row['classes']:7d}  {value:.4f} [{low:.3f}, {high:.3f}]  "
            f"{row['efficiency']:6.3f}  {row['informativeness']:.4f}  {row['empty_rate']:.3f}"
        )
        if "alpha" in body:
            line += f"  {row['coverage_gap']:.3f}  {row['test']['p_below']:.3g}"
        lines.append(line)
    lines += [
        "",
        f"coverage, mean of tasks        {mean[0]:.4f} [{mean[1]:.3f}, {mean[2]:.3f}]",
        f"coverage, all tasks at once    {joint[0]:.4f} [{joint[1]:.3f}, {joint[2]:.3f}]",
        f"size, mean of tasks            {body['efficiency']['mean']:.4f}",
        joint_size,
        f"singletons, mean of tasks      {body['informativeness']['mean']:.4f}",
        f"singletons in all tasks        {body['informativeness']['joint']:.4f}",
        f"weighted by {body['weights']['by']:18} size {body['weighted_efficiency']:.4f}, singletons "
        f"{body['weighted_informativeness']:.4f}",
        f"a singleton is right           {body['singleton_accuracy']:.4f}",
        f"hardest tasks first            {', '.join(body['hardest_tasks'])}",
    ]
    if "alpha" in body:
        below = body["joint_test"]["p_below"]
        lines.append(f"promised                       {body['nominal']:.4f}; p of a joint coverage so low {below:.3g}")
    if "high_level_accuracy" in body:
        each = ", ".join(f"{value:.4f}" for value in body["low_level_accuracy"])
        lines.append(f"accuracy before, each task     {each} (low level)")
        lines.append(f"accuracy before, all at once   {body['high_level_accuracy']:.4f} (high level)")
    lines += [f"Caution: {caution}" for caution in body["cautions"]]
    return "\n".join(lines)
