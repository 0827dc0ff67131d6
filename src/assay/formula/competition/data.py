"""What models are judged on: problem folders, or tables of validation data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.core import InvalidInput, Problem, UnknownName, find_problems
from assay.core.files.near import near_path
from assay.formula.expression.program import FloatArray
from assay.formula.problem.task import FormulaTask, FormulaTruth, load
from assay.intake.columns import read_columns, read_header

__all__ = ["DataSet", "read_data_sets"]

_USUAL_TARGETS = ("target", "y")


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
    """The problems of a folder, or its CSV files.

    A problem is judged on its noise-free test data, one about extrapolation on the partition outside of the training
    box. With ``by_part`` every noise level of a problem is a data set of its own. In a CSV file the target is the named
    column, else ``target`` or ``y``, else the last one.
    """
    if not folder.is_dir():
        raise InvalidInput(f"{folder}: there is no such folder of data.{near_path(folder)}")
    tables = sorted(folder.glob("*.csv"))
    if (folder / "problem.json").is_file() or not tables:
        return tuple(entry for path in _problems(folder) for entry in _of_problem(path, by_part=by_part))
    return tuple(_of_table(path, target) for path in tables)


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


def _of_table(path: Path, wanted: str | None) -> DataSet:
    header = read_header(path)
    if wanted is not None and wanted not in header:
        raise InvalidInput(f"{path}: {UnknownName('column (target)', wanted, header)}")
    target = wanted or next((name for name in _USUAL_TARGETS if name in header), header[-1])
    variables = tuple(name for name in header if name != target)
    if not variables:
        raise InvalidInput(f"{path}: has no column beside the target {target!r}.")
    values = read_columns(path, (*variables, target))
    return DataSet(name=path.stem, models=path.stem, variables=variables, inputs=values[:, :-1], target=values[:, -1])
