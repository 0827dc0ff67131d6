"""The real functions of the public benchmark, where ASSAY_BENCHMARKS points at them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pandas as pd
import pytest

from assay.sandbox import FunctionSource, Limits, Sandbox, Tables

GOLDEN = Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "insight"
pytestmark = pytest.mark.skipif(
    "ASSAY_BENCHMARKS" not in os.environ or not GOLDEN.is_dir(),
    reason="set ASSAY_BENCHMARKS to the folder of golden data",
)
HEAD = 60


def test_the_real_functions_execute_and_most_agree_with_the_shipped_columns(sandbox: Sandbox) -> None:
    executed, agreeing, failures = 0, 0, []
    for file in sorted(GOLDEN.glob("agents/single step agent/*/solution_attributes.json")):
        folder = GOLDEN / "problems" / file.parent.name / "problem"
        target = json.loads((folder / "problem.json").read_text())["target_column"]
        tables = {path.name: pd.read_csv(path) for path in (folder / "data").glob("*.csv")}
        train, _ = tables.pop("train.csv"), tables.pop("test.csv")
        shipped = pd.read_csv(file.parent / "enriched_train.csv").head(HEAD)
        listed = json.loads(file.read_text())["sorted_feature_functions"].values()
        functions = [FunctionSource(entry["name"], entry["code"]) for entry in listed]
        rows = train.drop(columns=target).head(HEAD)
        arguments = Tables(rows=rows, train=train, auxiliary=tables)
        for result in sandbox.run(functions, arguments, limits=Limits(function_seconds=120)):
            executed += result.status == "ok"
            failures += [] if result.status == "ok" else [(result.name, result.message)]
            if result.column is not None and result.name in shipped:
                ours, theirs = pd.Series(result.column.to_pylist()), shipped[result.name]
                numeric = pd.api.types.is_numeric_dtype(theirs)
                ours = pd.to_numeric(ours, errors="coerce") if numeric else ours.astype(str)
                agreeing += bool(((ours - theirs).abs().fillna(0) < 1e-6).all() if numeric else (ours == theirs).all())
    assert executed >= 57, failures
    assert agreeing >= 48
