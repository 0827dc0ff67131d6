"""``assay items``: what each problem tells about the subjects."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.options import (
    cluster_option,
    folder_argument,
    headline_option,
    json_option,
    print_json,
    track_option,
)

__all__ = ["items"]


@click.command(epilog="Example: assay items results --metric auroc")
@folder_argument
@track_option
@headline_option
@cluster_option
@json_option
def items(folder: Path, track_name: str | None, metric: str | None, clusters: tuple[str, ...], as_json: bool) -> None:
    """Show for each problem of DIR its difficulty, discrimination, agreement with the others, and duplicates.

    A second table shows for each subject how much its scores vary between clusters, problems and seeds.
    """
    from assay.cli.shared.summary import chosen
    from assay.report import print_whole
    from assay.report.analysis.items import items_table, variance_table

    results = chosen(folder, track_name, clusters)
    analyses = [results.items(entry.track.name, metric=metric) for entry in results.tracks]
    if as_json:
        print_json([analysis.to_json() for analysis in analyses])
        return
    for analysis in analyses:
        print_whole(items_table(analysis), *analysis.remarks, variance_table(analysis))
