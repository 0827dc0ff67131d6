"""The hidden side of an insight problem: the test target and the experts' columns with their words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from assay.core import InvalidInput, read_json
from assay.core.display import counted, object_html, shortened
from assay.core.errors import suggest
from assay.insight.answer.alignment import demand_aligned
from assay.insight.answer.answer import words_of
from assay.insight.answer.functions import FeatureFunction
from assay.intake.fields import texts_of
from assay.intake.tables import read_checked_csv

__all__ = ["InsightTruth", "read_truth"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InsightTruth:
    """What only examination sees: the test target and the experts' columns.

    Parameters
    ----------
    test_target : Series
        The target of the test rows.
    columns : tuple of str
        The names of the experts' columns.
    descriptions : tuple of str
        The experts' words, one per column.
    train : DataFrame
        The experts' columns alone, rows as in the problem.
    test : DataFrame
        The same for the test rows.
    functions : tuple of FeatureFunction, optional
        What computes the columns, where it is known.

    Examples
    --------
    >>> import pandas as pd
    >>> known = pd.DataFrame({"is_young": [True, False]})
    >>> InsightTruth(
    ...     test_target=pd.Series([0, 1]), columns=("is_young",), descriptions=("below 30",), train=known, test=known
    ... )
    InsightTruth(1 expert column, 2 test rows: is_young)
    """

    test_target: pd.Series[Any]
    columns: tuple[str, ...]
    descriptions: tuple[str, ...]
    train: pd.DataFrame
    test: pd.DataFrame
    functions: tuple[FeatureFunction, ...] = ()

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.columns), 'expert column')}, {counted(len(self.test_target), 'test row')}"
        return f"InsightTruth({sizes}: {shortened(', '.join(self.columns))})"

    def _repr_html_(self) -> str:
        rows = zip(self.columns, self.descriptions, strict=True)
        columns = ("column", "what it means")
        return object_html("What the experts know", {}, columns=columns, rows=rows, total=len(self.columns))


def read_truth(folder: Path, *, train: pd.DataFrame, test: pd.DataFrame, target: str) -> InsightTruth:
    """Read ``ground_truth/`` and check it against the problem's tables, which hold the target; test may lack it."""
    path = folder / "ground_truth" / "solution.json"
    content = read_json(path)
    columns = texts_of(content, "enriched_column_names", path)
    _demand_columns(columns, target, path)
    words = texts_of(content, "features_descriptions", path, optional=True)
    parts: dict[str, pd.DataFrame] = {}
    for part, own in (("train", train), ("test", test)):
        file = folder / "ground_truth" / "data" / f"enriched_{part}.csv"
        enriched = read_checked_csv(file)
        known = [str(name) for name in enriched.columns]
        for column in columns:
            if column not in known:
                raise InvalidInput(f"{file}: ground-truth column {column!r} is not there. {suggest(column, known)}")
        demand_aligned(enriched, own, path=file, of=f"problem/data/{part}.csv")
        parts[part] = enriched
    if target in test.columns:
        labels = test[target]
    elif target in parts["test"].columns:
        labels = parts["test"][target]
    else:
        raise InvalidInput(
            f"{folder}: target column {target!r} is neither in problem/data/test.csv nor in "
            f"ground_truth/data/enriched_test.csv. Columns: {', '.join(map(str, test.columns))}. "
            f"Known answers are needed to score: add the column."
        )
    return InsightTruth(
        test_target=labels,
        columns=columns,
        descriptions=words if len(words) == len(columns) else tuple(map(words_of, columns)),
        train=parts["train"][list(columns)],
        test=parts["test"][list(columns)],
        functions=_read_functions(content, columns, path),
    )


def _demand_columns(columns: tuple[str, ...], target: str, path: Path) -> None:
    if not columns:
        raise InvalidInput(
            f"{path}: 'enriched_column_names' is empty; a problem needs at least one ground-truth column."
        )
    for name in columns:
        if columns.count(name) > 1:
            raise InvalidInput(f"{path}: ground-truth column {name!r} is named {columns.count(name)} times.")
    if target in columns:
        raise InvalidInput(f"{path}: ground-truth column {target!r} has the name of the target. Rename one of them.")


def _read_functions(content: Mapping[str, object], columns: tuple[str, ...], path: Path) -> tuple[FeatureFunction, ...]:
    entries = content.get("feature_functions")
    if entries is None:
        return ()
    where = f"{path}: 'feature_functions'"
    if not isinstance(entries, list):
        raise InvalidInput(f"{where} must be a list of functions, got {type(entries).__name__}.")
    functions = []
    for place, entry in enumerate(entries):
        if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("name", "code")):
            raise InvalidInput(f'{where}[{place}] must be {{"name": TEXT, "code": TEXT}}, got {str(entry)[:60]}.')
        if entry["name"] not in columns:
            raise InvalidInput(
                f"{where}[{place}]: no ground-truth column {entry['name']!r}. {suggest(entry['name'], columns)}"
            )
        functions.append(FeatureFunction(name=entry["name"], code=entry["code"]))
    return tuple(functions)
