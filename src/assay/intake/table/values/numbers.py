"""Numbers as people and programs write them: decimal commas, thousands marks, CURRENCIES, per cent, units."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from assay.intake.table.values.words import CURRENCIES

__all__ = ["Mark", "Numbers", "are_numbers", "find_decimal", "mark_of", "read_numbers"]

_SAMPLE = 1000
_NUMBER = (
    r"^(?P<open>\()?(?P<sign>[-+−]?)\s?(?P<before>\p{Sc}|[A-Za-z]{2,3}\p{Sc}?|[A-Z]\p{Sc}|Fr\.|kr\.)?\s?(?P<sign2>[-−]?)"
    r"(?P<core>\d[\d.,'’ \x{00A0}\x{202F}]*\d|\d|[.,]\d+)(?P<exponent>[eE][-+]?\d{1,3})?(?P<back>-?)"
    r"\s?(?P<after>[^\d\s().,-][^\d()]{0,13})?(?P<close>\))?$"
)
_OR_MORE = frozenset(
    ["+", "more", "or more", "und mehr", "mehr", "et plus", "ou plus", "o más", "y más", "of meer", "e più", "ou mais"]
)
Mark = Literal[".", ","]


@dataclass(slots=True)
class Numbers:
    """The numbers of a column's different texts, in their order."""

    values: np.ndarray[Any, Any]
    integer: bool
    decimal: Mark | None = None
    thousands: str | None = None
    unit: str = ""
    certain: bool = True  # whether the column alone tells its decimal mark


def find_decimal(columns: list[Numbers | None]) -> Mark | None:
    """The decimal mark that the columns which tell it agree on."""
    certain = [numbers for numbers in columns if numbers is not None and numbers.certain]
    marks, others = [numbers.decimal for numbers in certain], [numbers.thousands for numbers in certain]
    votes = {".": marks.count(".") + others.count(","), ",": marks.count(",") + others.count(".")}
    if votes["."] == votes[","]:
        return None
    return "." if votes["."] > votes[","] else ","


def mark_of(numbers: Numbers) -> Mark | None:
    """The decimal mark of a column, told by how it groups thousands where no number has decimals."""
    if numbers.decimal is not None:
        return numbers.decimal
    grouped = numbers.thousands or ""
    return "," if "." in grouped else "." if "," in grouped else None


def read_numbers(levels: pd.Series[Any], decimal: Mark | None = None) -> Numbers | None:
    """The numbers, if every text is one; ``decimal`` is the file's mark, for columns that do not tell their own."""
    texts = pa.array(levels, type=pa.string())
    if not len(texts):
        return None
    quick = _plain_numbers(texts)
    if quick is not None:
        return quick
    if len(texts) > _SAMPLE and pc.extract_regex(texts.take(_spread(len(texts))), _NUMBER).null_count:
        return None  # most columns of texts end here
    parts = pc.extract_regex(texts, _NUMBER)
    if parts.null_count:
        return None
    fields = {field.name: parts.field(place) for place, field in enumerate(parts.type)}
    unit = _unit(fields)
    if unit is None or (unit and _any(pc.not_equal(fields["exponent"], ""))):
        return None
    core = fields["core"]
    marks = {mark: pc.sum(pc.count_substring(core, mark)).as_py() or 0 for mark in ".,'’ \u00a0\u202f"}
    signs = pc.or_(pc.starts_with(texts, "+"), pc.equal(fields["sign"], "+"))
    if any(marks[mark] for mark in "'’ \u00a0\u202f") and _any(signs):
        return None  # a telephone number
    marking = _marks(core, marks, decimal)
    if marking is None:
        return None
    point, thousands, certain = marking
    digits = pc.replace_substring_regex(core, f"[{re.escape(thousands)}]", "") if thousands else core
    if _any(pc.match_substring_regex(digits, r"^0\d")):
        return None  # leading zeros: a code
    if point == ",":
        digits = pc.replace_substring(digits, ",", ".")
    whole = not (point and _any(pc.match_substring(digits, "."))) and not _any(pc.not_equal(fields["exponent"], ""))
    digits = pc.replace_substring_regex(pc.replace_substring_regex(digits, r"^\.", "0."), r"\.$", "")
    decimals = pc.binary_join_element_wise(digits, fields["exponent"], "")
    values = decimals.cast(pa.float64()).to_numpy(zero_copy_only=False).copy()
    negative = pc.or_(
        pc.or_(_minus(fields["sign"]), _minus(fields["sign2"])),
        pc.or_(_minus(fields["back"]), pc.equal(fields["open"], "(")),
    )
    values[negative.to_numpy(zero_copy_only=False)] *= -1
    if whole and np.abs(values).max() < 2**53:
        values = values.astype(np.int64)
    elif whole:
        return None  # more digits than a number holds: a code
    return Numbers(values, whole, None if whole else point, thousands or None, unit, certain)


