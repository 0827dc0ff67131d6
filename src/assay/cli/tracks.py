"""``assay tracks``: what can be evaluated."""

from __future__ import annotations

import click

from assay.cli.shared.options import json_option, print_json

__all__ = ["tracks"]


@click.command(epilog="Example: assay tracks --json")
@json_option
def tracks(as_json: bool) -> None:
    """What can be evaluated: tracks with their questions, metrics and subjects."""
    from assay.core import get_track, track_names

    known = [get_track(name) for name in track_names()]
    if as_json:
        print_json(
            [
                {
                    "name": track.name,
                    "question": track.question,
                    "headline": track.headline,
                    "metrics": [
                        {
                            "name": metric.name,
                            "summary": metric.summary,
                            "goal": metric.goal,
                            "version": metric.version,
                        }
                        for metric in track.metrics
                    ],
                    "families": [family.label for family in track.families],
                    "subjects": sorted(track.subjects),
                    "privileged": sorted({*track.privileged, "oracle"}),
                    "settings": track.settings,
                }
                for track in known
            ]
        )
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for heading in ("track", "question", "metrics (headline first)", "subjects"):
        table.add_column(heading)
    for track in known:
        metrics = sorted(track.metric_names(), key=lambda name: name != track.headline)
        subjects = [*sorted(track.subjects), *sorted({*track.privileged, "oracle"})]
        table.add_row(*(Text(text) for text in (track.name, track.question, "\n".join(metrics), "\n".join(subjects))))
    Console().print(table)
