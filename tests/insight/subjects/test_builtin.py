from pathlib import Path

import pandas as pd
import pytest

from assay.core import Budget, Problem, Subject
from assay.insight.answer.answer import decode, encode
from assay.insight.generate.synthetic import generate
from assay.insight.problem.task import InsightTask, InsightTruth, load
from assay.insight.subjects.builtin import PRIVILEGED, SUBJECTS, TARGET_COPY, ground_truth, target

InsightProblem = Problem[InsightTask, InsightTruth]


@pytest.fixture(scope="module", params=["binary", "multiclass", "regression"])
def problem(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> InsightProblem:
    return load(generate(tmp_path_factory.mktemp("p"), seed=5, rows=60, problem_type=request.param))


def test_subjects_are_named_as_they_are_registered_and_answer_alike_twice(problem: InsightProblem) -> None:
    for name, make in SUBJECTS.items():
        subject = make()
        assert isinstance(subject, Subject)
        assert subject.name == name
        assert len(subject.digest) == 64
        if name == "llm":  # it needs an endpoint
            continue
        first, second = (encode(make().solve(problem.task, Budget(seed=1))) for _ in range(2))
        assert first == second
        assert encode(decode(first)) == first


def test_base_columns_declares_all_of_them_and_ships_nothing(problem: InsightProblem) -> None:
    answer = SUBJECTS["base-columns"]().solve(problem.task, Budget(seed=0))
    assert answer.columns == problem.task.base_columns
    assert problem.task.target_column not in answer.columns
    assert (answer.functions, answer.train, answer.test) == ((), None, None)


def test_nothing_finds_nothing(problem: InsightProblem) -> None:
    answer = SUBJECTS["nothing"]().solve(problem.task, Budget(seed=0))
    assert (answer.columns, answer.functions, answer.train) == ((), (), None)


def test_the_ground_truth_ships_its_columns_and_words_and_no_code(problem: InsightProblem) -> None:
    answer = decode(encode(ground_truth(problem)))
    assert answer.columns == problem.truth.columns
    assert answer.descriptions == problem.truth.descriptions
    assert answer.functions == ()
    assert answer.train is not None
    assert answer.test is not None
    pd.testing.assert_frame_equal(answer.train, problem.truth.train)
    pd.testing.assert_frame_equal(answer.test, problem.truth.test)


def test_the_target_ships_itself_with_code_that_reads_it(problem: InsightProblem) -> None:
    answer = decode(encode(target(problem)))
    assert answer.columns == (TARGET_COPY,)
    assert answer.train is not None
    assert answer.test is not None
    values = problem.task.train[problem.task.target_column].tolist()
    assert answer.train[TARGET_COPY].tolist() == values
    assert answer.test[TARGET_COPY].tolist() == problem.truth.test_target.tolist()
    names: dict[str, object] = {}
    exec(answer.functions[0].code, names)
    function = names[answer.functions[0].name]
    assert callable(function)
    assert [function(row) for _, row in problem.task.train.iterrows()] == values


def test_those_who_know_the_truth_are_apart(tmp_path: Path) -> None:
    assert dict(PRIVILEGED) == {"ground-truth": ground_truth, "target": target}
    assert not set(PRIVILEGED) & set(SUBJECTS)
