"""``assay paper``: tables, figures and the set-up of a run for a paper."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.options import (
    PATH,
    cluster_option,
    folder_argument,
    json_option,
    metric_option,
    print_json,
    track_option,
)

__all__ = ["paper"]


@click.command("paper", epilog="Example: assay paper results -o tables")
@folder_argument
@click.option("-o", "--out", type=PATH, required=True, metavar="DIR", help="Write to this new folder.")
@track_option
@metric_option("Add a column for this metric; repeatable.")
@click.option("--no-pdf", is_flag=True, help="Write figures as SVG only; PDF needs matplotlib.")
@cluster_option
@json_option
def paper(
    folder: Path,
    out: Path,
    track_name: str | None,
    metrics: tuple[str, ...],
    no_pdf: bool,
    clusters: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write LaTeX tables with tiers and intervals, figures, failures, a table by problem and the set-up of a run.

    paper.tex includes them all and compiles with pdflatex; it needs the packages booktabs, longtable and graphicx.
    """
    from assay.cli.shared.summary import chosen
    from assay.core.files.folders import user_path
    from assay.publish.paper.writing import write_paper

    files = write_paper(chosen(folder, track_name, clusters), user_path(out), metrics=metrics, pdf=not no_pdf)
    if as_json:
        print_json([str(path) for path in files])
        return
    click.echo(f"{len(files)} files in {out}: pdflatex paper.tex there compiles them, twice for references.")
