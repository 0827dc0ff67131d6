"""Tables that repeat labels keep doing so when the labels are changed."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from assay.core import Problem
from assay.insight.answer.functions import FeatureFunction
from assay.insight.leakage.check import check_leakage
from assay.insight.leakage.label_tables import find_label_cells
from assay.insight.leakage.perturbations import Setting, changed_labels
from assay.insight.problem.task import InsightTask, InsightTruth
from assay.sandbox import Sandbox

Loans = Problem[InsightTask, InsightTruth]
Feature = Callable[..., FeatureFunction]


@pytest.mark.parametrize("codes", [[0, 0, 1, 1] * 2, [0.0, 0.0, 1.0, 1.0] * 2, ["low", "low", "high", "high"] * 2])
def test_a_class_that_no_row_of_the_table_has_gets_a_spelling_of_its_own(codes: list[object]) -> None:
    train = pd.DataFrame({"id": range(12), "y": [*"aabbaabb", *"cccc"]})
    task = InsightTask(
        name="shop",
        description="",
        domain="",
        target_column="y",
        problem_type="multiclass",
        train=train,
        test=train.drop(columns="y").assign(id=range(20, 32)),
        tables={"codes.csv": pd.DataFrame({"id": range(8), "code": codes})},
    )
    setting = Setting.of(task)
    changed = changed_labels(setting.labels, "multiclass", np.ones(12, dtype=np.bool_))
    relabelled = setting.relabelled(changed).tables["codes.csv"]["code"]
    pairs = set(zip(changed[:8], relabelled, strict=True))
    assert {label for label, _ in pairs} == {"b", "c"}
    assert len(pairs) == 2 == len({code for _, code in pairs})
    assert dict(pairs)["b"] == codes[2]


@pytest.mark.parametrize(
    ("later", "is_label"),
    [
        (["A", "B"] * 4, False),  # known of test rows as well: a predictor, whatever it tells
        (["?"] * 8, True),
        (["A"] * 8, True),
        ([None] * 8, True),
        ([], True),
    ],
)
def test_a_column_that_test_rows_have_as_well_is_no_label(later: list[str | None], is_label: bool) -> None:
    train = pd.DataFrame({"id": range(12), "y": [*"ababababab", *"ab"]})
    status = pd.DataFrame({"id": range(12 + len(later)), "status": [*"ABABABABABAB", *later]})
    task = InsightTask(
        name="shop",
        description="",
        domain="",
        target_column="y",
        problem_type="binary",
        train=train,
        test=pd.DataFrame({"id": range(12, 20)}),
        tables={"status.csv": status},
    )
    assert bool(find_label_cells(task)) == is_label


@pytest.mark.parametrize("different", [0, 1])
@pytest.mark.parametrize("read", ["row['copy']", "aux['file.csv'].set_index('loan_id')['copy'].get(row['loan_id'])"])
def test_a_copy_of_the_target_that_the_problem_gives_is_judged_alike_wherever_it_stands(
    loans: Loans, sandbox: Sandbox, feature: Feature, read: str, different: int
) -> None:
    task = loans.task
    labels = pd.concat([task.train["default"], loans.truth.test_target], ignore_index=True)
    copy = labels.map({0: "PAID", 1: "LOST"})
    copy[:different] = copy[:different].map({"PAID": "LOST", "LOST": "PAID"})
    loan_ids = pd.concat([task.train["loan_id"], task.test["loan_id"]], ignore_index=True)
    given = replace(
        task,
        train=task.train.assign(copy=copy[: len(task.train)]),
        test=task.test.assign(copy=copy[len(task.train) :].to_numpy()),
        tables={**task.tables, "file.csv": pd.DataFrame({"loan_id": loan_ids, "copy": copy})},
    )
    (verdict,) = check_leakage(replace(loans, task=given), [feature(read, takes="row, aux")], sandbox=sandbox).functions
    assert (verdict.verdict, verdict.kind) == ("clean", None)
