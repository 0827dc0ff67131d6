"""Untrusted Python in, columns out: three verbs (start, run, close) around locked processes.

>>> import pandas as pd
>>> double = FunctionSource("double", "def double(row): return 2 * row['x']")
>>> with Sandbox.start() as sandbox:
...     (result,) = sandbox.run([double], Tables(rows=pd.DataFrame({"x": [1, 2]})))
>>> result.status, result.column.to_pylist()
('ok', [2, 4])
"""

from assay.sandbox.confine import Confinement, confine
from assay.sandbox.contract import CLOCK, FunctionResult, FunctionSource, Limits, Status, Tables
from assay.sandbox.host import Sandbox
from assay.sandbox.selftest import LayerReport, self_test
from assay.sandbox.transfer import SharedTable

__all__ = [
    "CLOCK",
    "Confinement",
    "FunctionResult",
    "FunctionSource",
    "LayerReport",
    "Limits",
    "Sandbox",
    "SharedTable",
    "Status",
    "Tables",
    "confine",
    "self_test",
]
