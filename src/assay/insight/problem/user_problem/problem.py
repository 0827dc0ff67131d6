"""A problem folder from a user's own tables, written whole or not at all, and checked by reading it again."""

from __future__ import annotations

import io
import shlex
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from assay.core import InvalidInput, Tags
from assay.core.errors import suggest
from assay.core.files.drafts import demand_new_folder, new_folder
from assay.insight.answer.functions import DocumentedFunctions, FeatureFunction, read_function_file
from assay.insight.examine.evaluation import evaluate
from assay.insight.problem.task import InsightTask, InsightTruth, ProblemType, infer_problem_type, write_problem
from assay.insight.problem.user_problem.experts import (
    computed_experts,
    demand_expert_columns,
    meaning_of,
    table_experts,
)
from assay.insight.problem.user_problem.keys import Keys, demand_different_rows, find_keys
from assay.insight.problem.user_problem.material import Material, named_tables
from assay.insight.problem.user_problem.moments import FIXED, Moments, find_moments
from assay.insight.problem.user_problem.split import Split, split_rows
from assay.insight.problem.user_problem.summary import describe_problem, warn_of_content, worth_of_experts
from assay.insight.problem.user_problem.tables import as_in_file, choose_main, labelled_readings, read_tables
from assay.insight.subjects.builtin import ground_truth
from assay.intake.csv_lines import frame_text
from assay.intake.new_problem import NewProblem, check_problems, further_reading
from assay.intake.table.options import TableOptions
from assay.intake.table.reading import TableReading

__all__ = ["build_problem", "new_problem"]

_MOST_CLASSES = 50
_SUBJECTS = ("relational", "base-columns")


def new_problem(
    folder: str | Path,
    tables: Mapping[str, Any] | Sequence[str | Path] | str | Path | Any,
    *,
    target: str,
    main: str | None = None,
    time: str | date | None = None,
    table_times: Mapping[str, str | None] | None = None,
    target_time: str | date | None = None,
    key: str | None = None,
    experts: str | Path | Any | None = None,
    expert_columns: Sequence[str] = (),
    meanings: Mapping[str, str] | None = None,
    kind: ProblemType | None = None,
    split: str | None = None,
    holdout: float = 0.25,
    description: str = "",
    domain: str = "",
    ignore: Sequence[str] = (),
    seed: int = 0,
    id: str | None = None,
    tags: Tags | None = None,
    options: TableOptions | None = None,
) -> NewProblem:
    """Make a problem of tables of one's own, checked and ready to run.

    Parameters
    ----------
    folder : str or Path
        The problem folder; must be new or empty.
    tables : mapping of str to table, sequence of files, or one table
        Files (CSV, Parquet, Excel), frames of pandas or polars, or what :func:`assay.read_table` gave, by name. Files
        without names are called after themselves.
    target : str
        The column to predict, of the main table.
    main : str, optional
        The table with one row per prediction; by default the one that has the target.
    time : str or date, optional
        When rows are predicted: a column of the main table, or one date for all.
    table_times : mapping of str to str, optional
        For other tables the column that says since when a row is known; None for a table that never changes. By
        default the only column of times that a table has.
    target_time : str or date, optional
        When the target is known: a column of the main table, which is then left out, or one date. No row may be
        predicted later.
    key : str, optional
        The column that identifies a row of the main table; found by default.
    experts : path, data frame or sequence of FeatureFunction, optional
        What the experts know, the hidden truth: a table of columns, found by key or in the order of the rows, or a
        Python file of feature functions.
    expert_columns : sequence of str, optional
        Columns of the main table that are the experts' and are taken away from it.
    meanings : mapping of str to str, optional
        The experts' words for their columns.
    kind : {"binary", "multiclass", "regression"}, optional
        What the target is; detected by default.
    split : str, optional
        ``time``, ``random``, or a column that holds ``train`` and ``test``. By default by time where prediction times
        differ.
    holdout : float, default 0.25
        The share of rows to test with.
    description : str, optional
        What is asked, in words, for agents to read.
    domain : str, optional
        The field that it is from.
    ignore : sequence of str, optional
        Columns to leave out, as ``column`` or ``table.column``.
    seed : int, default 0
        Seed of a random split; the same seed gives the same bytes.
    id : str, optional
        The problem's id; the folder's name by default.
    tags : mapping, optional
        Texts or numbers by name, for grouped statistics.
    options : TableOptions, optional
        How the files are to be read.

    Returns
    -------
    NewProblem
        What was written and decided, with warnings and the next commands.

    Raises
    ------
    InvalidInput
        Something does not fit; the message names it and the remedy. Nothing is written then.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import pandas as pd
    >>> loans = pd.DataFrame({"income": np.arange(80) % 13 + 1, "debt": np.arange(80) % 7 + 1})
    >>> loans["share"] = (loans.debt / loans.income).round(3)
    >>> loans["default"] = (loans.share > 0.6).astype(int)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = new_problem(f"{folder}/loans", loans, target="default", expert_columns=["share"])
    >>> made.problems, made.facts["target"], made.facts["split"]
    (('loans',), "'default', binary", '60 rows train, 20 test: at random, seed 0, stratified by class')
    """
    material = Material(
        tables=named_tables(tables),
        target=target,
        main=main,
        time=time,
        table_times=dict(table_times or {}),
        target_time=target_time,
        key=key,
        experts=experts,
        expert_columns=(expert_columns,) if isinstance(expert_columns, str) else tuple(expert_columns),
        meanings=dict(meanings or {}),
        kind=kind,
        split=split,
        holdout=holdout,
        seed=seed,
        description=description,
        domain=domain,
        ignore=(ignore,) if isinstance(ignore, str) else tuple(ignore),
        id=id,
        tags=dict(tags or {}),
        options=options or TableOptions(),
    )
    demand_new_folder(Path(folder))
    readings = read_tables(material)
    return build_problem(Path(folder), choose_main(material, readings), readings)


