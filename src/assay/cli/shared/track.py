"""``assay TRACK``: the commands that every track has, and its own."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

import click

from assay.cli.shared.options import json_option, new_folder_option, print_json
from assay.cli.shared.output import new_problems
from assay.core import AnyTrack, InvalidInput, Metric, get_track

__all__ = ["track_group"]


def track_group(name: str) -> click.Group:
    """The group of one track: generate and metrics, then what the track itself brings."""
    track = get_track(name)
    example = f"Example: assay {name} generate --out problems"
    group = click.Group(name, help=f"{track.question}\n\n{example}", epilog=_contract(track))
    group.add_command(_generate(track))
    group.add_command(_metrics(track))
    if track.commands is not None:
        module, _, attribute = track.commands.partition(":")
        commands = getattr(importlib.import_module(module), attribute)
        if not isinstance(commands, click.Group):
            raise InvalidInput(f"track {name!r}: {track.commands} is not a group of commands.")
        for command in commands.commands.values():
            group.add_command(command)
    return group


def _contract(track: AnyTrack) -> str:
    """What a subject gets and gives, line by line as it is."""
    if track.contract is None:
        return ""
    return "\n\n".join(f"\b\n{part}" for part in track.contract.text().split("\n\n"))


def _generate(track: AnyTrack) -> click.Command:
    @click.command("generate", epilog=f"Example: assay {track.name} generate --out problems")
    @new_folder_option
    def generate(out: Path) -> None:
        """Write the built-in problems as folders, to inspect, edit or share."""
        with new_problems(out) as place:
            track.builtin(place)

    return generate


def _metrics(track: AnyTrack) -> click.Command:
    @click.command("metrics", epilog=f"Example: assay {track.name} metrics")
    @json_option
    def metrics(as_json: bool) -> None:
        """Explain each metric, with its formula and examples."""
        if as_json:
            print_json(
                [
                    {"name": name, "goal": metric.goal, "version": metric.version, "definition": _text(metric)}
                    for name, metric in _listed(track)
                ]
            )
            return
        for name, metric in _listed(track):
            headline = ", headline" if name == track.headline else ""
            click.echo(f"{name} ({metric.goal}, version {metric.version}{headline})")
            click.echo(f"  {_text(metric)}\n".replace("\n", "\n  ").rstrip() + "\n")

    return metrics


def _listed(track: AnyTrack) -> list[tuple[str, Metric[Any]]]:
    """The metrics by name, then the families by their labels, each with one of its members."""
    members = [(family.label, track.metric(family.shown(family.example))) for family in track.families]
    return [*((metric.name, metric) for metric in track.metrics), *members]


def _text(metric: object) -> str:
    return inspect.getdoc(getattr(metric, "definition", None)) or ""
