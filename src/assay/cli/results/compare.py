"""``assay compare``: two subjects, problem by problem."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from assay.cli.shared.options import folder_argument, json_option, print_json, track_option

__all__ = ["compare"]


@click.command(epilog="Example: assay compare results correspondence vote --metric auroc")
@folder_argument
@click.argument("a")
@click.argument("b")
@track_option
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="By default the headline.")
@json_option
def compare(folder: Path, a: str, b: str, track_name: str | None, metrics: tuple[str, ...], as_json: bool) -> None:
    """Compare subject A with subject B of DIR: paired differences with intervals, p-values, wins and losses.

    With several metrics the p-values are corrected for their number (Holm).
    """
    from assay.api import load
    from assay.report import compare_subjects, comparison_table

    comparisons = compare_subjects(load(folder), a, b, metrics=metrics, track=track_name)
    if as_json:
        print_json([asdict(comparison) for comparison in comparisons])
        return
    from rich.console import Console

    Console().print(comparison_table(comparisons))
