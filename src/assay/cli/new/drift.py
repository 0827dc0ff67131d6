"""``assay drift new``: a problem from an event log, documents and known causes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.shared.asking import ask_missing, can_ask
from assay.cli.shared.new_problem import new_options, problem_folder, read_tags, show_new_problem

if TYPE_CHECKING:
    from assay.intake.table.options import TableOptions

__all__ = ["new"]

_PATH = click.Path(path_type=Path)


@click.command(
    epilog="Example: assay drift new --log permits.csv --documents documents --cause 2021-03-01=new_law.pdf "
    "--out problems/permits"
)
@click.option("--log", required=True, type=_PATH, metavar="FILE", help="The event log: XES, CSV, Parquet or Excel.")
@click.option("--documents", required=True, type=_PATH, metavar="DIR", help="The documents that may explain drifts.")
@click.option(
    "--cause",
    "causes",
    multiple=True,
    metavar="WHEN=DOCUMENT",
    help="A known cause: a date, case or drift, and its document; nothing after = if no document explains it.",
)
@click.option(
    "--causes", "causes_table", type=_PATH, metavar="FILE", help="Known causes as a table with a column of each."
)
@click.option(
    "--drift",
    "drifts",
    multiple=True,
    metavar="WHEN",
    help="Where it drifts: a date, a case, or 2021-03-01..2021-04-15; detected by default.",
)
@click.option("--detections", type=_PATH, metavar="DIR", help="A detector's files instead.")
@click.option(
    "--within", default=30.0, show_default=True, type=float, metavar="DAYS", help="Most between a cause and its drift."
)
@click.option("--process", metavar="NAME", help="The process as documents call it; the log's name by default.")
@click.option("--glossary", type=_PATH, metavar="FILE", help="CSV with the columns term and definition.")
@new_options
def new(
    log: Path,
    causes: tuple[str, ...],
    causes_table: Path | None,
    out: Path | None,
    seed: int,
    identity: str | None,
    tags: tuple[str, ...],
    table: TableOptions,
    as_json: bool,
    **said: Any,
) -> None:
    """Make a problem of your own event log and documents, with known causes as its hidden truth.

    Each cause belongs to the drift that is nearest to it. Drifts without a known cause are left out.
    """
    from assay.drift.problem.own.causes import parse_cause
    from assay.drift.problem.own.material import Material
    from assay.drift.problem.own.problem import build_problem

    folder = problem_folder(out, log)
    if not causes and causes_table is None and said["detections"] is None and can_ask():
        causes = (ask_missing("--cause", "Which cause is known? As 2021-03-01=new_law.pdf"),)
    material = Material(
        log=log,
        causes=tuple(map(parse_cause, causes)),
        causes_table=causes_table,
        id=identity,
        tags=read_tags(tags),
        options=table,
        **said,
    )
    show_new_problem(build_problem(folder, material), as_json=as_json)
