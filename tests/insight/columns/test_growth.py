"""States of tables that grow: the same columns as from a process for every state, and nothing of later states."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.insight.columns.column_digests import (
    AWKWARD,
    BEFORE,
    GENERATED,
    awkward_functions,
    digest,
    digest_generated,
    digest_golden,
    generated_problem,
    golden_pairs,
)
from tests.insight.conftest import Loans

from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns import compute
from assay.insight.columns.available import Availability
from assay.insight.columns.compute import compute_columns
from assay.insight.columns.growth import Growth
from assay.insight.columns.stateless import leaves_nothing
from assay.sandbox import FunctionSource, Sandbox

CHAINED = {"counts_calls", "writes", "drops", "sizes", "cells", "types", "fails", "labels", "whole"}


def test_states_in_one_process_give_the_columns_of_a_process_for_each(
    timed_loans: Loans, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {name for name, code in AWKWARD.items() if leaves_nothing(code)} == CHAINED | {"hidden_signature"}
    calls = timed_loans.task.tables["calls.csv"].sample(frac=1, random_state=1, ignore_index=True)
    few = replace(
        timed_loans.task,
        train=timed_loans.task.train.head(10),
        test=timed_loans.task.test.head(4),
        tables={**timed_loans.task.tables, "calls.csv": calls},
    )
    problem = replace(timed_loans, task=few)
    functions = [function for function in awkward_functions() if function.name in CHAINED]
    counting = "try:\n    seen += 1\nexcept NameError:\n    seen = 0\ndef remembers(row, aux): return seen"
    assert leaves_nothing(counting)
    functions.append(FeatureFunction(name="remembers", code=counting))
    together = digest(compute_columns(problem, functions, sandbox=sandbox))
    monkeypatch.setattr(compute, "leaves_nothing", lambda code: False)
    assert together == digest(compute_columns(problem, functions, sandbox=sandbox))


def test_a_process_never_holds_rows_that_come_later_than_its_state(timed_loans: Loans, sandbox: Sandbox) -> None:
    task = timed_loans.task
    rows = task.train[list(task.base_columns)]
    available = Availability(task, rows)
    growth = Growth.of(task, rows, available, whole=False)
    assert growth is not None
    moments = list(available.moments())
    latest = (
        "import gc\ndef latest(row, aux):\n    found = [t['at'].max() for t in gc.get_objects() "
        "if isinstance(t, pd.DataFrame) and 'at' in t.columns and len(t)]\n    return int(max(found))"
    )
    source = FunctionSource("latest", latest)
    results = sandbox.run_states(source, growth.tables, growth.states(moments))
    assert len(results) == len(moments) > 5
    for moment, result in zip(moments, results, strict=True):
        assert set(result.column.to_pylist()) <= set(range(int(moment.time) + 1))


def test_states_end_where_a_function_fails_or_its_time_is_up(timed_loans: Loans, sandbox: Sandbox) -> None:
    task = timed_loans.task
    rows = task.train[list(task.base_columns)]
    available = Availability(task, rows)
    growth = Growth.of(task, rows, available, whole=False)
    assert growth is not None
    states = growth.states(list(available.moments()))
    size = sorted(len(available.added(None, moment.time)["calls.csv"]) for moment in available.moments())[2]
    for body, status in (("1 / 0", "exception"), ("os._exit(3)", "crashed")):
        code = f"def f(row, aux):\n    return {body} if len(aux['calls.csv']) >= {size} else 1"
        results = sandbox.run_states(FunctionSource("f", code), growth.tables, states)
        assert [result.status for result in results] == ["ok", "ok", status]


def test_tables_whose_types_depend_on_their_rows_are_not_sent_in_pieces(timed_loans: Loans) -> None:
    task = timed_loans.task
    available = Availability(task, task.train)
    notes: list[Any] = [1, "a", None] * (len(task.tables["calls.csv"]) // 3)
    mixed = task.tables["calls.csv"].assign(note=notes)
    for table in (mixed, task.tables["calls.csv"].set_index("loan_id", drop=False)):
        other = replace(task, tables={**task.tables, "calls.csv": table})
        assert Growth.of(other, task.train, available, whole=False) is None


@pytest.mark.soak
@pytest.mark.parametrize("number", range(GENERATED))
def test_columns_of_generated_timed_problems_are_those_of_before(number: int, sandbox: Sandbox) -> None:
    assert digest_generated(number, sandbox) == json.loads(BEFORE.read_text())[f"generated {number}"]
    assert generated_problem(number).task.time_column is not None


@pytest.mark.soak
@pytest.mark.skipif(not golden_pairs(), reason="ASSAY_BENCHMARKS does not point at a folder with insight/agents")
def test_columns_of_golden_problems_are_those_of_before(sandbox: Sandbox) -> None:
    before = json.loads(BEFORE.read_text())
    for pair in golden_pairs():
        assert digest_golden(pair, sandbox) == before[f"{pair.parent.name}/{pair.name}"], pair.name
