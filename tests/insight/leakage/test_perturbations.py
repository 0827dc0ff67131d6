from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import Problem
from assay.insight.leakage.label_tables import find_label_cells
from assay.insight.leakage.perturbations import Setting, changed_labels, permuted_labels, renumbered, shuffled
from assay.insight.problem.task import InsightTask, ProblemType

Loans = Problem[InsightTask, Any]


@given(
    labels=st.lists(st.sampled_from(["a", "b", "c"]), min_size=3, max_size=40).filter(
        lambda labels: len(set(labels)) > 1
    ),
    data=st.data(),
)
def test_chosen_classes_change_to_another_known_class_and_others_stay(labels: list[str], data: st.DataObject) -> None:
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(labels), max_size=len(labels))))
    changed = changed_labels(pd.Series(labels), "multiclass", chosen)
    assert ((changed != pd.Series(labels)).to_numpy() == chosen).all()
    assert set(changed) <= set(labels)


@pytest.mark.parametrize(
    ("labels", "kind"), [([1, 5, 9], "regression"), ([0.5, 1.5, 2.5], "regression"), ([True, False, True], "binary")]
)
def test_every_chosen_label_changes_and_keeps_its_type(labels: list[Any], kind: ProblemType) -> None:
    old = pd.Series(labels)
    new = changed_labels(old, kind, np.array([True, True, False]))
    assert new.dtype == old.dtype
    assert (new != old).tolist() == [True, True, False]


def test_permuted_labels_are_the_same_labels() -> None:
    labels = pd.Series(np.arange(50))
    permuted = permuted_labels(labels, np.random.default_rng(1))
    assert sorted(permuted) == sorted(labels)
    assert (permuted != labels).sum() > 40


def test_labels_change_together_wherever_they_are(loans: Loans) -> None:
    outcome = loans.task.train["default"].map({0: "paid", 1: "lost"})
    file = pd.DataFrame({"loan_id": loans.task.train["loan_id"], "state": outcome}).sort_values("loan_id")
    file = pd.concat([file, pd.DataFrame({"loan_id": [1, 2], "state": ["paid", "open"]})], ignore_index=True)
    task = replace(loans.task, tables={**loans.task.tables, "file.csv": file})
    setting = Setting.of(task)
    assert list(setting.cells) == ["file.csv"]
    scenario = setting.relabelled(1 - setting.labels)
    assert scenario.rows["default"].tolist() == (1 - setting.labels).tolist()
    assert scenario.train["default"].tolist() == (1 - setting.labels).tolist()
    states = scenario.tables["file.csv"].set_index("loan_id")["state"]
    expected = dict(zip(task.train["loan_id"], (1 - setting.labels).map({0: "paid", 1: "lost"}), strict=True))
    assert {number: states[number] for number in expected} == expected
    assert states[[1, 2]].tolist() == ["paid", "open"]
    assert task.train["default"].equals(loans.task.train["default"])


def test_a_history_of_labels_is_no_table_of_labels(loans: Loans) -> None:
    rng = np.random.default_rng(2)
    numbers = np.repeat(loans.task.train["loan_id"].to_numpy(), 2)
    history = pd.DataFrame({"loan_id": numbers, "default": rng.integers(0, 2, size=len(numbers))})
    few = pd.DataFrame({"loan_id": loans.task.train["loan_id"][:20], "seen": loans.task.train["default"][:20]})
    assert find_label_cells(replace(loans.task, tables={"history.csv": history, "few.csv": few})) == {}


def test_labels_are_found_by_several_columns_together(loans: Loans) -> None:
    train = loans.task.train.assign(loan_id=np.repeat(np.arange(45), 2), day=np.tile([1, 2], 45))
    file = train[["loan_id", "day"]].assign(result=train["default"] * 7.5)
    cells = find_label_cells(replace(loans.task, train=train, tables={"file.csv": file}))
    assert [cell.column for cell in cells["file.csv"]] == ["result"]


def test_numbers_as_labels_are_found_only_when_they_are_equal(loans: Loans) -> None:
    train = loans.task.train.assign(default=np.linspace(0, 1, 90))
    file = pd.DataFrame({"loan_id": train["loan_id"], "same": train["default"], "near": train["default"] + 0.1})
    task = replace(loans.task, train=train, problem_type="regression", tables={"file.csv": file})
    assert [cell.column for cell in find_label_cells(task)["file.csv"]] == ["same"]


def test_a_row_finds_itself_in_the_training_table_of_every_order(loans: Loans) -> None:
    plain = Setting.of(loans.task).plain()
    order = np.random.default_rng(3).permutation(90)
    for scenario in (shuffled(plain, order, together=True), renumbered(plain, order)):
        for label, row in scenario.rows.head(20).iterrows():
            assert scenario.train.loc[label, "loan_id"] == row["loan_id"]  # type: ignore[index]
    assert (
        renumbered(plain, order)
        .rows["loan_id"]
        .equals(plain.rows["loan_id"].set_axis(renumbered(plain, order).rows.index))
    )
    called = shuffled(plain, order, together=False)
    assert called.train is plain.train
    assert called.rows["loan_id"].tolist() == plain.rows["loan_id"].iloc[order].tolist()
