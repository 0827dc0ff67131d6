"""Options that several commands share, and how their texts are read."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from assay.core import InvalidInput, Setting
from assay.core.files.folders import user_path

__all__ = [
    "PATH",
    "cluster_option",
    "folder_argument",
    "headline_option",
    "json_file_option",
    "json_option",
    "metric_option",
    "new_folder_option",
    "out_option",
    "print_json",
    "quiet_option",
    "read_pairs",
    "read_settings",
    "settings_option",
    "together",
    "track_option",
    "workers_option",
]

F = TypeVar("F", bound=Callable[..., Any])


class _UserPath(click.Path):
    """A path; a ``~`` at its start is the home folder, also behind an equals sign, where shells leave it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return user_path(str(super().convert(value, param, ctx)))


PATH = _UserPath(path_type=Path)

# the results folder of a run
folder_argument = click.argument("folder", metavar="DIR", type=PATH)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
quiet_option = click.option("--quiet", is_flag=True, help="Hide the progress bar and the table.")
track_option = click.option("--track", "track_name", metavar="NAME", help="Choose the track, if DIR holds several.")
headline_option = click.option("--metric", metavar="METRIC", help="Use this metric [the headline metric].")
cluster_option = click.option(
    "--clusters",
    multiple=True,
    metavar="TAG",
    help="Treat problems that share this tag as one cluster in intervals and tests; none: each problem by itself; "
    "repeatable [as the track says].",
)
workers_option = click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="Run this many workers in parallel [one per core]."
)
settings_option = click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a setting of the track; repeatable."
)
new_folder_option = click.option("--out", required=True, type=PATH, metavar="DIR", help="Write to this new folder.")


def together(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Several options as one decorator, in the order of the help."""

    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def out_option(default: str, help_text: str, *flags: str, metavar: str = "DIR") -> Callable[[F], F]:
    """The option for the output, with a default."""
    return click.option(
        *(flags or ("--out",)), type=PATH, default=Path(default), show_default=True, metavar=metavar, help=help_text
    )


def json_file_option(help_text: str) -> Callable[[F], F]:
    """JSON beside the text, to a file or to the screen."""
    return click.option("--json", "json_file", type=PATH, metavar="FILE", help=help_text)


def metric_option(help_text: str) -> Callable[[F], F]:
    """Metrics by name, or by the code that holds them."""
    return click.option("--metric", "metrics", multiple=True, metavar="METRIC", help=help_text)


def read_pairs(texts: Sequence[str], flag: str, hint: str) -> dict[str, str]:
    """``NAME=VALUE`` texts of a flag that can be repeated; ``hint`` says how one is written.

    >>> read_pairs(["age=years", "weight = kg"], "--unit", "give COL=UNIT")
    {'age': 'years', 'weight': 'kg'}
    """
    pairs: dict[str, str] = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if not name or not value:
            raise InvalidInput(f"{flag} {text}: {hint}.")
        if name in pairs:
            raise InvalidInput(f"{flag} {text}: {name!r} is given twice.")
        pairs[name] = value
    return pairs


def read_settings(pairs: Sequence[str]) -> dict[str, Setting]:
    """``key=value`` pairs; values are read as TOML where they are TOML, as text where they are not.

    >>> read_settings(["preset=spec", "depth=3", "fast=true"])
    {'preset': 'spec', 'depth': 3, 'fast': True}
    """
    settings: dict[str, Setting] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            raise InvalidInput(f"--set {pair}: write it as --set key=value.")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except (ValueError, RecursionError):  # no TOML, or a number of too many digits
            value = text
        settings[name.strip()] = value if isinstance(value, bool | int | float | str) else text
    return settings


def print_json(value: object) -> None:
    """Strict JSON on standard output."""
    from assay.core import plain

    click.echo(json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False))
