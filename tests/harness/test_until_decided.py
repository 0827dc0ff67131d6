"""A run that stops when decided: what it leaves out, what it says, and what no outcome may move."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core import InvalidInput, Record, UnknownName
from assay.core.track import AnyTrack
from assay.harness import Plan, RunSpec, Store, make_plan, prepare, rescore, run, withdraw_records
from assay.harness.until_decided import Deciding
from assay.report import compare_subjects, load, subject_pairs
from assay.report.export.archive import write_archive
from assay.report.tables.leaderboard import leaderboard
from assay.report.tables.standings import legend

Spec = Callable[..., RunSpec]
PROBLEMS = 14


@pytest.fixture
def plan(spec: Spec, tmp_path: Path, parity: AnyTrack) -> Plan:
    """Many problems, and three subjects: right, also right, wrong."""
    problems = tmp_path / "problems"
    for index in range(2, PROBLEMS):
        folder = problems / f"p{index}"
        (folder / "truth").mkdir(parents=True)
        (folder / "problem.json").write_text(json.dumps({"track": "parity", "numbers": [index]}))
        (folder / "truth" / "even.json").write_text(json.dumps([index % 2 == 0]))
    for name, answer in (("right", "n % 2 == 0"), ("wrong", "n % 2 == 1"), ("sure", "not n % 2")):
        text = f"def solve(task, budget):\n    return tuple({answer} for n in task.numbers)\n"
        (tmp_path / f"{name}.py").write_text(text)
    return make_plan(prepare(spec("right.py", "sure.py", "wrong.py")), out=tmp_path / "out")


def record_of(plan: Plan, place: int, score: float, metric: str) -> Record:
    cell = plan.cells[place]
    return Record(
        key=cell.record_key,
        answer_key=cell.answer_key,
        track=cell.track,
        problem=cell.problem,
        problem_digest=cell.problem_digest,
        subject=cell.subject.name,
        subject_digest="",
        seed=0,
        status="ok",
        scores={metric: score},
    )


def outcomes(plan: Plan, metric: str) -> list[Record]:
    best = {"right": 1.0, "sure": 1.0, "wrong": 0.0}
    return [record_of(plan, place, best[cell.subject.name], metric) for place, cell in enumerate(plan.cells)]


def test_a_decided_subject_is_wanted_no_more_and_the_order_of_arrival_moves_nothing(
    plan: Plan, parity: AnyTrack
) -> None:
    outcome = []
    for seed in range(5):
        watcher = Deciding(plan, parity, level=0.05)
        records = outcomes(plan, parity.headline)
        random.Random(seed).shuffle(records)
        for record in records:
            watcher.take(record)
        needed = {cell.subject.name for cell in plan.cells if watcher.is_needed(cell)}
        assert needed == {"right", "sure"}  # nobody can tell these two apart
        outcome.append(watcher.decisions([record.key for record in records]))
    assert all(entry == outcome[0] for entry in outcome)
    pairs = {(pair.a, pair.b): pair for pair in outcome[0].pairs}
    assert pairs["right", "wrong"].winner == "right"
    assert pairs["right", "sure"].winner == ""
    assert pairs["right", "wrong"].units < PROBLEMS
    assert pairs["right", "wrong"].difference.low > 0


def test_the_order_of_problems_depends_on_their_contents_alone(plan: Plan, parity: AnyTrack) -> None:
    order = [cell.problem for cell in Deciding(plan, parity, level=0.05).ordered(plan.cells)]
    turned = replace(plan, cells=plan.cells[::-1])
    again = [cell.problem for cell in Deciding(turned, parity, level=0.01, against="sure").ordered(turned.cells)]
    assert order == again
    assert order != sorted(order)


def test_scores_beyond_the_range_decide_nothing_and_are_named(plan: Plan, parity: AnyTrack) -> None:
    watcher = Deciding(plan, parity, level=0.05)
    for place in range(len(plan.cells)):
        watcher.take(record_of(plan, place, 7.0, parity.headline))
    assert all(watcher.is_needed(cell) for cell in plan.cells)
    decisions = watcher.decisions([])
    assert "7 on" in decisions.trouble
    assert "bets need bounded scores" in decisions.sentence()


def test_a_run_stops_says_so_everywhere_and_goes_on_without_the_option(plan: Plan, spec: Spec, tmp_path: Path) -> None:
    run_spec = spec("right.py", "wrong.py")
    early = run(run_spec, out=tmp_path / "out", until_decided=0.05)
    decisions = early.decisions["parity"]
    assert 0 < decisions.not_run < early.cells
    assert early.solved + decisions.not_run == early.cells
    results = load(tmp_path / "out")
    (entry,) = results.tracks
    assert entry.run.decisions == decisions
    assert "Stopped when decided at 0.05" in entry.unfinished
    board = leaderboard(entry, metrics=())
    assert [row.tier for row in board.rows] == [1, 2]
    assert "hold at any time of stopping" in legend(board)
    (pair,) = subject_pairs(entry, board).ordered
    assert pair.anytime
    assert pair.difference == decisions.pairs[0].difference
    (compared,) = compare_subjects(results, "wrong", "right")
    assert compared.difference.high == -pair.difference.low
    assert compared.adjusted_p_value == decisions.pairs[0].p_value > 2 / 2 ** decisions.pairs[0].units  # less sure
    write_archive(results, tmp_path / "out.zip", with_html=False)
    assert load(tmp_path / "out.zip").tracks[0].run.decisions == decisions
    again = run(run_spec, out=tmp_path / "out", until_decided=0.05)
    assert (again.solved, again.reused) == (0, early.solved)
    rescore(tmp_path / "out")
    with Store(tmp_path / "out", read_only=True) as store:
        assert store.latest_runs()[0].decisions == decisions
    whole = run(run_spec, out=tmp_path / "out")
    assert whole.solved == decisions.not_run
    assert load(tmp_path / "out").tracks[0].run.decisions is None


def test_lost_cells_do_not_hold_up_the_decisions(plan: Plan, spec: Spec, tmp_path: Path, parity: AnyTrack) -> None:
    first = Deciding(plan, parity, level=0.05).ordered(plan.cells)[0].problem
    truth = tmp_path / "problems" / first / "truth" / "even.json"
    run_spec = spec("right.py", "wrong.py")
    result = run(run_spec, out=tmp_path / "out", until_decided=0.05, check=lambda prepared: truth.unlink())
    assert {loss.cell.problem for loss in result.lost} == {first}
    assert result.decisions["parity"].decided == 1
    assert result.decisions["parity"].not_run > 0


def test_withdrawn_cells_do_not_hold_up_the_decisions(plan: Plan, spec: Spec, tmp_path: Path, parity: AnyTrack) -> None:
    first = Deciding(plan, parity, level=0.05).ordered(plan.cells)[0].problem
    run_spec = spec("right.py", "wrong.py")
    run(run_spec, out=tmp_path / "out")
    withdraw_records(tmp_path / "out", "right", reason="a wrong library", problem=first)
    result = run(run_spec, out=tmp_path / "out", until_decided=0.05)
    assert (result.solved, result.withdrawn) == (0, 1)
    assert result.decisions["parity"].decided == 1


def test_bad_levels_and_names_are_refused_before_anything_runs(plan: Plan, spec: Spec, tmp_path: Path) -> None:
    for level in (0.0, 0.5, -1.0, float("nan")):
        with pytest.raises(InvalidInput, match="until_decided: must be a level between 0 and 0.5"):
            run(spec("right.py", "wrong.py"), out=tmp_path / "out", until_decided=level)
    with pytest.raises(UnknownName, match=r"No subject \(against\) named 'rihgt'. Did you mean 'right'"):
        run(spec("right.py", "wrong.py"), out=tmp_path / "out", until_decided=0.05, against="rihgt")
