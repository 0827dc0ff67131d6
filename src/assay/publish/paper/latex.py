"""Texts and tables as LaTeX writes them."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import Final

from assay.core import Interval
from assay.report.wording import format_number

__all__ = ["bounds", "escape", "long_table", "number", "table"]

_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "–": "--",
    "…": r"\dots{}",
    "²": r"$^2$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "×": r"$\times$",
}

_WHOLE: Final = frozenset("ßøØåÅæÆœŒłŁ")
_ACCENTS: Final = frozenset("\u0300\u0301\u0302\u0303\u0308\u030a\u0327\u030c")


def escape(text: str) -> str:
    r"""A text with nothing in it that LaTeX would take for a command; what its fonts lack becomes a question mark.

    >>> escape("a_b & 50 % {x}")
    'a\\_b \\& 50\\,\\% \\{x\\}'
    >>> escape("Zürich 中 \\input")
    'Zürich ? \\textbackslash{}input'
    """
    words = "".join(_letter(letter) for letter in " ".join(text.split()))
    return words.replace(r" \%", r"\,\%")  # a number stays with its sign


def _letter(letter: str) -> str:
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    if letter.isascii():
        return letter if letter.isprintable() else "?"
    apart = unicodedata.normalize("NFD", letter)
    # what every font of LaTeX has: a letter with one usual accent
    return letter if letter in _WHOLE or (apart[0].isascii() and apart[1:] and set(apart[1:]) <= _ACCENTS) else "?"


def number(value: float) -> str:
    r"""A number in math mode, so that a minus is one; an undefined one is a dash.

    >>> number(-0.25), number(float("nan")), number(0.00015)
    ('$-0.250$', '--', '$1.5 \\cdot 10^{-4}$')
    """
    if math.isnan(value):
        return "--"
    if math.isinf(value):
        return r"$\infty$" if value > 0 else r"$-\infty$"
    digits, _, power = format_number(value).partition("e")
    return rf"${digits} \cdot 10^{{{int(power)}}}$" if power else f"${digits}$"


def bounds(interval: Interval) -> str:
    """The bounds alone.

    >>> bounds(Interval(0.5, 0.25, 0.75)), bounds(Interval(0.5, float("nan"), float("nan")))
    ('$[0.250, 0.750]$', '--')
    """
    if math.isnan(interval.low) or math.isnan(interval.high):
        return "--"
    return f"$[{number(interval.low).strip('$')}, {number(interval.high).strip('$')}]$"


def table(columns: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str, label: str) -> str:
    """A floating table with rules of booktabs; texts are LaTeX already, the caption too."""
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering",
            r"\setlength{\belowcaptionskip}{6pt}",
            rf"\caption{{{caption}}}",
            rf"\label{{{label}}}",
            r"\small",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _row(head),
            r"\midrule",
            *map(_row, rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def long_table(columns: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str, label: str) -> str:
    """A table that may go on over several pages."""
    return "\n".join(
        [
            r"{\small\setlength{\LTcapwidth}{\linewidth}",
            rf"\begin{{longtable}}{{{columns}}}",
            rf"\caption{{{caption}}}\label{{{label}}}\\",
            r"\toprule",
            _row(head),
            r"\midrule",
            r"\endfirsthead",
            r"\toprule",
            _row(head),
            r"\midrule",
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            *map(_row, rows),
            r"\end{longtable}}",
            "",
        ]
    )


def _row(cells: Sequence[str]) -> str:
    """A row; what begins with a star or a bracket would change the end of the row before it."""
    text = " & ".join(cells)
    return ("{}" if text.startswith(("*", "[")) else "") + text + r" \\"
