from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay.core import Problem
from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns.distinct_rows import DistinctRows
from assay.insight.leakage.perturbations import Scenario, Setting, shuffled
from assay.insight.leakage.perturbed_runs import Candidate, Outcome, PerturbedRuns, differ
from assay.insight.problem.task import InsightTask
from assay.sandbox import FunctionSource, Limits, Sandbox, Tables

Feature = Callable[..., FeatureFunction]


def cells(*values: Any) -> np.ndarray:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@pytest.mark.parametrize(
    ("a", "b", "tolerance", "unequal"),
    [
        (1, 1.0, 0.0, False),
        (True, 1, 0.0, False),
        (None, float("nan"), 0.0, False),
        (None, 0, 0.0, True),
        ("a", None, 0.0, True),
        ("1", 1, 0.0, False),
        (1e10, 1e10 + 1, 0.0, True),
        (1e10, 1e10 + 1, 1e-12, True),
        (1.0, 1.0 + 1e-15, 1e-12, False),
        (1.0, 1.0 + 1e-15, 0.0, True),
        (float("inf"), 1.0, 1e-9, True),
        (float("inf"), float("-inf"), 1e-9, True),
        (float("inf"), float("inf"), 0.0, False),
        (2**62, 2**62 + 1, 0.0, True),
    ],
)
def test_values_differ_exactly_or_beyond_a_share_of_their_size(a: Any, b: Any, tolerance: float, unequal: bool) -> None:
    assert differ(cells(a), cells(b), tolerance=tolerance).tolist() == [unequal]
    assert differ(cells(b), cells(a), tolerance=tolerance).tolist() == [unequal]


def test_values_come_back_in_the_order_of_the_rows_from_any_world(
    loans: Problem[InsightTask, Any], sandbox: Sandbox, feature: Feature
) -> None:
    runs = PerturbedRuns(Setting.of(loans.task), DistinctRows(sandbox), Limits(), seed=1)
    functions = [feature("row['loan_id']", name="by_row"), feature("df['loan_id']", takes="df", name="by_table")]
    candidates = runs.candidates(functions)
    ids = loans.task.train["loan_id"].tolist()
    order = np.random.default_rng(2).permutation(90)
    plain = runs.setting.plain()
    for scenario in (plain, shuffled(plain, order, together=True), shuffled(plain, order, together=False)):
        for outcome in runs.run(candidates, scenario):
            assert outcome.values.tolist() == ids
        some = np.array([3, 50, 7])
        for outcome in runs.run(candidates, scenario, some):
            assert outcome.values.tolist() == [ids[3], ids[50], ids[7]]


def test_a_sample_holds_every_class_and_is_the_same_each_time(
    loans: Problem[InsightTask, Any], sandbox: Sandbox
) -> None:
    runs = PerturbedRuns(Setting.of(loans.task), DistinctRows(sandbox), Limits(), seed=1)
    rows = runs._sample(20)
    assert len(set(rows.tolist())) == 20
    assert rows.tolist() == sorted(runs._sample(20).tolist())
    labels = loans.task.train["default"].iloc[rows]
    assert labels.value_counts().min() >= 5


def test_only_slow_functions_are_checked_on_fewer_rows(
    loans: Problem[InsightTask, Any], sandbox: Sandbox, feature: Feature, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.insight.leakage.perturbed_runs._FEWEST", 40)
    monkeypatch.setattr("assay.insight.leakage.perturbed_runs._SIZES", (80, 60, 40))
    monkeypatch.setattr("assay.insight.leakage.perturbed_runs._ENOUGH_SECONDS", 0.3)
    runs = PerturbedRuns(Setting.of(loans.task), DistinctRows(sandbox), Limits(), seed=1)
    slow = feature("sum(range(400_000)) * 0 + row['amount']", name="slow")
    functions = [feature("row['amount']", name="fast"), slow]
    measured: list[Outcome] = []
    run = runs.run

    def at_a_fixed_speed(candidates: Sequence[Candidate], scenario: Scenario, **options: Any) -> list[Outcome]:
        """The same outcomes whatever else the machine does: 7 ms per row of the slow function, 1 ms of any other."""
        measured[:] = run(candidates, scenario, **options)
        costs = [0.007 if candidate.function is slow else 0.001 for candidate in candidates]
        return [
            replace(outcome, seconds=cost * len(outcome.values)) for outcome, cost in zip(measured, costs, strict=True)
        ]

    monkeypatch.setattr(runs, "run", at_a_fixed_speed)
    candidates = runs.candidates(functions)
    assert len(candidates[0].rows) == 90
    assert len(candidates[1].rows) == 40
    assert measured[2].seconds > measured[1].seconds  # what stands behind the fixed speed


def test_a_function_is_handed_only_what_it_takes(
    loans: Problem[InsightTask, Any], sandbox: Sandbox, feature: Feature, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = PerturbedRuns(Setting.of(loans.task), DistinctRows(sandbox), Limits(), seed=1)
    functions = [
        feature("row['loan_id']", name="by_row"),
        feature("len(df_train)", takes="row, df_train", name="by_train"),
        feature("len(aux)", takes="row, aux", name="by_tables"),
    ]
    candidates = runs.candidates(functions)
    given: dict[str, tuple[bool, bool]] = {}

    def run(sources: Sequence[FunctionSource], tables: Tables, **options: Any) -> Any:
        given.update({source.name: (tables.train is not None, bool(tables.auxiliary)) for source in sources})
        return Sandbox.run(sandbox, sources, tables, **options)

    monkeypatch.setattr(sandbox, "run", run)
    outcomes = runs.run(candidates, runs.setting.plain())
    assert given == {"by_row": (False, False), "by_train": (True, False), "by_tables": (False, True)}
    assert [outcome.values[0] for outcome in outcomes[1:]] == [90, len(loans.task.tables)]
