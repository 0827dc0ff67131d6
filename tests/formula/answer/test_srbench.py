"""SRBench's result files as folders of models."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formula.golden import needs_golden, rows

from assay.core import InvalidInput
from assay.formula.answer.answer import decode
from assay.formula.answer.model_files import subject_folders
from assay.formula.answer.precomputed import precomputed_answer
from assay.formula.answer.srbench import import_results, read_results
from assay.formula.equivalence.certificate import POSITIVE
from assay.formula.equivalence.reading import read_truth


def write_result(folder: Path, name: str, *, suffix: str = ".json", **changes: Any) -> Path:
    body: dict[str, Any] = {
        "dataset": "feynman_I_12_1",
        "algorithm": "Operon",
        "random_state": 860,
        "symbolic_model": "0.5*X1*X2",
        "true_model": "F = mu*Nn",
        "r2_test": 0.9999,
        "model_size": 5,
        "time_time": 12.5,
        "target_noise": 0.0,
        **changes,
    }
    path = folder / f"{name}{suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({key: value for key, value in body.items() if value is not None}))
    return path


ASSESSED = {
    "symbolic_error_is_zero": False,
    "symbolic_error_is_constant": False,
    "symbolic_fraction_is_constant": True,
    "simplified_symbolic_model": "0.5*mu*Nn",
}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_models_become_precomputed_answers_and_repetitions_to_be_judged(tmp_path: Path) -> None:
    for seed in (860, 5390):
        write_result(tmp_path / "in", f"a_{seed}", random_state=seed)
        write_result(tmp_path / "in" / "deep", f"b_{seed}", random_state=seed, dataset="other", symbolic_model="X1")
    imported = import_results(tmp_path / "in", tmp_path / "out")
    assert imported.results == 4
    assert imported.left_out == ()
    assert subject_folders(tmp_path / "out") == {
        "Operon": (tmp_path / "out" / "Operon" / "860", tmp_path / "out" / "Operon" / "5390")
    }
    answer = decode(precomputed_answer(tmp_path / "out" / "Operon" / "860", "other"))
    assert answer.fronts[0][0].formula == "X1"


def test_the_assessed_file_stands_for_the_plain_one(tmp_path: Path) -> None:
    write_result(tmp_path, "a")
    write_result(tmp_path, "a", suffix=".json.updated", **ASSESSED)
    results, _ = read_results(tmp_path)
    assert [(result.recorded, result.path.name) for result in results] == [(True, "a.json.updated")]


@pytest.mark.parametrize(
    ("changes", "recorded"),
    [
        ({}, None),  # never assessed is not "no"
        (ASSESSED, True),
        ({**ASSESSED, "symbolic_fraction_is_constant": False}, False),
        ({**ASSESSED, "simplified_symbolic_model": "0"}, False),
        ({"symbolic_error_is_zero": True}, True),
    ],
)
def test_the_recorded_verdict_follows_the_flags(tmp_path: Path, changes: dict[str, Any], recorded: bool | None) -> None:
    write_result(tmp_path, "a", **changes)
    ((result,), _) = read_results(tmp_path)
    assert result.recorded is recorded


def test_the_table_has_both_verdicts(tmp_path: Path) -> None:
    names: dict[str, Any] = {"true_model": "F = mu*Nn", "symbolic_model": "0.5*mu*Nn"}
    write_result(tmp_path / "in", "a", **{**names, **ASSESSED})
    write_result(tmp_path / "in", "b", dataset="b", **names)
    write_result(tmp_path / "in", "c", dataset="c", symbolic_model="mu +", true_model="F = mu*Nn")
    write_result(tmp_path / "in", "d", dataset="d", true_model=None)
    imported = import_results(tmp_path / "in", tmp_path / "out")
    assert imported.unassessed == 3
    assert [(row["dataset"], row["srbench"], row["verdict"]) for row in rows_of(imported.table)] == [
        ("feynman_I_12_1", "True", "factor"),
        ("b", "", "factor"),
        ("c", "", "unparsable"),
        ("d", "", ""),
    ]
    assert rows_of(imported.table)[0]["r2_test"] == "0.9999"
    silent = import_results(tmp_path / "in", tmp_path / "again", compare=False)
    assert {row["verdict"] for row in rows_of(silent.table)} == {""}


TRUTH = "F = k*G*m1/(r + 1)"
COUNTED = "x0*x2*x3/(x1 + 1)"  # of data with the columns m1, r, G, k


@pytest.mark.parametrize(
    ("model", "simplified", "columns", "expected"),
    [
        # by the order of the data's columns, which is not that of the alphabet
        (COUNTED, None, "m1 r G k", ("identical", "symbolic_model")),
        (COUNTED, None, "k m1 G r", ("different", "symbolic_model")),
        ("X1*X3*X4/(X2 + 1)", None, "m1 r G k", ("identical", "symbolic_model")),  # counts to the last column: from 1
        # SRBench's own reading has the names
        (COUNTED, "1.0*G*k*m1/(r + 1.0)", None, ("identical", "simplified_symbolic_model")),
        ("G*k*m1/(r + 1) +", "1.0*G*k*m1/(r + 1.0)", None, ("identical", "simplified_symbolic_model")),
        # names are names
        ("m1*G*k/(1 + r)", None, None, ("identical", "symbolic_model")),
        ("m1*G*k/(1 + r) + other", None, None, ("different", "symbolic_model")),
        # never guessed
        (COUNTED, None, None, ("", "")),
        (COUNTED, "x0*k", None, ("", "")),
        ("X1*X2", None, "m1 r G k", ("", "")),
        ("x0*x9", None, "m1 r G k", ("", "")),
        ("a*b", None, None, ("", "")),
    ],
)
def test_counted_names_are_resolved_or_the_verdict_is_empty(
    tmp_path: Path, model: str, simplified: str | None, columns: str | None, expected: tuple[str, str]
) -> None:
    fields: dict[str, Any] = {"true_model": TRUTH, "symbolic_model": model, "simplified_symbolic_model": simplified}
    write_result(tmp_path / "in", "a", dataset="law", algorithm="Ours", **fields)
    if columns is not None:
        (tmp_path / "data" / "law").mkdir(parents=True)
        (tmp_path / "data" / "law" / "law.tsv").write_text(
            "\t".join([*columns.split(), "target"]) + "\n1\t1\t1\t1\t1\n"
        )
    imported = import_results(tmp_path / "in", tmp_path / "out", data=None if columns is None else tmp_path / "data")
    (row,) = rows_of(imported.table)
    assert (row["verdict"], row["judged"]) == expected
    assert bool(row["reason"]) is not bool(row["verdict"])
    assert imported.unknown == (not row["verdict"])


def test_one_model_tells_how_a_method_counts(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "law.tsv").write_text("m1\tr\tG\tk\ttarget\n")
    ambiguous = {"dataset": "law", "true_model": "F = r*G", "symbolic_model": "x1*x2"}
    write_result(tmp_path / "in", "a", algorithm="Ours", **ambiguous)
    assert import_results(tmp_path / "in", tmp_path / "one", data=tmp_path / "data").unknown == 1
    write_result(tmp_path / "in", "b", algorithm="Ours", dataset="other", symbolic_model="x0", true_model="y = z")
    imported = import_results(tmp_path / "in", tmp_path / "two", data=tmp_path / "data")
    assert [row["verdict"] for row in rows_of(imported.table)] == ["identical", ""]
    assert (tmp_path / "two" / "Ours" / "860" / "law.txt").read_text() == "r*G\n"
    write_result(tmp_path / "in", "a", algorithm="Operon", **ambiguous)  # known to count from 1
    imported = import_results(tmp_path / "in", tmp_path / "three", data=tmp_path / "data")
    assert [row["verdict"] for row in rows_of(imported.table)] == ["different", ""]


def test_data_with_names_that_look_counted_are_not_guessed_at(tmp_path: Path) -> None:
    fields = {"dataset": "gravity", "algorithm": "Ours", "true_model": "F = G*m1/(x2 - x1)**2"}
    write_result(tmp_path / "in", "a", **fields, symbolic_model="x1*x2", simplified_symbolic_model="G*m1")
    write_result(tmp_path / "in", "b", **fields, random_state=1, symbolic_model="m1*G/(x1 - x2)**2")
    rows = rows_of(import_results(tmp_path / "in", tmp_path / "out").table)
    assert [row["verdict"] for row in rows] == ["", "identical"]
    assert rows[0]["reason"] == "x1, x2 may be names of the data or counted columns"
    write_result(tmp_path / "own", "a", dataset="b", algorithm="A", true_model="y = x1 - x2", symbolic_model="X1 - X2")
    (row,) = rows_of(import_results(tmp_path / "own", tmp_path / "own-out").table)
    assert row["verdict"] == "identical"


def renamed(text: str, names: dict[str, str]) -> str:
    return re.sub(r"[^\W\d]\w*", lambda word: names.get(word[0], word[0]), text)


@needs_golden
def test_true_recoveries_are_confirmed_whatever_the_order_of_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pairs = [row for row in rows() if row["source"].startswith("rils") and row["srbench_verdict"] == "True"]
    (tmp_path / "data").mkdir()
    for place, row in enumerate(pairs[:: len(pairs) // 64]):
        names = list(read_truth(row["true_formula"], domain=None, names=None).columns)
        rng.shuffle(names)
        counted = {name: f"x{number}" for number, name in enumerate(names)}
        raw = renamed(row["model_formula"], counted)
        fields: dict[str, Any] = {"algorithm": "RILS", "random_state": place, "symbolic_model": raw}
        fields["true_model"] = row["true_formula"]
        assessed: dict[str, Any] = {"symbolic_error_is_zero": True, "simplified_symbolic_model": row["model_formula"]}
        (tmp_path / "data" / f"d{place}.tsv").write_text("\t".join([*names, "target"]) + "\n")
        write_result(tmp_path / "bare", f"{place}", dataset=f"d{place}", **fields)
        write_result(tmp_path / "assessed", f"{place}", dataset=f"d{place}", **fields, **assessed)
    imported = {
        "with data": import_results(tmp_path / "bare", tmp_path / "a", data=tmp_path / "data"),
        "simplified": import_results(tmp_path / "assessed", tmp_path / "b"),
        "neither": import_results(tmp_path / "bare", tmp_path / "c"),
    }
    verdicts = {way: [row["verdict"] for row in rows_of(result.table)] for way, result in imported.items()}
    counts = {
        way: Counter(verdict in POSITIVE if verdict else None for verdict in labels) for way, labels in verdicts.items()
    }
    assert len(verdicts["neither"]) == 73
    assert counts["with data"] == {True: 73}
    assert counts["simplified"][False] == 0
    assert counts["simplified"][None] <= 5  # data with columns called x1, x2: SRBench's renaming mixes them up
    assert counts["neither"] == {None: 73}


def test_noise_levels_do_not_overwrite_each_other(tmp_path: Path) -> None:
    for level in (0.0, 0.001, 0.1):
        write_result(tmp_path / "in", f"a_{level}", target_noise=level)
    imported = import_results(tmp_path / "in", tmp_path / "out")
    assert [path.name for path in imported.folders] == ["Operon", "Operon@noise=0.001", "Operon@noise=0.1"]


def test_two_files_of_one_run_are_refused(tmp_path: Path) -> None:
    write_result(tmp_path / "in", "a")
    write_result(tmp_path / "in", "b")
    with pytest.raises(InvalidInput, match=r"b.json: the same run is in .*a.json; keep one of them"):
        import_results(tmp_path / "in", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"symbolic_model": None}, "has no 'symbolic_model'"),
        ({"symbolic_model": "# none\n"}, "holds no formula"),
        ({"dataset": "../../evil"}, "cannot name a file"),
        ({"algorithm": ".."}, "cannot name a file"),
        ({"random_state": "../x"}, "random_state '../x' cannot name a file"),
    ],
)
def test_a_file_without_a_usable_model_is_left_out_with_its_reason(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    write_result(tmp_path / "in", "good")
    write_result(tmp_path / "in", "bad", **changes)
    (tmp_path / "in" / "broken.json").write_text("{")
    imported = import_results(tmp_path / "in", tmp_path / "out")
    assert imported.results == 1
    assert len(imported.left_out) == 2
    assert any(reason in text for text in imported.left_out)
    assert any("broken.json: not valid JSON" in text for text in imported.left_out)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["Operon", "imported.csv"]


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="folder of results not found"):
        read_results(tmp_path / "none")
    with pytest.raises(InvalidInput, match="no result file of SRBench here, 0 JSON files"):
        read_results(tmp_path)
