"""Local times of a log: how far they are ahead of UTC, and from which moment on."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo

import numpy as np
import numpy.typing as npt

__all__ = ["LocalTime", "moment", "nanoseconds", "with_offset"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = 10**9


def moment(nanoseconds: int) -> datetime:
    """A time of a log as a datetime in UTC, whole microseconds.

    >>> moment(1_000_000_000)
    datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=datetime.timezone.utc)
    """
    return _EPOCH + timedelta(microseconds=nanoseconds // 1000)


def nanoseconds(stamp: datetime) -> int:
    """A time as a log holds it: the inverse of ``moment``.

    >>> nanoseconds(moment(1_583_020_800_123_457_000))
    1583020800123457000
    """
    return (stamp - _EPOCH) // timedelta(microseconds=1) * 1000


def with_offset(stamp: datetime) -> datetime:
    """The same time with its plain offset, so that times compare and subtract as moments."""
    return stamp.astimezone(timezone(stamp.utcoffset() or timedelta()))


@dataclass(frozen=True)
class LocalTime(tzinfo):
    """The offsets of local time from UTC in seconds, each from a moment on; the first also holds before it.

    >>> berlin = LocalTime((0, 1_679_792_400_000_000_000), (3600, 7200))
    >>> str(berlin.moment(1_679_792_400_000_000_000)), str(berlin.moment(1_679_792_399_000_000_000))
    ('2023-03-26 03:00:00+02:00', '2023-03-26 01:59:59+01:00')
    >>> datetime(2023, 3, 26, tzinfo=berlin).astimezone(UTC).isoformat()
    '2023-03-25T23:00:00+00:00'
    """

    since: tuple[int, ...] = (0,)
    seconds: tuple[int, ...] = (0,)

    @classmethod
    def of(cls, times: npt.NDArray[np.int64], ahead: npt.NDArray[np.int32]) -> LocalTime:
        """What events tell, each by its time and how many seconds its local time is ahead of UTC."""
        if not ahead.any():
            return cls()
        order = np.argsort(times, kind="stable")
        ordered = ahead[order]
        opens = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        return cls(tuple(times[order][opens].tolist()), tuple(ordered[opens].tolist()))

    @property
    def is_utc(self) -> bool:
        """Whether local time is UTC."""
        return not any(self.seconds)

    def moment(self, time: int) -> datetime:
        """A time of the log as a local datetime with its offset."""
        place = max(0, bisect_right(self.since, time) - 1)
        return moment(time).astimezone(timezone(timedelta(seconds=self.seconds[place])))

    def ahead(self, times: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """By how many seconds local time is ahead at each of the times."""
        places = np.searchsorted(np.array(self.since), times, side="right") - 1
        return np.array(self.seconds, dtype=np.int64)[np.maximum(places, 0)]

    def clock(self, times: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """What local clocks show at each of the times, in nanoseconds since they showed the start of 1970."""
        return times + self.ahead(times) * _SECOND

    def utcoffset(self, stamp: datetime | None) -> timedelta:
        """The offset at a local time; of one that comes twice, the later."""
        shown = 0 if stamp is None else nanoseconds(stamp.replace(tzinfo=UTC))
        opens = [since + ahead * _SECOND for since, ahead in zip(self.since, self.seconds, strict=True)]
        return timedelta(seconds=self.seconds[max(0, bisect_right(opens, shown) - 1)])

    def tzname(self, stamp: datetime | None) -> str:
        """The offset as a name."""
        return str(timezone(self.utcoffset(stamp)))

    def dst(self, stamp: datetime | None) -> None:
        """Not known."""
