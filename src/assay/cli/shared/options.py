"""Options that several commands share, and how their texts are read."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from assay.core import InvalidInput, Setting

__all__ = [
    "cluster_option",
    "folder_argument",
    "json_option",
    "metric_option",
    "print_json",
    "read_settings",
    "track_option",
    "workers_option",
]

F = TypeVar("F", bound=Callable[..., Any])


def folder_argument(function: F) -> F:
    """The results folder of a run."""
    return click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))(function)


def json_option(function: F) -> F:
    """Machine-readable output."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")(function)


def track_option(function: F) -> F:
    """Which track, where a folder holds several."""
    return click.option("--track", "track_name", metavar="NAME", help="Choose the track, if DIR holds several.")(
        function
    )


def metric_option(help_text: str) -> Callable[[F], F]:
    """Metrics by name, or by the code that holds them."""
    return click.option("--metric", "metrics", multiple=True, metavar="METRIC", help=help_text)


def cluster_option(function: F) -> F:
    """Which problems intervals and tests take together."""
    return click.option(
        "--clusters",
        multiple=True,
        metavar="TAG",
        help="Treat problems that share this tag as one cluster in intervals and tests; none: each problem by itself; "
        "repeatable [as the track says].",
    )(function)


def workers_option(function: F) -> F:
    """How many processes."""
    return click.option(
        "--workers", type=click.IntRange(min=1), metavar="N", help="Run this many workers in parallel [one per core]."
    )(function)


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
