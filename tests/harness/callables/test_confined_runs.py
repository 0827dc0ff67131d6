from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.harness.callables.conftest import Script

from assay.core import Record
from assay.harness import RunSpec, run
from assay.harness.callables import capture, name_of, pickle_subject

Spec = Callable[..., RunSpec]

SCRIPT = """
import numpy as np
from functools import partial
import confined_helper
EVEN = np.array([n % 2 == 0 for n in range(5000)])
class Mine:
    def __init__(self, table, k=1):
        self.table = table
        self.k = k
    def solve(self, task):
        return tuple(bool(self.table[n]) for n in task.numbers)
def make(divisor):
    def closure(task, *, budget):
        assert budget.seconds > 0
        return tuple(confined_helper.remainder(n, divisor) == 0 for n in task.numbers)
    return closure
def secret(task):
    return open("/etc/hostname").read()
def divide(task):
    return 1 / 0
values = [Mine(EVEN, k=3), make(2), lambda task: tuple(n % 2 == 0 for n in task.numbers), secret, divide]
"""


def test_values_of_a_script_run_confined_with_their_data_and_modules(
    spec: Spec, script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "confined_helper.py").write_text("def remainder(n, d):\n    return n % d\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    values = script(SCRIPT).values
    texts = [f"{name_of(value)}={capture(value, tmp_path / 'captured', name=name_of(value))}" for value in values]
    monkeypatch.delitem(sys.modules, "confined_helper")
    result = run([spec(*texts, isolation="confined")], out=tmp_path / "out")
    scores = {(record.subject, record.scores["accuracy"]) for record in result.records}
    assert scores == {("Mine(k=3)", 1.0), ("closure", 1.0), ("lambda", 1.0), ("secret", 0.0), ("divide", 0.0)}
    assert all(record.isolation.startswith("confined") for record in result.records)
    assert {record.error for record in result.records if record.subject == "secret"} != {""}
    errors = {record.error for record in result.records if record.subject == "divide"}
    assert errors == {"ZeroDivisionError: division by zero (line 'return 1 / 0', in divide)"}


def test_a_pickled_value_runs_without_isolation(spec: Spec, tmp_path: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    exec("def solve(task, budget):\n    return tuple(n % 2 == 0 for n in task.numbers)", names)
    path = pickle_subject(names["solve"], tmp_path / "captured", name="solve")
    records = run([spec(f"solve={path}", isolation="none")], out=tmp_path / "out").records
    assert [(record.subject, record.scores["accuracy"]) for record in records] == [("solve", 1.0)] * 2


def test_a_gplearn_regressor_runs_confined(tmp_path: Path) -> None:
    from gplearn.genetic import SymbolicRegressor

    from assay.formula import generate

    generate(tmp_path / "problems", problems=1, seed=0, properties=["rediscovery"], difficulties=["easy"], rows=50)
    regressor = SymbolicRegressor(population_size=100, generations=3, metric="mse", stopping_criteria=1e-9)
    path = capture(regressor, tmp_path / "captured", name=name_of(regressor))
    text = path.read_text()
    assert "SymbolicRegressor(generations=3, metric='mse', population_size=100, stopping_criteria=1e-09)" in text
    spec = RunSpec(track="formula", subjects=(f"gp={path}",), problems=(str(tmp_path / "problems"),))
    (record,) = run([spec], out=tmp_path / "out").records
    assert record.status == "ok", record.error
    assert record.isolation.startswith("confined")


NOTEBOOK = [
    "from dataclasses import dataclass\nfrom pathlib import Path\nfrom assay.harness.callables import capture\nK = 2",
    "@dataclass\nclass Options:\n    divisor: int = 3",
    "@dataclass\nclass Options:\n    divisor: int = 2",  # as a cell that was edited and run again
    "class Mine:\n    def __init__(self, options):\n        self.options = options\n"
    "    def solve(self, task, budget):\n        return tuple(n % self.options.divisor == 0 for n in task.numbers)",
    "def make(k):\n    return lambda task: tuple(n % k == K - 2 for n in task.numbers)",
    "plain = lambda task: tuple(n % K == 0 for n in task.numbers)\n"
    "values = {'mine': Mine(Options()), 'closure': make(2), 'plain': plain}\n"
    "print([f'{name}={capture(value, Path(\"captured\"), name=name)}' for name, value in values.items()])",
]


def test_values_of_notebook_cells_run_confined(spec: Spec, tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    cells = [{"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in NOTEBOOK]
    body = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}
    notebook: Any = nbformat.from_dict(body)  # type: ignore[no-untyped-call]
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    texts = json.loads(notebook.cells[-1].outputs[0].text.replace("'", '"'))
    records: tuple[Record, ...] = run([spec(*texts, isolation="confined")], out=tmp_path / "out").records
    assert [record.scores["accuracy"] for record in records] == [1.0] * 6, [record.error for record in records]
