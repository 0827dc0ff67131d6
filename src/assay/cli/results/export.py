"""``assay export``: one run as a zip file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.shared.options import metric_option, out_option
from assay.cli.shared.results_options import results_options

if TYPE_CHECKING:
    from assay.report import Results

__all__ = ["export"]


@click.command(epilog="Example: assay export results --out run.zip")
@results_options
@metric_option("Include an aggregate of your own: FILE.py:NAME or module:NAME; repeatable.")
@out_option("run.zip", "Write to this zip file.", metavar="FILE")
@click.option("--html/--no-html", "with_html", default=True, show_default=True, help="Include the HTML report.")
def export(results: Results, metrics: tuple[str, ...], out: Path, with_html: bool) -> None:
    """Write the latest runs of DIR into one zip file: records, tables, JSON, report.

    The same results give the same bytes. Read it with assay.report.load, or give it to assay report instead of DIR.
    """
    from assay.report import with_metrics, write_archive

    write_archive(with_metrics(results, metrics)[0], out, with_html=with_html)
    click.echo(f"wrote {out}", err=True)
