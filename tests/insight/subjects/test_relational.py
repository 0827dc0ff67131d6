from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from assay.core import Budget, InvalidInput
from assay.insight.answer.answer import decode, encode
from assay.insight.columns.compute import compute_columns
from assay.insight.examine.evaluation import evaluate
from assay.insight.generate.synthetic import generate
from assay.insight.leakage.check import check_leakage
from assay.insight.problem.task import InsightTask, ProblemType, load
from assay.insight.subjects.builtin import SUBJECTS
from assay.insight.subjects.relational import Relational
from assay.sandbox import Sandbox

BUDGET = Budget(seconds=5)


def task_of(
    train: pd.DataFrame, tables: dict[str, pd.DataFrame] | None = None, kind: ProblemType = "binary"
) -> InsightTask:
    """A task whose last rows are the test part."""
    cut = max(len(train) * 2 // 3, 1)
    test = train[cut:].drop(columns="y").reset_index(drop=True)
    return InsightTask(
        name="odd", description="", domain="", target_column="y", problem_type=kind, train=train[:cut], test=test,
        tables=tables or {},
    )  # fmt: skip


def odd(rows: int = 60) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(4)
    base = pd.DataFrame(
        {
            "id": np.arange(rows),
            "owner": rng.integers(0, rows // 5, rows),
            "when": pd.Series(pd.date_range("1931-03-01", periods=rows, freq="11D")).astype(str),
            "flag": rng.choice(["True", "False"], rows),
            "size": rng.normal(size=rows),
        }
    )
    events = pd.DataFrame(
        {
            "owner": rng.integers(0, rows // 5, 5 * rows).astype(float),
            "day": pd.Series(pd.date_range("1930-01-01", periods=5 * rows, freq="2D")).astype(str),
            "cost": rng.normal(size=5 * rows),
            "kind": rng.choice(["x", "y'z", 'q"\\'], 5 * rows),
        }
    )
    counts = events.groupby("owner")["cost"].sum().reindex(base["owner"], fill_value=0.0).to_numpy()
    return base.assign(y=(counts + 0.1 * rng.normal(size=rows) > np.median(counts)).astype(int)), events


def mixed(base: pd.DataFrame, events: pd.DataFrame) -> InsightTask:
    base = base.assign(size=base["size"].astype(object))
    base.loc[3, "size"] = "n/a"
    base.loc[5, "when"] = "unknown"
    base.loc[7, "owner"] = np.nan
    events = events.assign(day=events["day"].astype(object), cost=events["cost"].astype(object))
    events.loc[2, "day"] = None
    events.loc[4, "cost"] = "12 EUR"
    return task_of(base, {"e.csv": events})


ODD: dict[str, Callable[[pd.DataFrame, pd.DataFrame], InsightTask]] = {
    "dates before 1970": lambda base, events: task_of(base, {"e.csv": events}),
    "mixed types": mixed,
    "no tables": lambda base, _: task_of(base),
    "an empty table": lambda base, events: task_of(base, {"e.csv": events[:0], "f.csv": pd.DataFrame({"owner": []})}),
    "a table without columns": lambda base, events: task_of(base, {"e.csv": events, "f.csv": pd.DataFrame()}),
    "no keys": lambda base, events: task_of(base.drop(columns=["id", "owner"]), {"e.csv": events[["cost", "kind"]]}),
    "columns twice": lambda base, events: task_of(
        base, {"e.csv": pd.concat([events, events[["cost"]]], axis=1), "f.csv": events}
    ),
    "all missing": lambda base, events: task_of(base, {"e.csv": events.assign(cost=np.nan, kind=None, day=None)}),
    "infinite values": lambda base, events: task_of(
        base.assign(size=np.where(base["id"] % 9 == 0, np.inf, base["size"])),
        {"e.csv": events.assign(cost=np.where(events.index % 7 == 0, -np.inf, events["cost"]))},
    ),
    "one class": lambda base, events: task_of(base.assign(y=0), {"e.csv": events}),
    "one value everywhere": lambda base, events: task_of(
        base.assign(size=1.0, owner=1, flag="True", when="2024-01-01", id=1), {"e.csv": events.assign(owner=1)}
    ),
    "few rows": lambda base, events: task_of(base[:4], {"e.csv": events[:3]}),
    "odd names": lambda base, events: task_of(
        base.rename(columns={"size": "the 'size' (\"cm\")\n\\", "owner": "def"}),
        {"e v.csv": events.rename(columns={"owner": "def", "cost": "class"})},
    ),
    "classes as texts": lambda base, events: task_of(
        base.assign(y=np.array(["lo", "mid", "hi"])[base["id"] % 3]), {"e.csv": events}, "multiclass"
    ),
    "numbers as target": lambda base, events: task_of(
        base.assign(y=base["size"] ** 3), {"e.csv": events}, "regression"
    ),
    "truth values as target": lambda base, events: task_of(base.assign(y=base["y"] == 1), {"e.csv": events}),
    "real dates": lambda base, events: task_of(
        base.assign(when=pd.to_datetime(base["when"])), {"e.csv": events.assign(day=pd.to_datetime(events["day"]))}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_nothing_odd_in_the_data_stops_it(name: str) -> None:
    task = ODD[name](*odd())
    answer = Relational(candidates=400).solve(task, BUDGET)
    assert 1 <= len(answer.columns) <= 20
    assert answer.train is not None
    assert answer.test is not None
    for part, frame in (("train", task.train), ("test", task.test)):
        shipped = getattr(answer, part)
        assert len(shipped) == len(frame)
        assert np.isfinite(shipped[[f.name for f in answer.functions]].to_numpy(dtype=float)).all()


def test_what_explains_the_target_is_found_in_another_table_by_a_key_of_another_type() -> None:
    base, events = odd(240)
    answer = Relational().solve(task_of(base, {"e.csv": events}), BUDGET)
    assert answer.train is not None
    truth = events.groupby("owner")["cost"].sum().reindex(base["owner"], fill_value=0.0).to_numpy()[:160]
    likeness = [abs(spearmanr(truth, answer.train[name])[0]) for name in answer.columns]
    assert max(likeness) > 0.95


@pytest.mark.parametrize(
    ("kind", "timed"),
    [("binary", False), pytest.param("multiclass", True, marks=pytest.mark.soak), ("regression", False)],
)
def test_its_functions_give_its_columns_in_the_sandbox_to_the_digit_and_none_leaks(
    tmp_path: Path, sandbox: Sandbox, kind: ProblemType, timed: bool
) -> None:
    problem = load(generate(tmp_path, seed=2, problem_type=kind, rows=90, timed=timed, difficulty="easy"))
    answer = Relational(columns=3 if timed else 12).solve(problem.task, BUDGET)
    assert answer.train is not None
    assert answer.test is not None
    computed = compute_columns(problem, answer.functions, sandbox=sandbox)
    for column in computed.columns:
        assert column.status == "ok", column.message
        assert column.train is not None
        assert column.test is not None
        assert column.rows_failed == 0
        np.testing.assert_array_equal(column.train.to_numpy(dtype=float), answer.train[column.name].to_numpy())
        np.testing.assert_array_equal(column.test.to_numpy(dtype=float), answer.test[column.name].to_numpy())
    report = check_leakage(problem, answer.functions[:4], sandbox=sandbox)
    assert [verdict.verdict for verdict in report.functions] == ["clean"] * len(report.functions)


@pytest.mark.parametrize(("kind", "timed"), [("binary", False), ("binary", True), ("multiclass", False)])
def test_it_finds_more_than_the_base_columns_say(tmp_path: Path, kind: ProblemType, timed: bool) -> None:
    problem = load(generate(tmp_path, seed=3, problem_type=kind, rows=300, timed=timed, difficulty="easy"))
    options: dict[str, Any] = {"trust_columns": True, "N_RF_ESTIMATORS": 20}
    mine = evaluate(problem, Relational().solve(problem.task, BUDGET), **options).scores
    base = evaluate(problem, SUBJECTS["base-columns"]().solve(problem.task, BUDGET), **options).scores
    assert mine["combined_score"] > base["combined_score"] + 0.2
    assert mine["coverage"] > 0.7


def test_with_declared_times_nothing_looks_ahead(tmp_path: Path) -> None:
    problem = load(generate(tmp_path, seed=3, rows=90, timed=True))
    task = problem.task
    for function in Relational().solve(task, BUDGET).functions:
        assert "OTHERS" not in function.code
        dated = any(
            f"aux_dataframes[{name!r}]" in function.code for name, t in task.table_times.items() if t.time_column
        )
        if dated:
            assert "days <= now" in function.code or "days < now" in function.code
            assert "now = end" not in function.code


def test_the_same_seed_gives_the_same_answer_and_the_task_is_left_alone(tmp_path: Path) -> None:
    task = load(generate(tmp_path, seed=3, rows=90)).task
    before = task.train.copy(), {name: table.copy() for name, table in task.tables.items()}
    first, second = (Relational(candidates=800).solve(task, BUDGET) for _ in range(2))
    assert encode(first) == encode(second)
    assert decode(encode(first)).columns == first.columns
    pd.testing.assert_frame_equal(task.train, before[0])
    for name, table in before[1].items():
        pd.testing.assert_frame_equal(task.tables[name], table)


def test_without_transduction_no_function_carries_test_rows(tmp_path: Path) -> None:
    task = load(generate(tmp_path, seed=3, rows=90)).task
    answer = Relational(transductive=False, candidates=800).solve(task, BUDGET)
    assert answer.functions
    assert not any("OTHERS" in function.code for function in answer.functions)


def test_every_column_has_a_description_and_a_ranked_function(tmp_path: Path) -> None:
    task = load(generate(tmp_path, seed=3, rows=90)).task
    answer = Relational(columns=7).solve(task, BUDGET)
    assert len(answer.columns) == 7
    assert [function.name for function in answer.functions] == list(answer.columns)
    assert all(" " in words for words in answer.descriptions)
    scores = [function.score for function in answer.functions]
    assert None not in scores
    assert scores == sorted(scores, key=lambda score: -(score or 0.0))


def test_its_name_says_what_is_not_usual_and_its_options_are_checked() -> None:
    assert Relational().name == "relational"
    assert SUBJECTS["relational"](transductive=False).name == "relational(transductive=False)"
    assert Relational().digest == Relational(columns=3).digest
    for options in ({"columns": 0}, {"candidates": -1}, {"columns": True}, {"transductive": 1}):
        with pytest.raises(InvalidInput, match=next(iter(options))):
            Relational(**options)
