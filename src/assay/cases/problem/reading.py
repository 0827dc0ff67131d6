"""Tables from files: a label, features, and nothing silently dropped."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.cases.neighbors.checks import LARGEST
from assay.core import InvalidInput, UnknownName
from assay.core.display import counted
from assay.intake.table.options import TableOptions
from assay.intake.table.reading import TableReading
from assay.intake.user_frame import is_date, read_user_frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LabelledTable", "demand_classes", "demand_same_types", "omitted_columns", "read_table", "split_label"]

_DETECT = TableOptions()
_FEW = 20  # classes that a small table may have


class LabelledTable(NamedTuple):
    """Features and, where the file has the column, labels."""

    features: pd.DataFrame
    labels: pd.Series[Any] | None


def read_table(path: Path, options: TableOptions = _DETECT) -> pd.DataFrame:
    """A table of any kind with at least one row."""
    table = read_user_frame(path, options).frame
    if table.empty:
        raise InvalidInput(f"{path}: the table has no rows.")
    return table


def omitted_columns(reading: TableReading, *, keep: Collection[str] = ()) -> dict[str, str]:
    """The columns that are no features by what they hold, with the reason: identifiers, dates and constants."""
    for name in keep:
        reading[name]
    return {
        column.name: f"{'date' if column.role == 'time' else column.role}: {column.why}"
        for column in reading.columns
        if (column.role in ("identifier", "constant") or is_date(column)) and column.name not in keep
    }


def split_label(
    table: pd.DataFrame, label: str, *, path: Path, ignore: Sequence[str] = (), required: bool = True
) -> LabelledTable:
    """Separate the label column from the features; ``ignore`` names columns that are neither."""
    known = [str(name) for name in table.columns]
    for name in ignore:
        if name not in known:
            raise InvalidInput(f"{path}: {UnknownName('column', name, known)}")
    if label not in known:
        if required:
            raise InvalidInput(f"{path}: {UnknownName('label column', label, known)}")
        features = table.drop(columns=list(ignore))
        _demand_comparable(features, path)
        return LabelledTable(features, None)
    labels = table[label]
    if labels.isna().any():
        empty = labels.isna().to_numpy()
        rows, first = counted(int(empty.sum()), "row"), int(empty.argmax()) + 1
        raise InvalidInput(f"{path}: {label!r} is empty in {rows}, the first is row {first}. Fill or remove them.")
    features = table.drop(columns=[label, *ignore])
    if not len(features.columns):
        raise InvalidInput(f"{path}: there is no feature column besides {label!r}.")
    if required:
        demand_classes(labels, what=f"{path}: {label!r}")
    _demand_comparable(features, path)
    return LabelledTable(features, labels)


def _demand_comparable(features: pd.DataFrame, path: Path) -> None:
    """Refuse numbers between which there is no distance, where file, column and row can still be named."""
    for name in features.columns:
        if features[name].dtype.kind != "f":
            continue
        too_large = (features[name].abs() >= LARGEST).to_numpy(dtype=bool)
        if too_large.any():
            row = int(too_large.argmax())
            value = features[name].iloc[row]
            remedy = "Rescale the column." if abs(value) < float("inf") else "Fill or remove what is infinite."
            raise InvalidInput(f"{path}: column {name!r} is {value} in row {row + 1} below the header. {remedy}")


def demand_same_types(queries: pd.DataFrame, training: pd.DataFrame, *, source: str, like: str) -> None:
    """Refuse a text in a column that holds numbers in the training table."""
    import pandas as pd

    for name in (name for name in training.columns if name in queries.columns):
        column = queries[name]
        if training[name].dtype.kind not in "iuf" or column.dtype.kind in "iufb":
            continue
        texts = (pd.to_numeric(column, errors="coerce").isna() & column.notna()).to_numpy(dtype=bool)
        if texts.any():
            row = int(texts.argmax())
            raise InvalidInput(
                f"{source}: column {name!r} holds {column.iloc[row]!r} in row {row + 1} below the header; in {like} it "
                "holds numbers. Correct the cell, or write the column alike in both files."
            )


def demand_classes(labels: pd.Series[Any], *, what: str) -> None:
    """Refuse labels that are no classes: measured numbers, a different value in nearly every row, or one class only.

    >>> import pandas as pd
    >>> demand_classes(pd.Series([0.5, 1.25, 2.0]), what="train.csv: 'price'")
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: train.csv: 'price' has 3 different numbers in 3 rows (such as 0.5): no classes. \
Name a column of classes, or cut the numbers into ranges first.
    """
    distinct = labels.nunique()
    measured = labels.dtype.kind == "f" and bool((labels % 1 != 0).any())
    if measured or distinct > max(_FEW, len(labels) / 2):
        kind = "numbers" if labels.dtype.kind in "fiu" else "values"
        remedy = ", or cut the numbers into ranges first" if kind == "numbers" else ""
        shown = labels.iloc[int((labels % 1 != 0).to_numpy().argmax())] if measured else labels.iloc[0]
        example = f"{shown:.6g}" if isinstance(shown, float) else str(shown)
        raise InvalidInput(
            f"{what} has {distinct} different {kind} in {counted(len(labels), 'row')} (such as {example}): no classes. "
            f"Name a column of classes{remedy}."
        )
    if distinct == 1:
        value, rows = labels.tolist()[0], counted(len(labels), "row")
        raise InvalidInput(
            f"{what} is {value!r} in {'all ' * (len(labels) > 1)}{rows}: there is one class only. Give rows of at "
            "least two classes."
        )