def are_numbers(levels: pd.Series[Any]) -> np.ndarray[Any, Any]:
    """Which texts look like numbers, each by itself."""
    parts = pc.extract_regex(pa.array(levels, type=pa.string()), _NUMBER)
    alike: np.ndarray[Any, Any] = parts.is_valid().to_numpy(zero_copy_only=False)
    return alike


def _plain_numbers(texts: Any) -> Numbers | None:
    """Numbers as programs write them, if all are and leave no doubt."""
    for kind in (pa.int64(), pa.float64()):
        try:
            numbers = texts.cast(kind)
            break
        except pa.ArrowInvalid:
            continue
    else:
        return None
    bare = pc.utf8_ltrim(texts, "-")
    zeros = bare.filter(pc.starts_with(bare, "0"))
    if len(zeros) and _any(pc.match_substring_regex(zeros, r"^0[\dxX]")):
        return None  # leading zeros, or hexadecimal: a code
    values = numbers.to_numpy(zero_copy_only=False)
    if kind == pa.int64():
        return Numbers(values, integer=True)
    marked = bare.filter(pc.match_substring(bare, "."))
    if not len(marked) or _any(pc.match_substring_regex(bare.filter(pc.invert(pc.is_finite(numbers))), ".")):
        return None
    behind = pc.subtract(pc.subtract(pc.utf8_length(marked), pc.find_substring(marked, ".")), 1)
    certain = _any(pc.not_equal(behind, 3)) or _any(pc.starts_with(marked, "0"))
    return Numbers(values, integer=False, decimal=".") if certain else None


def _spread(size: int) -> np.ndarray[Any, Any]:
    """Places spread over a column."""
    return np.unique(np.linspace(0, size - 1, _SAMPLE).astype(np.int64))


def _all(mask: Any) -> bool:
    return bool(pc.all(mask).as_py())


def _any(mask: Any) -> bool:
    return bool(pc.any(mask).as_py())


def _minus(column: Any) -> Any:
    return pc.is_in(column, pa.array(["-", "−"]))


def _unit(fields: dict[str, Any]) -> str | None:
    """What stands before or behind the numbers; None where that is no currency, per cent or one unit."""
    before = {text.strip() for text in pc.unique(fields["before"]).to_pylist()} - {""}
    after = {text.strip() for text in pc.unique(fields["after"]).to_pylist()} - {""}
    if _any(pc.not_equal(pc.equal(fields["open"], "("), pc.equal(fields["close"], ")"))):
        return None
    if any(text in _OR_MORE for text in after) and len(fields["after"]) > 1:
        return None  # 0, 1, 2, 3+: the last is a class
    if any(text.lower() not in CURRENCIES for text in before) or len(before) > 1 or len(after) > 2:
        return None
    if len(after) == 2:
        short, long = sorted(after, key=len)
        if short.lower() != long.lower() and long not in (short + "s", short + "e", short + "en", short + "n"):
            return None
    if before and after - {"%"} and {text.lower() for text in after} - CURRENCIES:
        return None
    return " ".join(sorted(before) + sorted(after, key=len)[:1])


def _marks(core: Any, marks: dict[str, int], decimal: Mark | None) -> tuple[Mark | None, str, bool] | None:
    """The decimal mark, the thousands marks, and whether the texts alone tell; None where they are no numbers."""
    blanks = [mark for mark in "'’ \u00a0\u202f" if marks[mark]]
    if len(blanks) > 1 and set(blanks) - {" ", "\u00a0", "\u202f"}:
        return None
    group = "".join(blanks)

    def fits(point: str, thousands: str) -> bool:
        tail = f"([{point}]\\d*)?" if point else ""
        grouped = f"\\d{{1,3}}([{thousands}]\\d{{3}})+|" if thousands else ""
        return _all(pc.match_substring_regex(core, f"^(({grouped}\\d+){tail}|[{point or '.'}]\\d+)$"))

    dots, commas = bool(marks["."]), bool(marks[","])
    if dots and commas:
        for point, thousands in ((",", "."), (".", ",")):
            if fits(point, thousands + group):
                return point, thousands + group, True  # type: ignore[return-value]
        return None
    if not dots and not commas:
        return (None, group, True) if fits("", group) else None
    mark: Mark = "." if dots else ","
    as_decimal, as_thousands = fits(mark, group), fits("", mark + group)
    several = bool(pc.max(pc.count_substring(core, mark)).as_py() > 1)
    if as_thousands and several:
        return None if _all(pc.equal(pc.count_substring(core, mark), 3)) else (None, mark + group, True)  # IP addresses
    if not as_thousands:
        return (mark, group, True) if as_decimal else None
    # one mark with three digits behind it wherever it stands: 1.234 is either
    marked = pc.match_substring(core, mark)
    if _any(pc.match_substring_regex(core, r"^0[.,]|\d{4,}")):
        return mark, group, True
    bare = pc.invert(marked)
    if decimal is not None:
        return (mark, group, False) if decimal == mark else (None, mark + group, False)
    if _any(bare) and len(core) > 2:  # none of those without a mark reaches a thousand: the mark groups digits
        return None, mark + group, False
    return (mark, group, False) if mark == "." or not _any(bare) else (None, mark + group, False)
