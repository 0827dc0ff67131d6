from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.conformal import PredictionSets
from assay.conformal.examine.evaluation import evaluate_sets, evaluation_text, weights_by_name
from assay.conformal.problem.reading import Tables, labels_of, read_labels, read_matrices, read_probabilities, read_sets
from assay.core import InvalidInput, plain
from assay.intake.arrays import write_npz
from assay.intake.table.options import TableOptions

RNG = np.random.default_rng(0)
SETS = [RNG.uniform(size=(12, 3)) < 0.6, RNG.uniform(size=(12, 2)) < 0.7]
LABELS = [RNG.integers(0, 3, 12), RNG.integers(0, 2, 12)]
EXPECTED = PredictionSets.from_matrices(SETS)
NAMES = {"kind": ["cat", "dog", "owl"], "size": ["0", "1"]}


def frame(matrices: list[Any]) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    for (task, classes), matrix in zip(NAMES.items(), matrices, strict=True):
        columns |= {f"{task}:{name}": matrix[:, c] for c, name in enumerate(classes)}
    return pd.DataFrame(columns)


def write(folder: Path, kind: str, name: str, table: pd.DataFrame) -> Path:
    path = folder / f"{name}.{kind}"
    table.to_csv(path, index=False) if kind == "csv" else table.to_parquet(path)
    return path


def test_npz_files_hold_an_array_per_task_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    write_npz(tmp_path / "sets.npz", {f"sets_{t}": SETS[t % 2] for t in (10, 2, 0, 1)})
    sets, tables = read_sets(tmp_path / "sets.npz")
    assert tables.names == ("0", "1", "2", "10")
    assert sets.classes == (3, 2, 3, 3)
    write_npz(tmp_path / "labels.npz", {f"labels_{t}": LABELS[t % 2] for t in (10, 2, 0, 1)})
    labels = read_labels(tmp_path / "labels.npz", tables)
    assert [y.tolist() for y in labels] == [LABELS[t % 2].tolist() for t in (0, 1, 2, 10)]
    np.savez(tmp_path / "matrix.npz", labels=np.stack([LABELS[t % 2] for t in (0, 1, 2, 10)], axis=1))
    assert len(read_labels(tmp_path / "matrix.npz", tables)) == 4
    np.savez(tmp_path / "cube.npz", a=SETS[0][:, :, None], b=SETS[1][:, :, None])
    assert read_sets(tmp_path / "cube.npz")[0] == EXPECTED


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tables_hold_a_column_per_class_and_labels_may_be_names(tmp_path: Path, kind: str) -> None:
    sets, tables = read_sets(write(tmp_path, kind, "sets", frame([m.astype(int) for m in SETS])))
    assert sets == EXPECTED
    named = pd.DataFrame({"size": LABELS[1], "kind": np.array(NAMES["kind"])[LABELS[0]]})
    labels = read_labels(write(tmp_path, kind, "labels", named), tables)
    assert [y.tolist() for y in labels] == [y.tolist() for y in LABELS]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_sets_may_be_lists_of_classes_when_their_number_is_told(tmp_path: Path, kind: str) -> None:
    lists = {task: EXPECTED.labels(t) for t, task in enumerate(NAMES)}
    if kind == "csv":
        table = pd.DataFrame({task: [" ".join(map(str, row)) for row in rows] for task, rows in lists.items()})
    else:
        table = pd.DataFrame(lists)
    path = write(tmp_path, kind, "sets", table)
    assert read_sets(path, classes=(3, 2))[0] == EXPECTED
    assert read_sets(path, classes={"size": 2, "kind": 3})[0] == EXPECTED  # by name, whatever their order
    with pytest.raises(InvalidInput, match="Give --classes"):
        read_sets(path)


def test_tables_may_be_european_and_hold_columns_to_leave_out(tmp_path: Path) -> None:
    probabilities = [RNG.dirichlet(np.ones(3), 12), RNG.dirichlet(np.ones(2), 12)]
    table = frame(probabilities).assign(id=range(12))
    (tmp_path / "p.csv").write_bytes(table.to_csv(index=False, sep=";", decimal=",").encode("utf-16"))
    options = TableOptions(ignore=("id",), syntax="flags")
    with pytest.raises(InvalidInput, match="column 'id' is not of the form task:class.*--ignore id"):
        read_probabilities(tmp_path / "p.csv")
    tables = read_probabilities(tmp_path / "p.csv", options=options)
    np.testing.assert_array_equal(tables.matrices["kind"], probabilities[0])
    (tmp_path / "y.csv").write_text("size;kind\n0;dog\n1;owl\n;cat\n")
    assert [y.tolist() for y in read_labels(tmp_path / "y.csv", tables, options=options)] == [[1, 2, 0], [0, 1, -1]]
    answers = Tables({"ok": SETS[1]}, {"ok": ("nein", "ja")})  # words that elsewhere mean false and true
    (tmp_path / "y.csv").write_text("ok;id\nja;1\nnein;2\n")
    assert read_labels(tmp_path / "y.csv", answers, options=options)[0].tolist() == [1, 0]


