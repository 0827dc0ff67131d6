"""``assay paper``: tables, figures and the set-up of a run for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.shared.options import PATH, json_option, metric_option, print_json
from assay.cli.shared.results_options import results_options

if TYPE_CHECKING:
    from assay.report import Results

__all__ = ["paper"]


@click.command("paper", epilog="Example: assay paper results -o tables")
@results_options
@click.option("-o", "--out", type=PATH, required=True, metavar="DIR", help="Write to this new folder.")
@metric_option("Add a column for this metric; repeatable.")
@click.option("--no-pdf", is_flag=True, help="Write figures as SVG only; PDF needs matplotlib.")
@json_option
def paper(results: Results, out: Path, metrics: tuple[str, ...], no_pdf: bool, as_json: bool) -> None:
    """Write LaTeX tables with tiers and intervals, figures, failures, a table by problem and the set-up of a run.

    paper.tex includes them all and compiles with pdflatex; it needs the packages booktabs, longtable and graphicx.
    """
    from assay.publish.paper.writing import write_paper

    files = write_paper(results, out, metrics=metrics, pdf=not no_pdf)
    if as_json:
        print_json([str(path) for path in files])
        return
    click.echo(f"{len(files)} files in {out}: pdflatex paper.tex there compiles them, twice for references.")