def build_problem(out: Path, material: Material, readings: Mapping[str, TableReading]) -> NewProblem:
    """Write and check the problem; errors are raised before anything is written."""
    assert material.main is not None
    source = readings[material.main].source
    _demand_target(material, readings[material.main])
    moments, keys = find_moments(material, readings), find_keys(material, readings)
    main = as_in_file(readings[material.main])
    demand_different_rows(material, source, main, keys.key, moments.column if moments.fixed is None else None)
    columns, documented = _expert_sources(material, main, readings[material.main], keys)
    if material.target_time in main.columns:
        main = main.drop(columns=str(material.target_time))
    if moments.fixed is not None:
        main = main.assign(**{FIXED: moments.fixed.isoformat()})
    classes = (material.kind or infer_problem_type(main[material.target])) != "regression"
    split = split_rows(material, main, moments.times, classes=classes)
    base = main.drop(columns=[*material.expert_columns, *([split.column] if split.column else [])])
    task = _task(material, base, split, moments, readings, out)
    truth = _truth(material, task, split, columns, documented, base)
    with new_folder(out) as draft:
        identity = material.id or out.resolve().name
        write_problem(draft, id=identity, task=task, truth=truth, tags=material.tags)
        (problem,), _ = check_problems("insight", draft, oracle=False)
        scores = evaluate(problem, ground_truth(problem), trust_columns=True).scores
    facts = describe_problem(material, task, split, moments, keys, truth)
    facts["they reach"], worth = worth_of_experts(task, scores)
    warnings = [*moments.notes, *warn_of_content(material, task, truth, readings, keys), *worth]
    return NewProblem(
        track="insight",
        folder=out,
        problems=(problem.id,),
        facts=facts,
        warnings=tuple(warnings),
        tables=labelled_readings(material, readings),
        oracle={problem.id: scores["combined_score"]},
        subjects=_SUBJECTS,
        further=(f"assay insight check-leakage --problem {shlex.quote(str(out))} --solution DIR",),
    )


