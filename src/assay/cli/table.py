"""``assay table``: how each column of a table is read."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.options import PATH, json_option, print_json
from assay.cli.shared.table_options import table_options
from assay.intake.table.options import TableOptions

__all__ = ["table_command"]


@click.command("table", epilog="Example: assay table orders.csv --column label=returned --ignore comment")
@click.argument("path", metavar="FILE", type=PATH)
@table_options
@json_option
def table_command(path: Path, table: TableOptions, as_json: bool) -> None:
    """Read a table and show how each column is interpreted, and why.

    FILE is delimited text (also packed, .gz), Parquet or Excel. Nothing is written.
    """
    from assay.intake.table.read import read_user_table

    reading = read_user_table(path, table)
    if as_json:
        print_json(reading.to_json())
    else:
        click.echo(reading.text())
