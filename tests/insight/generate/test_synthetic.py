import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import r2_score, roc_auc_score

from assay.core import InvalidInput, Problem, UnknownName, digest_folder, find_problems
from assay.insight.generate.domains import FAMILIES
from assay.insight.generate.simple_draw import draw_simple
from assay.insight.generate.simple_insights import simple_insights
from assay.insight.generate.synthetic import builtin, generate
from assay.insight.problem.task import MARKER, InsightTask, InsightTruth, TableTime, load
from assay.testing.hiding import find_truth_in_task

InsightProblem = Problem[InsightTask, InsightTruth]


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> dict[str, InsightProblem]:
    folder = tmp_path_factory.mktemp("builtin")
    builtin(folder)
    return {path.name: load(path) for path in find_problems(folder, marker=MARKER)}


def test_there_are_six_of_every_type_with_and_without_times(problems: dict[str, InsightProblem]) -> None:
    kinds = {(problem.task.problem_type, problem.task.time_column is not None) for problem in problems.values()}
    assert len(problems) == len(kinds) == 6
    for name, problem in problems.items():
        assert problem.id == name
        assert (len(problem.task.train), len(problem.task.test)) == (600, 300)
        assert len(problem.task.tables) == 3
        assert 3 <= len(problem.truth.columns) == len(problem.truth.functions) <= 5
        assert problem.tags["type"] == problem.task.problem_type
        assert set(problem.tags) == {"type", "family", "difficulty", "timed", "origin", "domain"}
        assert find_truth_in_task(problem.task, problem.truth) is None


def test_the_same_arguments_give_the_same_bytes_and_others_do_not(tmp_path: Path) -> None:
    digests = {}
    plans: list[dict[str, Any]] = [{"seed": 1}, {"seed": 1}, {"seed": 2}, {"seed": 1, "difficulty": "hard"}]
    plans += [{"seed": 1, "problem_type": "regression"}, {"seed": 1, "timed": True}, {"seed": 1, "rows": 90}]
    for number, plan in enumerate(plans):
        path = generate(tmp_path / str(number), **{"rows": 60, **plan})
        digests[number] = digest_folder(path)
    assert digests[0] == digests[1]
    assert len(set(digests.values())) == len(plans) - 1


def test_code_gives_the_planted_values_to_the_digit(problems: dict[str, InsightProblem]) -> None:
    for problem in problems.values():
        for function in problem.truth.functions:
            names: dict[str, Any] = {}
            exec(function.code, names)
            for own, planted in ((problem.task.train, problem.truth.train), (problem.task.test, problem.truth.test)):
                sample = own[::5]
                values = [names[function.name](row, problem.task.tables) for _, row in sample.iterrows()]
                assert values == planted[function.name][::5].tolist(), (problem.id, function.name)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("timed", [False, True])
def test_every_insight_of_every_family_can_be_planted_and_computed(tmp_path: Path, family: str, timed: bool) -> None:
    seen: set[str] = set()
    for seed in range(3):
        problem = load(generate(tmp_path, seed=seed, rows=60, family=family, timed=timed, difficulty="hard"))
        seen.update(problem.truth.columns)
        for function, words in zip(problem.truth.functions, problem.truth.descriptions, strict=True):
            names: dict[str, Any] = {}
            exec(function.code, names)
            values = [names[function.name](row, problem.task.tables) for _, row in problem.task.train.iterrows()]
            assert values == problem.truth.train[function.name].tolist(), function.name
            assert words.count("_") == 0
    draft = draw_simple(np.random.default_rng(0), FAMILIES[family], rows=60, timed=timed)
    assert seen == {insight.name for insight in simple_insights(draft, timed=timed)}


