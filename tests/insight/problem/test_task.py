import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import InvalidInput, digest_folder
from assay.insight.answer.functions import FeatureFunction
from assay.insight.problem.task import (
    InsightTask,
    InsightTruth,
    TableTime,
    infer_problem_type,
    load,
    write_problem,
)


def cells(*values: Any) -> Any:
    return list(values)


TRAIN = pd.DataFrame(
    {"id": [1, 2, 3, 4], "day": ["2024-01-01", "2024-01-05", "2024-02-01", "2024-03-01"], "churned": [0, 1, 0, 1]}
).assign(plan=cells("a", np.nan, "b", "a"))
TEST = pd.DataFrame({"id": [5, 6], "day": ["2024-01-02", "2024-01-06"], "plan": ["b", "a"]})
ORDERS = pd.DataFrame({"order_id": [1, 2, 3], "id": [1, 1, 5], "order_date": ["2023-05-01", "2024-06-01", np.nan]})


def task(**changes: Any) -> InsightTask:
    values: dict[str, Any] = {
        "name": "Churn",
        "description": "Who leaves?",
        "domain": "Telecom",
        "target_column": "churned",
        "problem_type": "binary",
        "train": TRAIN,
        "test": TEST,
        "tables": {"orders.csv": ORDERS},
    }
    return InsightTask(**{**values, **changes})


def truth(**changes: Any) -> InsightTruth:
    values: dict[str, Any] = {
        "test_target": pd.Series([1, 0]),
        "columns": ("orders_before", "share"),
        "descriptions": ("orders before the day", "share of a"),
        "train": pd.DataFrame({"orders_before": [1, 0, 0, 0], "share": [0.5, 0.25, 0.1, 1.0]}),
        "test": pd.DataFrame({"orders_before": [0, 0], "share": [0.5, 0.0]}),
    }
    return InsightTruth(**{**values, **changes})


TIMES: dict[str, Any] = {"time_column": "day", "table_times": {"orders.csv": TableTime(time_column="order_date")}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_problem(tmp_path / "churn", id="churn", task=task(), truth=truth(), tags={"family": "phone"})
    return tmp_path / "churn"


def test_a_problem_comes_back_as_it_was_written(tmp_path: Path) -> None:
    function = FeatureFunction(name="share", code="def share(row): return 1")
    write_problem(
        tmp_path / "c", id="c", task=task(**TIMES), truth=truth(functions=(function,)), tags={"family": "phone"}
    )
    problem = load(tmp_path / "c")
    assert (problem.id, problem.digest) == ("c", digest_folder(tmp_path / "c"))
    assert problem.tags == {"family": "phone", "domain": "Telecom"}
    found, known = problem.task, problem.truth
    for name in ("name", "description", "domain", "target_column", "problem_type", "time_column", "table_times"):
        assert getattr(found, name) == getattr(task(**TIMES), name)
    pd.testing.assert_frame_equal(found.train, TRAIN)
    pd.testing.assert_frame_equal(found.test, TEST)
    pd.testing.assert_frame_equal(found.tables["orders.csv"], ORDERS)
    assert found.base_columns == ("id", "day", "plan")
    assert known.test_target.tolist() == [1, 0]
    assert (known.columns, known.descriptions) == (truth().columns, truth().descriptions)
    pd.testing.assert_frame_equal(known.train, truth().train)
    pd.testing.assert_frame_equal(known.test, truth().test)
    assert known.functions == (function,)


def test_the_same_problem_gives_the_same_bytes_in_the_public_layout(folder: Path, tmp_path: Path) -> None:
    write_problem(tmp_path / "again", id="churn", task=task(), truth=truth(), tags={"family": "phone"})
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert files == [
        "ground_truth/data/enriched_test.csv",
        "ground_truth/data/enriched_train.csv",
        "ground_truth/solution.json",
        "problem/data/orders.csv",
        "problem/data/test.csv",
        "problem/data/train.csv",
        "problem/problem.json",
    ]
    for file in files:
        assert (folder / file).read_bytes() == (tmp_path / "again" / file).read_bytes()


def test_a_public_folder_needs_none_of_our_keys(folder: Path) -> None:
    (folder / "problem" / "problem.json").write_text(json.dumps({"target_column": "churned", "comments": ""}))
    solution = {"enriched_column_names": ["orders_before", "share"]}
    (folder / "ground_truth" / "solution.json").write_text(json.dumps(solution))
    problem = load(folder)
    assert (problem.id, problem.tags, problem.task.name) == ("churn", {}, "churn")
    assert (problem.task.problem_type, problem.task.time_column, problem.task.table_times) == ("binary", None, {})
    assert problem.truth.descriptions == ("orders before", "share")
    assert problem.truth.functions == ()


def test_the_task_pickles_without_its_folder_and_without_the_test_target(folder: Path) -> None:
    problem = load(folder)
    data = pickle.dumps(problem.task)
    shutil.rmtree(folder)
    again = pickle.loads(data)
    assert "churned" not in again.test.columns
    pd.testing.assert_frame_equal(again.tables["orders.csv"], ORDERS)


def test_the_test_target_may_lie_with_the_truth_alone(folder: Path) -> None:
    change_table("problem/data/test.csv", lambda frame: frame.drop(columns="churned"))(folder)
    assert load(folder).truth.test_target.tolist() == [1, 0]
    change_table("ground_truth/data/enriched_test.csv", lambda frame: frame.drop(columns="churned"))(folder)
    with pytest.raises(InvalidInput, match=r"target column 'churned' is neither in problem/data/test.csv nor in"):
        load(folder)


def test_test_columns_follow_the_order_of_train(folder: Path) -> None:
    change_table("problem/data/test.csv", lambda frame: frame[["plan", "churned", "day", "id"]])(folder)
    assert load(folder).task.test.columns.tolist() == ["id", "day", "plan"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([True, False, True], "binary"),
        ([True, True], "binary"),
        ([3, 7, 7], "binary"),
        ([0.5, 1.5, np.nan], "binary"),
        (["yes", "no"], "binary"),
        (["a", "b", "c"], "multiclass"),
        (["a", "a"], "multiclass"),
        ([1, 2, 3], "regression"),
        ([0.5, 0.5], "regression"),
        ([np.inf, 1.0, 2.0], "regression"),
        ([True, None], "binary"),
    ],
)
def test_the_problem_type_follows_from_the_values(values: list[Any], expected: str) -> None:
    assert infer_problem_type(pd.Series(values)) == expected