def _demand_target(material: Material, reading: TableReading) -> None:
    values = as_in_file(reading)[material.target]
    where = f"{reading.source}: target {material.target!r}"
    for state, rows in (("missing", values.isna()), ("infinite", values.isin([np.inf, -np.inf]))):
        if rows.any():
            row = int(rows.to_numpy().argmax()) + 1
            raise InvalidInput(
                f"{where} is {state} in {int(rows.sum())} of {len(values)} rows, the first is row {row}. Only rows "
                "with a known target can be scored: fill or remove them."
            )
    distinct = values.nunique()
    if distinct < 2:
        raise InvalidInput(
            f"{where} holds {values.iloc[0]!s} in all rows: there is nothing to tell apart. Add rows of another class, "
            f"or choose another column: {material.remedy('target', 'COLUMN')}."
        )
    numeric = pd.api.types.is_numeric_dtype(values.dtype)
    if material.kind == "regression" and not numeric:
        raise InvalidInput(f"{where} holds texts such as {values.iloc[0]!s}: a regression needs numbers.")
    if material.kind == "binary" and distinct > 2:
        raise InvalidInput(f"{where} has {distinct} values: {material.remedy('kind', 'multiclass')}.")
    if (material.kind == "multiclass" or not numeric) and distinct > min(_MOST_CLASSES, len(values) // 4):
        hint = f", or {material.remedy('kind', 'regression')}" if numeric else ""
        raise InvalidInput(
            f"{where} has {distinct} classes in {len(values)} rows, too many to learn (at most "
            f"{min(_MOST_CLASSES, len(values) // 4)} here). Group the rare ones, choose another column{hint}."
        )


def _expert_sources(
    material: Material, main: pd.DataFrame, main_reading: TableReading, keys: Keys
) -> tuple[pd.DataFrame, DocumentedFunctions]:
    """The experts' columns that exist already, with rows as in the main table, and functions for the others."""
    for name in material.expert_columns:
        if name not in main.columns or name == material.target:
            others = [str(column) for column in main.columns if column != material.target]
            remedy = material.remedy("expert_columns", name)
            raise InvalidInput(f"{remedy}: not a column of {material.main!r}. {suggest(name, others)}")
    columns = main[list(dict.fromkeys(material.expert_columns))]
    experts = material.experts
    if experts is None:
        if not material.expert_columns:
            raise InvalidInput(
                "what your experts know is the hidden truth of an insight problem, and none is given: "
                f"{material.remedy('experts', 'experts.csv')} (a table of columns), "
                f"{material.remedy('experts', 'experts.py')} (feature functions), or "
                f"{material.remedy('expert_columns', 'COLUMN')} (a column of the main table)."
            )
        return columns, DocumentedFunctions()
    if isinstance(experts, str | Path) and Path(experts).suffix == ".py":
        return columns, read_function_file(experts, expected="a Python file with the experts' functions")
    if not isinstance(experts, str | Path) and isinstance(experts, Sequence):
        functions: list[Any] = [*experts]
        if not all(isinstance(function, FeatureFunction) for function in functions):
            raise InvalidInput("experts: give a table, a Python file, or a list of FeatureFunction.")
        return columns, DocumentedFunctions(tuple(functions))
    reading = further_reading(experts, material.options, like=main_reading)
    return pd.concat([columns, table_experts(material, main, reading, keys.key)], axis=1), DocumentedFunctions()


def _task(
    material: Material,
    base: pd.DataFrame,
    split: Split,
    moments: Moments,
    readings: Mapping[str, TableReading],
    out: Path,
) -> InsightTask:
    """What a subject sees, as it will read it from the files."""
    assert material.main is not None
    train, test = (_as_read(base.iloc[rows]) for rows in (split.train, split.test))
    labels = pd.concat([train[material.target], test[material.target]], ignore_index=True)
    kind = material.kind or infer_problem_type(labels)
    if kind != "regression" and test[material.target].nunique() < 2:
        raise InvalidInput(
            f"all {len(test)} test rows have the target {test[material.target].iloc[0]!s}, so nothing can be scored. "
            f"Choose another split: {material.remedy('split', 'random')}, or a larger "
            f"{material.remedy('holdout', '0.4')}."
        )
    if kind != "regression" and train[material.target].nunique() < 2:
        raise InvalidInput(
            f"all {len(train)} training rows have the target {train[material.target].iloc[0]!s}. "
            f"Choose another split: {material.remedy('split', 'random')}."
        )
    return InsightTask(
        name=material.id or out.resolve().name,
        description=material.description or f"Predict {material.target!r} of {material.main}.",
        domain=material.domain,
        target_column=material.target,
        problem_type=kind,
        train=train,
        test=test.drop(columns=material.target),
        tables={f"{name}.csv": _as_read(as_in_file(read)) for name, read in readings.items() if name != material.main},
        time_column=moments.column,
        table_times=moments.tables,
    )


def _as_read(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame as it is read from the file that it is written to."""
    if not len(frame.columns):
        return frame.reset_index(drop=True)
    return pd.read_csv(io.StringIO(frame_text(frame)), low_memory=False)


def _truth(
    material: Material,
    task: InsightTask,
    split: Split,
    columns: pd.DataFrame,
    documented: DocumentedFunctions,
    base: pd.DataFrame,
) -> InsightTruth:
    train, test = (_as_read(columns.iloc[rows]) for rows in (split.train, split.test))
    names = [*columns.columns, *(function.name for function in documented.functions)]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(
                f"expert column {name!r} is given {names.count(name)} times. Rename or remove the others."
            )
    if documented.functions:
        where = str(material.experts) if isinstance(material.experts, str | Path) else "experts"
        computed = computed_experts(task, documented.functions, where=where)
        train, test = (pd.concat(parts, axis=1) for parts in zip((train, test), computed, strict=True))
    test_target = _as_read(base[[material.target]].iloc[split.test])[material.target]
    labels = pd.concat([task.train[material.target], test_target], ignore_index=True)
    demand_expert_columns(material, pd.concat([train, test], ignore_index=True), labels, task.base_columns)
    return InsightTruth(
        test_target=test_target,
        columns=tuple(map(str, train.columns)),
        descriptions=tuple(meaning_of(str(name), material, documented.meanings) for name in train.columns),
        train=train,
        test=test,
        functions=documented.functions,
    )
