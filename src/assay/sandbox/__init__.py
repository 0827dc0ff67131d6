"""Untrusted Python in, columns out: three verbs (start, run, close) around locked processes.

>>> import pandas as pd
>>> from assay.sandbox import FunctionSource, Sandbox, Tables
>>> double = FunctionSource("double", "def double(row): return 2 * row['x']")
>>> with Sandbox.start() as sandbox:
...     (result,) = sandbox.run([double], Tables(rows=pd.DataFrame({"x": [1, 2]})))
>>> result.status, result.column.to_pylist()
('ok', [2, 4])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay.sandbox.contract import CLOCK, Allowance, FunctionResult, FunctionSource, Limits, Status, Tables

if TYPE_CHECKING:
    from assay.sandbox.host import Sandbox
    from assay.sandbox.lockdown.confine import Confinement, confine
    from assay.sandbox.selftest import LayerReport, self_test
    from assay.sandbox.states import GrowingTables, PackedState, can_grow
    from assay.sandbox.transfer import SharedTable

__all__ = [
    "CLOCK",
    "Allowance",
    "Confinement",
    "FunctionResult",
    "FunctionSource",
    "GrowingTables",
    "LayerReport",
    "Limits",
    "PackedState",
    "Sandbox",
    "SharedTable",
    "Status",
    "Tables",
    "can_grow",
    "confine",
    "self_test",
]

# tables and Arrow, which a process that only confines itself has no use for; the kernel, which limits alone do not need
_LATER = {
    "Confinement": "lockdown.confine",
    "GrowingTables": "states",
    "LayerReport": "selftest",
    "PackedState": "states",
    "Sandbox": "host",
    "SharedTable": "transfer",
    "can_grow": "states",
    "confine": "lockdown.confine",
    "self_test": "selftest",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
