"""What a subject reports that it used (tokens, money): stored with its answer, under names that begin with reported."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from assay.core.record import encodable

__all__ = ["REPORTED", "read_usage", "relayed", "reported"]

REPORTED: Final = "reported_"
_MOST: Final = 20
_LONGEST_NAME: Final = 40
_LARGEST_FILE: Final = 1 << 16


def reported(usage: object) -> dict[str, float]:
    """The finite numbers of a mapping, at most twenty of them; whatever else a subject gives is left out.

    >>> reported({"tokens": 120, "cost_usd": 0.5, "model": "x", "rate": float("nan")})
    {'reported_tokens': 120.0, 'reported_cost_usd': 0.5}
    """
    if not isinstance(usage, Mapping):
        return {}
    numbers = {
        f"{REPORTED}{encodable(name[:_LONGEST_NAME])}": float(value)
        for name, value in usage.items()
        if isinstance(name, str) and isinstance(value, int | float) and not isinstance(value, bool)
        if abs(value) < 1e300 and math.isfinite(value)
    }
    return dict(list(numbers.items())[:_MOST])


def relayed(usage: object) -> dict[str, float]:
    """The same from the other side of the pipe, where a hostile subject may have written anything."""
    if not isinstance(usage, Mapping):
        return {}
    return reported({str(name).removeprefix(REPORTED): value for name, value in usage.items()})


def read_usage(path: Path) -> object:
    """What a program wrote about its use; nothing when it wrote none, or no JSON."""
    try:
        with path.open("rb") as stream:
            return json.loads(stream.read(_LARGEST_FILE))
    except (OSError, ValueError, RecursionError):
        return {}
