from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from assay.cases import TRACK, load
from assay.cases.problem.from_table import problem_from_table, write_problem_from_frames
from assay.core import Budget, InvalidInput

RNG = np.random.default_rng(0)


def table(count: int) -> pd.DataFrame:
    size, colour = RNG.normal(size=count), RNG.choice(["red", "blue"], count)
    kind = np.where(size + (colour == "red") + RNG.normal(size=count) > 0.5, "big", "small")
    return pd.DataFrame({"colour": colour, "size": size, "ripe": RNG.random(count) < 0.5, "kind": kind})


def pipeline() -> Any:
    prepare = make_column_transformer(
        (StandardScaler(), ["size"]), (OneHotEncoder(handle_unknown="ignore"), ["colour"])
    )
    return make_pipeline(prepare, LogisticRegression())


TRAIN, QUERIES = table(120), table(80)


def test_numbers_stay_and_other_columns_are_one_hot_by_training_categories() -> None:
    colours: list[Any] = ["green", None, *QUERIES["colour"][2:]]
    queries = QUERIES.assign(colour=colours)
    task, truth = problem_from_table(TRAIN, queries, label="kind", model=pipeline())
    assert task.feature_names == ("colour=blue", "colour=red", "size", "ripe")
    expected = TRAIN.assign(blue=TRAIN["colour"] == "blue", red=TRAIN["colour"] == "red")
    np.testing.assert_array_equal(task.train_X, expected[["blue", "red", "size", "ripe"]].astype(float))
    assert task.query_X[:2, :2].tolist() == [[0, 0], [0, 0]]  # a category that training never saw
    assert truth.labels.tolist() == QUERIES["kind"].tolist()
    model = pipeline().fit(TRAIN.drop(columns="kind"), TRAIN["kind"])
    rows = queries.drop(columns="kind")
    assert task.predicted.tolist() == model.predict(rows).tolist()
    np.testing.assert_allclose(task.probabilities, model.predict_proba(rows))
    assert task.train_predicted is not None
    assert task.train_predicted.tolist() == model.predict(TRAIN.drop(columns="kind")).tolist()


def test_missing_numbers_are_filled_by_the_training_median_and_missing_words_are_a_category() -> None:
    train = pd.DataFrame({"a": [1.0, 3.0, np.nan, 9.0], "b": ["x", None, "x", "y"], "k": [0, 1, 0, 1]})
    from sklearn.dummy import DummyClassifier

    task, _ = problem_from_table(train, train.assign(a=np.nan), label="k", model=DummyClassifier())
    assert task.feature_names == ("a", "b=(missing)", "b=x", "b=y")
    assert task.train_X[:, 0].tolist() == [1.0, 3.0, 3.0, 9.0]
    assert task.query_X[:, 0].tolist() == [3.0] * 4
    assert task.train_X[:, 1].tolist() == [0, 1, 0, 0]


def test_columns_are_matched_by_name_and_a_fitted_model_is_not_trained_again() -> None:
    model = pipeline().fit(TRAIN.drop(columns="kind"), TRAIN["kind"])
    reversed_columns = QUERIES[QUERIES.columns[::-1]]
    task, _ = problem_from_table(TRAIN[:50], reversed_columns, label="kind", model=model, fit=False)
    assert task.predicted.tolist() == model.predict(QUERIES.drop(columns="kind")).tolist()
    same, _ = problem_from_table(TRAIN[:50], QUERIES, label="kind", model=model, fit=False)
    np.testing.assert_array_equal(task.query_X, same.query_X)


def test_a_plain_model_gets_the_columns_in_the_order_of_training() -> None:
    train, queries = TRAIN[["size", "ripe", "kind"]], QUERIES[["kind", "ripe", "size"]]
    task, _ = problem_from_table(train, queries, label="kind", model=LogisticRegression())
    assert task.feature_names == ("size", "ripe")
    np.testing.assert_array_equal(task.query_X[:, 0], QUERIES["size"])


def test_csv_files_become_a_problem_folder_that_the_track_can_run(tmp_path: Path) -> None:
    TRAIN.to_csv(tmp_path / "train.csv", index=False)
    QUERIES.to_csv(tmp_path / "queries.csv", index=False)
    write_problem_from_frames(
        tmp_path / "fruit",
        tmp_path / "train.csv",
        str(tmp_path / "queries.csv"),
        label="kind",
        model=pipeline(),
        tags={"dataset": "fruit"},
    )
    problem = load(tmp_path / "fruit")
    assert problem.id == "fruit"
    assert problem.tags["classifier"] == "LogisticRegression"
    assert problem.tags["dataset"] == "fruit"
    wrong = problem.task.predicted != problem.truth.labels
    assert problem.tags["accuracy"] == pytest.approx(1 - wrong.mean())
    answer = TRACK.subjects["detector"]().solve(problem.task, Budget())
    evidence = TRACK.examine(problem, answer, {})
    assert TRACK.metric("auroc").function(evidence) > 0.5


def test_a_label_that_only_the_queries_have_is_a_class_without_probability() -> None:
    queries = QUERIES.assign(kind=["huge", *QUERIES["kind"][1:]])
    task, _ = problem_from_table(TRAIN, queries, label="kind", model=pipeline())
    assert task.classes == ("big", "huge", "small")
    assert task.probabilities[:, 1].tolist() == [0.0] * 80


class NoProbabilities:
    def fit(self, X: Any, y: Any) -> Any:
        return self

    def predict(self, X: Any) -> Any:
        return ["big"] * len(X)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": "kinds"}, "train: there is no label column 'kinds'. Did you mean 'kind'"),
        ({"queries": QUERIES.drop(columns="size")}, "column 'size' of train is missing"),
        ({"queries": QUERIES[:0]}, "queries: has no rows"),
        ({"queries": QUERIES.assign(size="big")}, "column 'size' holds"),
        ({"queries": QUERIES.assign(kind=1)}, "text with number"),
        ({"train": TRAIN[["kind"]], "queries": QUERIES[["kind"]]}, "nothing to compare"),
        ({"train": pd.concat([TRAIN, TRAIN["size"]], axis=1)}, "two columns are called 'size'"),
        ({"train": "nowhere.csv"}, "nowhere.csv: file not found"),
        ({"model": NoProbabilities()}, r"NoProbabilities has no predict_proba\(\)"),
        ({"model": LogisticRegression()}, "cannot be trained on these columns"),
        ({"model": LogisticRegression(), "fit": False}, "is not fitted"),
    ],
)
def test_tables_and_models_that_do_not_fit_are_refused(changes: dict[str, Any], message: str) -> None:
    arguments = {"train": TRAIN, "queries": QUERIES, "label": "kind", "model": pipeline()}
    with pytest.raises(InvalidInput, match=message):
        problem_from_table(**{**arguments, **changes})
