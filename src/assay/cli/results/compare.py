"""``assay compare``: two subjects, problem by problem."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from assay.cli.shared.options import (
    folder_argument,
    json_option,
    match_subject,
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
@metric_option("By default the headline; may be repeated.")
@json_option
def compare(folder: Path, a: str, b: str, track_name: str | None, metrics: tuple[str, ...], as_json: bool) -> None:
    """Compare subject A with subject B of DIR: paired differences with intervals, p-values, wins and losses.

    With several metrics the p-values are corrected for their number (Holm).
    """
    from assay.cli.shared.summary import chosen
    from assay.core import InvalidInput, UnknownName
    from assay.report import comparison_table, with_metrics
    from assay.stats import Comparison, adjust, score_table
    from assay.stats import compare as compare_pair

    results, named = with_metrics(chosen(folder, track_name), metrics)
    comparisons: list[Comparison] = []
    for entry in results.tracks:
        known = list(entry.table.labels["subject"].values)
        try:
            first, second = match_subject(a, known), match_subject(b, known)
        except UnknownName:
            if len(results.tracks) == 1:
                raise
            continue  # another track of this folder may have both
        names = named or (entry.track.headline,)
        tables = [score_table(entry.cautious_table, name, goal=entry.metric(name).goal) for name in names]
        comparisons += adjust([compare_pair(table, first, second) for table in tables])
    if not comparisons:
        raise InvalidInput(f"{folder}: no track there holds both {a!r} and {b!r}.")
    if as_json:
        print_json([asdict(comparison) for comparison in comparisons])
        return
    from rich.console import Console

    Console().print(comparison_table(comparisons))
