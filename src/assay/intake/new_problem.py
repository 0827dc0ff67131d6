"""A problem from a user's own data: written whole or not at all, loaded again, and scored with its own truth."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.core import AnyProblem, InvalidInput, UnknownName, find_problems, get_track
from assay.core.arrays import FloatArray
from assay.core.display import counted
from assay.intake.columns import demand_finite
from assay.intake.table.column_reading import ColumnReading, Role
from assay.intake.table.options import TableOptions
from assay.intake.table.read import read_user_table
from assay.intake.table.reading import TableReading

__all__ = [
    "NewProblem",
    "as_reading",
    "check_problems",
    "demand_columns",
    "further_reading",
    "number_columns",
    "with_labels",
]

_ROLES: dict[str, Role] = {
    "integer": "feature-number",
    "float": "feature-number",
    "boolean": "boolean",
    "datetime": "time",
}
_KINDS = {"text": "texts", "datetime": "times", "integer": "times", "float": "times", "boolean": "truth values"}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewProblem:
    """What was written, what it was made of, and what is thin about it.

    Parameters
    ----------
    track : str
        The track of the problem.
    folder : Path
        The problem folder, or the folder of several problem folders.
    problems : tuple of str
        The ids of the problems.
    facts : mapping of str to value
        Sizes and figures, such as the number of training rows.
    warnings : tuple of str
        What makes results less certain than they look, one sentence each.
    notes : tuple of str
        What else to know, one sentence each.
    tables : tuple of TableReading
        The tables as they were read: how each column was read.
    oracle : mapping of str to float
        What the truth itself scores; empty where there is none.
    subjects : tuple of str
        Built-in subjects to begin with.
    further : tuple of str
        Commands of the track's own to type after the run.

    Examples
    --------
    >>> NewProblem(track="cases", folder=Path("problems/iris"), problems=("iris",), facts={"queries": 45})
    NewProblem(cases, 1 problem in problems/iris: queries 45)
    """

    track: str
    folder: Path
    problems: tuple[str, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tables: tuple[TableReading, ...] = ()
    oracle: Mapping[str, float] = field(default_factory=dict)
    subjects: tuple[str, ...] = ()
    further: tuple[str, ...] = ()

    def __repr__(self) -> str:
        facts = ", ".join(f"{name} {value}" for name, value in self.facts.items())
        lines = [f"NewProblem({self.track}, {counted(len(self.problems), 'problem')} in {self.folder}: {facts})"]
        return "\n".join([*lines, *(f"Warning: {warning}" for warning in self.warnings)])

    @property
    def commands(self) -> tuple[str, ...]:
        """What to type next."""
        folder = first = shlex.quote(str(self.folder))
        if len(self.problems) > 1:
            first = shlex.quote(str(min(path for path in self.folder.iterdir() if path.is_dir())))
        subjects = [*self.subjects, *(["oracle"] if self.oracle else [])]
        return (
            f"assay validate {folder}",
            f"assay check {self.subjects[0]} --track {self.track} --problem {first}",
            f"assay run {self.track} --problems {folder} --subject " + " --subject ".join(subjects),
            *self.further,
        )


def check_problems(track_name: str, folder: Path, *, oracle: bool = True) -> tuple[list[AnyProblem], dict[str, float]]:
    """The problems of a folder, loaded as a run loads them, and what the truth itself scores where that is defined.

    Refused where the truth misses a score that the track promises for it.
    """
    track = get_track(track_name)
    problems = [track.load(path) for path in find_problems(folder, marker=track.marker)]
    scores: dict[str, float] = {}
    for problem in problems if oracle else ():
        answer = track.decode(track.encode(track.oracle(problem)))
        evidence = track.examine(problem, answer, {**track.settings, **track.privileged_settings})
        for metric in track.metrics:
            ranks = metric.name in (track.headline, *track.headlines)
            if metric.oracle is None and not ranks:
                continue
            score = float(metric.function(evidence))
            if metric.oracle is not None and abs(score - metric.oracle) > metric.tolerance:  # nan: undefined here
                raise InvalidInput(
                    f"problem {problem.id!r}: the truth itself scores {metric.name} = {score:.6g} instead of "
                    f"{metric.oracle:g}. Its tables and its truth do not belong together."
                )
            if ranks and not math.isnan(score):
                scores.setdefault(problem.id, score)
    return problems, scores


def as_reading(
    table: object,
    options: TableOptions,
    *,
    label: str | None = None,
    option: str = "label",
    like: TableReading | None = None,
) -> TableReading:
    """A table as it was read, or read now with its label; ``option`` is where the user named it.

    What a file leaves open is read as in ``like``.

    Of a table that was read before, columns to ignore are left out now.
    """
    if isinstance(table, TableReading):
        demand_columns(table, [name for name in options.ignore if name not in table.options.ignore])
        columns = tuple(column for column in table.columns if column.name not in options.ignore)
        reading = replace(table, columns=columns, frame=table.frame[[column.name for column in columns]])
    else:
        roles = dict(options.columns) if label is None else {**options.columns, "label": label}
        try:
            reading = read_user_table(table, replace(options, columns=roles), like=like)
        except InvalidInput as error:
            remedy = options.remedy("columns", label or "", role="label")
            raise InvalidInput(str(error).replace(remedy, options.remedy(option, label or ""))) from None
    if label is not None and label in options.ignore:
        raise InvalidInput(f"{reading.source}: {label!r} is the {option} and cannot be ignored.")
    demand_columns(reading, [] if label is None else [label], kind=f"{option} column")
    return reading


def with_labels(reading: TableReading, labels: Collection[str]) -> TableReading:
    """The reading with these labels and no others, so that no guessed label is shown."""
    return replace(reading, columns=tuple(_with_role(column, column.name in labels) for column in reading.columns))


def _with_role(column: ColumnReading, is_label: bool) -> ColumnReading:
    guess, _, fact = column.why.partition("; ")
    why = fact if guess.startswith("guessed by") else column.why
    if is_label:
        return replace(column, role="label", why=f"given as label; {why}" if why else "given as label", warning="")
    if column.role == "label":
        return replace(column, role=_ROLES.get(column.type, "feature-category"), why=why)
    return column


def further_reading(
    table: object, options: TableOptions, *, label: str | None = None, like: TableReading | None = None
) -> TableReading:
    """A second table beside the first, ``like``; it need not have the columns that are ignored there."""
    return as_reading(table, replace(options, ignore=(), columns={}), label=label, like=like)


def demand_columns(reading: TableReading, names: Sequence[str], *, kind: str = "column") -> None:
    """Refuse a name that the table does not have."""
    names_there = [column.name for column in reading.columns]
    for name in names:
        if name not in names_there:
            raise InvalidInput(f"{reading.source}: {UnknownName(kind, name, names_there)}")


def number_columns(
    reading: TableReading, names: Sequence[str], options: TableOptions, *, target: str | None = None
) -> FloatArray:
    """Columns as a matrix of finite numbers; booleans are 0 and 1. The target cannot be left out."""
    demand_columns(reading, names)
    matrix = np.empty((len(reading.frame), len(names)))
    columns = {column.name: column for column in reading.columns}
    for place, name in enumerate(names):
        column = columns[name]
        if reading.frame[name].dtype.kind not in "iufb":
            other = options.remedy("target", "COLUMN") if name == target else options.remedy("ignore", name)
            way = f"name another target: {other}" if name == target else f"leave it out: {other}"
            raise InvalidInput(
                f"{reading.source}: column {name!r} holds {_KINDS[column.type]}, not numbers ({column.why}). Correct "
                f"its cells or {way}."
            )
        matrix[:, place] = reading.frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
        way = "" if name == target else f", or leave the column out: {options.remedy('ignore', name)}"
        demand_finite(matrix[:, place : place + 1], [name], reading.source, otherwise=way)
    return matrix
