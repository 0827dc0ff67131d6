"""Problems from labelled tables of one's own: classifiers, columns of predictions, splits, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from assay.cases import load
from assay.cases.problem.user_problem import new_problem
from assay.core import InvalidInput
from assay.core.files.digest import digest_folder

RNG = np.random.default_rng(3)
KINDS = np.array(["elm", "oak"])[RNG.integers(0, 2, 120)]
TABLE = pd.DataFrame({"height": RNG.normal(size=120) + 1.5 * (KINDS == "oak"), "width": RNG.normal(size=120)})
TABLE["kind"] = KINDS
SAID = TABLE.assign(
    said=np.where(TABLE.height > 0.75, "oak", "elm"),
    p_elm=np.where(TABLE.height > 0.75, 0.2, 0.7),
    p_oak=np.where(TABLE.height > 0.75, 0.8, 0.3),
)


def test_a_classifier_by_name_is_trained_on_the_training_rows_and_every_class_is_split_evenly(tmp_path: Path) -> None:
    summary = new_problem(tmp_path / "a", TABLE, label="kind", classifier="logistic")
    problem = load(tmp_path / "a")
    share = (TABLE.kind == "oak").mean()
    assert (problem.truth.labels == "oak").mean() == pytest.approx(share, abs=0.02)
    assert (summary.facts["training cases"], summary.facts["queries"]) == (84, 36)
    assert summary.facts["errors"] == (problem.task.predicted != problem.truth.labels).sum() > 0
    assert problem.tags["classifier"] == "logistic"
    assert summary.oracle == {"a": 1.0}


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        new_problem(tmp_path / name, TABLE, label="kind", classifier="logistic", seed=seed, id="x")
    assert digest_folder(tmp_path / "a") == digest_folder(tmp_path / "b") != digest_folder(tmp_path / "c")


def test_folds_make_a_problem_each_and_predict_every_row_once(tmp_path: Path) -> None:
    summary = new_problem(tmp_path / "a", TABLE, label="kind", classifier=LogisticRegression(), folds=3)
    assert summary.problems == ("a-fold-1", "a-fold-2", "a-fold-3")
    assert summary.facts["queries"] == 120
    heights = np.concatenate([load(tmp_path / "a" / f"fold-{fold}").task.query_X[:, 0] for fold in (1, 2, 3)])
    assert sorted(heights) == sorted(TABLE.height)


def test_query_rows_are_predicted_from_all_training_rows(tmp_path: Path) -> None:
    summary = new_problem(tmp_path / "a", TABLE[:80], label="kind", classifier="tree", query=TABLE[80:])
    assert (summary.facts["training cases"], summary.facts["queries"]) == (80, 40)
    assert ["named by you" in reading.columns[-1].why for reading in summary.tables] == [True, True]


def test_a_fitted_classifier_is_used_as_it_is(tmp_path: Path) -> None:
    model = LogisticRegression().fit(TABLE[["height", "width"]], 1 - (TABLE.kind == "oak"))
    table = TABLE.assign(kind=(TABLE.kind == "oak").astype(int))
    summary = new_problem(tmp_path / "a", table, label="kind", classifier=model, fit=False)
    assert summary.facts["accuracy"] < 0.5


def test_a_model_of_numbers_is_not_asked_about_texts(tmp_path: Path) -> None:
    model = LogisticRegression().fit(TABLE[["height", "width"]], (TABLE.kind == "oak").astype(int))
    with pytest.raises(InvalidInput, match="the model's classes_ and training labels: 0 is compared with '"):
        new_problem(tmp_path / "own", TABLE, label="kind", classifier=model, fit=False)


def test_predictions_and_probabilities_may_stand_in_the_table_and_are_no_features(tmp_path: Path) -> None:
    summary = new_problem(tmp_path / "a", SAID, label="kind", predictions="said", probabilities=["p_oak", "p_elm"])
    task = load(tmp_path / "a").task
    assert task.feature_names == ("height", "width")
    assert task.classes == ("elm", "oak")
    predicted = np.where(task.query_X[:, 0] > 0.75, "oak", "elm")
    assert (task.predicted == predicted).all()
    assert not summary.warnings
    np.testing.assert_allclose(task.probabilities[:, 1], np.where(predicted == "oak", 0.8, 0.3))
    assert task.train_predicted is not None
    assert (task.train_predicted == np.where(task.train_X[:, 0] > 0.75, "oak", "elm")).all()


def test_training_rows_need_no_predictions(tmp_path: Path) -> None:
    named: dict[str, Any] = {"predictions": "said", "probabilities": ["elm=p_elm", "oak=p_oak"]}
    new_problem(tmp_path / "a", TABLE[:80], label="kind", query=SAID[80:], **named)
    assert load(tmp_path / "a").task.train_predicted is None


def test_without_probabilities_predictions_count_as_certain_and_a_warning_says_so(tmp_path: Path) -> None:
    summary = new_problem(tmp_path / "a", SAID[["height", "kind", "said"]], label="kind", predictions="said")
    assert set(load(tmp_path / "a").task.probabilities.ravel()) == {0.0, 1.0}
    assert "there are no probabilities" in summary.warnings[0]


THIN: dict[str, tuple[pd.DataFrame, str]] = {
    "no error": (SAID.assign(said=SAID.kind), "without a single wrong prediction"),
    "errors only": (SAID.assign(said=np.where(SAID.kind == "oak", "elm", "oak")), "every prediction is wrong"),
    "few rows": (SAID[:24], "7 queries: intervals will be wide"),
    "few errors": (SAID.assign(said=SAID.kind.mask(SAID.index % 9 == 2, "oak")), "in all: scores rest on these few"),
    "a class of one row": (SAID.assign(kind=SAID.kind.where(SAID.index != 5, "ash")), "'ash' occurs in one row only"),
}


@pytest.mark.parametrize("case", THIN)
def test_what_is_thin_is_warned_about(case: str, tmp_path: Path) -> None:
    table, warning = THIN[case]
    summary = new_problem(tmp_path / "a", table.drop(columns=["p_elm", "p_oak"]), label="kind", predictions="said")
    assert warning in " ".join(summary.warnings) or pytest.fail(str(summary.warnings))


def test_errors_only_are_warned_about_in_folds_too(tmp_path: Path) -> None:
    table, warning = THIN["errors only"]
    rows = table.drop(columns=["p_elm", "p_oak"])
    summary = new_problem(tmp_path / "a", rows, label="kind", predictions="said", folds=3)
    assert warning in " ".join(summary.warnings)


GIVEN = {"classifier": None, "predictions": "said", "table": SAID}
NUMBERS = TABLE.assign(kind=np.arange(120))
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a label that is not there": ({"label": "kin"}, "label='kin': there is no column 'kin'. Did you mean 'kind'"),
    "the label ignored": ({"ignore": ["kind"]}, "'kind' is named as label and ignored as well"),
    "nothing beside the label": ({"ignore": ["height", "width"]}, "no feature column besides 'kind'"),
    "measurements as labels": ({"label": "height"}, "'height' holds 120 different numbers in 120 rows.*a quantity"),
    "whole measurements as labels": ({"table": NUMBERS}, "'kind' holds 120 different numbers in 120 rows"),
    "one class": ({"table": TABLE.assign(kind="oak")}, "holds one class only, 'oak', in 120 rows"),
    "no label in a row": (
        {"table": TABLE.assign(kind=TABLE.kind.where(TABLE.index != 2))},
        "'kind' is empty in 1 row, the first is row 3",
    ),
    "one row": ({"table": TABLE[:1]}, "no feature|one class only"),
    "no rows": ({"table": TABLE[:0]}, "row"),
    "an unknown classifier": ({"classifier": "forst"}, "No classifier named 'forst'. Did you mean 'forest'"),
    "no classifier": ({"classifier": None}, "a classifier or a column with its predictions; neither was given"),
    "both": ({"predictions": "kind"}, "both were given"),
    "query and folds": ({"query": TABLE, "folds": 3}, "query rows or a number of folds, not both"),
    "a fold too many": ({"folds": 90}, "too few for 90 folds"),
    "one fold": ({"folds": 1}, "folds must be a whole number of at least 2"),
    "nothing held out": ({"holdout": 0.0}, "holdout must lie strictly between"),
    "a query without a feature": ({"query": TABLE.drop(columns="width")}, "'width'"),
    "a query with other labels": ({"query": TABLE.assign(kind=1)}, "text with number"),
    "predictions that are not there": (
        {**GIVEN, "predictions": "sad"},
        "No column of predictions named 'sad'. Did you mean 'said'",
    ),
    "a missing prediction": (
        {**GIVEN, "table": SAID.assign(said=SAID.said.where(SAID.index != 0))},
        "'said' is empty in 1 row, the first is row 1",
    ),
    "a prediction outside of the labels": (
        {**GIVEN, "table": SAID.assign(said="ash")},
        "predicts 'ash', which is none of the labels",
    ),
    "numbers as predictions": ({**GIVEN, "table": SAID.assign(said=1)}, "text with number"),
    "probabilities of a classifier": ({"probabilities": ["p_oak"]}, "a classifier brings its own"),
    "one probability short": (
        {**GIVEN, "probabilities": ["p_oak"]},
        "no column holds the probabilities of class 'elm'",
    ),
    "a probability twice": ({**GIVEN, "probabilities": ["p_oak", "oak=p_elm"]}, "both hold probabilities of 'oak'"),
    "a probability of nothing": (
        {**GIVEN, "probabilities": ["width"]},
        "'width' ends with none of the classes .* probabilities='elm=width'",
    ),
    "probabilities that do not sum to one": (
        {**GIVEN, "table": SAID.assign(p_oak=0.9), "probabilities": ["p_oak", "p_elm"]},
        "p_elm.* sums to 1.[16], not to 1",
    ),
    "no probability": (
        {**GIVEN, "table": SAID.assign(p_oak=7.0), "probabilities": ["p_oak", "p_elm"]},
        "7.0 is not between 0 and 1",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_a_problem_is_refused_in_one_line_and_nothing_is_left(case: str, tmp_path: Path) -> None:
    changes, message = REFUSED[case]
    arguments: dict[str, Any] = {"table": TABLE, "label": "kind", "classifier": "tree", **changes}
    with pytest.raises(InvalidInput, match=message) as caught:
        new_problem(tmp_path / "a", arguments.pop("table"), **arguments)
    assert "\n" not in str(caught.value)
    assert str(tmp_path / ".a-") not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_holdout_that_leaves_no_row_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="none is left to train on; .* change holdout, which is 0.999"):
        new_problem(tmp_path / "a", TABLE, label="kind", classifier="tree", holdout=0.999)
    names = TABLE.assign(kind=[f"n{row}" for row in range(len(TABLE))])
    with pytest.raises(InvalidInput, match="each of 120 labels has 1 row at most. Name a column of classes"):
        new_problem(tmp_path / "a", names, label="kind", classifier="tree")


def test_a_text_among_numbers_of_the_query_rows_is_named_with_its_place(tmp_path: Path) -> None:
    number = next(name for name in TABLE.columns if TABLE[name].dtype.kind == "f")
    wrong = TABLE.astype({number: object}).head(40)
    wrong.loc[wrong.index[3], number] = "abc"
    with pytest.raises(InvalidInput, match=f"column '{number}' holds 'abc' in row 4 below the header"):
        new_problem(tmp_path / "a", TABLE, label="kind", classifier="tree", query=wrong)


@pytest.mark.parametrize("name", ["-1", "²"])
def test_probabilities_of_a_class_that_no_row_has(tmp_path: Path, name: str) -> None:
    table = TABLE.assign(kind=(TABLE.kind == "oak").astype(int), p0=0.5, p1=0.25, p2=0.25)
    arguments: dict[str, Any] = {
        "label": "kind",
        "predictions": "said",
        "probabilities": ["0=p0", "1=p1", name + "=p2"],
    }
    if name == "-1":
        new_problem(tmp_path / "a", table.assign(said=table.kind), **arguments)
        assert load(tmp_path / "a").task.classes == (-1, 0, 1)
    else:
        with pytest.raises(InvalidInput):
            new_problem(tmp_path / "a", table.assign(said=table.kind), **arguments)
