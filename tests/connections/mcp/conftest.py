"""Small problems to serve: two of insight, one of formula, and answers to them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assay.formula.problem.task import FormulaTask, FormulaTruth, Part
from assay.formula.problem.task import write_problem as write_formula
from assay.insight import InsightTask, InsightTruth, write_problem

ROWS = 60
CODE = "def ratio(row):\n    return row['paid'] / row['items']\n"
RATIO = {
    "solved_by": "client",
    "enriched_column_names": ["ratio"],
    "new_feature_functions": [{"name": "ratio", "code": CODE}],
}
SUM = {
    "solved_by": "client",
    "enriched_column_names": ["sum"],
    "new_feature_functions": [{"name": "sum", "code": "def sum(row):\n    return row['paid'] + row['items']\n"}],
}


def write_insight(folder: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"paid": rng.integers(1, 100, 2 * ROWS), "items": rng.integers(1, 9, 2 * ROWS)})
    known = pd.DataFrame({"ratio": np.round(table["paid"] / table["items"], 6)})
    target = (known["ratio"] > known["ratio"].median()).astype("int64")
    task = InsightTask(
        name="prices",
        description="Who pays much for an item?",
        domain="retail",
        target_column="much",
        problem_type="binary",
        train=table[:ROWS].assign(much=target[:ROWS]),
        test=table[ROWS:].reset_index(drop=True),
    )
    truth = InsightTruth(
        test_target=target[ROWS:].reset_index(drop=True),
        columns=("ratio",),
        descriptions=("paid for each item",),
        train=known[:ROWS],
        test=known[ROWS:].reset_index(drop=True),
    )
    write_problem(folder, id=f"secret-price-per-item-{seed}", task=task, truth=truth, tags={})


@pytest.fixture(scope="session")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``insight`` and ``formula``, folders of problems."""
    folder = tmp_path_factory.mktemp("served")
    for seed in (1, 2):
        write_insight(folder / "insight" / f"problem-{seed}", seed)
    rng = np.random.default_rng(0)
    inputs, tests = rng.uniform(1, 3, (40, 2)), rng.uniform(1, 3, (40, 2))
    task = FormulaTask(
        name="task",
        variables=("mass", "speed"),
        target="energy",
        parts=(Part(noise=0.0, inputs=inputs, target=inputs[:, 0] * inputs[:, 1] ** 2 / 2),),
    )
    truth = FormulaTruth(
        property="rediscovery",
        formula="0.5 * mass * speed**2",
        domain={"mass": (1.0, 3.0), "speed": (1.0, 3.0)},
        test_inputs=tests,
        test_target=tests[:, 0] * tests[:, 1] ** 2 / 2,
    )
    for name in ("secret-energy-1", "secret-energy-2"):  # the same law twice
        write_formula(folder / "formula" / name, id=name, task=task, truth=truth, tags={})
    return folder


@pytest.fixture
def energy(problems: Path) -> tuple[str, str]:
    """One formula problem, as a source of a desk."""
    return "formula", str(problems / "formula" / "secret-energy-1")
