"""``assay items``: what each problem tells about the subjects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay.cli.shared.options import headline_option, json_option, print_json
from assay.cli.shared.results_options import results_options

if TYPE_CHECKING:
    from assay.report import Results

__all__ = ["items"]


@click.command(epilog="Example: assay items results --metric auroc")
@results_options
@headline_option
@json_option
def items(results: Results, metric: str | None, as_json: bool) -> None:
    """Show for each problem of DIR its difficulty, discrimination, agreement with the others, and duplicates.

    A second table shows for each subject how much its scores vary between clusters, problems and seeds.
    """
    from assay.report import print_whole
    from assay.report.analysis.items import items_table, variance_table

    analyses = [results.items(entry.track.name, metric=metric) for entry in results.tracks]
    if as_json:
        print_json([analysis.to_json() for analysis in analyses])
        return
    for analysis in analyses:
        print_whole(items_table(analysis), *analysis.remarks, variance_table(analysis))
