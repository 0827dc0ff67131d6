"""``assay tracks``: what can be evaluated."""

from __future__ import annotations

import click

from assay.cli.shared.options import json_option, print_json

__all__ = ["tracks"]


@click.command(epilog="Example: assay tracks --json")
@json_option
def tracks(as_json: bool) -> None:
    """List the tracks with their questions, metrics and subjects."""
    from assay.core import get_track, track_names

    installed = [get_track(name) for name in track_names()]
    if as_json:
        print_json(
            [
                {
                    "name": track.name,
                    "question": track.question,
                    "headline": track.headline,
                    "metrics": [
                        {name: getattr(metric, name) for name in ("name", "summary", "goal", "version")}
                        for metric in track.metrics
                    ],
                    "families": [family.label for family in track.families],
                    "subjects": sorted(track.subjects),
                    "privileged": sorted({*track.privileged, "oracle"}),
                    "settings": track.settings,
                }
                for track in installed
            ]
        )
        return
    from assay.report.tables.terminal import print_whole

    for track in installed:
        metrics = sorted(track.metric_names(), key=lambda name: name != track.headline)
        subjects = [*sorted(track.subjects), *sorted({*track.privileged, "oracle"})]
        lines = {"question": track.question, "metrics, headline first": ", ".join(metrics)}
        lines["subjects"] = ", ".join(subjects)
        print_whole(track.name, *(f"  {title}: {text}" for title, text in lines.items()))
