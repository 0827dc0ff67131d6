"""A problem from one's own probabilities and labels of several tasks, or from fitted classifiers and data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.conformal.calibration.predictor import MultiTaskConformalClassifier
from assay.conformal.problem.reading import (
    Tables,
    distributions,
    in_order,
    labels_of,
    read_labels,
    read_matrices,
    tables_of,
)
from assay.conformal.problem.task import ConformalTask, ConformalTruth, Wanted, write_problem
from assay.conformal.sets.checks import MISSING, IntArray, as_alpha, softmax
from assay.core import InvalidInput, Json, Tags, UnknownName
from assay.core.checks import demand_fraction, demand_whole
from assay.core.display import counted
from assay.core.files.drafts import new_folder
from assay.intake.new_problem import (
    NewProblem,
    as_reading,
    check_problems,
    demand_columns,
    further_reading,
    number_columns,
)
from assay.intake.table.options import TableOptions
from assay.intake.table.reading import TableReading

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["new_problem"]

Table: TypeAlias = "str | Path | pd.DataFrame | TableReading | Any"

_LABEL = "label"  # the label column of a table of one task, where nothing else is said
_FEW_TEST, _FEW_PER_CLASS = 100, 2
_GUARANTEES = ("taskwise", "joint")


def new_problem(
    folder: str | Path,
    probabilities: Any = None,
    labels: Any = None,
    *,
    test_probabilities: Any = None,
    test_labels: Any = None,
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
    """Make a problem of one's own probabilities and labels, checked and ready to run.

    They are given, and split into calibration and test samples; or classifiers give them, one per label column of a
    table. Missing labels are empty cells, None or -1.

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
    ...     made = new_problem(f"{folder}/mine", scores, labels, logits=True)
    ...     load(f"{folder}/mine").task
    ConformalTask(2 tasks of 4, 2 classes, 200 calibration and 200 test samples, alpha 0.1, taskwise)
    >>> made.facts["accuracy of digit"]
    0.82
    """
    folder, options = Path(folder), options or TableOptions()
    options = replace(options, ignore=(*options.ignore, *ignore))
    demand_whole(seed, "seed")
    level = float(as_alpha(alpha))
    if guarantee not in _GUARANTEES:
        raise UnknownName("guarantee", str(guarantee), _GUARANTEES)
    if (probabilities is None) == (table is None):
        given = "neither was" if table is None else "both were"
        raise InvalidInput(f"give probabilities, or a table and a classifier; {given} given.")
    source = _Source(options=options, logits=logits, keep=tuple(keep), readings=[], notes=[])
    names = (label,) if isinstance(label, str) else tuple(label)
    rng = np.random.default_rng(seed)
    if table is not None:
        samples = source.predicted(table, names, classifier, fit=fit, train=train, rng=rng)
    else:
        samples = source.samples(probabilities, labels, names)
    if test_probabilities is not None:
        tested = source.samples(test_probabilities, test_labels, names, like=samples)
    else:
        if test_labels is not None:
            raise InvalidInput(
                "test labels were given without test probabilities; give both, or leave them to the split."
            )
        demand_fraction(calibration, "calibration")
        samples, tested = samples.split(calibration, rng)
    task = ConformalTask(
        calibration_probabilities=tuple(samples.tables.matrices.values()),
        calibration_labels=samples.labels,
        test_probabilities=tuple(tested.tables.matrices.values()),
        alpha=level,
        guarantee=guarantee,  # type: ignore[arg-type]  # checked above
        task_names=samples.tables.names,
    )
    truth = ConformalTruth(labels=tested.labels)
    known: Tags = {"origin": "own", "tasks": len(task.classes), "guarantee": guarantee, "alpha": level}
    identity = id or folder.name
    with new_folder(folder) as place:
        write_problem(place, id=identity, task=task, truth=truth, tags={**known, **(tags or {})})
        _, scores = check_problems("conformal", place)
    facts, warnings = _described(task, tested)
    return NewProblem(
        track="conformal",
        folder=folder,
        problems=(identity,),
        facts=facts,
        warnings=tuple(warnings),
        notes=(*source.notes, *samples.tables.notes),
        tables=tuple(source.readings),
        oracle=scores,
        subjects=("auto", "full-set"),
    )


@dataclass(frozen=True, slots=True)
class _Samples:
    """Probabilities and labels of the same samples."""

    tables: Tables
    labels: tuple[IntArray, ...]

    def take(self, rows: IntArray) -> _Samples:
        matrices = {task: matrix[rows] for task, matrix in self.tables.matrices.items()}
        return _Samples(Tables(matrices, self.tables.classes, self.tables.notes), tuple(c[rows] for c in self.labels))

    def split(self, share: float, rng: np.random.Generator) -> tuple[_Samples, _Samples]:
        count = len(self.labels[0])
        first = round(share * count)
        if not 0 < first < count:
            raise InvalidInput(f"{counted(count, 'sample')} cannot be split into calibration and test; give more.")
        order = rng.permutation(count)
        return self.take(np.sort(order[:first])), self.take(np.sort(order[first:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """How what a user gives is read; the tables that were read are kept."""

    options: TableOptions
    logits: bool
    keep: tuple[str, ...]
    readings: list[TableReading]
    notes: list[str]

    def samples(self, probabilities: Any, labels: Any, names: Sequence[str], like: _Samples | None = None) -> _Samples:
        """Probabilities with their labels; ``like`` says which tasks and classes there must be."""
        if isinstance(probabilities, Mapping):
            tables, columns, where = self._by_task(probabilities, names)
        elif isinstance(probabilities, list | tuple | np.ndarray):
            given = [probabilities] if isinstance(probabilities, np.ndarray) else list(probabilities)
            tables, columns = Tables({f"task {place}": matrix for place, matrix in enumerate(given)}, {}), {}
            where = "probabilities"
        elif _is_npz(probabilities):
            tables, columns, where = read_matrices(Path(probabilities), options=self.options), {}, str(probabilities)
        else:
            reading = self._read(probabilities)
            frame, where = reading.frame, reading.source
            inside = [str(name) for name in frame.columns if ":" in str(name)]
            tasks = {name.partition(":")[0] for name in inside}
            columns = {name: reading.classes(name).to_numpy() for name in map(str, frame.columns) if name in tasks}
            kept = frame.drop(columns=[*columns]) if labels is None else frame
            tables = tables_of(kept, where, options=self.options)
        tables = self._checked(tables, where)
        if like is not None:
            tables = _as_in(like.tables, tables, where)
        found = _Samples(tables, self._labels(labels, columns, tables, where))
        _demand_alike(found, where)
        return found

    def _read(self, table: Any) -> TableReading:
        first = not self.readings
        reading = as_reading(table, self.options) if first else further_reading(table, self.options)
        self.readings.append(reading)
        return reading

    def _by_task(
        self, given: Mapping[str, Any], names: Sequence[str]
    ) -> tuple[Tables, dict[str, npt.NDArray[Any]], str]:
        """A matrix, or a table with a column per class and perhaps one with the label, for each task."""
        if len(names) > 1:
            raise InvalidInput(f"label: the table of each task has one label column, got {', '.join(names)}.")
        matrices, classes, columns = {}, {}, {}
        for task, material in given.items():
            if isinstance(material, np.ndarray | list):
                matrices[task] = np.asarray(material)
                continue
            reading = self._read(material)
            label = names[0] if names else _LABEL
            if names:
                demand_columns(reading, names, kind="label column")
            inside = tuple(column.name for column in reading.columns if column.name != label)
            matrices[task], classes[task] = number_columns(reading, inside, self.options), inside
            if label in reading.frame.columns:
                columns[task] = reading.classes(label).to_numpy()
        return Tables(matrices, classes), columns, "probabilities"

    def _checked(self, tables: Tables, where: str) -> Tables:
        for task, matrix in tables.matrices.items():
            if np.ndim(matrix) != 2 or np.asarray(matrix).dtype.kind not in "fiub":
                shape = np.shape(matrix)
                raise InvalidInput(f"{where}, task {task!r}: must be an (n, C) matrix of numbers, got shape {shape}.")
        if self.logits:
            matrices = {
                task: softmax(matrix, what=f"{where}, task {task!r}") for task, matrix in tables.matrices.items()
            }
            return Tables(matrices, tables.classes, tables.notes)
        flag = "give --logits" if self.options.syntax == "flags" else "pass logits=True"
        return distributions(tables, where, logits=flag)

    def _labels(
        self, labels: Any, columns: Mapping[str, npt.NDArray[Any]], tables: Tables, where: str
    ) -> tuple[IntArray, ...]:
        if labels is None:
            absent = [task for task in tables.names if task not in columns]
            if absent:
                raise InvalidInput(
                    f"{where}: there are no labels of task {absent[0]!r}. Give {self._flag('labels')}, or put them into "
                    f"the table of probabilities, in a column {absent[0]!r}."
                )
            return labels_of(columns, tables, where)
        if _is_npz(labels):
            return read_labels(Path(labels), tables, options=self.options)
        if isinstance(labels, Mapping):
            return labels_of({task: np.asarray(column) for task, column in labels.items()}, tables, "labels")
        if isinstance(labels, list | tuple | np.ndarray):
            given = labels.T if isinstance(labels, np.ndarray) and labels.ndim == 2 else labels
            given = [given] if np.ndim(given[0]) == 0 else given
            if len(given) != len(tables.names):
                raise InvalidInput(
                    f"labels: {len(given)} tasks were given for {len(tables.names)} of the probabilities."
                )
            by_task = {task: np.asarray(column) for task, column in zip(tables.names, given, strict=True)}
            return labels_of(by_task, tables, "labels")
        reading = self._read(labels)
        given = {column.name: reading.classes(column.name).to_numpy() for column in reading.columns}
        return labels_of(given, tables, reading.source)

    def _flag(self, name: str) -> str:
        return f"--{name} FILE" if self.options.syntax == "flags" else f"{name}="

    def predicted(
        self, table: Any, names: Sequence[str], classifier: Any, *, fit: bool, train: float, rng: np.random.Generator
    ) -> _Samples:
        """Probabilities of classifiers for the rows that they were not trained on."""
        import pandas as pd

        reading = self._read(table)
        if not names:
            raise InvalidInput(f"{reading.source}: name the label columns, one per task.")
        if classifier is None:
            raise InvalidInput(f"{reading.source}: a table needs a classifier that gives its probabilities.")
        demand_columns(reading, names, kind="label column")
        demand_columns(reading, self.keep)
        features, _, notes = reading.features(label=names[0], ignore=names[1:], keep=self.keep)
        truth = pd.DataFrame({name: reading.classes(name) for name in names})
        self.notes.extend(notes)
        if not len(features.columns):
            raise InvalidInput(f"{reading.source}: there is no feature column beside {', '.join(names)}.")
        rows = np.arange(len(features))
        if fit:
            demand_fraction(train, "train")
            order = rng.permutation(len(features))
            complete = order[truth.notna().all(axis=1).to_numpy()[order]]
            trained = np.sort(complete[: round(train * len(complete))])
            rows = np.setdiff1d(rows, trained)
            if not len(trained) or not len(rows):
                raise InvalidInput(f"{reading.source}: {counted(len(features), 'row')} are too few to train on some.")
            model = _trained(classifier, features.iloc[trained], truth.iloc[trained])
        else:
            model = MultiTaskConformalClassifier(classifier, prefit=True)
        assert model.classes_ is not None
        matrices = dict(zip(names, model.predict_proba(features.iloc[rows]), strict=True))
        classes = {name: tuple(map(str, known)) for name, known in zip(names, model.classes_, strict=True)}
        tables = self._checked(Tables(matrices, classes), reading.source)
        columns = {name: truth[name].to_numpy()[rows] for name in names}
        return _Samples(tables, labels_of(columns, tables, reading.source))


def _trained(classifier: Any, features: pd.DataFrame, truth: pd.DataFrame) -> MultiTaskConformalClassifier:
    name = type(classifier).__name__
    if not callable(getattr(classifier, "predict_proba", None)):
        raise InvalidInput(f"classifier: {name} has no predict_proba(); a classifier with probabilities is needed.")
    try:
        return MultiTaskConformalClassifier(classifier).fit(features, [truth[name].to_numpy() for name in truth])
    except (ValueError, TypeError) as error:
        reason = str(error).partition("\n")[0]
        raise InvalidInput(
            f"classifier: {name} cannot be trained on these columns ({reason}). Leave columns out, or put what encodes "
            "them before it in a pipeline."
        ) from error


def _is_npz(given: Any) -> bool:
    return isinstance(given, str | Path) and Path(given).suffix == ".npz"


def _as_in(like: Tables, tables: Tables, where: str) -> Tables:
    """Tasks and classes in the order of the calibration samples."""
    matrices = {}
    for task, matrix in zip(like.names, in_order(tables, like, Path(where)), strict=True):
        wanted, given = like.classes.get(task), tables.classes.get(task)
        count = like.matrices[task].shape[1]
        if matrix.shape[1] != count:
            raise InvalidInput(
                f"{where}: task {task!r} has {matrix.shape[1]} classes, the calibration samples have {count}."
            )
        if wanted and given and set(wanted) != set(given):
            raise InvalidInput(f"{where}: task {task!r} has the classes {', '.join(given)}, not {', '.join(wanted)}.")
        matrices[task] = matrix[:, [given.index(name) for name in wanted]] if wanted and given else matrix
    return Tables(matrices, like.classes, tables.notes)


def _demand_alike(samples: _Samples, where: str) -> None:
    sizes = {task: len(matrix) for task, matrix in samples.tables.matrices.items()}
    first = next(iter(sizes))
    for (task, size), column in zip(sizes.items(), samples.labels, strict=True):
        if size != sizes[first]:
            raise InvalidInput(f"{where}: task {task!r} has {size} samples, task {first!r} has {sizes[first]}.")
        if len(column) != size:
            raise InvalidInput(f"{where}: task {task!r} has {size} samples and {len(column)} labels; give one each.")


def _described(task: ConformalTask, tested: _Samples) -> tuple[dict[str, Json], list[str]]:
    """Sizes and accuracies, and what is thin."""
    size, test = len(task.calibration_labels[0]), len(tested.labels[0])
    facts: dict[str, Json] = {"tasks": len(task.classes), "calibration samples": size, "test samples": test}
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
        known = tested.labels[place] != MISSING
        right = task.test_probabilities[place].argmax(axis=1)[known] == tested.labels[place][known]
        facts[f"accuracy of {name}"] = round(float(right.mean()), 4) if len(right) else None
        counts = np.bincount(
            task.calibration_labels[place][task.calibration_labels[place] != MISSING], minlength=task.classes[place]
        )
        classes = tested.tables.classes.get(name) or tuple(map(str, range(len(counts))))
        rare = [classes[number] for number in np.flatnonzero(counts < _FEW_PER_CLASS)]
        if rare:
            shown = ", ".join(rare[:5]) + (", ..." if len(rare) > 5 else "")
            warnings.append(f"task {name!r}: fewer than {_FEW_PER_CLASS} calibration samples have the class {shown}.")
    return facts, warnings
