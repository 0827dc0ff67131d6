"""A problem from one's own predictions and truths of several tasks, or from fitted classifiers and data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assay.conformal.problem.reading import Tables
from assay.conformal.problem.task import ConformalTask, ConformalTruth, write_problem
from assay.conformal.problem.user_numbers import NumberSamples, number_tasks
from assay.conformal.problem.user_samples import Samples, Source, split_rows
from assay.conformal.regions.checks import demand_guarantee
from assay.conformal.sets.checks import MISSING, as_alpha
from assay.core import InvalidInput, Json, Tags
from assay.core.checks import demand_fraction, demand_whole
from assay.core.display import counted
from assay.core.files.drafts import new_folder
from assay.intake.new_problem import NewProblem, check_problems, with_labels
from assay.intake.table.options import TableOptions
from assay.intake.table.reading import TableReading

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["new_problem"]

Table: TypeAlias = "str | Path | pd.DataFrame | TableReading | Any"

_FEW_TEST, _FEW_PER_CLASS = 100, 2


def new_problem(
    folder: str | Path,
    probabilities: Any = None,
    labels: Any = None,
    *,
    test_probabilities: Any = None,
    test_labels: Any = None,
    numbers: Any = None,
    test_numbers: Any = None,
    table: Table | None = None,
    label: str | Sequence[str] = (),
    classifier: Any = None,
    fit: bool = True,
    train: float = 0.5,
    calibration: float = 0.5,
    alpha: float = 0.1,
    guarantee: str = "taskwise",
    logits: bool = False,
    ignore: Sequence[str] = (),
    keep: Sequence[str] = (),
    seed: int = 0,
    id: str | None = None,
    tags: Tags | None = None,
    options: TableOptions | None = None,
) -> NewProblem:
    """Make a problem of one's own predictions and truths, checked and ready to run.

    They are given, and split into calibration and test samples; or classifiers give them, one per label column of a
    table. Missing labels are empty cells, None or -1; missing numbers are empty cells or nan.

    Parameters
    ----------
    folder : str or Path
        The problem folder; must be new or empty.
    probabilities : path, data frame, mapping or sequence of matrices, optional
        An npz file with one (n, C) matrix per task; a table with columns ``task:class``; or by the name of each task a
        matrix, or a table with a column per class.
    labels : path, data frame, mapping or sequence of columns, optional
        One column per task. Without it, the tables of probabilities hold the labels as well: in columns that are called
        as the tasks, or in the column ``label`` of each task's table.
    test_probabilities, test_labels : as above, optional
        The test samples; by default they are drawn from the given ones.
    numbers : path, data frame or mapping, optional
        Tasks that predict numbers, alone or beside probabilities of the same samples: columns ``price`` (the truth) and
        ``price:predicted``, perhaps ``price:scale``, or ``price:low`` and ``price:high``; or by the name of each task a
        mapping with ``truth``, ``predicted``, ``scale``, ``low`` and ``high``.
    test_numbers : as above, optional
        The test numbers of the test samples.
    table : path, data frame or TableReading, optional
        Instead of probabilities: rows with features and labels.
    label : str or sequence of str, optional
        The label columns of that table, one per task; or the label column of each task's table.
    classifier : classifier, or sequence of fitted classifiers, optional
        Beside a table: with ``fit``, ``predict_proba`` and ``classes_``, as scikit-learn has them.
    fit : bool, default True
        Train a clone for every label column; False for one fitted classifier per label column.
    train : float, default 0.5
        The share of a table's rows that classifiers are trained on.
    calibration : float, default 0.5
        The share of the other rows, or of the given samples, to calibrate with.
    alpha : float, default 0.1
        The share of errors that is allowed.
    guarantee : {"taskwise", "joint"}, default "taskwise"
        What must be covered with probability 1 - alpha: each task, or all tasks of a sample at once.
    logits : bool, default False
        Softmax what is given as probabilities.
    ignore : sequence of str, optional
        Columns to leave out.
    keep : sequence of str, optional
        Features of the table that would be left out: identifiers, times, constants and free text are, unless they are
        named here.
    seed : int, default 0
        Seed of the split; the same seed gives the same bytes.
    id : str, optional
        The problem's id; the folder's name by default.
    tags : mapping, optional
        Texts or numbers by name, for grouped statistics.
    options : TableOptions, optional
        How the files are to be read.

    Returns
    -------
    NewProblem
        What was written, with warnings and the next commands.

    Raises
    ------
    InvalidInput
        Rows are no distributions, labels are no classes, or sizes do not agree.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from assay.conformal import load
    >>> rng = np.random.default_rng(0)
    >>> labels = {"digit": rng.integers(0, 4, 400), "parity": rng.integers(0, 2, 400)}
    >>> noisy = {"digit": rng.normal(size=(400, 4)), "parity": rng.normal(size=(400, 2))}
    >>> scores = {task: 2 * np.eye(matrix.shape[1])[labels[task]] + matrix for task, matrix in noisy.items()}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     summary = new_problem(f"{folder}/mine", scores, labels, logits=True)
    ...     load(f"{folder}/mine").task
    ConformalTask(2 tasks of 4, 2 classes, 200 calibration and 200 test samples, alpha 0.1, taskwise)
    >>> summary.facts["accuracy of digit"]
    0.82
    """
    folder, options = Path(folder), options or TableOptions()
    options = replace(options, ignore=(*options.ignore, *ignore))
    demand_whole(seed, "seed")
    level = float(as_alpha(alpha))
    demand_guarantee(guarantee)
    if (probabilities is None) == (table is None) and (numbers is None or table is not None):
        fault = "neither was" if table is None else "both were"
        raise InvalidInput(f"give probabilities, or a table and a classifier, or numbers; {fault} given.")
    if numbers is not None and table is not None:
        raise InvalidInput(
            "numbers go with probabilities of the same samples, not with a table that trains a classifier."
        )
    source = Source(options=options, logits=logits, keep=tuple(keep), readings=[], notes=[])
    names = (label,) if isinstance(label, str) else tuple(label)
    rng = np.random.default_rng(seed)
    if table is not None:
        samples = source.predicted(table, names, classifier, fit=fit, train=train, rng=rng)
    elif probabilities is not None:
        samples = source.samples(probabilities, labels, names)
    else:
        samples = Samples(Tables({}, {}), ())
    reference = None if numbers is None else source.numbers(numbers)
    if test_probabilities is not None or test_numbers is not None:
        if (test_probabilities is None) != (not samples.labels) or (test_numbers is None) != (reference is None):
            raise InvalidInput("test samples need the predictions of all tasks: give both, or leave them to the split.")
        tested = samples
        if test_probabilities is not None:
            tested = source.samples(test_probabilities, test_labels, names, like=samples)
        new = None if test_numbers is None else source.numbers(test_numbers)
    else:
        if test_labels is not None:
            raise InvalidInput(
                "test labels were given without test probabilities; give both, or leave them to the split."
            )
        demand_fraction(calibration, "calibration")
        rows, others = split_rows(_count(samples, reference), calibration, rng)
        samples, tested = samples.take(rows), samples.take(others)
        reference, new = (None, None) if reference is None else (reference.take(rows), reference.take(others))
    task = ConformalTask(
        calibration_probabilities=tuple(samples.tables.matrices.values()),
        calibration_labels=samples.labels,
        test_probabilities=tuple(tested.tables.matrices.values()),
        alpha=level,
        guarantee=guarantee,  # type: ignore[arg-type]  # checked above
        task_names=samples.tables.names,
        numbers=() if reference is None or new is None else number_tasks(reference, new, "test numbers"),
    )
    right = () if new is None else tuple(new.truth[entry.name] for entry in task.numbers)
    truth = ConformalTruth(labels=tested.labels, numbers=right)
    count = len(task.classes) + len(task.numbers)
    own_tags: Tags = {"origin": "own", "tasks": count, "guarantee": guarantee, "alpha": level}
    identity = id or folder.name
    with new_folder(folder) as place:
        write_problem(place, id=identity, task=task, truth=truth, tags={**own_tags, **(tags or {})})
        _, scores = check_problems("conformal", place)
    facts, warnings = _described(task, tested, truth)
    return NewProblem(
        track="conformal",
        folder=folder,
        problems=(identity,),
        facts=facts,
        warnings=tuple(warnings),
        notes=(*source.notes, *samples.tables.notes),
        tables=tuple(with_labels(reading, {*names, *task.task_names}) for reading in source.readings),
        oracle=scores,
        subjects=("auto", "marginal" if task.numbers else "full-set"),
    )


def _count(samples: Samples, numbers: NumberSamples | None) -> int:
    """The samples, of which both kinds of tasks have as many."""
    if numbers is None or not samples.labels:
        return len(samples.labels[0]) if numbers is None else len(numbers)
    if len(samples.labels[0]) != len(numbers):
        raise InvalidInput(
            f"numbers: {counted(len(numbers), 'sample')}, the probabilities have {len(samples.labels[0])}; give the "
            "same samples in the same order."
        )
    return len(numbers)


def _described(task: ConformalTask, tested: Samples, truth: ConformalTruth) -> tuple[dict[str, Json], list[str]]:
    """Sizes, accuracies and errors, and what is thin."""
    size, test = task.calibration_samples, task.test_samples
    count = len(task.classes) + len(task.numbers)
    facts: dict[str, Json] = {"tasks": count, "calibration samples": size, "test samples": test}
    warnings = []
    needed = math.ceil(1 / task.alpha) - 1
    if size < needed:
        warnings.append(
            f"{counted(size, 'calibration sample')} cannot promise a coverage of {1 - task.alpha:g} with less than all "
            f"classes: at least {needed} are needed."
        )
    if test < _FEW_TEST:
        warnings.append(
            f"{counted(test, 'test sample')} are few: coverage will be uncertain. {_FEW_TEST} are a good start."
        )
    for place, name in enumerate(task.task_names):
        labelled = tested.labels[place] != MISSING
        right = task.test_probabilities[place].argmax(axis=1)[labelled] == tested.labels[place][labelled]
        facts[f"accuracy of {name}"] = round(float(right.mean()), 4) if len(right) else None
        counts = np.bincount(
            task.calibration_labels[place][task.calibration_labels[place] != MISSING], minlength=task.classes[place]
        )
        classes = tested.tables.classes.get(name) or tuple(map(str, range(len(counts))))
        rare = [classes[number] for number in np.flatnonzero(counts < _FEW_PER_CLASS)]
        if rare:
            shown = ", ".join(rare[:5]) + (", ..." if len(rare) > 5 else "")
            warnings.append(f"task {name!r}: fewer than {_FEW_PER_CLASS} calibration samples have the class {shown}.")
    for entry, numbers in zip(task.numbers, truth.numbers, strict=True):
        error = float(np.nanmean(np.abs(entry.test.predicted - numbers)))
        facts[f"mean absolute error of {entry.name}"] = float(f"{error:.4g}")
    return facts, warnings
