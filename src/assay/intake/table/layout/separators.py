"""What stands between two cells: found by which sign cuts the lines into the same number of clean cells."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from assay.core import InvalidInput
from assay.intake import limits
from assay.intake.csv_scan import longest_cells
from assay.intake.table.options import TableOptions
from assay.intake.table.values.words import MISSING

__all__ = ["UNIT", "Cut", "Kind", "cut_lines", "find_separator", "kind_of", "split_rows"]

UNIT: Final = "\x1f"  # stands for a separator that is no single ASCII sign
_USUAL, _RARE = (",", ";", "\t", "|"), ("^", "~", "¦", "\x01", ":")
_NUMBER = re.compile(r"[(]?[-+−]?\s?[€$£¥]?\s?[-+]?\d[\d.,'\u00a0\u202f ]*([eE][-+]?\d+)?\s?[%€$£]?[)-]?|[-+]?[.,]\d+")
_TIME = re.compile(
    r"\d{1,4}[-/.]\s?\d{1,2}[-/.]\s?\d{1,4}(?!\d|[.-]\d).*|\d{1,2}:\d\d(:\d\d.*)?|\d{4}-?W\d\d.*|\d{4}-\d\d"
)

Kind = str  # "empty", "number", "time" or "text"


class Cut(NamedTuple):
    """How lines become cells: the sign as the user would name it, the sign that the text is cut at, and its quote."""

    name: str
    sign: str
    quote: str = '"'


def kind_of(cell: str) -> Kind:
    """What a cell looks like at first sight.

    >>> [kind_of(cell) for cell in ("1.234,5", "2020-01-31", "n/a", "Berlin")]
    ['number', 'time', 'empty', 'text']
    """
    text = cell.strip()
    if text.lower() in MISSING:
        return "empty"
    if _TIME.fullmatch(text):
        return "time"
    return "number" if _NUMBER.fullmatch(text) else "text"


def split_rows(lines: Sequence[str], cut: Cut) -> list[tuple[int, list[str]]]:
    """Rows of cells, each with the number of the line on which it starts."""
    rows, start = [], 0
    with longest_cells():
        csv.field_size_limit(4 * limits.LONGEST_ROW)  # longer cells are refused where the whole file is parsed
        reader = csv.reader((line + "\n" for line in lines), delimiter=cut.sign, quotechar=cut.quote)
        for row in reader:
            rows.append((start, [cell.strip() for cell in row]))
            start = reader.line_num
    return rows


def find_separator(lines: Sequence[str], options: TableOptions, what: str) -> Cut:
    """The separator of a text, found in some of its lines."""
    quote = _quote(lines)
    if options.separator is not None:
        return _chosen(options.separator, quote, options)
    scored = [(_score(lines, Cut(sign, sign, quote), _USUAL), -place, sign) for place, sign in enumerate(_USUAL)]
    score, _, sign = max(scored)
    aligned = _aligned(lines)
    if score < 0.5 and aligned is not None:
        return aligned
    if score <= 0.3:
        rare = [(_score(lines, Cut(other, other, quote), (*_USUAL, other)), other) for other in _RARE[:4]]
        best, other = max(rare)
        if best > 0.9:
            return Cut(other, other if other.isascii() else UNIT, quote)
        if aligned is not None:
            return aligned
    return Cut(sign if score > 0 else ",", sign if score > 0 else ",", quote)


def cut_lines(text: str, cut: Cut) -> str:
    """The text with its separators as one ASCII sign."""
    if cut.sign != UNIT:
        return text
    text = text.replace(UNIT, " ")
    if cut.name == "whitespace":
        return "\n".join(re.sub(r"[ \t\u00a0]+", UNIT, line.strip()) for line in text.split("\n"))
    if cut.name == "whitespace, two or more":
        return "\n".join(re.sub(r"[ \t\u00a0]{2,}|\t", UNIT, line.strip()) for line in text.split("\n"))
    if cut.name.startswith("fixed:"):
        starts = [int(start) for start in cut.name.removeprefix("fixed:").split(",")]
        ends = [*starts[1:], None]
        return "\n".join(
            UNIT.join(line[start:end].strip() for start, end in zip(starts, ends, strict=True)) if line.strip() else ""
            for line in text.split("\n")
        )
    return text.replace(cut.name, UNIT)


def _chosen(separator: str, quote: str, options: TableOptions) -> Cut:
    signs = {
        "tab": "\t",
        "\\t": "\t",
        "comma": ",",
        "semicolon": ";",
        "pipe": "|",
        "space": "whitespace",
        " ": "whitespace",
    }
    sign = signs.get(separator.lower(), separator)
    if sign == "whitespace" or sign == r"\s+":
        return Cut("whitespace", UNIT)
    if not sign or sign in ('"', "'", "\n", "\r", ".") or sign.isalnum() or len(sign) > 3:
        usual = ", ".join(options.remedy("separator", each) for each in (",", ";", "tab", "whitespace"))
        raise InvalidInput(f"The separator {separator!r} cannot separate cells. Give one such as {usual}.")
    return Cut(sign, sign if len(sign) == 1 and sign.isascii() else UNIT, quote)


def _quote(lines: Sequence[str]) -> str:
    text = "\n".join(lines)
    single = len(re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|]|$)", text, re.MULTILINE))
    return "'" if '"' not in text and single > len(lines) else '"'


def _score(lines: Sequence[str], cut: Cut, others: Sequence[str]) -> float:
    """From 0 to 1: how many rows have the usual number of cells, and how clean those are."""
    if not any(cut.sign in line for line in lines):
        return 0.0
    rows = [cells for _, cells in split_rows(lines, cut) if any(cells)]
    usual = Counter(len(cells) for cells in rows)
    width = max(usual, key=lambda each: (usual[each] * (each > 1), each), default=1)
    if width < 2:
        return 0.0
    fitting = [cells for cells in rows if len(cells) == width]
    cells = [cell for row in fitting for cell in row]
    foreign = [sign for sign in others if sign != cut.sign]
    clean = sum(kind_of(cell) != "text" or not any(sign in cell for sign in foreign) for cell in cells)
    # a sign inside of texts also cuts all rows alike, but not the header
    alike = 1.0 if len(rows[0]) == width else 0.7
    return alike * len(fitting) / len(rows) * (0.4 + 0.6 * clean / len(cells))


def _aligned(lines: Sequence[str]) -> Cut | None:
    """Columns aligned with blanks, if the lines are so."""
    filled = [line.rstrip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if len(filled) < 2:
        return None
    for name, gap in (("whitespace, two or more", r"[ \t]{2,}|\t"), ("whitespace", r"[ \t]+")):
        widths = Counter(len(re.split(gap, line.strip())) for line in filled)
        width, count = widths.most_common(1)[0]
        if width > 1 and count >= 0.97 * len(filled):
            return Cut(name, UNIT)
    longest = max(map(len, filled))
    if longest > 2000:
        return None
    blank = [all(len(line) <= place or line[place] == " " for line in filled) for place in range(longest)]
    starts = [place for place in range(longest) if not blank[place] and (place == 0 or blank[place - 1])]
    if len(starts) < 2:
        return None
    return Cut("fixed:" + ",".join(map(str, [0, *starts[1:]])), UNIT)
