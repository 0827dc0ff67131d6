"""Tables that repeat labels keep doing so when the labels are changed."""

import numpy as np
import pandas as pd
import pytest

from assay.insight.leakage.perturbations import Setting, changed_labels
from assay.insight.problem.task import InsightTask


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
        test=train.drop(columns="y"),
        tables={"codes.csv": pd.DataFrame({"id": range(8), "code": codes})},
    )
    setting = Setting.of(task)
    changed = changed_labels(setting.labels, "multiclass", np.ones(12, dtype=np.bool_))
    relabelled = setting.relabelled(changed).tables["codes.csv"]["code"]
    pairs = set(zip(changed[:8], relabelled, strict=True))
    assert {label for label, _ in pairs} == {"b", "c"}
    assert len(pairs) == 2 == len({code for _, code in pairs})
    assert dict(pairs)["b"] == codes[2]
