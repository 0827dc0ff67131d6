"""Times of events as nanoseconds in UTC, and one policy for those without a time zone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from assay.core import InvalidInput
from assay.drift.logs.local_time import nanoseconds
from assay.intake.table.options import TableOptions

__all__ = ["Clock", "find_zone"]

_FARTHEST = (1 << 63) - 1  # nanoseconds in 64 bits


def find_zone(name: str | None) -> tzinfo:
    """The zone of an IANA name; UTC without one."""
    if name is None:
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError, RecursionError):  # it is looked for in packages of that name
        raise InvalidInput(f"time zone {name!r} is not known. Give an IANA name such as Europe/Berlin.") from None


class Clock:
    """Reads ISO 8601 times one by one and remembers where the first with and the first without a zone stood."""

    def __init__(self, options: TableOptions) -> None:
        self.zone = find_zone(options.timezone)
        self.options = options
        self.first_bare: str | None = None
        self.first_aware: str | None = None

    def read(self, text: str, place: Callable[[], str]) -> tuple[int, int]:
        """Nanoseconds since 1970, and by how many seconds local time is ahead of UTC.

        Local is the zone that the user gives, else the text's own. ``place`` names where the text stands and is called
        only when that is needed.
        """
        try:
            stamp = datetime.fromisoformat(text)
        except ValueError:
            raise InvalidInput(
                f"{place()}: {text!r} is not a time in ISO 8601 such as 2020-03-01T12:00:00+01:00."
            ) from None
        if stamp.tzinfo is None:
            if self.first_bare is None:
                self.see(aware=False, place=place)
            stamp = stamp.replace(tzinfo=self.zone)
        elif self.first_aware is None:
            self.see(aware=True, place=place)
        time = nanoseconds(stamp)
        if not -_FARTHEST <= time <= _FARTHEST:
            raise InvalidInput(f"{place()}: the time {text!r} lies outside the years 1678 to 2261. Correct it.")
        if self.options.timezone is not None:
            stamp = stamp.astimezone(self.zone)
        ahead = stamp.utcoffset() or timedelta()
        return time, ahead.days * 86_400 + ahead.seconds

    def see(self, *, aware: bool, place: Callable[[], str]) -> None:
        """A time with or without a zone was met; a mixture is refused until the user says what bare times mean."""
        if aware and self.first_aware is None:
            self.first_aware = place()
        elif not aware and self.first_bare is None:
            self.first_bare = place()
        else:
            return
        if self.options.timezone is None and self.first_bare is not None and self.first_aware is not None:
            raise InvalidInput(
                f"Times with and without a time zone are mixed: {self.first_aware} has one, {self.first_bare} none. "
                f"Say what the bare ones mean, for example {self.options.remedy('timezone', 'Europe/Berlin')}."
            )
