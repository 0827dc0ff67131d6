"""``assay compare``: two subjects, problem by problem."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from assay.cli.shared.options import json_option, metric_option, print_json
from assay.cli.shared.results_options import results_options

if TYPE_CHECKING:
    from assay.report import Results

__all__ = ["compare"]


@click.command(epilog="Example: assay compare results correspondence vote --metric auroc")
@results_options
@click.argument("a")
@click.argument("b")
@metric_option("Compare by this metric; repeatable [the headline metric].")
@json_option
def compare(results: Results, a: str, b: str, metrics: tuple[str, ...], as_json: bool) -> None:
    """Compare subject A with subject B of DIR: paired differences with intervals, p-values, wins and losses.

    With several metrics the p-values are corrected for their number (Holm).
    """
    from assay.report import compare_subjects, comparison_table, print_whole, with_metrics

    results, names = with_metrics(results, metrics)
    comparisons = compare_subjects(results, a, b, metrics=names)
    if as_json:
        print_json([asdict(comparison) for comparison in comparisons])
        return
    print_whole(comparison_table(comparisons))
