"""What tables count of an examined answer beside its score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["crashed_functions"]


def crashed_functions(details: Mapping[str, Any]) -> int:
    """How many functions of a described answer were run and gave no values.

    >>> crashed_functions({"functions": [{"status": "ok"}, {"status": "exception: KeyError"}, {"status": "not run"}]})
    1
    """
    return sum(function["status"] not in ("ok", "not run") for function in details.get("functions", ()))
