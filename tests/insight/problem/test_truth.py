import json
from pathlib import Path

import pandas as pd
import pytest

from assay.insight.problem.truth import read_truth

TRAIN = pd.DataFrame({"id": [1, 2], "y": [0.5, 1.5]})
TEST = pd.DataFrame({"id": [3], "y": [2.5]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ground_truth" / "data").mkdir(parents=True)
    (tmp_path / "ground_truth" / "data" / "enriched_train.csv").write_text(
        "more,b_c,id,a,y\nx,1,1,low,0.5\ny,2,2,,1.5\n"
    )
    (tmp_path / "ground_truth" / "data" / "enriched_test.csv").write_text("id,a,b_c\n3,high,4\n")
    return tmp_path


def describe(folder: Path, *words: str) -> tuple[str, ...]:
    content = {"enriched_column_names": ["a", "b_c"], "features_descriptions": list(words)}
    (folder / "ground_truth" / "solution.json").write_text(json.dumps(content))
    return read_truth(folder, train=TRAIN, test=TEST, target="y").descriptions


def test_only_the_declared_columns_are_kept_in_declared_order_and_texts_are_columns_too(folder: Path) -> None:
    describe(folder)
    truth = read_truth(folder, train=TRAIN, test=TEST, target="y")
    assert truth.train.columns.tolist() == truth.test.columns.tolist() == ["a", "b_c"] == list(truth.columns)
    assert truth.train["b_c"].tolist() == [1, 2]
    assert truth.train["a"].isna().tolist() == [False, True]
    assert truth.test["a"].tolist() == ["high"]
    assert truth.test_target.tolist() == [2.5]


def test_the_experts_words_are_kept_when_there_is_one_for_each_column(folder: Path) -> None:
    assert describe(folder, "the a", "the b") == ("the a", "the b")
    assert describe(folder, "only one") == ("a", "b c")
    assert describe(folder) == ("a", "b c")
