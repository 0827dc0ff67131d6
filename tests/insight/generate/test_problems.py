"""Fresh problems keep their promises: code equals columns, nothing leaks, the truth is ahead, difficulty measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import InvalidInput, Problem, UnknownName, digest_folder
from assay.insight import InsightTask, InsightTruth, check_leakage, load
from assay.insight.columns.compute import compute_columns
from assay.insight.generate import DOMAINS, generate_problem, generate_problems
from assay.insight.generate.draft import AUXILIARY
from assay.insight.generate.draw import draw
from assay.insight.generate.insight import KINDS
from assay.insight.generate.log_insights import log_insights
from assay.insight.generate.row_insights import row_insights
from assay.sandbox import Sandbox
from assay.testing.hiding import find_truth_in_task

Generated = Problem[InsightTask, InsightTruth]


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> list[Generated]:
    return [load(path) for path in generate_problems(tmp_path_factory.mktemp("p"), problems=9, seed=77, rows=300)]


@pytest.mark.soak
def test_domains_types_and_difficulties_go_round(problems: list[Generated]) -> None:
    assert {problem.tags["family"] for problem in problems} == set(DOMAINS)
    assert {(problem.tags["type"], problem.tags["difficulty"]) for problem in problems} == {
        (kind, grade) for kind in ("binary", "multiclass", "regression") for grade in ("easy", "medium", "hard")
    }
    assert len({problem.id for problem in problems}) == 9


def test_tags_tell_ceiling_and_measured_difficulty(problems: list[Generated]) -> None:
    for problem in problems:
        tags = {name: float(value) for name, value in problem.tags.items() if not isinstance(value, str)}
        assert 0.7 < tags["ceiling"] < 1.0
        assert tags["insights"] == len(problem.truth.columns)
        assert tags["tables"] == len(problem.task.tables)
        baselines = [tags["base_columns_score"], tags["random_features_score"]]
        assert tags["measured_difficulty"] == pytest.approx(1 - sum(baselines) / 2, abs=1e-4)
        assert tags["ground_truth_score"] > max(baselines) + 0.05
    measured = (
        pd.DataFrame([dict(problem.tags) for problem in problems]).groupby("difficulty")["measured_difficulty"].mean()
    )
    assert measured["easy"] < measured["hard"]  # on average; three problems each are too few for more


def test_ground_truth_functions_equal_their_columns_in_the_sandbox(problems: list[Generated], sandbox: Sandbox) -> None:
    for problem in problems[6:7]:  # a hard one; the benchmark does a hundred
        for column in compute_columns(problem, problem.truth.functions, sandbox=sandbox).columns:
            assert column.train is not None, (problem.id, column.name, column.message)
            assert column.test is not None
            assert column.rows_failed == 0
            assert column.train.tolist() == problem.truth.train[column.name].tolist(), (problem.id, column.name)
            assert column.test.tolist() == problem.truth.test[column.name].tolist(), (problem.id, column.name)


def test_no_ground_truth_function_leaks(problems: list[Generated], sandbox: Sandbox) -> None:
    problem = problems[6]
    for verdict in check_leakage(problem, problem.truth.functions[:3], sandbox=sandbox).functions:
        assert verdict.verdict == "clean", (problem.id, verdict)


def test_the_task_does_not_hold_the_truth(problems: list[Generated]) -> None:
    for problem in problems:
        assert find_truth_in_task(problem.task, problem.truth) is None
        told = f"{problem.task.name} {problem.task.description}"
        assert not any(name in told for name in problem.truth.columns)


def test_events_lie_before_and_after_and_the_later_ones_betray(problems: list[Generated]) -> None:
    for problem in problems:
        task, domain = problem.task, DOMAINS[str(problem.tags["family"])]
        declared = task.table_times[f"{domain.events}.csv"].time_column
        assert declared is not None
        rows = task.train.merge(task.tables[f"{domain.events}.csv"], on=f"{domain.entity}_id")
        days = (pd.to_datetime(rows[declared]) - pd.to_datetime(rows[str(task.time_column)])).dt.days
        assert (days < 0).mean() > 0.5
        assert (days > 0).mean() > 0.1
        soon = rows.loc[(days > 0) & (days < 15)].groupby(f"{domain.row}_id").size()
        caught = task.train[f"{domain.row}_id"].map(soon).fillna(0) > 0
        values = task.train[task.target_column]
        last = {"binary": 1, "multiclass": domain.outcomes[-1]}.get(task.problem_type)
        high = values > values.median() if last is None else values == last
        assert caught[high].mean() > caught[~high].mean() + 0.2, problem.id


def test_marginals_have_missing_values_and_categories(problems: list[Generated]) -> None:
    for problem in problems:
        task = problem.task
        assert task.train.isna().any().sum() == 2
        assert sum(task.train[name].dtype.kind not in "iuf" for name in task.base_columns) >= 3
        assert any(frame.isna().any().any() for frame in task.tables.values())


def test_the_same_arguments_give_the_same_bytes_and_others_do_not(tmp_path: Path) -> None:
    plans: list[dict[str, Any]] = [{}, {}, {"seed": 2}, {"number": 1}, {"domain": "retail"}, {"tables": 2}]
    digests = [
        digest_folder(generate_problem(tmp_path / str(place), **{"seed": 1, "rows": 150, "tables": 3, **plan}))
        for place, plan in enumerate(plans)
    ]
    assert digests[0] == digests[1]
    assert len(set(digests)) == len(plans) - 1


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_kind_of_insight_computes_what_it_plants(domain: str) -> None:
    rng = np.random.default_rng(5)
    draft = draw(rng, DOMAINS[domain], rows=150, tables=5)
    tables, base = draft.auxiliary(), draft.primary()
    pool = [*row_insights(draft, rng), *log_insights(draft, rng)]
    assert {insight.kind for insight in pool} == set(KINDS)
    assert len({insight.name for insight in pool}) == len(pool)
    for insight in pool:
        names: dict[str, Any] = {}
        exec(insight.code, names)
        assert names[insight.name](base, tables).tolist() == insight.values.tolist(), insight.name
        shuffled = base.sample(frac=1.0, random_state=1)
        values = names[insight.name](shuffled, tables)
        assert values.loc[base.index].tolist() == insight.values.tolist(), insight.name
        assert "_" not in insight.words
        assert insight.name.isidentifier()


@pytest.mark.parametrize("tables", range(1, 6))
def test_there_are_as_many_tables_as_asked_for(tmp_path: Path, tables: int) -> None:
    problem = load(generate_problem(tmp_path, seed=3, rows=150, tables=tables, difficulty="easy"))
    assert len(problem.task.tables) == tables
    domain = DOMAINS["telecom"]
    named = {"events": domain.events, "items": domain.items, "contacts": domain.contacts}
    named |= {"grouping": domain.grouping, "profiles": domain.profiles}
    assert set(problem.task.tables) == {f"{named[key]}.csv" for key in AUXILIARY[:tables]}


@pytest.mark.parametrize("tables", [0, 6, 2.0, True, "2"])
def test_another_number_of_tables_is_refused(tmp_path: Path, tables: Any) -> None:
    with pytest.raises(InvalidInput, match="tables must be a whole number from 1 to 5"):
        generate_problem(tmp_path, seed=3, tables=tables)


@pytest.mark.parametrize("domain", DOMAINS.values())
def test_names_within_a_domain_do_not_collide(domain: Any) -> None:
    draft = draw(np.random.default_rng(0), domain, rows=60, tables=5)
    names = [*draft.primary().columns, domain.surrogate, domain.flag, domain.outcome, domain.measure]
    assert len(set(names)) == len(names)
    tables = draft.auxiliary()
    assert len(tables) == 5
    for frame in tables.values():
        assert set(frame.columns) & set(names) <= {f"{domain.entity}_id", f"{domain.item}_id"}


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"domain": "telecoms"}, UnknownName, r"No domain named 'telecoms'. Did you mean 'telecom'"),
        ({"problem_type": "ranking"}, UnknownName, r"No problem type named 'ranking'"),
        ({"difficulty": "simple"}, UnknownName, r"No difficulty named 'simple'"),
        ({"rows": 119}, InvalidInput, r"rows must be a whole number of at least 120, got 119"),
        ({"seed": -1}, InvalidInput, r"seed must be a whole number of at least 0, got -1"),
        ({"problems": 0}, InvalidInput, r"problems must be a whole number of at least 1, got 0"),
        ({"problems": True}, InvalidInput, r"problems must be"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(
    tmp_path: Path, changes: dict[str, Any], error: type[InvalidInput], message: str
) -> None:
    with pytest.raises(error, match=message):
        generate_problems(tmp_path, **{"problems": 1, "seed": 0, **changes})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("tables", [0, 6, True])
def test_there_is_at_least_one_table_and_at_most_five(tmp_path: Path, tables: Any) -> None:
    with pytest.raises(InvalidInput, match="from 1 to 5"):
        generate_problem(tmp_path, seed=0, tables=tables)
