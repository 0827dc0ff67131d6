"""Sets, labels and probabilities from files: npz, Parquet or CSV, task by task."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay.conformal.problem.matching import in_class_order, matched
from assay.conformal.problem.sets_files import CLASSES, combinations_of, not_counted, read_json_sets
from assay.conformal.sets.checks import (
    MISSING,
    IntArray,
    both_classes,
    demand_distribution,
    demand_range,
    is_one_class,
    without_half,
)
from assay.conformal.sets.combination_sets import CombinationSets
from assay.conformal.sets.prediction_sets import PredictionSets
from assay.core import InvalidInput
from assay.core.files.folders import is_file
from assay.intake.arrays import read_npz
from assay.intake.table.options import TableOptions
from assay.intake.tables import is_parquet
from assay.intake.user_frame import read_texts, read_user_frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Tables",
    "class_text",
    "demand_one_length",
    "distributions",
    "in_order",
    "labels_of",
    "read_labels",
    "read_matrices",
    "read_probabilities",
    "read_sets",
    "tables_of",
]

FLAGS = TableOptions(syntax="flags")
_ENDINGS = (".csv", ".tsv", ".txt", ".gz", ".xlsx", ".xlsm")
_NUMBERS = " Predicted numbers are not classes: judge their intervals with assay conformal evaluate --intervals FILE."
_PREFIX = re.compile(r"^(?:sets?|labels?|probabilit(?:y|ies)|probs?|y|task)[_-]?(?=\d+$)")


@dataclass(frozen=True, slots=True)
class Tables:
    """One matrix per task by the task's name, and the names of its classes where the file gave any."""

    matrices: Mapping[str, npt.NDArray[Any]]
    classes: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The tasks in their order."""
        return tuple(self.matrices)


def read_matrices(path: Path, *, options: TableOptions = FLAGS) -> Tables:
    """One (n, C) matrix per task: the arrays of an npz file, or the columns ``task:class`` of a table."""
    path = Path(path)
    if path.suffix == ".npz":
        every = _arrays(path, options)
        named = {name: every.pop(name) for name in list(every) if name.endswith(CLASSES)}
        arrays = _by_task(every)
        for name, array in arrays.items():
            if array.ndim == 3 and array.shape[2] == 1:
                array = arrays[name] = array[:, :, 0]
            if array.ndim == 1 and array.dtype.kind == "f":
                array = arrays[name] = array[:, None]  # one number per sample, as a sigmoid gives it
            if array.ndim == 3:
                raise InvalidInput(
                    f"{path}: array {name!r} holds {array.shape[2]} levels; write one of them, as in "
                    f"np.savez(file, {name}=sets[:, :, 0]), and judge each level on its own."
                )
            if array.ndim != 2:
                raise InvalidInput(f"{path}: array {name!r} must be an (n, C) matrix, got shape {array.shape}.")
        if not arrays:
            raise InvalidInput(f"{path}: holds no array; write one (n, C) matrix per task.")
        demand_one_length(arrays, path)
        return Tables(arrays, _class_names(named, arrays, path))
    return tables_of(_table(path, options), path, options=options)


def tables_of(table: pd.DataFrame, where: object, *, options: TableOptions = FLAGS) -> Tables:
    """One matrix per task from the columns ``task:class`` of a data frame."""
    groups: dict[str, list[str]] = {}
    for column in map(str, table.columns):
        task, colon, _ = column.partition(":")
        if not colon:
            raise InvalidInput(
                f"{where}: column {column!r} is not of the form task:class, as in digit:3. Rename it ({column}:1 where "
                f"it is the probability of yes), or leave it out with {options.remedy('ignore', column)}."
            )
        if table[column].dtype.kind not in "fiub":
            raise InvalidInput(f"{where}: column {column!r} must hold numbers, found {_first_text(table[column])!r}.")
        groups.setdefault(task, []).append(column)
    return Tables(
        {task: table[columns].to_numpy() for task, columns in groups.items()},
        {task: tuple(column.partition(":")[2] for column in columns) for task, columns in groups.items()},
    )


def read_probabilities(path: Path, *, options: TableOptions = FLAGS, logits: str | None = "give --logits") -> Tables:
    """Matrices whose rows are distributions; one column that is none by itself is the probability of class 1.

    ``logits`` says how a user asks for softmax; None leaves the values to a softmax that was asked for.
    """
    tables = read_matrices(path, options=options)
    if logits is not None:
        return distributions(tables, path, logits=logits)
    single = {task: matrix for task, matrix in tables.matrices.items() if matrix.shape[1] == 1}
    both = {task: np.hstack([np.zeros_like(matrix), matrix]) for task, matrix in single.items()}  # of logits: 0 and z
    named = {task: _with_no(*names) if task in both else names for task, names in tables.classes.items()}
    return Tables({**tables.matrices, **both}, named)


def distributions(tables: Tables, source: object, *, logits: str) -> Tables:
    """The same matrices, their rows checked."""
    matrices, classes, notes = dict(tables.matrices), dict(tables.classes), []
    for task, matrix in matrices.items():
        where = f"{source}, task {task!r}"
        if matrix.shape[1] == 1 and matrix.dtype.kind in "fiub" and not is_one_class(matrix):
            matrix = matrices[task] = both_classes(matrix, where, logits=logits)
            yes = "1"
            if task in classes:
                (yes,) = classes[task]
                classes[task] = _with_no(yes)
            notes.append(f"{where}: its one column is read as the probability of class {yes}.")
        if matrix.dtype.kind in "fiub":
            matrix = matrices[task] = without_half(matrix)
            demand_distribution(matrix, where, logits=logits)
    return Tables(matrices, classes, tuple(notes))


def _with_no(yes: str) -> tuple[str, str]:
    """The two classes of a task whose one column is that of yes."""
    return ("0" if yes == "1" else f"not {yes}", yes)


def read_sets(
    path: Path, *, classes: Sequence[int] | Mapping[str, int] | None = None, options: TableOptions = FLAGS
) -> tuple[PredictionSets | CombinationSets, Tables]:
    """Sets as matrices, or as one column per task with lists of class numbers (texts such as ``0 2`` in CSV).

    Lists do not say how many classes there are: ``classes`` does, by task or in the order of the columns. An npz file
    with the array ``combinations``, and an answer in JSON, may hold sets of combinations.
    """
    path = Path(path)
    if path.suffix == ".json":
        sets = read_json_sets(path, classes)
        names = list(classes) if isinstance(classes, Mapping) else [str(task) for task in range(sets.tasks)]
        return sets, _named(sets, names)
    if path.suffix == ".npz":
        arrays = read_npz(path)
        if "combinations" in arrays:
            combinations, tasks = combinations_of(arrays, path)
            tables = _named(combinations, tasks)
            return combinations, replace(tables, classes=_class_names(arrays, tables.matrices, path))
        tables = read_matrices(path, options=options)
        return _packed(tables, path), tables
    table = _table(path, options, text=True)
    if all(":" in str(column) for column in table.columns):
        tables = read_matrices(path, options=options)
        return _packed(tables, path), tables
    if classes is None:
        raise not_counted(path)
    lists = {str(column): [_members(cell, path, str(column)) for cell in table[column]] for column in table.columns}
    if isinstance(classes, Mapping):
        classes = [classes[name] for _, name in matched(classes, tuple(lists), path)]
    if len(classes) != len(lists):
        raise InvalidInput(f"{path}: holds the tasks {', '.join(lists)}; --classes gives {len(classes)} numbers.")
    try:
        sets = PredictionSets.from_labels(lists, classes=dict(zip(lists, classes, strict=True)))
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None
    sets = replace(sets, names=())
    return sets, Tables(dict(zip(lists, sets.matrices(), strict=True)), {})


def _packed(tables: Tables, path: Path) -> PredictionSets:
    try:
        return replace(PredictionSets.from_matrices(tables.matrices), names=())
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def _class_names(arrays: Mapping[str, Any], matrices: Mapping[str, Any], path: Path) -> dict[str, tuple[str, ...]]:
    """The names of classes that an npz file has in arrays such as ``kind:classes``."""
    own = _by_task({name.removesuffix(CLASSES): array for name, array in arrays.items() if name.endswith(CLASSES)})
    for task, names in own.items():
        if task not in matrices or names.shape != (matrices[task].shape[1],):
            raise InvalidInput(f"{path}: array '{task}{CLASSES}' must name each class of the task {task!r} once.")
    return {task: tuple(map(class_text, names.tolist())) for task, names in own.items()}


def demand_one_length(matrices: Mapping[str, npt.NDArray[Any]], where: object) -> None:
    """As many samples in every task."""
    first = next(iter(matrices))
    for task, matrix in matrices.items():
        if len(matrix) != len(matrices[first]):
            raise InvalidInput(
                f"{where}: task {task!r} has {len(matrix)} samples, task {first!r} has {len(matrices[first])}."
            )


def _named(sets: PredictionSets | CombinationSets, names: Sequence[str]) -> Tables:
    each = sets.project() if isinstance(sets, CombinationSets) else sets
    return Tables(dict(zip(names, each.matrices(), strict=True)), {})


def read_labels(
    path: Path, like: Tables, *, options: TableOptions = FLAGS, pairs: Mapping[str, str] | None = None
) -> tuple[IntArray, ...]:
    """One label per sample and task, in the order of the tasks of ``like``; names of classes become their numbers.

    ``pairs`` gives the task of ``like`` by the name that it has in this file.
    """
    path = Path(path)
    columns: dict[str, npt.NDArray[Any]] = {}
    if path.suffix == ".npz":
        arrays = _by_task(_arrays(path, options))
        if len(arrays) == 1:
            (only,) = arrays.values()
            if only.ndim == 2:
                arrays = {f"column {task}": only[:, task] for task in range(only.shape[1])}  # by position
        columns = arrays
    else:
        table = _table(path, options)
        columns = {str(column): table[column].to_numpy() for column in table.columns}
    return labels_of(columns, like, path, pairs=pairs)


def labels_of(
    columns: Mapping[str, npt.NDArray[Any]], like: Tables, source: object, *, pairs: Mapping[str, str] | None = None
) -> tuple[IntArray, ...]:
    """The same from columns by name."""
    columns_read = []
    for task, name in matched(columns, like.names, source, pairs):
        where = f"{source}, task {name!r}"
        numbers = _numbers(columns[name], like.classes.get(task), where)
        count = like.matrices[task].shape[1]
        if task not in like.classes:
            demand_range(numbers, count, what=where)
        if count == 2 and set(numbers.tolist()) == {MISSING, 1} and not _has_gaps(columns[name]):
            raise InvalidInput(
                f"{where}: holds -1 and 1 only, and -1 means that the label is missing. Write 0 for the first class; "
                "leave cells empty where a label is missing."
            )
        columns_read.append(numbers)
    return tuple(columns_read)


def in_order(
    tables: Tables, like: Tables, path: object, *, pairs: Mapping[str, str] | None = None
) -> list[npt.NDArray[Any]]:
    """The matrices in the order of the tasks of ``like``, and their columns in that of its classes, by name."""
    return [
        in_class_order(
            tables.matrices[name],
            tables.classes.get(name),
            like.classes.get(task) or like.matrices[task].shape[1],
            where=f"{path}, task {name!r}",
        )
        for task, name in matched(tables.matrices, like.names, path, pairs)
    ]


def _numbers(values: npt.NDArray[Any], names: tuple[str, ...] | None, where: str) -> IntArray:
    if values.ndim != 1:
        raise InvalidInput(f"{where}: must be one label per sample, got shape {values.shape}.")
    texts = ["" if _is_missing(value) else class_text(value) for value in values.tolist()]
    if names is not None and names[0] == f"not {names[-1]}":  # one column gave both classes: the labels name the other
        others = sorted(set(texts) - {"", "-1", *names})
        names = (others[0], names[1]) if len(others) == 1 else names
    places = {"": MISSING, "-1": MISSING} | {name: number for number, name in enumerate(names or ())}
    numbers = []
    for sample, value in enumerate(texts):
        if names is None and value and not re.fullmatch(r"-?[0-9]{1,18}", value):
            raise InvalidInput(
                f"{where}, row {sample}: {value!r} is not a class number; number the classes, or name "
                "them: give --probabilities FILE, or sets as a table, with columns task:class."
                + (_NUMBERS if re.fullmatch(r"-?[0-9]*\.[0-9]+(?:e[+-]?[0-9]+)?", value) else "")
            )
        if names is not None and value not in places:
            raise _unknown_class(value, names, set(texts) - {"", "-1"}, f"{where}, row {sample}")
        numbers.append(int(value) if names is None and value else places[value])
    return np.asarray(numbers, dtype=np.int64)


def _unknown_class(value: str, names: tuple[str, ...], texts: set[str], where: str) -> InvalidInput:
    numbered, all_numbers = all(map(str.isdecimal, names)), all(map(str.isdecimal, texts))
    if numbered and texts == {str(number) for number in range(1, len(names) + 1)}:
        remedy = " These labels count from 1: subtract 1 from each."
    elif numbered and not all_numbers:
        remedy = f" Call the columns by the names of the classes, as in task:{value}, or number the labels."
    elif all_numbers and not numbered:
        remedy = f" Write the names of the classes as labels, or call the columns task:0 to task:{len(names) - 1}."
    else:
        folded = {name.casefold(): name for name in names}
        same = folded.get(str(value).strip().casefold())
        remedy = f" Write it as {same!r}: letter case and blanks count." if same is not None else ""
    return InvalidInput(f"{where}: {value!r} is none of the classes {', '.join(names[:10])}.{remedy}")


def _has_gaps(values: npt.NDArray[Any]) -> bool:
    return any(map(_is_missing, values.tolist()))


def _first_text(column: pd.Series[Any]) -> str:
    return next((str(value) for value in column if isinstance(value, str)), str(column.dtype))


def class_text(value: Any) -> str:
    """A class as labels are matched: whole numbers that a reader made floats are whole again, yes and no 1 and 0."""
    whole = isinstance(value, bool) or (isinstance(value, float) and value.is_integer())
    return str(int(value)) if whole else str(value)


def _is_missing(value: Any) -> bool:
    return value is None or value != value or value == ""


def _members(cell: Any, path: Path, column: str) -> list[int]:
    if isinstance(cell, str):
        cell = re.findall(r"[^\s,;|\[\]{}()]+", cell)
    if cell is None or (isinstance(cell, float) and cell != cell):
        return []
    try:
        return [int(member) for member in cell]
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{path}, column {column!r}: {cell!r} is not a list of class numbers.") from None


def _arrays(path: Path, options: TableOptions) -> dict[str, npt.NDArray[Any]]:
    return {name: array for name, array in read_npz(path).items() if name not in options.ignore}


def _by_task(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Names without what only says which file it is, in the order of their numbers: task 10 after task 2."""
    named = {_PREFIX.sub("", name): array for name, array in arrays.items()}
    if len(named) != len(arrays):
        named = dict(arrays)
    split = {name: re.fullmatch(r"(.*?)(\d+)", name) for name in named}
    order = {name: (parts[1], int(parts[2])) for name, parts in split.items() if parts is not None}
    return {name: named[name] for name in sorted(named, key=order.__getitem__)} if len(order) == len(named) else named


def _table(path: Path, options: TableOptions, *, text: bool = False) -> pd.DataFrame:
    if not is_parquet(path) and path.suffix.lower() not in _ENDINGS and is_file(path):
        raise InvalidInput(f"{path}: must be an npz, Parquet, Excel or CSV file, by its ending.")
    plain_options = replace(options, columns={}, ignore=())
    by_text = text and path.suffix.lower() not in (".xlsx", ".xlsm")
    frame = read_texts(path, plain_options) if by_text else read_user_frame(path, plain_options).frame
    counted = [str(place) for place in range(frame.shape[1])]
    if list(frame.columns)[:1] == ["#1"] and [str(name).strip() for name in frame.iloc[0]] == counted:
        frame = frame.iloc[1:].reset_index(drop=True).set_axis(counted, axis=1)  # tasks that are called 0, 1, ...
    return frame.drop(columns=[name for name in options.ignore if name in frame.columns])
