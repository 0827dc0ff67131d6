"""``assay formula new``: a problem from a table, with the true formula or without."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.shared.new_problem import ask_column, new_options, problem_folder, show_new_problem
from assay.cli.shared.options import PATH

if TYPE_CHECKING:
    from assay.intake.table.options import TableOptions

__all__ = ["new"]

_PROPERTIES = ("rediscovery", "features", "extrapolation", "noise")


@click.command(
    epilog="Example: assay formula new measured.csv --target energy --truth 'mass*speed**2/2' --box speed=1:4"
)
@click.argument("path", metavar="FILE", type=PATH)
@click.option("--target", metavar="COL", help="Name the column that the formula predicts; all others are inputs.")
@click.option("--truth", metavar="FORMULA", help="Set the true formula; it is checked against the table.")
@click.option("--test", type=PATH, metavar="FILE", help="Judge formulas on the rows of this file [held-out rows].")
@click.option(
    "--holdout", default=0.25, show_default=True, type=float, help="Hold out this share of the rows, without --test."
)
@click.option(
    "--box",
    "boxes",
    multiple=True,
    metavar="BOX",
    help='Fit inside this box, as in "x=0:5"; rows outside test extrapolation.',
)
@click.option(
    "--extrapolation", type=PATH, metavar="FILE", help="Test extrapolation on the rows of this file, instead of --box."
)
@click.option(
    "--noise",
    multiple=True,
    type=float,
    metavar="SHARE",
    help="Add noise of this share of the target's variance; one training table for each (0 for none).",
)
@click.option(
    "--property", "property_", type=click.Choice(_PROPERTIES), help="Rank subjects by this property, with --truth."
)
@new_options
def new(
    path: Path,
    target: str | None,
    truth: str | None,
    test: Path | None,
    holdout: float,
    boxes: tuple[str, ...],
    extrapolation: Path | None,
    noise: tuple[float, ...],
    property_: str | None,
    out: Path | None,
    seed: int,
    identity: str | None,
    tags: dict[str, str | float],
    table: TableOptions,
    as_json: bool,
) -> None:
    """Make a problem from your own table: FILE is CSV, Parquet or Excel, with a column for the target.

    Without the true formula, accuracy, size and extrapolation are judged; with it, re-discovery as well. Columns that
    the true formula does not use are distractors.
    """
    from assay.formula.equivalence.sampling import parse_domain
    from assay.formula.problem.user_problem import new_problem

    folder = problem_folder(out, path)
    box = {name: limits for text in boxes for name, limits in parse_domain(text).items()}
    problem = new_problem(
        folder,
        path,
        target=target or ask_column("--target", "which column is the target?", path, table),
        truth=truth,
        test=test,
        holdout=holdout,
        box=box,
        extrapolation=extrapolation,
        noise=noise,
        property=property_,
        seed=seed,
        id=identity,
        tags=tags,
        options=table,
    )
    show_new_problem(problem, as_json=as_json)