def test_missing_labels_are_empty_cells_or_minus_one(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("kind,size\ncat,0\n,1\n-1,\n")
    tables = Tables({"kind": SETS[0], "size": SETS[1]}, {"kind": ("cat", "dog", "owl"), "size": ("0", "1")})
    assert [y.tolist() for y in read_labels(tmp_path / "labels.csv", tables)] == [[0, -1, -1], [0, 1, -1]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "kind,size\nbat,0\n", "'bat' is none of the classes cat, dog, owl"),
        ("a.csv", "kind,weight\ncat,0\n", "kind, weight; expected are kind, size.* --task weight=size"),
        ("a.csv", "art,weight\ncat,0\n", "holds the tasks art, weight; expected are kind, size.* --task art=kind"),
        ("a.csv", "id,kind,size\n7,cat,0\n", "Leave out what is not a task, as in --ignore id"),
        ("a.csv", "kind,size\n0,0\n2,1\n", "'0' is none of the classes cat, dog, owl. Write the names of the classes"),
        ("a.csv", "kind,size\ncat,big\ncat,small\n", "'big' is none of the classes 0, 1. Call .* as in task:big"),
        ("a.csv", "kind,size\ncat,1\ncat,2\n", "'2' is none of the classes 0, 1. These labels count from 1"),
        ("a.csv", "kind,size\ncat,1\ncat,-1\n", "holds -1 and 1 only, and -1 means that the label is missing"),
        ("a.csv", "kind\ncat\n", "holds the tasks kind"),
        ("a.doc", "", "must be an npz, Parquet, Excel or CSV file"),
        ("a.npz", "no npz", "cannot be read as npz"),
        ("a.parquet", "no parquet", "cannot be read as a table"),
    ],
)
def test_labels_that_do_not_fit_are_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    tables = Tables({"kind": SETS[0], "size": SETS[1]}, {"kind": ("cat", "dog", "owl"), "size": ("0", "1")})
    with pytest.raises(InvalidInput, match=message):
        read_labels(tmp_path / name, tables)


def test_tasks_with_other_names_are_paired_as_told_and_never_by_position(tmp_path: Path) -> None:
    tables = Tables({"kind": SETS[0], "size": SETS[1]}, {})
    (tmp_path / "y.csv").write_text("groesse,art\n1,2\n0,1\n")
    labels = read_labels(tmp_path / "y.csv", tables, pairs={"groesse": "size", "art": "kind"})
    assert [y.tolist() for y in labels] == [[2, 1], [1, 0]]
    np.savez(tmp_path / "y.npz", np.array([2, 1]), np.array([1, 0]))  # arr_0, arr_1: nobody named them
    assert [y.tolist() for y in read_labels(tmp_path / "y.npz", tables)] == [[2, 1], [1, 0]]
    (tmp_path / "y.csv").write_text("label\n2\n0\n")
    assert read_labels(tmp_path / "y.csv", Tables({"kind": SETS[0]}, {}))[0].tolist() == [2, 0]


@pytest.mark.parametrize("name", ["p.csv", "p.npz"])
def test_one_column_of_shares_is_the_probability_of_class_one(tmp_path: Path, name: str) -> None:
    (tmp_path / "p.csv").write_text("spam:1\n0.25\n0.75\n")
    np.savez(tmp_path / "p.npz", spam=np.array([[0.25], [0.75]]))
    tables = read_probabilities(tmp_path / name)
    assert tables.matrices["spam"].tolist() == [[0.75, 0.25], [0.25, 0.75]]
    assert "one column is read as the probability of class 1" in tables.notes[0]
    assert tables.classes == ({"spam": ("0", "1")} if name == "p.csv" else {})


def test_a_task_with_one_class_stays_one(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", only=np.ones((3, 1)))
    assert read_probabilities(tmp_path / "p.npz").matrices["only"].shape == (3, 1)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[61.5, 38.5], [20, 80]], "task 'spam': row 0 sums to 100: these are percentages. Divide them by 100"),
        ([[61.5], [20]], "row 0 holds 61.5: these are percentages"),
        ([[-1.5, 3.0]], "row 0 holds 3, .* look like logits: give --logits"),
        ([[0.5, 0.2]], r"sums to 0.7, not to 1. .*\(sigmoid\) are a task each"),
    ],
)
def test_rows_that_are_no_probabilities_get_the_remedy_that_fits(tmp_path: Path, rows: Any, message: str) -> None:
    np.savez(tmp_path / "p.npz", spam=np.array(rows))
    with pytest.raises(InvalidInput, match=message):
        read_probabilities(tmp_path / "p.npz")


