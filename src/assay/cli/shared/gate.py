"""``--fail-under``: a threshold that turns a result into an exit code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import click

from assay.core import InvalidInput
from assay.report import Results

__all__ = ["Threshold", "fail_under_option", "missed", "read_threshold"]

F = TypeVar("F", bound=Callable[..., Any])


class Threshold(NamedTuple):
    """A metric (None = the headline) and the value it must reach."""

    metric: str | None
    value: float


def fail_under_option(function: F) -> F:
    """Exit code 1 below a threshold."""
    return click.option(
        "--fail-under",
        "fail_under",
        metavar="[METRIC=]VALUE",
        help="Exit with 1 when a subject's mean is worse than this (headline metric by default).",
    )(function)


def read_threshold(text: str | None) -> Threshold | None:
    """Read ``0.8`` or ``metric=0.8``.

    >>> read_threshold("auroc=0.8")
    Threshold(metric='auroc', value=0.8)
    """
    if text is None:
        return None
    metric, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        raise InvalidInput(f"--fail-under {text}: the threshold must be a number, as in 0.8 or auroc=0.8.") from None
    return Threshold(metric if equals else None, value)


def missed(results: Results, threshold: Threshold) -> list[str]:
    """One line per subject whose mean, lost cells as the floor, is worse than the threshold or undefined."""
    lines = []
    for entry in results.tracks:
        name = threshold.metric or entry.track.headline
        across = {aggregate.name: aggregate for aggregate in entry.track.aggregates}
        metric = across[name] if name in across else entry.metric(name)
        board = results.leaderboard(entry.track.name, metrics=[metric.name])
        for row in board.rows:
            mean = row.aggregates[name] if name in across else row.metrics[name].lost_as_floor.value
            fine = mean >= threshold.value if metric.goal == "max" else mean <= threshold.value
            if math.isnan(mean) or not fine:
                cells = f"{row.lost} lost cell" + "s" * (row.lost > 1)
                lost = f" with {cells} as the floor" if row.lost else ""
                lines.append(f"{row.subject}: {metric.name} = {mean:.4g}{lost}, required {threshold.value:g}")
    return lines
