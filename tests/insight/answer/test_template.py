from pathlib import Path
from typing import Any

import pytest

import assay.insight
from assay.core import Budget
from assay.insight.answer.answer import FeatureFunction, InsightAnswer, decode, encode
from assay.insight.answer.template import TEMPLATE
from assay.insight.generate.synthetic import generate
from assay.insight.problem.task import load


@pytest.mark.parametrize("timed", [False, True])
def test_the_template_is_a_subject_that_counts_without_looking_ahead(
    tmp_path: Path, timed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assay.insight, "InsightAnswer", InsightAnswer, raising=False)
    monkeypatch.setattr(assay.insight, "FeatureFunction", FeatureFunction, raising=False)
    task = load(generate(tmp_path, seed=4, rows=60, timed=timed)).task
    names: dict[str, Any] = {}
    exec(TEMPLATE, names)
    answer = decode(encode(names["solve"](task, Budget(seed=0))))
    assert "rows_of_customer_id_in_visits" in answer.columns
    assert answer.train is not None
    assert answer.test is not None
    visits = task.tables["visits.csv"]
    for own, given in ((task.train, answer.train), (task.test, answer.test)):
        for (_, row), count in zip(own.iterrows(), given["rows_of_customer_id_in_visits"], strict=True):
            same = visits["customer_id"] == row["customer_id"]
            expected = same & (visits["visit_date"] <= row["purchase_date"]) if timed else same
            assert count == expected.sum()
    assert {function.name for function in answer.functions} == set(answer.columns)
