"""Results by content: the same function over the same tables, clock, seed and limits need not run again.

Only results that the function itself determines are kept. A time-out, a crash or a lack of memory may come from a busy
machine and is tried again.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from assay.core import Json, digest_bytes
from assay.sandbox.contract import FunctionResult, FunctionSource

__all__ = ["ResultCache"]

_LASTING = ("ok", "exception", "invalid output")


class ResultCache:
    """The most recently used results, at most ``size`` of them; none when it is 0."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._results: OrderedDict[str, FunctionResult] = OrderedDict()

    def __bool__(self) -> bool:
        return self._size > 0

    def key(self, function: FunctionSource, tables: Sequence[Sequence[str]], setting: Mapping[str, Json]) -> str:
        """Equal only when nothing that a result depends on differs; tables are pairs of name and digest."""
        content = [function.name, function.code, [list(pair) for pair in tables], dict(setting)]
        return digest_bytes(json.dumps(content, sort_keys=True).encode())  # escaped: code may hold any character

    def get(self, key: str) -> FunctionResult | None:
        """The kept result, if there is one."""
        if (result := self._results.get(key)) is not None:
            self._results.move_to_end(key)
        return result

    def put(self, key: str, result: FunctionResult) -> None:
        """Keep a result that would come out the same again."""
        if result.status in _LASTING:
            self._results[key] = result
            self._results.move_to_end(key)
            while len(self._results) > self._size:
                self._results.popitem(last=False)
