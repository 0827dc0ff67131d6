"""Problems of the insight track: tables with a target, and the experts' insights that explain it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
import pandas as pd

from assay.core import InvalidInput, Json, Problem, Tags, read_manifest
from assay.core.display import counted, object_html, shortened
from assay.core.errors import suggest
from assay.core.files.text import write_json
from assay.insight.problem.tables import Tables
from assay.insight.problem.tags import derive_tags
from assay.insight.problem.times import TableTime, check_times, read_times
from assay.insight.problem.truth import InsightTruth, read_truth
from assay.intake.fields import text_of
from assay.intake.tables import read_checked_csv, write_table

__all__ = [
    "MARKER",
    "InsightTask",
    "InsightTruth",
    "ProblemType",
    "TableTime",
    "infer_problem_type",
    "load",
    "write_problem",
]

ProblemType: TypeAlias = Literal["binary", "multiclass", "regression"]

MARKER = "problem/problem.json"
_TRACK = "insight"
_OWN = frozenset({"train.csv", "test.csv"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InsightTask:
    """A primary table with its target, the same table for the test rows without it, and auxiliary tables.

    Rows are as in the files. With a ``time_column``, each row is predicted at its time: an auxiliary row is available
    to it when its own time is not later; tables without declared times do not change.

    Parameters
    ----------
    name : str
        The problem's name.
    description : str
        What is asked, in words.
    domain : str
        The field that it is from.
    target_column : str
        The column to explain.
    problem_type : {"binary", "multiclass", "regression"}
        What the target is.
    train : DataFrame
        Base columns and target, in the order of the file.
    test : DataFrame
        Base columns only.
    tables : mapping of str to DataFrame, optional
        Auxiliary tables by file name, such as ``orders.csv``.
    time_column : str, optional
        The column that holds the time of prediction.
    table_times : mapping of str to TableTime, optional
        For auxiliary tables the column with their rows' times.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"age": [31, 45, 28], "churned": [0, 1, 0]})
    >>> InsightTask(
    ...     name="churn", description="Who leaves?", domain="telecom", target_column="churned", problem_type="binary",
    ...     train=rows, test=rows[["age"]],
    ... )
    InsightTask('churn': binary target 'churned'; 3 training rows, 3 test rows, 1 base column, 0 tables)
    """

    name: str
    description: str
    domain: str
    target_column: str
    problem_type: ProblemType
    train: pd.DataFrame  # base columns and target, in the order of the file
    test: pd.DataFrame  # base columns only
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    time_column: str | None = None
    table_times: Mapping[str, TableTime] = field(default_factory=dict)

    def __repr__(self) -> str:
        rows = f"{counted(len(self.train), 'training row')}, {counted(len(self.test), 'test row')}"
        sizes = f"{rows}, {counted(len(self.base_columns), 'base column')}, {counted(len(self.tables), 'table')}"
        target = f"{self.problem_type} target {shortened(self.target_column)!r}"
        return f"InsightTask({shortened(self.name)!r}: {target}; {sizes})"

    def _repr_html_(self) -> str:
        facts = {
            "target": f"{self.target_column} ({self.problem_type})",
            "training rows": len(self.train),
            "test rows": len(self.test),
            "base columns": ", ".join(self.base_columns),
            "predicted at": self.time_column or "no declared time",
            "description": self.description,
        }
        rows = ((name, self._availability(name)) for name in self.tables)  # their rows may not be read yet
        columns = ("table", "known when")
        return object_html(f"Task {self.name}", facts, columns=columns, rows=rows, total=len(self.tables))

    def _availability(self, table: str) -> str:
        declared = self.table_times.get(table)
        return "always" if declared is None or declared.time_column is None else declared.time_column

    @property
    def base_columns(self) -> tuple[str, ...]:
        """The columns of the primary table but the target."""
        return tuple(name for name in self.train.columns if name != self.target_column)


def infer_problem_type(values: pd.Series[Any]) -> ProblemType:
    """Boolean or exactly two distinct values: binary; texts: multiclass; other numbers: regression.

    Missing values do not count.

    >>> infer_problem_type(pd.Series([0, 1, 1]))
    'binary'
    >>> infer_problem_type(pd.Series(["low", "mid", "high"]))
    'multiclass'
    >>> infer_problem_type(pd.Series([0, 1, 2]))
    'regression'
    """
    present = values.dropna()
    if pd.api.types.is_bool_dtype(values.dtype) or present.nunique() == 2:
        return "binary"
    if pd.api.types.is_numeric_dtype(values.dtype):
        return "regression"
    if len(present) and all(isinstance(value, bool | np.bool_) for value in present):  # truth values, some missing
        return "binary"
    return "multiclass"


def load(folder: str | Path) -> Problem[InsightTask, InsightTruth]:
    """Read and check one problem folder in the layout of the public benchmark.

    Parameters
    ----------
    folder : str or Path
        A folder with ``problem/`` and ``ground_truth/``.

    Returns
    -------
    Problem
        The problem, with an ``InsightTask`` and an ``InsightTruth``.

    Raises
    ------
    InvalidInput
        A file is missing or malformed; the message names it and the remedy.

    Examples
    --------
    >>> import tempfile
    >>> from assay.insight import generate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     problem = load(generate(folder, seed=3, rows=60, difficulty="easy"))
    >>> problem.task.target_column, problem.truth.columns[0]
    ('returned', 'visits_in_last_180_days')
    """
    folder = Path(folder)
    path = folder / MARKER
    manifest = read_manifest(folder, track=_TRACK, marker=MARKER)  # first: it refuses links that lead elsewhere
    content = manifest.content
    target = text_of(content, "target_column", path)
    data = folder / "problem" / "data"
    train, test = read_checked_csv(data / "train.csv"), read_checked_csv(data / "test.csv")
    where = f"problem {manifest.id!r}"
    _demand_target(train, target, f"{where}: {data / 'train.csv'}")
    test = _same_columns(train, test, target, f"{where}: {data / 'test.csv'}")
    truth = read_truth(folder, train=train, test=test, target=target)
    _demand_complete(train[target], f"{where}: {data / 'train.csv'}, target {target!r}")
    _demand_complete(truth.test_target, f"{where}: target {target!r} of the test rows")
    time_column, table_times = read_times(content, path)
    task = InsightTask(
        name=text_of(content, "name", path, default=manifest.id),
        description=text_of(content, "description", path, default=""),
        domain=text_of(content, "problem_domain", path, default=""),
        target_column=target,
        problem_type=_problem_type(content.get("problem_type"), train[target], truth.test_target, path),
        train=train,
        test=test.drop(columns=target, errors="ignore"),
        tables=Tables.of_folder(data, apart=_OWN),
        time_column=time_column,
        table_times=table_times,
    )
    if time_column == target:
        raise InvalidInput(f"{path}: the time column {target!r} is the target itself; name another column.")
    check_times(
        time_column, table_times, train=task.train, test=task.test, tables=task.tables, where=f"{where} ({data})"
    )
    tags = {**derive_tags(folder.resolve().name, content), **manifest.tags}
    return Problem(id=manifest.id, digest=manifest.digest, task=task, truth=truth, tags=tags, track=_TRACK)


def write_problem(folder: str | Path, *, id: str, task: InsightTask, truth: InsightTruth, tags: Tags) -> None:
    """Write one problem folder as ``load`` reads it, and check it by reading; the same problem gives the same bytes.

    Numbers come back exactly when they have at most fifteen significant digits, which is what pandas reads exactly.

    Parameters
    ----------
    folder : str or Path
        The problem folder.
    id : str
        The problem's id.
    task : InsightTask
        What a subject sees.
    truth : InsightTruth
        What only examination sees.
    tags : mapping of str to str or float
        Tags for grouped statistics.

    Raises
    ------
    InvalidInput
        Task and truth do not fit together.

    Examples
    --------
    >>> import pandas as pd, tempfile
    >>> train = pd.DataFrame({"age": [31, 45, 28], "churned": [0, 1, 0]})
    >>> task = InsightTask(
    ...     name="churn", description="Who leaves?", domain="telecom", target_column="churned", problem_type="binary",
    ...     train=train, test=train[["age"]],
    ... )
    >>> known = pd.DataFrame({"is_old": [0, 1, 0]})
    >>> truth = InsightTruth(
    ...     test_target=train["churned"], columns=("is_old",), descriptions=("above 40",), train=known, test=known
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_problem(Path(folder, "churn"), id="churn", task=task, truth=truth, tags={})
    ...     load(Path(folder, "churn")).truth
    InsightTruth(1 expert column, 3 test rows: is_old)
    """
    folder = Path(folder)
    data, hidden = folder / "problem" / "data", folder / "ground_truth" / "data"
    target = task.target_column
    manifest: dict[str, Json] = {
        "id": id,
        "track": _TRACK,
        "tags": dict(tags),
        "name": task.name,
        "description": task.description,
        "problem_domain": task.domain,
        "target_column": target,
        "problem_type": task.problem_type,
    }
    if task.time_column is not None:
        manifest["time_column"] = task.time_column
        manifest["tables"] = {name: _time_entry(declared) for name, declared in task.table_times.items()}
    solution: dict[str, Json] = {
        "enriched_column_names": list(truth.columns),
        "features_descriptions": list(truth.descriptions),
    }
    if truth.functions:
        solution["feature_functions"] = [{"name": function.name, "code": function.code} for function in truth.functions]
    test = task.test.assign(**{target: truth.test_target.to_numpy()})[list(task.train.columns)]
    tables = {data / name: frame for name, frame in task.tables.items()}
    tables |= {data / "train.csv": task.train, data / "test.csv": test}
    tables |= {
        hidden / "enriched_train.csv": pd.concat([task.train, truth.train], axis=1),
        hidden / "enriched_test.csv": pd.concat([test, truth.test], axis=1),
    }
    for path, frame in tables.items():
        write_table(path, frame)
    for path, content in ((folder / MARKER, manifest), (folder / "ground_truth" / "solution.json", solution)):
        write_json(path, content)
    load(folder)


def _time_entry(declared: TableTime) -> Json:
    return {"static": True} if declared.static else {"time_column": declared.time_column}


def _demand_target(table: pd.DataFrame, target: str, where: str) -> None:
    names = [str(name) for name in table.columns]
    if target not in names:
        raise InvalidInput(f"{where}: target column {target!r} is not there. {suggest(target, names)}")
    if len(names) == 1:
        raise InvalidInput(f"{where}: there is no column besides the target {target!r}.")


def _same_columns(train: pd.DataFrame, test: pd.DataFrame, target: str, where: str) -> pd.DataFrame:
    """The test table with the columns of the training table, in their order; only the target may be absent."""
    for name in train.columns:
        if name not in test.columns and name != target:
            raise InvalidInput(
                f"{where}: column {name!r} of train.csv is not there. {suggest(name, list(test.columns))}"
            )
    for name in test.columns:
        if name not in train.columns:
            raise InvalidInput(f"{where}: column {name!r} is not in train.csv. {suggest(name, list(train.columns))}")
    return test[[name for name in train.columns if name in test.columns]]


def _demand_complete(values: pd.Series[Any], where: str) -> None:
    numeric = pd.api.types.is_numeric_dtype(values.dtype)
    bad = ~np.isfinite(values.to_numpy(dtype=np.float64)) if numeric else values.isna().to_numpy()
    if bad.any():
        row = int(bad.argmax())
        shown = "missing" if pd.isna(values.iloc[row]) else str(values.iloc[row])
        raise InvalidInput(f"{where}: row {row + 1} is {shown}. Every row needs a known, finite target: correct it.")


def _problem_type(declared: object, train: pd.Series[Any], test: pd.Series[Any], path: Path) -> ProblemType:
    values = pd.concat([train, test], ignore_index=True)
    if declared is None:
        return infer_problem_type(values)
    if declared not in get_args(ProblemType):
        hint = suggest(str(declared), get_args(ProblemType))
        raise InvalidInput(f"{path}: 'problem_type' must be one of three words, got {declared!r}. {hint}")
    kind = cast(ProblemType, declared)
    if kind == "binary" and values.nunique() > 2:
        raise InvalidInput(f"{path}: 'problem_type' is 'binary', but the target has {values.nunique()} values.")
    if kind == "regression" and not pd.api.types.is_numeric_dtype(values.dtype):
        raise InvalidInput(f"{path}: 'problem_type' is 'regression', but the target is not numeric.")
    return kind
