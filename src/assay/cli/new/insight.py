"""``assay insight new``: a problem from tables, a prediction time and what experts know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.shared.asking import ask_missing, can_ask
from assay.cli.shared.new_problem import new_options, problem_folder, show_new_problem
from assay.cli.shared.options import PATH, read_pairs
from assay.core import InvalidInput

if TYPE_CHECKING:
    from assay.insight.problem.user_problem.material import Material
    from assay.intake.table.options import TableOptions
    from assay.intake.table.reading import TableReading

__all__ = ["new"]


@click.command(
    epilog="Example: assay insight new --table customers.csv --table orders.csv --target churned --time signed_on "
    "--experts experts.csv --out problems/churn"
)
@click.option(
    "--table", "tables", multiple=True, required=True, metavar="[NAME=]FILE", help="Read this table; repeatable."
)
@click.option("--main", metavar="NAME", help="Name the table with one row per prediction [the one with the target].")
@click.option("--target", metavar="COL", help="Name the column to predict.")
@click.option("--time", metavar="COL|DATE", help="Set when rows are predicted: a column of the main table, or a date.")
@click.option(
    "--table-time",
    "table_times",
    multiple=True,
    metavar="NAME=COL",
    help="Set since when rows of another table are known; NAME=none if always; repeatable [its only time column].",
)
@click.option(
    "--target-time", metavar="COL|DATE", help="Set when the target becomes known; no row may be predicted later."
)
@click.option("--key", metavar="COL", help="Name the column that identifies a row of the main table [detected].")
@click.option(
    "--experts",
    type=PATH,
    metavar="FILE",
    help="Read what experts know: a table of columns, or feature functions in .py.",
)
@click.option(
    "--expert-column",
    "expert_columns",
    multiple=True,
    metavar="COL",
    help="Treat this column of the main table as expert knowledge; repeatable.",
)
@click.option(
    "--meaning", "meanings", multiple=True, metavar="COL=WORDS", help="Describe an expert column; repeatable."
)
@click.option(
    "--kind", type=click.Choice(["binary", "multiclass", "regression"]), help="Set the type of target [detected]."
)
@click.option("--split", metavar="time|random|COL", help="Choose test rows this way [by time, if times differ].")
@click.option("--holdout", default=0.25, show_default=True, type=float, help="Test with this share of the rows.")
@click.option("--description", default="", metavar="TEXT", help="Describe the question, for agents to read.")
@click.option("--domain", default="", metavar="TEXT", help="Name the field of application.")
@new_options
def new(
    tables: tuple[str, ...],
    target: str | None,
    table_times: tuple[str, ...],
    meanings: tuple[str, ...],
    out: Path | None,
    identity: str | None,
    table: TableOptions,
    as_json: bool,
    **options: Any,
) -> None:
    """Make a problem from your own tables, with what your experts know as its hidden truth.

    Each row of the main table is predicted at its time, from what the other tables held by then.
    """
    from assay.insight.problem.user_problem.material import Material
    from assay.insight.problem.user_problem.problem import build_problem
    from assay.insight.problem.user_problem.tables import choose_main, read_tables

    named = _named(tables)
    folder = problem_folder(out, Path(named.get(options["main"], next(iter(named.values())))))
    roles = table.columns
    for role in roles:
        if role not in ("target", "label", "time"):
            raise InvalidInput(f"--column {role}={roles[role]}: here columns are named by --target, --time and --key.")
    options["time"] = options["time"] or roles.get("time")
    material = Material(
        tables=named,
        target=target or roles.get("target") or roles.get("label") or "",
        table_times=read_pairs(table_times, "--table-time", "write it as --table-time orders=ordered_on"),
        meanings=read_pairs(meanings, "--meaning", "write it as --meaning debt_share='debt as a share of income'"),
        id=identity,
        options=table,
        **options,
    )
    readings = read_tables(material)
    material = choose_main(_completed(material, readings), readings)
    show_new_problem(build_problem(folder, material, readings), as_json=as_json)


def _completed(material: Material, readings: Mapping[str, TableReading]) -> Material:
    """Ask for what is missing, at a terminal."""
    if not material.target:
        names = [name for name in readings if material.main in (None, name)] or list(readings)
        columns = [str(column) for name in names for column in readings[name].frame.columns]
        target = ask_missing("--target", "Which column is to be predicted?", choices=columns, kind="columns")
        material = replace(material, target=target)
    having = [name for name, reading in readings.items() if material.target in reading.frame.columns]
    if material.main is None and len(having) > 1:
        question = "Which table has one row per prediction?"
        material = replace(material, main=ask_missing("--main", question, choices=having, kind="tables"))
    if material.experts is None and not material.expert_columns and can_ask():
        experts = ask_missing("--experts", "What do experts know? A table, or a Python file of feature functions")
        material = replace(material, experts=Path(experts))
    return material


def _named(texts: Sequence[str]) -> dict[str, str]:
    """Tables by name: NAME=FILE, or a file that is called after itself."""
    from assay.insight.problem.user_problem.material import named_tables

    tables: dict[str, str] = {}
    for text in texts:
        name, equals, file = text.partition("=")
        if not equals or Path(text).is_file():
            name, file = next(iter(named_tables(text))), text
        if name in tables:
            raise InvalidInput(f"--table {text}: a table {name!r} is given already. Name it: --table NAME={file}.")
        tables[name] = file
    return named_tables(tables)
