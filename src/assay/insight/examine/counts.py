"""What tables count of an examined answer beside its score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["blocked_functions", "crashed_functions", "leaking_functions"]


def crashed_functions(details: Mapping[str, Any]) -> int:
    """How many functions of a described answer were run and gave no values.

    >>> crashed_functions({"functions": [{"status": "ok"}, {"status": "exception: KeyError"}, {"status": "not run"}]})
    1
    """
    return sum(function["status"] not in ("ok", "not run") for function in details.get("functions", ()))


def leaking_functions(details: Mapping[str, Any]) -> int:
    """How many functions of a described answer leak.

    >>> leaking_functions({"functions": [{"verdict": "leak"}, {"verdict": "clean"}, {"verdict": None}]})
    1
    """
    return sum(function.get("verdict") == "leak" for function in details.get("functions", ()))


def blocked_functions(details: Mapping[str, Any]) -> int:
    """How many functions of a described answer tried what the sandbox denies; that costs nothing.

    >>> blocked_functions({"functions": [{"verdict": "blocked"}, {"verdict": "clean"}]})
    1
    """
    return sum(function.get("verdict") == "blocked" for function in details.get("functions", ()))
