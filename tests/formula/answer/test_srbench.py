"""SRBench's result files as folders of models."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from assay.core import InvalidInput
from assay.formula.answer.answer import decode
from assay.formula.answer.model_files import subject_folders
from assay.formula.answer.precomputed import precomputed_answer
from assay.formula.answer.srbench import import_results, read_results


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
    found = import_results(tmp_path / "in", tmp_path / "out")
    assert found.results == 4
    assert found.left_out == ()
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
    found = import_results(tmp_path / "in", tmp_path / "out")
    assert found.unassessed == 3
    assert [(row["dataset"], row["srbench"], row["verdict"]) for row in rows_of(found.table)] == [
        ("feynman_I_12_1", "True", "factor"),
        ("b", "", "factor"),
        ("c", "", "unparsable"),
        ("d", "", ""),
    ]
    assert rows_of(found.table)[0]["r2_test"] == "0.9999"
    silent = import_results(tmp_path / "in", tmp_path / "again", compare=False)
    assert {row["verdict"] for row in rows_of(silent.table)} == {""}


def test_noise_levels_do_not_overwrite_each_other(tmp_path: Path) -> None:
    for level in (0.0, 0.001, 0.1):
        write_result(tmp_path / "in", f"a_{level}", target_noise=level)
    found = import_results(tmp_path / "in", tmp_path / "out")
    assert [path.name for path in found.folders] == ["Operon", "Operon@noise=0.001", "Operon@noise=0.1"]


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
    found = import_results(tmp_path / "in", tmp_path / "out")
    assert found.results == 1
    assert len(found.left_out) == 2
    assert any(reason in text for text in found.left_out)
    assert any("broken.json: not valid JSON" in text for text in found.left_out)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["Operon", "imported.csv"]


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no such folder of results"):
        read_results(tmp_path / "none")
    with pytest.raises(InvalidInput, match="no result file of SRBench here, 0 JSON files"):
        read_results(tmp_path)
