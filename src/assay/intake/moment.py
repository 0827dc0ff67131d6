"""One date or time as a user types it, on the command line or in Python."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, tzinfo

from assay.core import InvalidInput
from assay.intake.table.options import TableOptions

__all__ = ["parse_moment"]


def parse_moment(value: str | date, options: TableOptions, *, place: str, zone: tzinfo = UTC) -> datetime | None:
    """A date or time in UTC; None when it is none, and an error where day and month cannot be told apart.

    One without a zone is in that of the options, or else in ``zone``.

    >>> parse_moment("2023-06-30", TableOptions(timezone="Europe/Berlin"), place="--time")
    datetime.datetime(2023, 6, 29, 22, 0, tzinfo=datetime.timezone.utc)
    >>> parse_moment("30.06.2023", TableOptions(), place="--time").day, parse_moment("June", TableOptions(), place="")
    (30, None)
    >>> parse_moment("03/04/2023", TableOptions(time_format="%d/%m/%Y %H:%M"), place="--time").month
    4
    """
    if isinstance(value, datetime):
        stamp: datetime | None = value
    elif isinstance(value, date):
        stamp = datetime(value.year, value.month, value.day)
    else:
        stamp = _read(value.strip(), options, place)
    if stamp is None or stamp != stamp:  # NaT is a datetime that equals nothing
        return None
    if stamp.tzinfo is None:
        from assay.intake.table.overrides import find_zone  # with numpy and pandas, which a moment seldom needs

        stamp = stamp.replace(tzinfo=find_zone(options) if options.timezone else zone)
    try:
        return stamp.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(f"{place}: {str(value)!r} is outside of the years 1 to 9999 in UTC.") from None


def _read(text: str, options: TableOptions, place: str) -> datetime | None:
    form = options.time_format or ""
    for pattern in dict.fromkeys([form, re.split(r"[ T](?=%[HI])", form)[0]]):  # a day alone where times are meant
        try:
            return datetime.strptime(text, pattern) if pattern else datetime.fromisoformat(text)
        except ValueError:
            continue
    import pandas as pd

    from assay.intake.table.values.times import read_times

    times = read_times(pd.Series([text]))
    if times is None or times.wrong:
        return None
    if times.ambiguous:
        raise InvalidInput(
            f"{place}: {text!r} may be read with either order of day and month. Write it as 2023-01-31 (year, month, "
            "day)."
        )
    if times.values is None:
        return None
    stamp = pd.Timestamp(times.values[0]).to_pydatetime()
    return stamp.replace(tzinfo=UTC) if times.zoned[0] else stamp
