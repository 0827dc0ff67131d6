"""The public benchmark's own folders, where ASSAY_BENCHMARKS points at them."""

import json
import os
import pickle
from pathlib import Path

import pandas as pd
import pytest

from assay.insight.answer.answer import decode, encode, read_solution, ready_answer, write_solution
from assay.insight.problem.tags import derive_tags
from assay.insight.problem.task import load
from assay.insight.subjects.builtin import ground_truth

GOLDEN = Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "insight"
pytestmark = pytest.mark.skipif(
    "ASSAY_BENCHMARKS" not in os.environ or not GOLDEN.is_dir(),
    reason="set ASSAY_BENCHMARKS to the folder of golden data",
)


def references() -> list[Path]:
    return sorted((GOLDEN / "reference_scores").glob("*.json"))


def test_every_reference_pair_is_read_as_the_reference_read_it() -> None:
    assert len(references()) == 11
    for path in references():
        expected = json.loads(path.read_text())
        problem = load(GOLDEN / "problems" / expected["problem"])
        task = problem.task
        assert problem.id == expected["problem"]
        assert task.target_column == expected["target"]
        assert task.problem_type == "binary"
        assert list(task.base_columns) == expected["base_columns"]
        assert list(problem.truth.columns) == expected["ground_truth_columns"]
        assert (len(task.train), len(task.test)) == (expected["n_train"], expected["n_test"])
        answer = decode(ready_answer(GOLDEN / "agents" / expected["agent"], expected["problem"]))
        assert set(expected["solution_columns"]) <= set(answer.columns)
        assert len(answer.functions) == expected["n_functions"]
        scores = [function.score for function in answer.functions if function.score is not None]
        assert scores == sorted(scores, reverse=True)


def test_values_are_those_of_plain_pandas() -> None:
    for path in references():
        expected = json.loads(path.read_text())
        folder = GOLDEN / "agents" / expected["agent"] / expected["problem"]
        answer = decode(encode(read_solution(folder)))
        for part, frame in (("train", answer.train), ("test", answer.test)):
            assert frame is not None
            pd.testing.assert_frame_equal(frame, pd.read_csv(folder / f"enriched_{part}.csv"), check_exact=True)
        data = GOLDEN / "problems" / expected["problem"] / "problem" / "data"
        task = pickle.loads(pickle.dumps(load(data.parent.parent).task))
        pd.testing.assert_frame_equal(task.train, pd.read_csv(data / "train.csv"), check_exact=True)
        for name, table in task.tables.items():
            pd.testing.assert_frame_equal(table, pd.read_csv(data / name), check_exact=True)
        assert set(task.tables) == {file.name for file in data.glob("*_table.csv")}


def test_a_public_solution_survives_writing(tmp_path: Path) -> None:
    folder = GOLDEN / "agents" / "single step agent" / "P38-Hospital Readmissions-variation_2-type_1c"
    answer = read_solution(folder)
    write_solution(tmp_path, answer)
    again = read_solution(tmp_path)
    assert (again.columns, again.descriptions, again.functions) == (
        answer.columns,
        answer.descriptions,
        answer.functions,
    )


def test_the_ground_truth_is_an_answer_without_code() -> None:
    for folder in sorted((GOLDEN / "problems").iterdir()):
        problem = load(folder)
        answer = ground_truth(problem)
        assert answer.functions == ()
        assert answer.train is not None
        assert answer.descriptions == tuple(column.replace("_", " ") for column in answer.columns)


def test_folder_names_tell_generator_bias_and_variation() -> None:
    for folder in sorted((GOLDEN / "problems").iterdir()):
        content = json.loads((folder / "problem" / "problem.json").read_text())
        tags = derive_tags(folder.name, content)
        assert set(tags) == {"domain", "generator", "bias", "variation", "base"}
        assert folder.name.endswith(f"-variation_{tags['variation']}-type_{folder.name[-2:]}")