@pytest.mark.parametrize(("declared", "labels"), [("multiclass", [0, 1, 2, 1]), ("regression", [0, 1, 0, 1])])
def test_a_declared_problem_type_wins(tmp_path: Path, declared: Any, labels: list[int]) -> None:
    train = TRAIN.assign(churned=labels)
    write_problem(tmp_path / "c", id="c", task=task(train=train, problem_type=declared), truth=truth(), tags={})
    assert load(tmp_path / "c").task.problem_type == declared


def test_a_class_that_only_the_test_rows_have_counts_too(folder: Path) -> None:
    change_manifest(problem_type=None)(folder)
    for file in ("problem/data/test.csv", "ground_truth/data/enriched_test.csv"):
        change_table(file, lambda frame: frame.assign(churned=[1, 2]))(folder)
    assert load(folder).task.problem_type == "regression"


Change = Callable[[Path], None]


def change_manifest(**keys: Any) -> Change:
    def change(folder: Path) -> None:
        path = folder / "problem" / "problem.json"
        content = {**json.loads(path.read_text()), **keys}
        path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))

    return change


def change_solution(**keys: Any) -> Change:
    def change(folder: Path) -> None:
        path = folder / "ground_truth" / "solution.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **keys}))

    return change


def change_table(file: str, edit: Callable[[pd.DataFrame], pd.DataFrame]) -> Change:
    def change(folder: Path) -> None:
        edit(pd.read_csv(folder / file)).to_csv(folder / file, index=False)

    return change


def both(file: str, edit: Callable[[pd.DataFrame], pd.DataFrame]) -> Change:
    """The same edit of a problem's table and of its enriched one."""

    def change(folder: Path) -> None:
        change_table(f"problem/data/{file}", edit)(folder)
        change_table(f"ground_truth/data/enriched_{file}", edit)(folder)

    return change


def remove(file: str) -> Change:
    return lambda folder: (folder / file).unlink()


def write(file: str, content: bytes) -> Change:
    def change(folder: Path) -> None:
        (folder / file).write_bytes(content)

    return change


