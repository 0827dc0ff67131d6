"""``assay compare``: two subjects, problem by problem."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from assay.cli.shared.options import (
    cluster_option,
    folder_argument,
    json_option,
    metric_option,
    print_json,
    track_option,
)

__all__ = ["compare"]


@click.command(epilog="Example: assay compare results correspondence vote --metric auroc")
@folder_argument
@click.argument("a")
@click.argument("b")
@track_option
@metric_option("Compare by this metric; repeatable [the headline metric].")
@cluster_option
@json_option
def compare(
    folder: Path,
    a: str,
    b: str,
    track_name: str | None,
    metrics: tuple[str, ...],
    clusters: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compare subject A with subject B of DIR: paired differences with intervals, p-values, wins and losses.

    With several metrics the p-values are corrected for their number (Holm).
    """
    from assay.cli.shared.summary import chosen
    from assay.report import compare_subjects, comparison_table, print_whole, with_metrics

    results, names = with_metrics(chosen(folder, track_name, clusters), metrics)
    comparisons = compare_subjects(results, a, b, metrics=names)
    if as_json:
        print_json([asdict(comparison) for comparison in comparisons])
        return
    print_whole(comparison_table(comparisons))
