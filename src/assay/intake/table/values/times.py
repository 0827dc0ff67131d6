"""Times as texts: the usual ways to write them, read for whole columns; day and month are never guessed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from assay.intake.table.values.time_grammar import GRAMMAR, PATTERNS, format_of
from assay.intake.table.values.words import MONTHS, WEEKDAYS, plain

__all__ = ["Times", "offset_minutes", "read_times"]

_ZONES: Final = {
    "Z": 0, "UTC": 0, "GMT": 0, "CET": 60, "MEZ": 60, "CEST": 120, "MESZ": 120, "BST": 60,
    "EST": -300, "EDT": -240, "PST": -480, "PDT": -420,
}  # minutes  # fmt: skip


@dataclass(slots=True)
class Times:
    """The times of a column's different texts, in their order.

    ``values`` holds moments in UTC where ``zoned``, local times elsewhere; it is None for times of day and where day
    and month cannot be told apart.
    """

    values: np.ndarray[Any, Any] | None
    format: str
    zoned: np.ndarray[Any, Any]
    zones: tuple[str, ...] = ()
    ambiguous: bool = False
    orders: tuple[str, ...] = ()
    styles: tuple[str, ...] = field(default=())
    wrong: tuple[int, ...] = ()  # texts that are no times


def read_times(levels: pd.Series[Any], order: str | None = None) -> Times | None:
    """The times, if the texts are times; some may be wrong, which are listed.

    ``order`` is that of day, month and year where it is known already: ``dmy``.
    """
    texts = pa.array(levels, type=pa.string())
    first = [name for name, pattern in PATTERNS.items() if any(pattern.match(text) for text in texts[:50].to_pylist())]
    if not first:
        return None
    size = len(texts)
    quick = _iso(texts) if first == ["ymd"] else None
    if quick is not None:
        return quick
    values = np.full(size, np.datetime64("NaT", "us"))
    zoned, is_read = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    zones: dict[str, None] = {}
    styles: list[str] = []
    orders: tuple[str, ...] = ()
    formats: dict[str, int] = {}
    for name in [*first, *(other for other in PATTERNS if other not in first)]:
        if is_read.all():
            break
        parts = _extract(texts, name, ~is_read)
        if parts is None:
            continue
        mask, fields = parts
        if name == "numeric":
            orders = (order,) if order is not None else _orders(fields)
            if not orders:
                continue
            if len(orders) > 1 or orders[0] == "contradicting":
                is_read |= mask
                styles.append(name)
                formats[
                    " or ".join(format_of(name, texts, mask, order) for order in orders if order != "contradicting")
                    or "mixed"
                ] = int(mask.sum())
                continue
            fields = _ordered(fields, orders[0])
        moments, fine, aware, named = _moments(name, fields)
        if not fine.any():
            continue
        places = np.flatnonzero(mask)[fine]
        values[places], zoned[places], is_read[places] = moments[fine], aware[fine], True
        zones |= dict.fromkeys(named)
        styles.append(name)
        chosen = np.zeros(size, dtype=bool)
        chosen[places] = True
        formats[format_of(name, texts, chosen, orders[0] if name == "numeric" else "")] = int(fine.sum())
    if not styles or is_read.mean() < 0.5:
        return None
    ambiguous = len(orders) > 1 or orders == ("contradicting",)
    result = None if ambiguous or "clock" in styles else values
    shown = max(formats, key=lambda text: (formats[text], len(text)))
    return Times(
        result, shown, zoned, tuple(zones), ambiguous, orders, tuple(styles), tuple(np.flatnonzero(~is_read).tolist())
    )


def _iso(texts: Any) -> Times | None:
    """ISO times without a zone, which Arrow reads at once."""
    try:
        values = texts.cast(pa.timestamp("us")).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        return None
    mask = np.ones(len(texts), dtype=bool)
    return Times(values.astype("datetime64[us]"), format_of("ymd", texts, mask, ""), ~mask, styles=("ymd",))


def _extract(
    texts: Any, name: str, pending: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], dict[str, list[str]]] | None:
    """Which texts the grammar fits, and their parts."""
    parts = pc.extract_regex(texts, GRAMMAR[name])
    mask = parts.is_valid().to_numpy(zero_copy_only=False) & pending
    if not mask.any():
        return None
    fitting = parts.filter(mask)
    columns = {field.name: fitting.field(place) for place, field in enumerate(fitting.type)}
    if "mon" in columns or columns.get("weekday") is not None:
        keep = np.ones(len(fitting), dtype=bool)
        for key, is_valid in (("mon", lambda word: plain(word) in MONTHS), ("weekday", _is_weekday)):
            if key in columns:
                codes = columns[key].dictionary_encode()
                fine = np.array([is_valid(word) for word in codes.dictionary.to_pylist()], dtype=bool)
                keep &= fine[codes.indices.to_numpy(zero_copy_only=False)] if len(fine) else True
        if not keep.any():
            return None
        mask[np.flatnonzero(mask)[~keep]] = False
        columns = {key: column.filter(keep) for key, column in columns.items()}
    return mask, columns


def _is_weekday(word: str) -> bool:
    text = plain(word).strip("., ")
    return not text or text in WEEKDAYS or (len(text) > 4 and text[:3] in WEEKDAYS)


def _numbers(fields: dict[str, Any], key: str, default: int = 0) -> np.ndarray[Any, Any]:
    if key not in fields:
        size = len(next(iter(fields.values())))
        return np.full(size, default, dtype=np.int64)
    filled = pc.if_else(pc.equal(fields[key], ""), str(default), fields[key])
    numbers: np.ndarray[Any, Any] = filled.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return numbers


def _orders(fields: dict[str, Any]) -> tuple[str, ...]:
    """The orders of day, month and year that fit every row; ``contradicting`` where the rows prove different ones.

    Dates with another separator were written by somebody else: they prove nothing about the rest.
    """
    signs = pc.utf8_trim_whitespace(fields["s1"])
    choices: dict[tuple[str, ...], None] = {}
    for sign in pc.unique(signs).to_pylist():
        mask = pc.equal(signs, sign)
        choices[_orders_of({key: fields[key].filter(mask) for key in ("a", "b", "Y", "s1")})] = None
    orders = [order for order in choices if order]
    if len(orders) <= 1:
        return orders[0] if orders else ()
    unsure = [order for order in orders if len(order) > 1]
    return unsure[0] if unsure else ("contradicting",)


def _orders_of(fields: dict[str, Any]) -> tuple[str, ...]:
    first, second, year = (_numbers(fields, key) for key in ("a", "b", "Y"))
    short = len(fields["Y"][0].as_py()) == 2
    separator = fields["s1"][0].as_py().strip()

    def fits(days: np.ndarray[Any, Any], months: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.asarray((days >= 1) & (days <= 31) & (months >= 1) & (months <= 12))

    choices = {"dmy": fits(first, second), "mdy": fits(second, first)}
    if short and separator != ".":
        choices["ymd"] = fits(year, second)
    fitting = [order for order, mask in choices.items() if mask.all()]
    if not fitting:
        each = np.logical_or.reduce(list(choices.values()))
        return ("contradicting",) if each.mean() > 0.9 and choices["dmy"].any() and choices["mdy"].any() else ()
    if {"dmy", "ymd"} <= set(fitting) and "mdy" not in fitting:
        # years repeat and days do not: the place with far fewer different numbers is the year
        if len(np.unique(first)) >= 2 * len(np.unique(year)) and first.max() > 24:
            fitting.remove("ymd")
        elif len(np.unique(year)) >= 2 * len(np.unique(first)) and year.max() > 24:
            fitting.remove("dmy")
    if set(fitting) == {"dmy", "mdy"} and (first == second).all():
        fitting = ["dmy"]  # both read the same
    return tuple(fitting)


def _ordered(fields: dict[str, Any], order: str) -> dict[str, Any]:
    places = dict(zip(order, (fields["a"], fields["b"], fields["Y"]), strict=True))
    return {**fields, "d": places["d"], "m": places["m"], "Y": places["y"]}


def _moments(
    name: str, fields: dict[str, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any], list[str]]:
    """Moments, which of them exist, which have a zone, and the zones."""
    years = _numbers(fields, "Y", 1970)
    if "Y" in fields:
        short = pc.less(pc.utf8_length(fields["Y"]), 3).to_numpy(zero_copy_only=False)
        years = np.where(short, np.where(years <= 68, years + 2000, years + 1900), years)  # as POSIX has it
    months, days = _numbers(fields, "m", 1), _numbers(fields, "d", 1)
    if "mon" in fields:
        codes = fields["mon"].dictionary_encode()
        table = np.array([MONTHS[plain(word)][0] for word in codes.dictionary.to_pylist()] or [0])
        months = table[codes.indices.to_numpy(zero_copy_only=False)]
    if "Q" in fields:
        months = 3 * _numbers(fields, "Q", 1) - 2
    fine = (years >= 1) & (months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)
    if name == "compact":
        fine &= (years >= 1900) & (years <= 2100)
    safe_years, safe_months = np.where(fine, years, 1970), np.where(fine, months, 1)
    starts = (safe_years - 1970).astype("datetime64[Y]").astype("datetime64[M]") + (safe_months - 1).astype(
        "timedelta64[M]"
    )
    dates = starts.astype("datetime64[D]") + (days - 1).astype("timedelta64[D]")
    fine &= dates.astype("datetime64[M]") == starts  # 31 February
    if "V" in fields:
        weeks = _numbers(fields, "V", 1)
        january = (safe_years - 1970).astype("datetime64[Y]").astype("datetime64[D]") + np.timedelta64(3, "D")
        monday = january - ((january.astype(np.int64) + 3) % 7).astype("timedelta64[D]")
        dates = monday + (7 * (weeks - 1) + _numbers(fields, "u", 1) - 1).astype("timedelta64[D]")
        thursdays = monday + (7 * (weeks - 1) + 3).astype("timedelta64[D]")
        fine &= thursdays.astype("datetime64[Y]").astype(np.int64) + 1970 == years  # few years have a week 53
    hours, minutes, seconds = (_numbers(fields, key) for key in ("H", "M", "S"))
    if "half" in fields:
        half = pc.utf8_lower(pc.utf8_trim_whitespace(fields["half"]))
        after = pc.starts_with(half, "p").to_numpy(zero_copy_only=False)
        used = pc.not_equal(half, "").to_numpy(zero_copy_only=False)
        fine &= ~used | ((hours >= 1) & (hours <= 12))
        hours = np.where(used, hours % 12 + 12 * after, hours)
    fine &= (hours <= 23) | ((hours == 24) & (minutes == 0) & (seconds == 0))  # 24:00 ends a day
    fine &= (minutes <= 59) & (seconds <= 59)
    micros = np.zeros(len(hours), dtype=np.int64)
    if "f" in fields and pc.any(pc.not_equal(fields["f"], "")).as_py():
        digits = pc.utf8_rpad(pc.utf8_slice_codeunits(fields["f"], 1, 7), 6, "0")
        micros = _numbers({"f": pc.if_else(pc.equal(fields["f"], ""), "0", digits)}, "f")
    moments = dates.astype("datetime64[us]") + (((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros).astype(
        "timedelta64[us]"
    )
    aware, named = np.zeros(len(hours), dtype=bool), []
    zones = fields.get("z")
    if name == "ctime":  # the name of a zone stands before the year, an offset behind it
        before = pc.utf8_trim_whitespace(fields["zname"])
        zones = pc.if_else(pc.is_in(before, pa.array([*_ZONES])), before, zones)
    if zones is not None and pc.any(pc.not_equal(zones, "")).as_py():
        codes = pc.utf8_trim_whitespace(zones).dictionary_encode()
        words = codes.dictionary.to_pylist()
        offsets = np.array([offset_minutes(word) for word in words], dtype=np.int64)
        places = codes.indices.to_numpy(zero_copy_only=False)
        moments = moments - (offsets[places] * 60_000_000).astype("timedelta64[us]")
        aware = np.array([bool(word) for word in words])[places]
        named = [_zone_name(word) for word in words if word]
    return moments, fine, aware, named


def offset_minutes(zone: str) -> int:
    """By how many minutes a zone, as it stands in a text, is ahead of UTC.

    >>> offset_minutes("+05:30"), offset_minutes("CEST"), offset_minutes("Z")
    (330, 120, 0)
    """
    if not zone or zone.upper() in _ZONES:
        return _ZONES.get(zone.upper(), 0)
    zone = zone.removeprefix("UTC").removeprefix("GMT")
    hours, _, rest = zone[1:].partition(":")
    digits = (hours.zfill(2) if len(hours) < 3 else hours.zfill(4)) + rest
    digits = digits.ljust(4, "0")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return -minutes if zone[0] == "-" else minutes


def _zone_name(zone: str) -> str:
    offset = offset_minutes(zone)
    return "UTC" if offset == 0 else f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02}:{abs(offset) % 60:02}"
