"""Subjects that cannot be run: told before the first cell, all at once, and never stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.harness.conftest import Write

from assay.core import InvalidInput
from assay.harness import RunSpec, Store, run

Spec = Callable[..., RunSpec]

GOOD = "def solve(task, budget):\n    return tuple(n % 2 == 0 for n in task.numbers)\n"


def stored(folder: Path) -> tuple[int, int]:
    """Plans and records of a results folder."""
    with Store(folder, read_only=True) as store:
        runs = store.runs()
        return len(runs), sum(len(store.records(entry.id)) for entry in runs)


def test_all_subjects_that_cannot_be_run_are_named_at_once_and_after_the_repair_the_same_run_works(
    spec: Spec, subject_file: Write, tmp_path: Path
) -> None:
    subject_file("good.py", GOOD)
    subject_file("needy.py", f"import module_to_come\n{GOOD}")
    subject_file("early.py", f"{GOOD}\nlimit = 1 / 0\n")
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "other.json").write_text("[true]")
    run_spec = spec("good.py", "needy.py", "early.py", "answers", isolation="confined")
    with pytest.raises(InvalidInput) as refused:
        run([run_spec], out=tmp_path / "out")
    head, *lines, remedy = str(refused.value).splitlines()
    assert head == "3 of 4 subjects cannot be run; nothing was run:"
    assert len(lines) == 3
    assert "holds no answer to any problem. Expected: p0.json, p1.json. Found: other.json." in lines[0]
    message = "\n".join(lines)
    missing = (
        "subject 'needy': cannot be loaded: ModuleNotFoundError: No module named 'module_to_come' (needy.py, line 1"
    )
    assert missing in message
    assert "subject 'early': cannot be loaded: ZeroDivisionError: division by zero (early.py, line 4" in message
    assert remedy.endswith("or leave them out: --keep-going, keep_going=True in Python.")
    assert stored(tmp_path / "out") == (0, 0)

    part = run([run_spec], out=tmp_path / "out", keep_going=True)
    assert (part.cells, part.solved, len(part.not_run)) == (2, 2, 3)
    assert {record.subject for record in part.records} == {"good"}

    subject_file("module_to_come.py", "")
    subject_file("early.py", GOOD)
    for index in range(2):
        (tmp_path / "answers" / f"p{index}.json").write_text("[true, false, true, false, true]")
    whole = run([run_spec], out=tmp_path / "out")
    assert (whole.cells, whole.solved, whole.reused, whole.failed, whole.not_run) == (8, 6, 2, 0, ())


def test_what_a_subject_imports_only_when_it_solves_is_its_own_failure(
    spec: Spec, subject_file: Write, tmp_path: Path
) -> None:
    subject_file("late.py", "def solve(task, budget):\n    import no_such_module\n")
    result = run([spec("late.py")], out=tmp_path / "out")
    assert (result.solved, result.failed, result.failed_before) == (2, 2, 0)
    again = run([spec("late.py")], out=tmp_path / "out")
    assert (again.solved, again.failed, again.failed_before, again.reused) == (0, 0, 2, 2)


def test_the_only_subject_cannot_be_left_out_and_programs_are_looked_at_first(
    spec: Spec, subject_file: Write, tmp_path: Path
) -> None:
    subject_file("agent.sh", "#!/bin/sh\n")
    with pytest.raises(InvalidInput, match=r"^subject 'agent': .*chmod \+x"):
        run([spec("agent.sh")], out=tmp_path / "out", keep_going=True)
    assert not (tmp_path / "out").exists()
    result = run([spec("agent.sh", "oracle", "vot.py")], out=tmp_path / "out", keep_going=True)
    assert (result.solved, next(line.partition(":")[0] for line in result.not_run)) == (2, "subject 'agent'")
    with pytest.raises(InvalidInput, match=r"2 of 3 subjects cannot be run(.|\n)*chmod(.|\n)*vot.py: file not found"):
        run([spec("agent.sh", "oracle", "vot.py")], out=tmp_path / "out")


def test_a_problem_that_cannot_be_read_is_left_out_where_the_run_goes_on(
    spec: Spec, subject_file: Write, tmp_path: Path
) -> None:
    subject_file("good.py", GOOD)
    run_spec = spec("good.py")
    broken = next(path for path in tmp_path.rglob("problem.json") if path.parent.name == "p0")
    broken.write_text("{broken")
    with pytest.raises(InvalidInput, match="p0/problem.json: not valid JSON"):
        run([run_spec], out=tmp_path / "out")
    part = run([run_spec], out=tmp_path / "out", keep_going=True)
    assert {record.problem for record in part.records} == {"p1"}
    assert [line.partition("not valid JSON")[0] for line in part.not_run] == [f"{broken}: "]
