"""Probabilities and labels of several tasks from whatever a user has: files, frames, arrays, classifiers and data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay.conformal.calibration.predictor import MultiTaskConformalClassifier
from assay.conformal.problem.reading import (
    Tables,
    class_text,
    demand_one_length,
    distributions,
    in_order,
    labels_of,
    read_labels,
    read_matrices,
    tables_of,
)
from assay.conformal.problem.user_numbers import NumberSamples, read_numbers
from assay.conformal.sets.checks import IntArray, softmax
from assay.core import InvalidInput
from assay.core.checks import demand_fraction
from assay.core.display import counted
from assay.intake.models import demand_classes
from assay.intake.new_problem import as_reading, demand_columns, further_reading, number_columns
from assay.intake.table.options import TableOptions
from assay.intake.table.reading import TableReading

if TYPE_CHECKING:
    pass

__all__ = ["Samples", "Source", "split_rows"]

_LABEL = "label"  # the label column of a table of one task, where nothing else is said


@dataclass(frozen=True, slots=True)
class Samples:
    """Probabilities and labels of the same samples."""

    tables: Tables
    labels: tuple[IntArray, ...]

    def take(self, rows: IntArray) -> Samples:
        """Some of the samples."""
        matrices = {task: matrix[rows] for task, matrix in self.tables.matrices.items()}
        return Samples(Tables(matrices, self.tables.classes, self.tables.notes), tuple(c[rows] for c in self.labels))


def split_rows(count: int, share: float, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """The rows of a share of the samples, drawn at random, and those of the others."""
    first = round(share * count)
    if not 0 < first < count:
        raise InvalidInput(f"{counted(count, 'sample')} cannot be split into calibration and test; give more.")
    order = rng.permutation(count)
    return np.sort(order[:first]), np.sort(order[first:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """How what a user gives is read; the tables that were read are kept."""

    options: TableOptions
    logits: bool
    keep: tuple[str, ...]
    readings: list[TableReading]
    notes: list[str]

    def samples(self, probabilities: Any, labels: Any, names: Sequence[str], like: Samples | None = None) -> Samples:
        """Probabilities with their labels; ``like`` says which tasks and classes there must be."""
        if isinstance(probabilities, Mapping):
            tables, columns, where = self._by_task(probabilities, names)
        elif isinstance(probabilities, list | tuple | np.ndarray):
            matrices = [probabilities] if isinstance(probabilities, np.ndarray) else list(probabilities)
            tables, columns = Tables({f"task {place}": matrix for place, matrix in enumerate(matrices)}, {}), {}
            where = "probabilities"
        elif _is_npz(probabilities):
            tables, columns, where = read_matrices(Path(probabilities), options=self.options), {}, str(probabilities)
        else:
            reading = self._read(probabilities)
            frame, where = reading.frame, reading.source
            inside = [str(name) for name in frame.columns if ":" in str(name)]
            tasks = {name.partition(":")[0] for name in inside}
            columns = {name: reading.classes(name).to_numpy() for name in map(str, frame.columns) if name in tasks}
            rest = frame.drop(columns=[*columns]) if labels is None else frame
            tables = tables_of(rest, where, options=self.options)
        tables = self._checked(tables, where)
        if like is not None:
            ordered = in_order(tables, like.tables, where)
            by_task = dict(zip(like.tables.names, ordered, strict=True))
            tables = Tables(by_task, like.tables.classes, tables.notes)
        samples = Samples(tables, self._labels(labels, columns, tables, where))
        _demand_alike(samples, where)
        return samples

    def numbers(self, material: Any) -> NumberSamples:
        """Predicted and true numbers."""
        options = self.options if not self.readings else replace(self.options, ignore=(), columns={})
        return read_numbers(material, options=options, readings=self.readings)

    def _read(self, table: Any) -> TableReading:
        first, options = next(iter(self.readings), None), self.options
        reading = as_reading(table, options) if first is None else further_reading(table, options, like=first)
        self.readings.append(reading)
        return reading

    def _by_task(
        self, by_task: Mapping[str, Any], names: Sequence[str]
    ) -> tuple[Tables, dict[str, npt.NDArray[Any]], str]:
        """A matrix, or a table with a column per class and perhaps one with the label, for each task."""
        if len(names) > 1:
            raise InvalidInput(f"label: the table of each task has one label column, got {', '.join(names)}.")
        matrices, classes, columns = {}, {}, {}
        for task, material in by_task.items():
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
                    f"{where}: there are no labels of task {absent[0]!r}. Give {self._flag('labels')}, or put them "
                    f"into the table of probabilities, in a column {absent[0]!r}."
                )
            return labels_of(columns, tables, where)
        if _is_npz(labels):
            return read_labels(Path(labels), tables, options=self.options)
        if isinstance(labels, Mapping):
            return labels_of({task: np.asarray(column) for task, column in labels.items()}, tables, "labels")
        if isinstance(labels, list | tuple | np.ndarray):
            label_columns = labels.T if isinstance(labels, np.ndarray) and labels.ndim == 2 else labels
            label_columns = [label_columns] if np.ndim(label_columns[0]) == 0 else label_columns
            if len(label_columns) != len(tables.names):
                raise InvalidInput(
                    f"labels: {len(label_columns)} tasks were given for {len(tables.names)} of the probabilities."
                )
            by_task = {task: np.asarray(column) for task, column in zip(tables.names, label_columns, strict=True)}
            return labels_of(by_task, tables, "labels")
        reading = self._read(labels)
        columns = {column.name: reading.classes(column.name).to_numpy() for column in reading.columns}
        return labels_of(columns, tables, reading.source)

    def _flag(self, name: str) -> str:
        return f"--{name} FILE" if self.options.syntax == "flags" else f"{name}="

    def predicted(
        self, table: Any, names: Sequence[str], classifier: Any, *, fit: bool, train: float, rng: np.random.Generator
    ) -> Samples:
        """Probabilities of classifiers for the rows that they were not trained on."""
        import pandas as pd

        reading = self._read(table)
        if not names:
            raise InvalidInput(f"{reading.source}: name the label columns, one per task.")
        if classifier is None:
            raise InvalidInput(f"{reading.source}: a table needs a classifier that gives its probabilities.")
        demand_columns(reading, names, kind="label column")
        trained_on = () if fit else _trained_columns(classifier)
        demand_columns(reading, (*self.keep, *trained_on))
        features, _, notes = reading.features(label=names[0], ignore=names[1:], keep=(*self.keep, *trained_on))
        if trained_on:
            features, notes = features[list(trained_on)], ()
        truth = pd.DataFrame({name: reading.classes(name) for name in names})
        self.notes.extend(notes)
        if not len(features.columns):
            raise InvalidInput(f"{reading.source}: there is no feature column besides {', '.join(names)}.")
        rows = np.arange(len(features))
        if fit:
            demand_fraction(train, "train")
            order = rng.permutation(len(features))
            complete = order[truth.notna().all(axis=1).to_numpy()[order]]
            trained = np.sort(complete[: round(train * len(complete))])
            rows = np.setdiff1d(rows, trained)
            if not len(trained) or not len(rows):
                raise InvalidInput(f"{reading.source}: {counted(len(features), 'row')} are too few to train on some.")
            labels = [truth[name].to_numpy()[trained] for name in names]
            for name, part in zip(names, labels, strict=True):
                where = f"label column {name!r}"
                demand_classes(truth[name].dropna().to_numpy(), what=f"{reading.source}: {where}")
                demand_classes(part, what=f"{reading.source}: the training part of {where}")
            model = MultiTaskConformalClassifier(classifier).fit(features.iloc[trained], labels)
        else:
            model = MultiTaskConformalClassifier(classifier, prefit=True)
        assert model.classes_ is not None
        if len(model.classes_) != len(names):
            text = f"{counted(len(model.classes_), 'classifier')} for {counted(len(names), 'label column')}"
            raise InvalidInput(f"classifier: {text}; give one for each.")
        matrices, classes, columns = {}, {}, {}
        probabilities = model.predict_proba(features.iloc[rows])
        for name, class_names, matrix in zip(names, model.classes_, probabilities, strict=True):
            columns[name] = truth[name].to_numpy()[rows]
            expected = tuple(map(class_text, class_names.tolist()))
            unknown = sorted({class_text(value) for value in truth[name].dropna().unique().tolist()} - {*expected})
            classes[name] = (*expected, *unknown)  # what the classifier does not know it never expects
            matrices[name] = np.hstack([matrix, np.zeros((len(rows), len(unknown)))])
        tables = self._checked(Tables(matrices, classes), reading.source)
        return Samples(tables, labels_of(columns, tables, reading.source))


def _trained_columns(classifier: Any) -> tuple[str, ...]:
    """What fitted classifiers were trained on, where they know."""
    models = classifier if isinstance(classifier, list | tuple) else [classifier]
    return tuple(dict.fromkeys(name for model in models for name in getattr(model, "feature_names_in_", ())))


def _is_npz(path: Any) -> bool:
    return isinstance(path, str | Path) and Path(path).suffix == ".npz"


def _demand_alike(samples: Samples, where: str) -> None:
    demand_one_length(samples.tables.matrices, where)
    for (task, matrix), column in zip(samples.tables.matrices.items(), samples.labels, strict=True):
        if len(column) != len(matrix):
            raise InvalidInput(
                f"{where}: task {task!r} has {len(matrix)} samples and {len(column)} labels; give one each."
            )
