"""``assay export``: one run as a zip file."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.options import cluster_option, folder_argument, metric_option, out_option, track_option

__all__ = ["export"]


@click.command(epilog="Example: assay export results --out run.zip")
@folder_argument
@track_option
@metric_option("Include an aggregate of your own: FILE.py:NAME or module:NAME; repeatable.")
@cluster_option
@out_option("run.zip", "Write to this zip file.", metavar="FILE")
@click.option("--html/--no-html", "with_html", default=True, show_default=True, help="Include the HTML report.")
def export(
    folder: Path,
    track_name: str | None,
    metrics: tuple[str, ...],
    clusters: tuple[str, ...],
    out: Path,
    with_html: bool,
) -> None:
    """Write the latest runs of DIR into one zip file: records, tables, JSON, report.

    The same results give the same bytes. Read it with assay.report.load, or give it to assay report instead of DIR.
    """
    from assay.cli.shared.summary import chosen
    from assay.report import with_metrics, write_archive

    write_archive(with_metrics(chosen(folder, track_name, clusters), metrics)[0], out, with_html=with_html)
    click.echo(f"wrote {out}", err=True)
