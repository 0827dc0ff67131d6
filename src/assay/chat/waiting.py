"""How long to wait before the next attempt: as the server requests, else twice as long each time."""

from __future__ import annotations

import hashlib
import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["own_wait", "requested_wait"]


def requested_wait(header: str | None, *, now: datetime | None = None) -> float | None:
    """Seconds that a Retry-After header asks for, given as a number or as a date; None when it does not say.

    >>> requested_wait("12")
    12.0
    >>> requested_wait("Wed, 21 Oct 2015 07:28:00 GMT", now=datetime(2015, 10, 21, 7, 27, tzinfo=UTC))
    60.0
    >>> requested_wait("soon") is None
    True
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            moment = parsedate_to_datetime(header)
        except (ValueError, TypeError, OverflowError):
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (moment - (now or datetime.now(UTC))).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def own_wait(attempt: int, request: bytes, *, first: float, longest: float) -> float:
    """Seconds before the attempt after ``attempt`` (from 1): twice as long each time, shortened by up to a half.

    The shortening depends on the request: different ones do not come back together, the same one always waits alike.

    >>> [round(own_wait(n, b"", first=1.0, longest=5.0), 1) for n in (1, 2, 3, 4)]
    [0.9, 1.3, 3.1, 2.8]
    """
    mark = hashlib.sha256(attempt.to_bytes(4, "big") + request).digest()
    share = int.from_bytes(mark[:4], "big") / 2**32
    doubled = first * 2.0 ** min(attempt - 1, 60)
    return min(doubled, longest) * (0.5 + 0.5 * share)