def test_declared_times_come_with_later_rows_that_betray_the_target(problems: dict[str, InsightProblem]) -> None:
    timed = [problem for problem in problems.values() if problem.task.time_column is not None]
    assert len(timed) == 3
    for problem in timed:
        task, domain = problem.task, FAMILIES[str(problem.tags["family"])]
        assert task.table_times[f"{domain.items}.csv"] == TableTime(static=True)
        contacts = task.tables[f"{domain.contacts}.csv"]
        assert task.table_times[f"{domain.contacts}.csv"].time_column == f"{domain.contact}_date"
        rows = task.train.merge(contacts, on=f"{domain.entity}_id")
        days = (pd.to_datetime(rows[f"{domain.contact}_date"]) - pd.to_datetime(rows[str(task.time_column)])).dt.days
        after = rows.loc[(days > 0) & (days < 15) & (rows["reason"] == domain.reasons[0]), f"{domain.row}_id"]
        caught = task.train[f"{domain.row}_id"].isin(after)
        values = task.train[task.target_column]
        if task.problem_type == "regression":
            high = values > values.median()
        else:
            high = values == (1 if task.problem_type == "binary" else domain.outcomes[-1])
        assert caught[high].mean() > 0.8
        assert caught[~high].mean() < 0.3


def test_problems_without_times_declare_none(problems: dict[str, InsightProblem]) -> None:
    static = [problem for problem in problems.values() if problem.tags["timed"] == "no"]
    assert len(static) == 3
    assert all(problem.task.time_column is None and not problem.task.table_times for problem in static)


def performance(problem: InsightProblem, train: pd.DataFrame, test: pd.DataFrame) -> float:
    both = pd.concat([train, test])
    few = [name for name in both if both[name].dtype.kind in "biuf" or both[name].nunique() <= 10]
    matrix: npt.NDArray[np.float64] = pd.get_dummies(both[few]).to_numpy(dtype=np.float64)
    X, queries = matrix[: len(train)], matrix[len(train) :]
    y, labels = problem.task.train[problem.task.target_column], problem.truth.test_target
    if problem.task.problem_type == "regression":
        model = RandomForestRegressor(n_estimators=100, max_depth=10, random_state=42).fit(X, y)
        return float(r2_score(labels, model.predict(queries)))
    model = RandomForestClassifier(n_estimators=100, max_depth=10, random_state=42).fit(X, y)
    chances = model.predict_proba(queries)
    return float(roc_auc_score(labels, chances[:, 1] if len(model.classes_) == 2 else chances, multi_class="ovr"))


@pytest.mark.soak
def test_the_insights_lift_the_base_columns_and_each_is_better_than_chance(problems: dict[str, InsightProblem]) -> None:
    for problem in problems.values():
        task, truth = problem.task, problem.truth
        base = task.train[list(task.base_columns)]
        naive = performance(problem, base, task.test)
        inclusive = performance(
            problem, pd.concat([base, truth.train], axis=1), pd.concat([task.test, truth.test], axis=1)
        )
        assert inclusive > naive + 0.15, problem.id
        chance = 0.0 if task.problem_type == "regression" else 0.5
        for column in truth.columns:
            assert performance(problem, truth.train[[column]], truth.test[[column]]) > chance + 0.03, (
                problem.id,
                column,
            )


def test_manifests_do_not_tell_the_insights(problems: dict[str, InsightProblem], tmp_path: Path) -> None:
    path = generate(tmp_path, seed=3, rows=60)
    words = json.dumps(json.loads((path / MARKER).read_text()))
    for problem in (load(path), *problems.values()):
        assert not any(column in words for column in problem.truth.columns)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"family": "shops"}, UnknownName, r"No family of insight problems named 'shops'. Did you mean 'shop'"),
        ({"problem_type": "ranking"}, UnknownName, r"No problem type named 'ranking'"),
        ({"difficulty": "simple"}, UnknownName, r"No difficulty named 'simple'"),
        ({"rows": 59}, InvalidInput, r"generate: rows must be a whole number of at least 60, got 59"),
        ({"rows": True}, InvalidInput, r"generate: rows must be"),
        ({"seed": -1}, InvalidInput, r"generate: seed must be a whole number of at least 0, got -1"),
        ({"seed": 1.0}, InvalidInput, r"generate: seed must be"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(
    tmp_path: Path, changes: dict[str, Any], error: type[InvalidInput], message: str
) -> None:
    with pytest.raises(error, match=message):
        generate(tmp_path, **{"seed": 0, **changes})
    assert not list(tmp_path.iterdir())
