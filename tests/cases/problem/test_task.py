import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.cases.problem import task as module
from assay.cases.problem.task import CasesTask, CasesTruth, load, write_problem
from assay.core import InvalidInput, digest_folder


def task(**changes: Any) -> CasesTask:
    values: dict[str, Any] = {
        "train_X": np.arange(8.0).reshape(4, 2),
        "train_y": np.array(["cat", "dog", "cat", "dog"]),
        "query_X": np.array([[0.5, 1.5], [7.0, 7.0], [2.0, 2.0]]),
        "predicted": np.array(["cat", "dog", "cat"]),
        "probabilities": np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]),
        "classes": ("cat", "dog"),
        "feature_names": ("weight", "height"),
    }
    return CasesTask(**{**values, **changes})


TRUTH = CasesTruth(labels=np.array(["cat", "cat", "cat"]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_problem(tmp_path / "pets", id="pets", task=task(), truth=TRUTH, tags={"dataset": "pets", "accuracy": 0.5})
    return tmp_path / "pets"


def test_a_problem_comes_back_as_it_was_written(folder: Path) -> None:
    problem = load(folder)
    assert (problem.id, problem.tags) == ("pets", {"dataset": "pets", "accuracy": 0.5})
    assert problem.digest == digest_folder(folder)
    for name in ("train_X", "train_y", "query_X", "predicted", "probabilities"):
        np.testing.assert_array_equal(getattr(problem.task, name), getattr(task(), name))
    assert problem.task.classes == ("cat", "dog")
    assert problem.task.feature_names == ("weight", "height")
    np.testing.assert_array_equal(problem.truth.labels, TRUTH.labels)


def test_the_same_problem_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    write_problem(tmp_path / "again", id="pets", task=task(), truth=TRUTH, tags={"accuracy": 0.5, "dataset": "pets"})
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert [path.as_posix() for path in files] == ["problem.json", "queries.npz", "train.npz", "truth/labels.npz"]
    for path in files:
        assert (folder / path).read_bytes() == (tmp_path / "again" / path).read_bytes()


def test_numbers_are_labels_too_and_defaults_fill_a_bare_manifest(tmp_path: Path) -> None:
    numbered = task(train_y=[3, 5, 3, 5], predicted=[3, 5, 3], classes=(3, 5))
    write_problem(tmp_path / "n", id="n", task=numbered, truth=CasesTruth(labels=np.array([3, 3, 5])), tags={})
    (tmp_path / "n" / "problem.json").write_text("{}")
    problem = load(tmp_path / "n")
    assert problem.id == "n"
    assert problem.task.classes == (3, 5)
    assert problem.task.feature_names == ("x0", "x1")
    assert problem.truth.labels.tolist() == [3, 3, 5]


def test_everything_the_subject_must_not_see_lies_under_truth(folder: Path) -> None:
    (folder / "truth" / "labels.npz").unlink()
    for name in ("train.npz", "queries.npz"):
        with np.load(folder / name) as archive:
            assert "labels" not in archive.files
    with pytest.raises(InvalidInput, match=r"labels.npz: there is no such file. It must hold the array\(s\) labels"):
        load(folder)


def replace_array(name: str, **arrays: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        with np.load(folder / name) as archive:
            content = {**archive, **arrays}
        np.savez(folder / name, **{key: value for key, value in content.items() if value is not None})

    return change


RICH = {
    "train_predicted": np.array(["cat", "cat", "cat", "dog"]),
    "twins": np.array([2, -1, -1]),
}
PLANTED = CasesTruth(
    labels=TRUTH.labels, ood=np.array([False, True, False]), mislabelled=np.array([True, False, False, False])
)


def test_optional_arrays_come_back_and_old_folders_lack_them(folder: Path, tmp_path: Path) -> None:
    write_problem(tmp_path / "rich", id="rich", task=task(**RICH), truth=PLANTED, tags={})
    rich, plain = load(tmp_path / "rich"), load(folder)
    np.testing.assert_array_equal(rich.task.train_predicted, RICH["train_predicted"])
    np.testing.assert_array_equal(rich.task.twins, RICH["twins"])
    np.testing.assert_array_equal(rich.truth.ood, PLANTED.ood)
    np.testing.assert_array_equal(rich.truth.mislabelled, PLANTED.mislabelled)
    assert (plain.task.train_predicted, plain.task.twins, plain.truth.ood, plain.truth.mislabelled) == (None,) * 4
    for name in ("train.npz", "queries.npz", "truth/labels.npz"):
        with np.load(folder / name) as archive:
            assert not {"twins", "ood", "mislabelled"} & set(archive.files)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("train.npz", "predicted", ["cat", "cow", "cat", "dog"]), "'cow' is not one of the classes"),
        (("train.npz", "predicted", ["cat"]), "array 'predicted': has 1 entries for 4"),
        (("queries.npz", "twins", [3, -1, -1]), "row number from 0 to 2, or -1"),
        (("queries.npz", "twins", [-2, -1, -1]), "row number from 0 to 2, or -1"),
        (("queries.npz", "twins", [2.0, -1, -1]), "row number from 0 to 2, or -1"),
        (("queries.npz", "twins", [2, -1]), "for each of 3 queries"),
        (("queries.npz", "twins", [0, -1, -1]), "have no twin itself"),
        (("queries.npz", "twins", [1, -1, -1]), "query 0 and its twin 1 have different predicted classes"),
        (("truth/labels.npz", "ood", [0, 1, 0]), "True or False for each of 3 rows, got int64"),
        (("truth/labels.npz", "mislabelled", [True]), "True or False for each of 4 rows"),
    ],
)
def test_optional_arrays_that_do_not_fit_are_refused(folder: Path, change: tuple[str, str, Any], message: str) -> None:
    name, array, values = change
    replace_array(name, **{array: np.array(values)})(folder)
    with pytest.raises(InvalidInput, match=message):
        load(folder)


