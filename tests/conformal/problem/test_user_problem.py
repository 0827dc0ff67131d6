"""Problems from one's own probabilities and labels, or from classifiers and data, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from assay.conformal import load
from assay.conformal.problem.user_problem import new_problem
from assay.core import InvalidInput
from assay.core.files.digest import digest_folder
from assay.intake.arrays import write_npz

RNG = np.random.default_rng(1)
SAMPLES = 240
LABELS = {"digit": RNG.integers(0, 3, SAMPLES), "parity": RNG.integers(0, 2, SAMPLES)}


def _distributions(task: str, classes: int) -> Any:
    scores = np.exp(2 * np.eye(classes)[LABELS[task]] + RNG.normal(size=(SAMPLES, classes)))
    return scores / scores.sum(axis=1, keepdims=True)


MATRICES = {"digit": _distributions("digit", 3), "parity": _distributions("parity", 2)}
NAMES = {"digit": ["zero", "one", "two"], "parity": ["even", "odd"]}
WIDE = pd.DataFrame({f"{t}:{n}": MATRICES[t][:, c] for t, names in NAMES.items() for c, n in enumerate(names)})
TEXTS = pd.DataFrame({task: np.array(NAMES[task])[LABELS[task]] for task in NAMES})
DATA = pd.DataFrame({"x": RNG.normal(size=SAMPLES) + LABELS["digit"], "y": RNG.normal(size=SAMPLES) - LABELS["parity"]})


def test_samples_are_split_by_share_and_seed_and_rows_stay_together(tmp_path: Path) -> None:
    summary = new_problem(tmp_path / "a", MATRICES, LABELS, calibration=0.25)
    problem = load(tmp_path / "a")
    assert (summary.facts["calibration samples"], summary.facts["test samples"]) == (60, 180)
    assert problem.task.task_names == ("digit", "parity")
    assert summary.oracle
    both = np.concatenate([problem.task.calibration_probabilities[0], problem.task.test_probabilities[0]])
    labels = np.concatenate([problem.task.calibration_labels[0], problem.truth.labels[0]])
    order, whole = np.argsort(both[:, 0]), np.argsort(MATRICES["digit"][:, 0])
    np.testing.assert_array_equal(labels[order], LABELS["digit"][whole])
    for name, seed in (("b", 0), ("c", 1)):
        new_problem(tmp_path / name, MATRICES, LABELS, calibration=0.25, seed=seed, id="a")
    assert digest_folder(tmp_path / "a") == digest_folder(tmp_path / "b") != digest_folder(tmp_path / "c")


def test_every_form_of_the_same_material_gives_the_same_problem(tmp_path: Path) -> None:
    write_npz(tmp_path / "p.npz", MATRICES)
    write_npz(tmp_path / "y.npz", LABELS)
    per_task = {
        task: pd.DataFrame(matrix, columns=NAMES[task]).assign(truth=TEXTS[task]) for task, matrix in MATRICES.items()
    }
    forms: dict[str, dict[str, Any]] = {
        "mappings": {"probabilities": MATRICES, "labels": LABELS},
        "npz files": {"probabilities": tmp_path / "p.npz", "labels": tmp_path / "y.npz"},
        "frames": {"probabilities": WIDE, "labels": TEXTS},
        "one frame": {"probabilities": WIDE.join(TEXTS)},
        "a frame per task": {"probabilities": per_task, "label": "truth"},
    }
    for form, material in forms.items():
        new_problem(tmp_path / form, **material, id="same")
    assert len({digest_folder(tmp_path / form) for form in forms}) == 1


def test_test_samples_may_be_given_in_another_order_of_tasks(tmp_path: Path) -> None:
    new_problem(
        tmp_path / "a",
        WIDE[:100],
        TEXTS[:100],
        test_probabilities=WIDE[100:][WIDE.columns[::-1]],
        test_labels=TEXTS[100:],
    )
    problem = load(tmp_path / "a")
    np.testing.assert_array_equal(problem.truth.labels[0], LABELS["digit"][100:])
    np.testing.assert_array_equal(problem.task.test_probabilities[0], MATRICES["digit"][100:])


def test_a_missing_label_is_an_empty_cell(tmp_path: Path) -> None:
    new_problem(tmp_path / "a", WIDE, TEXTS.where(pd.Series(np.arange(SAMPLES) % 10 != 0), None))
    problem = load(tmp_path / "a")
    missing = sum(int((column == -1).sum()) for column in (*problem.task.calibration_labels, *problem.truth.labels))
    assert missing == 48


def test_logits_are_softmaxed_when_told(tmp_path: Path) -> None:
    new_problem(tmp_path / "a", [np.log(MATRICES["digit"])], [LABELS["digit"]], logits=True)
    new_problem(tmp_path / "b", [MATRICES["digit"]], [LABELS["digit"]])
    first, second = load(tmp_path / "a").task, load(tmp_path / "b").task
    np.testing.assert_allclose(first.test_probabilities[0], second.test_probabilities[0])


def test_a_classifier_is_trained_for_each_label_column_on_rows_that_are_not_used_again(tmp_path: Path) -> None:
    table = DATA.join(TEXTS)
    summary = new_problem(
        tmp_path / "a", table=table, label=["digit", "parity"], classifier=LogisticRegression(), train=0.5
    )
    assert (summary.facts["calibration samples"], summary.facts["test samples"]) == (60, 60)
    assert 0.4 < summary.facts["accuracy of digit"] < 1
    assert 0.5 < summary.facts["accuracy of parity"] < 1


def test_fitted_classifiers_are_used_as_they_are_on_all_rows(tmp_path: Path) -> None:
    fitted = [LogisticRegression().fit(DATA, TEXTS[task]) for task in NAMES]
    summary = new_problem(
        tmp_path / "a", table=DATA.join(TEXTS), label=["digit", "parity"], classifier=fitted, fit=False
    )
    assert summary.facts["calibration samples"] == summary.facts["test samples"] == 120


def test_what_is_thin_is_warned_about(tmp_path: Path) -> None:
    few = {task: matrix[:16] for task, matrix in MATRICES.items()}
    rare = np.where(np.arange(16) == 3, 2, np.arange(16) % 2)
    summary = new_problem(tmp_path / "a", few, {"digit": rare, "parity": LABELS["parity"][:16]})
    assert "8 calibration samples cannot promise a coverage of 0.9 with less than all classes" in summary.warnings[0]
    assert "8 test samples are few" in summary.warnings[1]
    assert "task 'digit': fewer than 2 calibration samples have the class 2" in summary.warnings[2]


TABLE = {
    "probabilities": None,
    "labels": None,
    "table": DATA.join(TEXTS),
    "label": ["digit"],
    "classifier": LogisticRegression(),
}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "rows that do not sum to one": (
        {"probabilities": {**MATRICES, "parity": MATRICES["parity"] * 0.9}},
        "'parity': row 0 sums to 0.9, not to 1",
    ),
    "logits": (
        {"probabilities": {**MATRICES, "parity": np.log(MATRICES["parity"])}},
        "'parity': row 0 holds -.* logits=True",
    ),
    "not a number": (
        {"probabilities": {**MATRICES, "parity": MATRICES["parity"] * np.nan}},
        "'parity': row 0 holds nan",
    ),
    "texts": (
        {"probabilities": {**MATRICES, "parity": np.array([["a", "b"]] * SAMPLES)}},
        "'parity': must be an .n, C. matrix of numbers",
    ),
    "a column of numbers": (
        {"probabilities": {"digit": np.ones(5), "parity": np.ones(5)}},
        "'digit': must be an .n, C. matrix",
    ),
    "labels outside": (
        {"labels": {**LABELS, "parity": LABELS["digit"]}},
        "'parity': 2 at sample [0-9]+ is outside the 2 classes",
    ),
    "labels that are no class": (
        {"probabilities": WIDE, "labels": TEXTS.replace("odd", "strange")},
        "'parity', row [0-9]+: 'strange' is none of the classes even, odd",
    ),
    "labels of other tasks": ({"labels": {"digit": LABELS["digit"], "colour": LABELS["parity"]}}, "colour"),
    "unequal rows": (
        {
            "probabilities": {**MATRICES, "parity": MATRICES["parity"][:9]},
            "labels": {**LABELS, "parity": LABELS["parity"][:9]},
        },
        "'parity' has 9 samples, task 'digit' has 240",
    ),
    "fewer labels": ({"labels": {**LABELS, "parity": LABELS["parity"][:9]}}, "'parity' has 240 samples and 9 labels"),
    "no labels": ({"labels": None}, "there are no labels of task 'digit'. Give labels="),
    "a column without a class": ({"probabilities": WIDE.assign(id=1)}, "column 'id' is not of the form task:class"),
    "nothing": ({"probabilities": None}, "probabilities, or a table and a classifier, or numbers; neither was given"),
    "both": ({"table": DATA}, "both were given"),
    "one sample": (
        {"probabilities": {t: m[:1] for t, m in MATRICES.items()}, "labels": {t: m[:1] for t, m in LABELS.items()}},
        "1 sample cannot be split",
    ),
    "no room for a test": ({"calibration": 1.0}, "calibration must lie strictly between"),
    "alpha": ({"alpha": 10}, "alpha must lie strictly between 0 and 1"),
    "guarantee": ({"guarantee": "jont"}, "No guarantee named 'jont'. Did you mean 'joint'"),
    "test labels alone": ({"test_labels": LABELS}, "test labels were given without test probabilities"),
    "test samples of other classes": (
        {"test_probabilities": {**MATRICES, "parity": MATRICES["digit"]}, "test_labels": LABELS},
        "task 'parity': has 3 classes where 2 are expected",
    ),
    "a label column that is not there": (
        {**TABLE, "label": ["digt"]},
        "No label column named 'digt'. Did you mean 'digit'",
    ),
    "no label column": ({**TABLE, "label": []}, "name the label columns"),
    "no classifier": ({**TABLE, "classifier": None}, "needs a classifier"),
    "no feature": ({**TABLE, "table": TEXTS, "label": ["digit", "parity"]}, "no feature column besides digit, parity"),
    "a regressor": ({**TABLE, "classifier": LinearRegression()}, "LinearRegression"),
    "text features": ({**TABLE, "label": ["parity"]}, "digit|zero|one|two"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_a_problem_is_refused_in_one_line_and_nothing_is_left(case: str, tmp_path: Path) -> None:
    changes, message = REFUSED[case]
    arguments: dict[str, Any] = {"probabilities": MATRICES, "labels": LABELS, **changes}
    with pytest.raises(InvalidInput, match=message) as caught:
        new_problem(tmp_path / "a", **arguments)
    assert "\n" not in str(caught.value)
    assert str(tmp_path / ".a-") not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("grades", "place"),
    [(["no"] * 20, "rows.csv: label column 'grade'"), (None, "rows.csv: the training part of label column 'grade'")],
)
def test_a_label_column_of_one_class_is_named_with_its_file_and_part(tmp_path: Path, grades: Any, place: str) -> None:
    if grades is None:  # two classes, of which the training part has one
        grades = ["no"] * 20
        grades[np.random.default_rng(0).permutation(20)[-1]] = "yes"
    path = tmp_path / "rows.csv"
    pd.DataFrame({"x": RNG.normal(size=20), "grade": grades}).to_csv(path, index=False)
    with pytest.raises(InvalidInput, match=f"{place} holds one class only, 'no'"):
        new_problem(tmp_path / "a", table=path, label="grade", classifier=LogisticRegression())
