"""The order of work, its limits, and its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core import InvalidInput, UnknownName
from assay.harness import RunSpec, make_plan, prepare, read_run_file, run
from assay.harness.runners.schedule import longest_first

Spec = Callable[..., RunSpec]


def test_the_longest_problem_comes_first_with_all_its_subjects(spec: Spec, tmp_path: Path) -> None:
    cells = make_plan(prepare(spec("oracle", "divide")), out=tmp_path).cells
    first, second = cells[0].problem_digest, cells[2].problem_digest
    times = {(first, "oracle"): 1.0, (second, "oracle"): 5.0}
    ordered = longest_first(cells, times)
    assert [cell.problem for cell in ordered] == ["p1", "p1", "p0", "p0"]
    assert [cell.subject.name for cell in ordered] == ["oracle", "divide"] * 2
    assert longest_first(cells, {}) == list(cells)


def test_an_unknown_pair_is_expected_to_take_what_its_subject_takes_elsewhere(spec: Spec, tmp_path: Path) -> None:
    cells = make_plan(prepare(spec("oracle", "divide")), out=tmp_path).cells
    third = replace(cells[0], problem="p2", problem_digest="other")
    slow = replace(third, subject=cells[1].subject)
    times = {(cells[0].problem_digest, "oracle"): 1.0, (cells[2].problem_digest, "divide"): 9.0}
    ordered = longest_first([cells[0], third, slow], times)
    assert [cell.problem for cell in ordered] == ["p2", "p2", "p0"]


def test_a_time_limit_keeps_what_is_done_and_the_same_run_goes_on(
    spec: Spec, subject_file: Callable[[str, str], str], tmp_path: Path
) -> None:
    name = subject_file(
        "slow.py",
        "import time\n\ndef solve(task, budget):\n"
        "    time.sleep(0.3)\n    return tuple(n % 2 == 0 for n in task.numbers)\n",
    )
    run_spec = spec(name, seeds=tuple(range(6)))
    part = run([run_spec], out=tmp_path / "out", time_limit=1.0)
    assert part.out_of_time
    assert 0 < len(part.records) < 12
    rest = run([run_spec], out=tmp_path / "out")
    assert not rest.out_of_time
    assert rest.reused == len(part.records)
    assert len(rest.records) == 12


def test_a_time_limit_must_be_above_zero(spec: Spec, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="above 0 seconds"):
        run([spec("oracle")], out=tmp_path / "out", time_limit=0.0)


def test_a_subject_may_have_limits_of_its_own(spec: Spec, tmp_path: Path) -> None:
    run_spec = spec("oracle", "divide", limits={"divide": {"seconds": 5, "memory_mb": 512}})
    budgets = {cell.subject.name: cell.budget for cell in make_plan(prepare(run_spec), out=tmp_path).cells}
    assert (budgets["oracle"].seconds, budgets["oracle"].memory_mb) == (60.0, 2048)
    assert (budgets["divide"].seconds, budgets["divide"].memory_mb) == (5, 512)


def test_limits_of_nobody_and_of_nothing_are_named(spec: Spec) -> None:
    with pytest.raises(UnknownName, match="divid"):
        prepare(spec("divide", limits={"divid": {"seconds": 5}}))
    with pytest.raises(UnknownName, match="secs"):
        spec("divide", limits={"divide": {"secs": 5}})


def test_limits_are_read_from_toml(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text('track = "parity"\nsubjects = ["divide"]\n[limits.divide]\nseconds = 7\n')
    (spec,) = read_run_file(path).runs
    assert spec.budget(0, "divide").seconds == 7