def test_files_that_hold_no_matrices_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="file not found"):
        read_matrices(tmp_path / "absent.csv")
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    with pytest.raises(InvalidInput, match="column 'x' is not of the form task:class"):
        read_matrices(tmp_path / "a.csv")
    np.savez(tmp_path / "a.npz", a=np.zeros(3, dtype=int))
    with pytest.raises(InvalidInput, match=r"must be an \(n, C\) matrix"):
        read_matrices(tmp_path / "a.npz")
    (tmp_path / "b.csv").write_text("kind\n0 x\n")
    with pytest.raises(InvalidInput, match="not a list of class numbers"):
        read_sets(tmp_path / "b.csv", classes=(3,))
    (tmp_path / "c.csv").write_text("kind\nred\n")
    with pytest.raises(InvalidInput, match="'red' is not a class number"):
        read_labels(tmp_path / "c.csv", Tables({"kind": SETS[0]}, {}))


def test_an_evaluation_says_everything_once_as_values_and_as_text() -> None:
    probabilities = [RNG.dirichlet(np.ones(3), 12), RNG.dirichlet(np.ones(2), 12)]
    body = evaluate_sets(
        EXPECTED, LABELS, alpha=0.1, weights="difficulty", probabilities=probabilities, names=("a", "b")
    )
    plain(body)
    text = evaluation_text(body)
    for words in (
        "all tasks at once",
        "product of tasks",
        "hardest tasks",
        "weighted by difficulty",
        "low level",
        "promised",
    ):
        assert words in text
    assert body["tasks"][0]["size_histogram"] == np.bincount(SETS[0].sum(axis=1), minlength=4).tolist()
    assert "alpha" not in evaluate_sets(EXPECTED, LABELS)
    assert evaluate_sets(EXPECTED, LABELS, weights=[1, 3])["weights"]["values"] == [0.25, 0.75]


def test_saturated_coverage_absent_classes_and_empty_sets_are_cautioned_about() -> None:
    full = evaluate_sets(PredictionSets.full(4, (3,)), [[0, 0, 1, 1]])
    assert any("everything is covered" in caution for caution in full["cautions"])
    assert any("classes 2 have no sample" in caution for caution in full["cautions"])
    empty = evaluate_sets(PredictionSets.from_labels([[[], [0]]], classes=(2,)), [[0, 1]])
    assert any("50.0% of the sets are empty" in caution for caution in empty["cautions"])


@pytest.mark.parametrize("name", ["difficulty", "confidence"])
def test_weightings_that_need_probabilities_say_so(name: str) -> None:
    with pytest.raises(InvalidInput, match="need the classifier's probabilities"):
        weights_by_name(name, classes=(3, 2), labels=LABELS)
    with pytest.raises(InvalidInput, match="Did you mean 'classes'"):
        weights_by_name("clases", classes=(3, 2), labels=LABELS)


def test_the_labels_name_the_class_beside_that_of_a_single_column(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("sold:yes\n0.9\n0.2\n0.6\n")
    (tmp_path / "y.csv").write_text("sold\nyes\nno\n-1\n")
    (tmp_path / "odd.csv").write_text("sold\nyes\nno\nmaybe\n")
    tables = read_probabilities(tmp_path / "p.csv")
    (labels,) = read_labels(tmp_path / "y.csv", tables)
    assert labels.tolist() == [1, 0, -1]
    with pytest.raises(InvalidInput, match="'no' is none of the classes not yes, yes"):
        read_labels(tmp_path / "odd.csv", tables)


def test_tasks_may_be_called_by_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("0,1\n0,1\n1,0\n2,1\n")
    like = Tables({"0": np.ones((3, 3)), "1": np.ones((3, 2))}, {})
    first, second = read_labels(tmp_path / "labels.csv", like)
    assert (first.tolist(), second.tolist()) == ([0, 1, 2], [1, 0, 1])


def test_a_class_that_is_called_minus_one_is_no_missing_label() -> None:
    tables = Tables({"mood": np.full((5, 3), 1 / 3)}, {"mood": ("-1", "0", "1")})
    (labels,) = labels_of({"mood": np.asarray([-1, 0, 1, None, -1], dtype=object)}, tables, "labels")
    assert labels.tolist() == [0, 1, 2, -1, 0]
