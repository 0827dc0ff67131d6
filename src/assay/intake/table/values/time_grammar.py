"""The grammar of times as texts, and how a text is written as strptime has it."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import pyarrow as pa

from assay.intake.table.values.words import MONTHS, plain

__all__ = ["GRAMMAR", "PATTERNS", "format_of"]

_LETTERS = r"[A-Za-zÀ-ž]"
_CLOCK = (
    r"(?P<H>\d{1,2})(?P<c1>[:h.])(?P<M>\d{2})(?:(?P<c2>[:.])(?P<S>\d{2})(?P<f>[.,]\d{1,9})?)?"
    r"(?P<half>\s?[AaPp]\.?[Mm]\.?)?(?P<uhr>\s(?:Uhr|h|hrs))?"
    r"(?P<z>\s?(?:Z|z|[+-]\d{2}:?\d{2}|[+-]\d{2}|(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d{2})?)?|CEST|CET|EST|EDT|PST|PDT|BST|MESZ|MEZ))?(?P<zname>\s?\[[\w/]+\])?"
)
_TAIL = rf"(?:(?P<gap>T|,?\s+(?:um\s|at\s|à\s)?|-|_|:){_CLOCK})?"
_WEEKDAY = rf"(?P<weekday>{_LETTERS}{{2,10}}[.,]{{0,2}}\s+)?"
_DATES: Final = {
    "ymd": r"(?P<Y>\d{4})(?P<s1>[-/.])(?P<m>\d{1,2})(?P<s2>[-/.])(?P<d>\d{1,2})",
    "numeric": r"(?P<a>\d{1,2})(?P<s1>[-/.]\s?)(?P<b>\d{1,2})(?P<s2>[-/.]\s?)(?P<Y>\d{4}|\d{2})",
    "day-name": rf"(?P<d>\d{{1,2}})(?P<s1>(?:st|nd|rd|th|er|º)?\.?[\s\-/]*(?:de\s|of\s)?)(?P<mon>{_LETTERS}{{3,12}})"
    r"(?P<s2>\.?,?[\s\-/]*(?:de\s)?)(?P<Y>\d{4}|\d{2})",
    "name-day": rf"(?P<mon>{_LETTERS}{{3,12}})(?P<s1>\.?[\s\-/]*)(?P<d>\d{{1,2}})"
    r"(?P<s2>(?:st|nd|rd|th)?,?[\s\-/]+)(?P<Y>\d{4})",
    "year-name": rf"(?P<Y>\d{{4}})(?P<s1>[\s\-/.]+)(?P<mon>{_LETTERS}{{3,12}})(?P<s2>[\s\-/.]+)(?P<d>\d{{1,2}})",
}
GRAMMAR: Final = {
    **{name: rf"^{_WEEKDAY}{date}{_TAIL}$" for name, date in _DATES.items()},
    "ctime": rf"^(?P<weekday>{_LETTERS}{{3}},?\s+)(?P<mon>{_LETTERS}{{3}})(?P<s1>\s+)(?P<d>\d{{1,2}})"
    r"(?P<gap>\s+)(?P<H>\d{1,2}):(?P<M>\d{2}):(?P<S>\d{2})(?P<zname>\s[A-Z]{3,4})?(?P<s2>\s+)(?P<Y>\d{4})(?P<z>\s[+-]\d{4})?$",
    "compact": r"^(?P<Y>\d{4})(?P<m>\d{2})(?P<d>\d{2})"
    r"(?:(?P<gap>[T _-]?)(?P<H>\d{2}):?(?P<M>\d{2})(?::?(?P<S>\d{2})(?P<f>\.\d{1,6})?)?(?P<z>Z|[+-]\d{2}:?\d{2})?)?$",
    "week": r"^(?P<Y>\d{4})(?P<s1>[-/\s]?)(?P<w>W|KW|CW|S)(?P<s2>\s?)(?P<V>\d{2})(?:-(?P<u>[1-7]))?$",
    "week-first": r"^(?P<w>W|KW|CW)(?P<s1>\s?)(?P<V>\d{1,2})(?P<s2>[-/\s.])(?P<Y>\d{4})$",
    "year-month": r"^(?P<Y>\d{4})(?P<s1>[-/.])(?P<m>\d{2})$",
    "month-year": r"^(?P<m>\d{2})(?P<s1>[-/.])(?P<Y>\d{4})$",
    "name-year": rf"^(?P<mon>{_LETTERS}{{3,12}})(?P<s1>\.?[\s\-/]*)(?P<Y>\d{{4}}|\d{{2}})$",
    "quarter": r"^(?P<Y>\d{4})(?P<s1>[-/\s]?)(?P<q>Q)(?P<Q>[1-4])$",
    "quarter-first": r"^(?P<q>Q)(?P<Q>[1-4])(?P<s1>[-/\s])(?P<Y>\d{4})$",
    "clock": rf"^{_CLOCK}$",
}  # fmt: skip
PATTERNS = {name: re.compile(pattern) for name, pattern in GRAMMAR.items()}


def _is_full(month: str) -> bool:
    """Whether the name of a month is written in full, and could not be a short one."""
    return len(month) > 3 and month not in ("mars", "juin", "juli") and MONTHS.get(month, (0, False))[1]


def format_of(name: str, texts: Any, mask: np.ndarray[Any, Any], order: str) -> str:
    """How the longest of the texts is written, as strptime has it."""
    some = texts.filter(pa.array(mask))[:200].to_pylist()
    text = max(some, key=len)
    match = PATTERNS[name].match(text)
    if match is None:
        return "unknown"
    codes = {"Y": "%Y", "m": "%m", "d": "%d", "H": "%H", "M": "%M", "S": "%S", "V": "%V", "u": "%u"}
    if order:
        codes |= {part: {"d": "%d", "m": "%m", "y": "%Y"}[letter] for part, letter in zip("abY", order, strict=True)}
    if name.startswith("week"):
        codes["Y"] = "%G"
    pieces = []
    groups = match.groupdict()
    for key, group in groups.items():
        if not group:
            continue
        code = codes.get(key)
        if code == "%Y" and len(group) == 2:
            code = "%y"
        if key == "mon":
            words = [plain(parts[key]) for parts in map(PATTERNS[name].match, some) if parts]
            code = "%B" if any(map(_is_full, words)) else "%b"
        if key == "weekday":
            word = group.rstrip("., ")
            code = ("%A" if len(word) > 3 else "%a") + group[len(word) :]
        if key == "f":
            code = group[0] + "%f"
        if key == "half":
            code = group[: len(group) - len(group.lstrip())] + "%p"
        if key == "z":
            blank = group[: len(group) - len(group.lstrip())]
            code = blank + ("Z" if group.strip() in ("Z", "z") else "%z" if group.strip()[0] in "+-" else "%Z")
        if key == "H" and groups.get("half"):
            code = "%I"
        pieces.append((match.start(key), match.end(key), code))
    pattern: str = ""
    place = 0
    for start, end, code in sorted(pieces):
        if start < place:
            continue
        pattern += text[place:start] + (code if code is not None else text[start:end])
        place = end
    return pattern + str(text[place:])
