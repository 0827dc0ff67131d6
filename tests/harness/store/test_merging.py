"""Stores of several machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core import Interval, InvalidInput
from assay.harness import Plan, RunSpec, Store, check_store, merge_stores, run
from assay.stats import Decisions, PairDecision

Spec = Callable[..., RunSpec]


def test_halves_of_a_run_merge_into_the_records_of_the_whole(spec: Spec, tmp_path: Path) -> None:
    whole = run([spec("oracle", "divide", problems=("problems",))], out=tmp_path / "whole")
    run([spec("oracle", "divide", problems=("problems/p0",))], out=tmp_path / "a")
    run([spec("oracle", "divide", problems=("problems/p1",))], out=tmp_path / "b")
    assert merge_stores(tmp_path / "all", [tmp_path / "a", tmp_path / "b"]) == 4
    with Store(tmp_path / "all", read_only=True) as store:
        (latest,) = store.latest_runs()
        merged = store.records(latest.id)
    assert sorted(record.content() for record in merged) == sorted(record.content() for record in whole.records)
    assert check_store(tmp_path / "all").whole
    again = run([spec("oracle", "divide")], out=tmp_path / "all")
    assert (again.solved, again.reused) == (0, 4)


def test_merging_again_adds_nothing(spec: Spec, tmp_path: Path) -> None:
    run([spec("oracle")], out=tmp_path / "a")
    assert merge_stores(tmp_path / "all", [tmp_path / "a"]) == 2
    assert merge_stores(tmp_path / "all", [tmp_path / "a"]) == 0


def test_stores_that_disagree_are_refused_by_name(spec: Spec, tmp_path: Path) -> None:
    for name in ("a", "b"):
        run([spec("oracle")], out=tmp_path / name)
    with Store(tmp_path / "b") as store:
        (latest,) = store.latest_runs()
        for record in store.records(latest.id):
            other = replace(record, scores={"accuracy": 0.5})
            store.commit((other, store.answer(record.answer_key)))
    with pytest.raises(InvalidInput, match=r"p0 / oracle / seed 0 is not that of .*scores differ"):
        merge_stores(tmp_path / "all", [tmp_path / "a", tmp_path / "b"])


def test_mistakes_leave_nothing_behind(spec: Spec, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no store here"):
        merge_stores(tmp_path / "all", [tmp_path / "absent"])
    with pytest.raises(InvalidInput, match="into itself"):
        merge_stores(tmp_path / "all", [tmp_path / "all"])
    assert not (tmp_path / "all").exists()


def test_lost_cells_stay_lost_until_a_store_has_their_records(spec: Spec, tmp_path: Path) -> None:
    run([spec("divide", problems=("problems/p0",))], out=tmp_path / "a")
    run([spec("divide", problems=("problems/p1",))], out=tmp_path / "b")
    with Store(tmp_path / "a") as store:
        (latest,) = store.latest_runs()
        (cell,) = store.cells(latest.id)
    other = replace(cell, record_key="0" * 64)
    with Store(tmp_path / "b") as store:
        store.add_run(Plan(track="parity", settings=cell.settings, cells=(cell, other)))
        store.commit_loss(cell, "a worker died", {"accuracy": 0.25})
        store.commit_loss(other, "the disk was full", {"accuracy": 0.25})
    merge_stores(tmp_path / "all", [tmp_path / "a", tmp_path / "b"])
    with Store(tmp_path / "all", read_only=True) as store:
        (latest,) = store.latest_runs()
        assert store.losses(latest.id) == ((other, "the disk was full"),)
        assert store.floors() == {other.record_key: {"accuracy": 0.25}}


def stopped(spec: Spec, out: Path, *, problem: str, planned: Plan) -> Decisions:
    """Results of one problem in a folder, of a run that was decided before it came to the others that were planned."""
    run([spec("oracle", "divide", problems=(problem,))], out=out)
    pair = PairDecision(
        a="divide",
        b="oracle",
        winner="oracle",
        evidence=30.0,
        units=1,
        problems=1,
        difference=Interval(-1.0, -1.0, -0.5),
    )
    cells = len(planned.cells)
    decisions = Decisions(level=0.05, metric="accuracy", goal="max", planned=cells, not_run=cells - 2, pairs=(pair,))
    with Store(out) as store:
        store.decide(store.add_run(planned), decisions)
    return decisions


def decisions_in(out: Path) -> Decisions | None:
    """What the latest run of a folder has decided."""
    with Store(out, read_only=True) as store:
        (latest,) = store.latest_runs()
    return latest.decisions


def test_merged_results_of_a_run_that_stopped_when_decided_still_say_so(spec: Spec, tmp_path: Path) -> None:
    (planned,) = run([spec("oracle", "divide")], out=tmp_path / "whole").plans
    decisions = stopped(spec, tmp_path / "a", problem="problems/p0", planned=planned)
    for _ in range(2):
        merge_stores(tmp_path / "all", [tmp_path / "a"])
        assert decisions_in(tmp_path / "all") == decisions
    run([spec("first=oracle")], out=tmp_path / "other")
    merge_stores(tmp_path / "all", [tmp_path / "other"])
    assert decisions_in(tmp_path / "all") == decisions


def test_cells_that_were_not_needed_are_counted_without_those_that_another_store_has(
    spec: Spec, tmp_path: Path
) -> None:
    (planned,) = run([spec("oracle", "divide")], out=tmp_path / "whole").plans
    decisions = stopped(spec, tmp_path / "a", problem="problems/p0", planned=planned)
    run([spec("oracle", problems=("problems/p1",))], out=tmp_path / "half")
    merge_stores(tmp_path / "all", [tmp_path / "a", tmp_path / "half"])
    assert decisions_in(tmp_path / "all") == replace(decisions, not_run=1)
    merge_stores(tmp_path / "all", [tmp_path / "whole"])
    assert decisions_in(tmp_path / "all") is None  # nothing is missing: a full run


def test_decisions_of_two_runs_are_joined_only_where_one_continues_the_other(spec: Spec, tmp_path: Path) -> None:
    (planned,) = run([spec("oracle", "divide", seeds=(0, 1))], out=tmp_path / "whole").plans
    first = replace(planned, cells=tuple(cell for cell in planned.cells if cell.budget.seed == 0))
    second = replace(planned, cells=tuple(cell for cell in planned.cells if cell.budget.seed == 1))
    stopped(spec, tmp_path / "a", problem="problems/p0", planned=first)
    stopped(spec, tmp_path / "b", problem="problems/p1", planned=second)
    with pytest.raises(InvalidInput, match="track 'parity' stopped when decided in .*a and in .*b, on other cells"):
        merge_stores(tmp_path / "all", [tmp_path / "a", tmp_path / "b"])
    assert not (tmp_path / "all").exists()
    later = stopped(spec, tmp_path / "longer", problem="problems/p0", planned=planned)
    merge_stores(tmp_path / "all", [tmp_path / "longer", tmp_path / "a"])
    assert decisions_in(tmp_path / "all") == later


def everything(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("refusal", ["other scores", "other settings", "an answer that is not there"])
def test_a_refused_merge_leaves_nothing_behind(spec: Spec, tmp_path: Path, refusal: str) -> None:
    run([spec("oracle", "divide")], out=tmp_path / "a")
    run([spec("oracle", seeds=(0, 1))], out=tmp_path / "b")
    run([spec("divide", seeds=(3,))], out=tmp_path / "old")
    with Store(tmp_path / "b") as store:
        (latest,) = store.latest_runs()
        if refusal == "other scores":
            for record in store.records(latest.id):
                store.commit((replace(record, scores={"accuracy": 0.5}), store.answer(record.answer_key)))
        elif refusal == "other settings":
            store.add_run(Plan(track="parity", settings={"k": 1}, cells=store.cells(latest.id)[:1]))
        else:
            with store.transaction() as connection:
                connection.execute("DELETE FROM blobs")
    before = everything(tmp_path / "old")
    for out in (tmp_path / "new" / "below", tmp_path / "old"):
        with pytest.raises(InvalidInput):
            merge_stores(out, [tmp_path / "a", tmp_path / "b"])
    assert not (tmp_path / "new").exists()
    assert everything(tmp_path / "old") == before
