"""Stores of several machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.harness import Plan, RunSpec, Store, check_store, merge_stores, run

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
