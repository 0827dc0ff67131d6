from __future__ import annotations

from pathlib import Path

import pytest

from assay.core import InvalidInput, SubjectFailed
from assay.formula import TRACK, FormulaAnswer


def ready(folder: Path, problem: str = "p") -> FormulaAnswer:
    assert TRACK.ready_answer is not None
    return TRACK.decode(TRACK.ready_answer(folder, problem))


def test_a_text_file_holds_the_model_and_its_pareto_set(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("# run 3\nx0 + 1\n\nx0\n")
    assert ready(tmp_path) == FormulaAnswer.of("x0 + 1", "x0")


def test_a_json_file_is_an_answer_and_comes_first(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("x1")
    (tmp_path / "p.json").write_text('{"parts": [["x0"], ["x0", "x1"]]}')
    assert ready(tmp_path) == FormulaAnswer(fronts=(("x0",), ("x0", "x1")))  # type: ignore[arg-type]


def test_problems_about_noise_have_one_text_per_training_table(tmp_path: Path) -> None:
    for part in range(4):
        (tmp_path / f"p.{part}.txt").write_text(f"x{part}")
    assert [front[0].formula for front in ready(tmp_path).fronts] == ["x0", "x1", "x2", "x3"]


def test_a_missing_answer_is_a_failure_and_an_empty_one_an_error(tmp_path: Path) -> None:
    with pytest.raises(SubjectFailed, match="expected file 'p.json' or 'p.txt'"):
        ready(tmp_path)
    (tmp_path / "p.txt").write_text("# nothing\n")
    with pytest.raises(InvalidInput, match="holds no formula"):
        ready(tmp_path)


def test_no_answer_is_read_from_outside_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "p.txt").write_text("x0")
    with pytest.raises(SubjectFailed):
        ready(tmp_path / "in", "../p")
