"""Small tables that objects show of themselves: as text in a terminal, as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from unicodedata import combining, east_asian_width

from assay.report.wording import shown

__all__ = ["cut", "html_table", "padded", "places", "text_table"]

_GAP = "  "


def text_table(titles: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[bool] | None = None) -> str:
    """Columns below their titles; those that ``right`` names are numbers and end at their right edge.

    >>> print(text_table(["subject", "mean"], [["vote", "0.5"], ["oracle", "1.0"]], right=[False, True]))
    subject  mean
    vote      0.5
    oracle    1.0
    """
    lines = [[shown(cell) for cell in row] for row in (titles, *rows)]
    widths = [max(map(places, column)) for column in zip(*lines, strict=True)]
    sides = right or [False] * len(titles)
    return "\n".join(
        _GAP.join(padded(*part) for part in zip(line, widths, sides, strict=True)).rstrip() for line in lines
    )


def html_table(titles: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str = "", note: str = "") -> str:
    """A table without style or script; every text is escaped.

    >>> html_table(["a"], [["<b>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{_text(title)}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    above = f"<caption>{_text(caption)}</caption>" if caption else ""
    below = f"<p><small>{_text(note)}</small></p>" if note else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def cut(text: str, longest: int) -> str:
    r"""One line of at most so many characters.

    >>> cut("a long text", 7), cut("two\nlines", 20)
    ('a long…', 'two lines')
    """
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def padded(cell: str, width: int, is_right: bool) -> str:
    """A cell as wide as its column, a number at the right edge."""
    space = " " * (width - places(cell))
    return space + cell if is_right else cell + space


def places(text: str) -> int:
    """The width of a text on a terminal, in columns."""
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _text(text: str) -> str:
    return escape(shown(text))
