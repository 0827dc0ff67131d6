"""Tasks by name, groups and guarantees, checked; every message says what to give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from assay.conformal.regions.region import Prediction
from assay.conformal.regions.thresholds import JointChoice
from assay.conformal.sets.checks import IntArray, as_groups
from assay.conformal.sets.named import by_name_remedy
from assay.core import InvalidInput, UnknownName

__all__ = [
    "TaskGuarantee",
    "as_tasks",
    "as_truth",
    "check_names",
    "check_tasks",
    "demand_guarantee",
    "forms_of",
    "group_places",
    "groups_of",
    "owners_of",
]

TaskGuarantee: TypeAlias = Literal["taskwise", "joint"]


def owners_of(rows: Mapping[str, int]) -> list[int]:
    """The task of each row of scores."""
    return [task for task, count in enumerate(rows.values()) for _ in range(count)]


def as_tasks(predictions: Any) -> dict[str, Prediction]:
    """Predictions by the names of their tasks, all of as many samples."""
    if not isinstance(predictions, Mapping):
        predictions = {"task": predictions}
    if not predictions:
        raise InvalidInput("predictions: there is no task; give a prediction per task, by name.")
    tasks: dict[str, Prediction] = {}
    for name, prediction in predictions.items():
        if not hasattr(prediction, "scores") or not hasattr(prediction, "region"):
            raise InvalidInput(
                f"predictions, task {name!r}: say what the numbers are: Values(predicted), Quantiles(low, high), "
                f"Classes(probabilities) or Labels(probabilities), all of assay.conformal.regions; got "
                f"{type(prediction).__name__}."
            )
        tasks[str(name)] = prediction
    sizes = {name: prediction.samples for name, prediction in tasks.items()}
    if len(set(sizes.values())) > 1:
        texts = ", ".join(f"{name!r} {size}" for name, size in sizes.items())
        raise InvalidInput(f"predictions: the tasks have different numbers of samples: {texts}.")
    return tasks


def as_truth(truth: Any) -> Mapping[str, Any]:
    """The truth by the names of the tasks."""
    return {str(name): column for name, column in truth.items()} if isinstance(truth, Mapping) else {"task": truth}


def check_names(known: Mapping[str, Any], given: Mapping[str, Any], what: str) -> None:
    """The same tasks on both sides; order does not matter."""
    names = [str(name) for name in given]
    if set(known) != set(names):
        raise InvalidInput(
            f"{what}: the tasks are {', '.join(map(repr, names)) or 'none'}, expected {', '.join(map(repr, known))}. "
            f"{by_name_remedy(names, known)}"
        )


def forms_of(tasks: Mapping[str, Prediction]) -> dict[str, str]:
    """What thresholds depend on besides the numbers: kind, score and number of classes of each task's prediction."""
    return {name: getattr(prediction, "form", type(prediction).__name__) for name, prediction in tasks.items()}


def check_tasks(rows: Mapping[str, int], forms: Mapping[str, str], tasks: Mapping[str, Prediction]) -> None:
    """The tasks that were calibrated, each with as many rows of scores and of the same form."""
    check_names(rows, tasks, "predictions")
    for name, form in forms_of(tasks).items():
        if tasks[name].rows != rows[name]:
            raise InvalidInput(f"predictions, task {name!r}: was calibrated with another setting of symmetric.")
        if form != forms.get(name, form):
            raise InvalidInput(
                f"predictions, task {name!r}: are {form}; calibrated were {forms[name]}. Give predictions of the same "
                "kind as in calibration."
            )


def demand_guarantee(guarantee: str, method: str = "auto") -> None:
    """What is promised, and how."""
    if guarantee not in get_args(TaskGuarantee):
        raise UnknownName("guarantee", str(guarantee), get_args(TaskGuarantee))
    if method not in get_args(JointChoice):
        raise UnknownName("joint method", str(method), get_args(JointChoice))


def groups_of(groups: Any, samples: int) -> tuple[tuple[Any, ...], IntArray | None]:
    """The groups that there are, and the place of each sample's own."""
    if groups is None:
        return (), None
    names = tuple(sorted(set(as_groups(groups, samples).tolist()), key=repr))
    return names, group_places(groups, names, samples)


def group_places(groups: Any, names: tuple[Any, ...], samples: int) -> IntArray:
    """The place of each new sample's group; -1 of one that was never seen, and of everybody without groups."""
    if (groups is None) != (not names):
        raise InvalidInput(
            "groups: are missing; calibration was apart for each group, so give one per sample."
            if names
            else "groups: were given, but the calibration knows none; calibrate with groups."
        )
    if groups is None:
        return np.full(samples, -1, dtype=np.int64)
    place = {name: number for number, name in enumerate(names)}
    return np.asarray([place.get(name, -1) for name in as_groups(groups, samples).tolist()], dtype=np.int64)
