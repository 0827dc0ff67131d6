"""What models are judged on: problem folders, or tables of validation data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.core import InvalidInput, Problem, find_problems
from assay.core.files.near import near_path
from assay.formula.expression.program import FloatArray
from assay.formula.problem.pmlb import find_target, table_files
from assay.formula.problem.task import FormulaTask, FormulaTruth, load
from assay.intake.columns import read_columns, read_header
from assay.intake.new_problem import number_columns
from assay.intake.table.options import TableOptions
from assay.intake.table.read import read_user_table

__all__ = ["DataSet", "read_data_sets"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DataSet:
    """Validation data, with the problem they come from where it is known; ``models`` names the files of its models."""

    name: str
    models: str
    variables: tuple[str, ...]
    inputs: FloatArray
    target: FloatArray
    problem: Problem[FormulaTask, FormulaTruth] | None = None
    part: int = 0


def read_data_sets(folder: Path, *, target: str | None = None, by_part: bool = True) -> tuple[DataSet, ...]:
    """The problems of a folder, or its tables: ``.csv`` or ``.tsv``, packed by gzip or not.

    A problem is judged on its noise-free test data, one about extrapolation on the partition outside of the training
    box. With ``by_part`` every noise level of a problem is a data set of its own. In a table the target is the named
    column, else ``target`` or ``y``, else the last one.
    """
    if not folder.is_dir():
        raise InvalidInput(f"{folder}: data folder not found.{near_path(folder)}")
    tables = {} if (folder / "problem.json").is_file() else table_files(folder)
    if not tables:
        return tuple(entry for path in _problems(folder) for entry in _of_problem(path, by_part=by_part))
    return tuple(_of_table(name, path, target) for name, path in tables.items())


def _problems(folder: Path) -> tuple[Path, ...]:
    try:
        return find_problems(folder)
    except InvalidInput:
        raise InvalidInput(f"{folder}: holds neither problem folders nor CSV files to judge models on.") from None


def _of_problem(path: Path, *, by_part: bool) -> list[DataSet]:
    problem = load(path)
    truth, parts = problem.truth, problem.task.parts
    beyond = truth.property == "extrapolation" and by_part
    inputs, target = truth.test_inputs, truth.test_target
    if beyond and truth.extrapolation_inputs is not None and truth.extrapolation_target is not None:
        inputs, target = truth.extrapolation_inputs, truth.extrapolation_target
    return [
        DataSet(
            name=problem.id if len(parts) == 1 or not by_part else f"{problem.id}, {parts[part].noise:.0%} noise",
            models=problem.id,
            variables=problem.task.variables,
            inputs=inputs,
            target=target,
            problem=problem,
            part=part,
        )
        for part in range(len(parts) if by_part else 1)
    ]


def _of_table(name: str, path: Path, named: str | None) -> DataSet:
    plain = path.suffix == ".csv"
    reading = None if plain else read_user_table(path)
    header = read_header(path) if reading is None else tuple(column.name for column in reading.columns)
    target = find_target(header, named, path)
    variables = tuple(column for column in header if column != target)
    if not variables:
        raise InvalidInput(f"{path}: has no column besides the target {target!r}.")
    columns = (*variables, target)
    values = read_columns(path, columns) if reading is None else number_columns(reading, columns, TableOptions())
    return DataSet(name=name, models=name, variables=variables, inputs=values[:, :-1], target=values[:, -1])
