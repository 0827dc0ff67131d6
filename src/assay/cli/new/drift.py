"""``assay drift new``: a problem from an event log, documents and known causes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.shared.asking import ask_missing, can_ask
from assay.cli.shared.new_problem import new_options, problem_folder, show_new_problem
from assay.cli.shared.options import PATH

if TYPE_CHECKING:
    from assay.intake.table.options import TableOptions

__all__ = ["new"]


@click.command(
    epilog="Example: assay drift new --log permits.csv --documents documents --cause 2021-03-01=new_law.pdf "
    "--out problems/permits"
)
@click.option("--log", required=True, type=PATH, metavar="FILE", help="Read the event log: XES, CSV, Parquet or Excel.")
@click.option(
    "--documents", required=True, type=PATH, metavar="DIR", help="Read the documents that may explain drifts."
)
@click.option(
    "--cause",
    "causes",
    multiple=True,
    metavar="WHEN=DOCUMENT",
    help="Set a known cause: a date, case or drift, and its document; nothing after = "
    "if no document explains it; repeatable.",
)
@click.option(
    "--causes", "causes_table", type=PATH, metavar="FILE", help="Read known causes from a table with a column of each."
)
@click.option(
    "--drift",
    "drifts",
    multiple=True,
    metavar="WHEN",
    help="Set where the process drifts: a date, a case, or 2021-03-01..2021-04-15; repeatable [detected].",
)
@click.option("--detections", type=PATH, metavar="DIR", help="Read drifts from a detector's files.")
@click.option(
    "--within",
    default=30.0,
    show_default=True,
    type=float,
    metavar="DAYS",
    help="Allow at most DAYS between a cause and its drift.",
)
@click.option("--process", metavar="NAME", help="Name the process as documents do [the log's name].")
@click.option(
    "--glossary", type=PATH, metavar="FILE", help="Read a glossary: CSV with the columns term and definition."
)
@new_options
def new(
    log: Path,
    causes: tuple[str, ...],
    causes_table: Path | None,
    out: Path | None,
    seed: int,
    identity: str | None,
    table: TableOptions,
    as_json: bool,
    **options: Any,
) -> None:
    """Make a problem from your own event log and documents, with known causes as its hidden truth.

    Each cause belongs to the drift that is nearest to it. Drifts without a known cause are left out.
    """
    from assay.drift.problem.user_problem.causes import parse_cause
    from assay.drift.problem.user_problem.material import Material
    from assay.drift.problem.user_problem.problem import build_problem

    folder = problem_folder(out, log)
    if not causes and causes_table is None and options["detections"] is None and can_ask():
        causes = (ask_missing("--cause", "Which cause is known? As 2021-03-01=new_law.pdf"),)
    material = Material(
        log=log,
        causes=tuple(map(parse_cause, causes)),
        causes_table=causes_table,
        id=identity,
        options=table,
        **options,
    )
    show_new_problem(build_problem(folder, material), as_json=as_json)
