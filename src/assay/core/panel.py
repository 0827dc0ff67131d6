"""A chart that a track adds to the report."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Panel"]


class Panel(NamedTuple):
    """A title, one ``<svg>`` or ``<table>`` element, and what it shows in words.

    Texts inside it must be escaped by who draws it. Colours come from the report's classes ``series-1`` to
    ``series-8`` and ``axis``, which follow the reader's light or dark theme; scripts and inline styles do not run.
    """

    title: str
    svg: str
    caption: str