def replace_manifest(**keys: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "problem.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **keys}))

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (replace_array("train.npz", y=None), "train.npz: array 'y' is missing. The file holds: X"),
        (replace_array("train.npz", X=np.zeros((3, 2))), "train.npz, array 'y': has 4 entries for 3 rows"),
        (replace_array("train.npz", X=np.full((4, 2), np.nan)), "train.npz, array 'X': row 0, column 0 is nan"),
        (replace_array("train.npz", X=np.zeros(4)), "two-dimensional"),
        (replace_array("train.npz", X=np.zeros((0, 2)), y=np.array([])), "train.npz, array 'X': is empty"),
        (replace_array("queries.npz", X=np.zeros((3, 5))), "queries.npz, array 'X': has 5 features, train.npz has 2"),
        (replace_array("queries.npz", X=np.zeros((0, 2))), "queries.npz, array 'X': is empty"),
        (replace_array("queries.npz", predicted=np.array(["cat"])), "array 'predicted': has 1 entries for 3 rows"),
        (replace_array("queries.npz", predicted=np.array(["cat", "cow", "dog"])), "'cow' is not one of the classes"),
        (replace_array("queries.npz", predicted=np.array([0, 1, 0])), "text with number"),
        (replace_array("queries.npz", probabilities=np.ones((3, 3)) / 3), "needed are 3 rows by 2 classes"),
        (replace_array("queries.npz", probabilities=np.ones((3, 2))), "row 0 sums to 2, not to 1"),
        (replace_array("queries.npz", probabilities=np.array([[1.5, -0.5]] * 3)), "1.5 is not between 0 and 1"),
        (replace_array("truth/labels.npz", labels=np.array(["cat", "dog"])), "array 'labels': has 2 entries for 3"),
        (replace_array("truth/labels.npz", labels=np.array(["cat", "dog", "cow"])), "'cow' is not one of the classes"),
        (replace_manifest(classes=["cat"]), "'dog' is not one of the classes 'cat'"),
        (replace_manifest(classes=["cat", "dog", "cat"]), "names a class twice"),
        (replace_manifest(classes={}), "'classes': must be a list"),
        (replace_manifest(classes=[]), "'classes': must be a list"),
        (replace_manifest(feature_names=["one"]), "'feature_names': must be a list of 2 texts"),
        (replace_manifest(track="drift"), "track 'drift'"),
        (lambda folder: (folder / "queries.npz").write_bytes(b"PK junk"), "queries.npz: cannot be read as npz"),
    ],
)
def test_a_damaged_problem_is_refused_with_folder_file_and_array_named(
    folder: Path, change: Callable[[Path], None], message: str
) -> None:
    change(folder)
    with pytest.raises(InvalidInput, match=message) as caught:
        load(folder)
    assert str(folder) in str(caught.value)


def test_a_problem_that_could_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="'cow' is not one of the classes"):
        write_problem(
            tmp_path / "p", id="p", task=task(predicted=np.array(["cow"] * 3)), truth=TRUTH, tags={"accuracy": 0.5}
        )
    assert not (tmp_path / "p").exists()


def test_the_order_in_which_arrays_are_given_changes_no_byte(tmp_path: Path) -> None:
    X, y = np.arange(4.0), np.array([1, 2])
    module._write(tmp_path / "a.npz", {"X": X, "y": y, "predicted": None})
    module._write(tmp_path / "b.npz", {"y": y, "X": X})
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