TRAIN_CSV, TEST_CSV = "problem/data/train.csv", "problem/data/test.csv"
MORE = "ground_truth/data/enriched_train.csv"
BROKEN: list[tuple[Change, str]] = [
    (remove("problem/problem.json"), r"problem.json: file not found"),
    (write("problem/problem.json", b"[" * 100_000), r"problem.json: not valid JSON: nested too deeply"),
    (change_manifest(track="cases"), r"this is a problem of track 'cases', not of 'insight'"),
    (change_manifest(target_column=None), r"problem.json: 'target_column' is missing; it must be a text"),
    (change_manifest(target_column=["churned"]), r"problem.json: 'target_column' is \['churned'\]; it must be a text"),
    (change_manifest(description=5), r"problem.json: 'description' is 5; it must be a text"),
    (change_manifest(problem_domain=["x"]), r"problem.json: 'problem_domain' is \['x'\]; it must be a text"),
    (
        change_manifest(target_column="churn"),
        r"problem 'churn': .*train.csv: target column 'churn' is not there. Did you mean 'churned'\? Known: churned",
    ),
    (change_manifest(problem_type="ranking"), r"'problem_type' must be one of three words, got 'ranking'. .*binary"),
    (change_manifest(problem_type=2), r"'problem_type' must be one of three words, got 2"),
    (change_manifest(time_column="dya"), r"train.csv: time column 'dya' is not there. Did you mean 'day'"),
    (change_manifest(time_column="churned"), r"the time column 'churned' is the target itself"),
    (change_manifest(tables={"visits.csv": {"static": True}}), r"'tables' declares 'visits.csv', which is not there"),
    (remove(TRAIN_CSV), r"train.csv: file not found"),
    (remove(TEST_CSV), r"test.csv: file not found"),
    (write(TRAIN_CSV, b""), r"train.csv: the file is empty"),
    (write("problem/data/orders.csv", b"a,a\n1,2\n"), r"orders.csv: column 'a' occurs 2 times in the header"),
    (write("problem/data/orders.csv", b"a\n\xff\n"), r"orders.csv: not UTF-8 text \(.* at byte 2\)"),
    (change_table(TEST_CSV, lambda frame: frame.drop(columns="plan")), r"test.csv: column 'plan' of train.csv is not"),
    (change_table(TEST_CSV, lambda frame: frame.assign(more=1)), r"test.csv: column 'more' is not in train.csv"),
    (change_table(TRAIN_CSV, lambda frame: frame[["churned"]]), r"train.csv: there is no column besides the target"),
    (
        both("train.csv", lambda frame: frame.assign(churned=cells(0, None, 1, 0))),
        r"target 'churned': row 2 is missing. Every",
    ),
    (
        both("train.csv", lambda frame: frame.assign(churned=[0, 1, np.inf, 0])),
        r"target 'churned': row 3 is inf. Every",
    ),
    (
        both("test.csv", lambda frame: frame.assign(churned=cells("x", None))),
        r"target 'churned' of the test rows: row 2 is mi",
    ),
    (
        both("train.csv", lambda frame: frame.assign(churned=[0, 1, 2, 1])),
        r"'problem_type' is 'binary', but the target h",
    ),
    (remove("ground_truth/solution.json"), r"solution.json: file not found"),
    (remove(MORE), r"enriched_train.csv: file not found"),
    (
        change_solution(enriched_column_names="share"),
        r"solution.json: 'enriched_column_names' is 'share'; it must be a",
    ),
    (change_solution(enriched_column_names=[]), r"solution.json: 'enriched_column_names' is empty; a problem needs"),
    (
        change_solution(enriched_column_names=["share"] * 2),
        r"solution.json: ground-truth column 'share' is named 2 times",
    ),
    (change_solution(enriched_column_names=["churned"]), r"ground-truth column 'churned' has the name of the target"),
    (
        change_solution(enriched_column_names=["shares"]),
        r"enriched_train.csv: ground-truth column 'shares' is not there. Did you mean 'share'",
    ),
    (
        change_solution(features_descriptions=[1, 2]),
        r"solution.json: 'features_descriptions'\[0\] is 1; it must be a te",
    ),
    (
        change_solution(feature_functions={}),
        r"solution.json: 'feature_functions' must be a list of functions, got dict",
    ),
    (change_solution(feature_functions=[{"name": "share"}]), r"'feature_functions'\[0\] must be \{\"name\": TEXT"),
    (
        change_solution(feature_functions=[{"name": "shar", "code": ""}]),
        r"\[0\]: no ground-truth column 'shar'. Did you",
    ),
    (change_table(MORE, lambda frame: frame[:3]), r"enriched_train.csv: has 3 rows, problem/data/train.csv has 4"),
    (change_table(MORE, lambda frame: frame[::-1]), r"enriched_train.csv: row 1 is not that of problem/data/train.csv"),
]


@pytest.mark.parametrize(("change", "message"), BROKEN, ids=[message[:40] for _, message in BROKEN])
def test_a_broken_problem_is_named_with_its_remedy(folder: Path, change: Change, message: str) -> None:
    change(folder)
    with pytest.raises(InvalidInput, match=message):
        load(folder)


def test_regression_needs_numbers(folder: Path) -> None:
    both("train.csv", lambda frame: frame.assign(churned=["a", "b", "c", "a"]))(folder)
    both("test.csv", lambda frame: frame.assign(churned=["a", "b"]))(folder)
    change_manifest(problem_type="regression")(folder)
    with pytest.raises(InvalidInput, match=r"'problem_type' is 'regression', but the target is not numeric"):
        load(folder)
    change_manifest(problem_type=None)(folder)
    assert load(folder).task.problem_type == "multiclass"
