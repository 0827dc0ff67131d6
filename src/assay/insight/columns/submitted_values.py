"""Shipped columns beside the computed ones: where they differ, by how much, and why that may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
import pandas as pd

from assay.core import Json
from assay.core.arrays import AnyArray, BoolArray, FloatArray
from assay.insight.answer.answer import InsightAnswer
from assay.insight.columns.typed_columns import shown_cell
from assay.insight.problem.task import InsightTask

if TYPE_CHECKING:
    from assay.insight.columns.compute import ComputedColumns

__all__ = ["REASONS", "ColumnDifference", "Reason", "compare_with_shipped", "unequal_cells"]

Reason: TypeAlias = Literal[
    "clock", "hidden labels", "random", "order", "format", "version", "constant", "absent", "unexplained"
]

REASONS: Final[Mapping[str, str]] = {
    "clock": "the function asks for the current time, which was another when the column was made",
    "hidden labels": "the function reads labels, of which the computed column may not see all",
    "random": "the function draws random numbers",
    "order": "the same values stand in other rows",
    "format": "the same values are written differently",
    "version": "numbers differ in their last digits, as between versions of a library",
    "constant": "the shipped column has one value throughout, as if the function had failed or found nothing there",
    "absent": "one of the two has no value where the other has one",
    "unexplained": "the shipped values are not what the function computes",
}

_NEAR = 1e-9
_LAST_DIGITS = 1e-6
_FLAGS = {"True": 1.0, "False": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDifference:
    """One column that is not as shipped: in how many rows, in which first, and the largest gap between two numbers."""

    name: str
    reason: Reason
    train_rows: int
    test_rows: int
    rows: int
    part: str
    first: int
    shipped: Json
    computed: Json
    largest: float | None = None

    @property
    def words(self) -> str:
        """In one sentence."""
        count = self.train_rows + self.test_rows
        gap = "" if self.largest is None else f" by up to {self.largest:.6g}"
        where = f"{self.part} row {self.first} ({self.shipped!r} shipped, {self.computed!r} computed)"
        differ = f"{count} of {self.rows} shipped values differ from the computed ones{gap}"
        return f"column {self.name!r}: {differ}, first in {where}: {REASONS[self.reason]}"


def compare_with_shipped(
    answer: InsightAnswer, computed: ComputedColumns, task: InsightTask
) -> tuple[ColumnDifference, ...]:
    """The columns whose shipped values differ from the computed ones; texts exactly, numbers by 1e-9 of their size."""
    if answer.train is None or answer.test is None:
        return ()
    codes = {function.name: function.code for function in answer.functions}
    differences = []
    for name, (train, test) in computed.ok.items():
        if name not in answer.train.columns or name not in answer.test.columns:
            continue
        pairs = {"train": (answer.train[name], train), "test": (answer.test[name], test)}
        if any(len(shipped) != len(own) for shipped, own in pairs.values()):
            continue  # rows that are not the problem's, which is said elsewhere
        unequal = {part: unequal_cells(shipped, own) for part, (shipped, own) in pairs.items()}
        if not any(cells.any() for cells in unequal.values()):
            continue
        part = "train" if unequal["train"].any() else "test"
        first = int(unequal[part].argmax())
        shipped, own = pairs[part]
        differences.append(
            ColumnDifference(
                name=name,
                reason=_reason(codes.get(name, ""), name, task, pairs, unequal),
                train_rows=int(unequal["train"].sum()),
                test_rows=int(unequal["test"].sum()),
                rows=len(train) + len(test),
                part=part,
                first=first,
                shipped=shown_cell(shipped.iloc[first]),
                computed=shown_cell(own.iloc[first]),
                largest=_largest(pairs, unequal),
            )
        )
    return tuple(differences)


def unequal_cells(shipped: pd.Series[Any], computed: pd.Series[Any]) -> BoolArray:
    """Where two columns differ; truth values count as 0 and 1, missing equals missing.

    >>> unequal_cells(pd.Series([1.0, None, 2.0]), pd.Series([True, None, 3])).tolist()
    [False, False, True]
    """
    a, b = _numbers(shipped), _numbers(computed)
    both = ~np.isnan(a) & ~np.isnan(b)
    unequal: BoolArray = np.where(both, ~_near(a, b, _NEAR), _texts(shipped) != _texts(computed)).astype(np.bool_)
    return unequal


def _gaps(a: FloatArray, b: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):  # of two infinite numbers
        return np.abs(a - b)


def _near(a: FloatArray, b: FloatArray, tolerance: float) -> BoolArray:
    """Where numbers are equal, or finite and apart by a share of their size."""
    gaps = _gaps(a, b)
    near: BoolArray = (a == b) | (np.isfinite(gaps) & (gaps <= tolerance * np.maximum(np.abs(a), np.abs(b))))
    return near


def _numbers(column: pd.Series[Any]) -> FloatArray:
    if not pd.api.types.is_numeric_dtype(column.dtype):
        column = column.astype(object).map(lambda cell: _FLAGS.get(str(cell), cell))
    return np.asarray(pd.to_numeric(column, errors="coerce"), dtype=np.float64)


def _texts(column: pd.Series[Any]) -> AnyArray:
    missing = column.isna().to_numpy()
    texts = column.astype(object).map(str).to_numpy(dtype=object)
    texts[missing] = ""
    return texts


def _largest(pairs: Mapping[str, tuple[Any, Any]], unequal: Mapping[str, BoolArray]) -> float | None:
    gaps = np.concatenate([_gaps(_numbers(shipped), _numbers(own)) for shipped, own in pairs.values()])
    finite = gaps[np.concatenate(list(unequal.values())) & np.isfinite(gaps)]
    return float(finite.max()) if len(finite) else None


def _reason(
    code: str,
    name: str,
    task: InsightTask,
    pairs: Mapping[str, tuple[Any, Any]],
    unequal: Mapping[str, BoolArray],
) -> Reason:
    from assay.insight.leakage.static.notes import explain_source

    shipped = pd.concat([pair[0] for pair in pairs.values()], ignore_index=True)
    own = pd.concat([pair[1] for pair in pairs.values()], ignore_index=True)
    cells = np.concatenate(list(unequal.values()))
    kinds = {finding.kind for finding in explain_source(code, name, target=task.target_column)}
    labels = {"own-label", "own-train-row", "train-label", "table-label", "position", "every-column", "computed-key"}
    if kinds & labels and not unequal["test"].any():  # test rows see every label
        return "hidden labels"
    if "clock" in kinds:
        return "clock"
    if "randomness" in kinds:
        return "random"
    if _near(_numbers(shipped)[cells], _numbers(own)[cells], _LAST_DIGITS).all():
        return "version"
    x, y = _texts(shipped), _texts(own)
    if _same_moments(x[cells], y[cells]):
        return "format"
    if sorted(x.tolist()) == sorted(y.tolist()):
        return "order"
    if len(set(x.tolist())) == 1:
        return "constant"
    return "absent" if ((x[cells] == "") | (y[cells] == "")).all() else "unexplained"


def _same_moments(x: AnyArray, y: AnyArray) -> bool:
    """Whether texts are the same moments, or the same but for spaces and capitals."""
    if all(a.strip().lower() == b.strip().lower() for a, b in zip(x, y, strict=True)):
        return True
    left, right = (pd.to_datetime(pd.Series(v), format="ISO8601", utc=True, errors="coerce") for v in (x, y))
    return bool(left.notna().all() and (left == right).all())
