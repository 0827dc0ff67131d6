"""Withdrawn records count nowhere, are kept with the reason, and come back only when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.core import InvalidInput, UnknownName
from assay.core.track import AnyTrack
from assay.harness import (
    RunSpec,
    Store,
    check_store,
    merge_stores,
    rescore,
    restore_records,
    run,
    withdraw_records,
)
from assay.harness.store import store as store_module
from assay.report import json_report, load, write_archive
from assay.report.page.facts import facts

Spec = Callable[..., RunSpec]
REASON = "its answers equal the truth to the last digit"


@pytest.fixture
def out(results_of: Callable[..., Path]) -> Path:
    """Two subjects on two problems with two seeds: eight records."""
    return results_of("oracle", "divide", seeds=(0, 1))


def subjects(folder: Path) -> list[str]:
    return sorted(record.subject for record in load(folder).tracks[0].records)


@pytest.mark.parametrize("many", [False, True])
def test_withdrawn_records_count_nowhere_and_the_reason_is_shown(
    out: Path, tmp_path: Path, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if many:
        monkeypatch.setattr(store_module, "AT_ONCE", -1)
    withdrawal = withdraw_records(out, "oracle", reason=REASON, seed=1)
    assert (withdrawal.number, withdrawal.records, withdrawal.seed) == (1, 2, 1)
    assert subjects(out) == ["divide"] * 4 + ["oracle"] * 2
    (entry,) = load(out).tracks
    assert (entry.planned, entry.pending, entry.withdrawn) == (8, 0, 2)
    (line,) = [fact.text for fact in facts(entry) if fact.label == "withdrawn"]
    assert REASON in line
    assert "2 cells here are left out" in line
    write_archive(load(out), tmp_path / "run.zip", with_html=False)
    again = load(tmp_path / "run.zip").tracks[0]
    assert (again.withdrawals, again.pending) == (entry.withdrawals, 0)
    body: Any = json_report(load(out))
    assert [withdrawn["reason"] for withdrawn in body["tracks"][0]["withdrawn"]] == [REASON]
    report = check_store(out)
    assert (report.whole, report.records, report.unfinished) == (True, 8, 0), report.troubles
    assert [withdrawal.reason for withdrawal in report.withdrawals] == [REASON]


def test_a_run_solves_withdrawn_cells_anew_only_when_it_is_asked_to(out: Path, spec: Spec) -> None:
    plan = spec("oracle", "divide", seeds=(0, 1))
    withdraw_records(out, "oracle", reason=REASON)
    again = run([plan], out=out)
    assert (again.solved, again.rescored, again.reused, again.withdrawn) == (0, 0, 4, 4)
    assert subjects(out) == ["divide"] * 4
    anew = run([plan], out=out, retry_withdrawn=True)
    assert (anew.solved, anew.reused, anew.withdrawn) == (4, 4, 0)
    assert subjects(out) == ["divide"] * 4 + ["oracle"] * 4
    (entry,) = load(out).tracks
    assert [(withdrawal.reason, withdrawal.cells) for withdrawal in entry.withdrawals] == [(REASON, 0)]
    assert check_store(out).whole


def test_new_versions_of_the_metrics_do_not_bring_withdrawn_answers_back(
    out: Path, spec: Spec, parity: AnyTrack, monkeypatch: pytest.MonkeyPatch
) -> None:
    withdraw_records(out, "oracle", reason=REASON)
    monkeypatch.setattr(type(parity), "versions", lambda self: {"accuracy": 99, "examine": 99})
    assert rescore(out).rescored == 4
    assert subjects(out) == ["divide"] * 4
    again = run([spec("oracle", "divide", seeds=(0, 1))], out=out)
    assert (again.solved, again.rescored, again.withdrawn) == (0, 0, 4)
    assert load(out).tracks[0].pending == 0


def test_a_withdrawal_can_be_undone_and_is_still_told(out: Path) -> None:
    before = [record.content() for record in load(out).tracks[0].records]
    withdraw_records(out, "oracle", reason=REASON)
    lifted = restore_records(out, 1)
    assert lifted.restored
    (entry,) = load(out).tracks
    assert [record.content() for record in entry.records] == before
    assert (entry.pending, entry.withdrawn) == (0, 0)
    assert [withdrawal.restored for withdrawal in entry.withdrawals] == [lifted.restored]
    with pytest.raises(InvalidInput, match="withdrawal 1 not found, or already undone.*assay store check"):
        restore_records(out, 1)


def test_what_is_withdrawn_in_one_store_is_withdrawn_in_the_merged_one(out: Path, spec: Spec, tmp_path: Path) -> None:
    run([spec("oracle", "divide", seeds=(0, 1))], out=tmp_path / "other")  # has the same records, in force
    withdraw_records(out, "oracle", reason=REASON)
    for order in ([out, tmp_path / "other"], [tmp_path / "other", out]):
        target = tmp_path / f"merged-{order[0].name}"
        merge_stores(target, order)
        assert subjects(target) == ["divide"] * 4
        assert merge_stores(target, order) == 0
        (entry,) = load(target).tracks
        assert [(withdrawal.reason, withdrawal.cells) for withdrawal in entry.withdrawals] == [(REASON, 4)]
        assert entry.pending == 0
        restore_records(target, 1)
        assert len(subjects(target)) == 8


def test_mistakes_are_named_and_change_nothing(out: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="orakel.*Did you mean 'oracle'"):
        withdraw_records(out, "orakel", reason=REASON)
    with pytest.raises(InvalidInput, match="needs a reason"):
        withdraw_records(out, "oracle", reason="  ")
    with pytest.raises(InvalidInput, match="no record of this track, problem and seed"):
        withdraw_records(out, "oracle", reason=REASON, seed=7)
    with pytest.raises(InvalidInput, match="there is no store here"):
        withdraw_records(tmp_path / "absent", "oracle", reason=REASON)
    assert not (tmp_path / "absent").exists()
    with Store(out, read_only=True) as store:
        assert store.withdrawals() == ()
