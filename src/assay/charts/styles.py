"""The colours of charts: a fixed one per subject, and the style sheet for light and dark backgrounds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

__all__ = ["COLOURS", "chart_rules", "light_colours", "standalone_style", "subject_numbers"]

COLOURS = 8  # series-1 to series-8; a ninth subject starts again
_LIGHT = "--paper: #ffffff; --sheet: #f6f7f9; --ink: #16202c; --soft: #566273; --line: #dde2e8; --loss-panel: #f9e0d0;"
_DARK = "--paper: #12161c; --sheet: #191f27; --ink: #e7ebf0; --soft: #a0acba; --line: #2e3743; --loss-panel: #4a2e1c;"
_LIGHT_SERIES = (
    "--accent: #0f6b78; --second: #b3541e; --third: #6a4fa3; "
    "--fourth: #3f7d20; --fifth: #a3356c; --sixth: #3461b3; --seventh: #8a6d00; --eighth: #5c6670;"
)
_DARK_SERIES = (
    "--accent: #6cc7d3; --second: #f0995c; --third: #b6a1ea; "
    "--fourth: #8fce6d; --fifth: #ee8fbe; --sixth: #8fb4f5; --seventh: #dcc052; --eighth: #b3bdc8;"
)


def subject_numbers(subjects: Iterable[str]) -> dict[str, int]:
    """The number of each subject's colour: its place in the sorted list, no matter which are drawn.

    >>> subject_numbers(["vote", "knn", "vote"])
    {'knn': 1, 'vote': 2}
    """
    return {subject: 1 + place % COLOURS for place, subject in enumerate(sorted(set(subjects)))}


def light_colours() -> dict[str, str]:
    """The colours on a light background by their names, for pictures that know no style sheet.

    >>> light_colours()["paper"]
    '#ffffff'
    """
    return dict(
        pair.strip().removeprefix("--").split(": ") for pair in (_LIGHT + _LIGHT_SERIES).split(";") if pair.strip()
    )


@cache
def chart_rules() -> str:
    """The rules for charts, which take their colours from the variables of the page around them."""
    return (files("assay.charts") / "charts.css").read_text(encoding="utf-8")


def standalone_style() -> str:
    """The rules with colours of their own, for a picture that stands alone in a file."""
    return (
        f":root {{ {_LIGHT} {_LIGHT_SERIES} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {_DARK} {_DARK_SERIES} }} }}\n{chart_rules()}"
    )
