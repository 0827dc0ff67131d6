from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.core.track import AnyTrack
from assay.harness.attack import MECHANISMS, attack_subjects
from assay.harness.process.cgroup import ControlGroup
from assay.sandbox.lockdown.namespaces import enter_namespaces


def test_every_mechanism_holds(parity: AnyTrack) -> None:
    level, reports = attack_subjects(parity)
    assert level.startswith("confined")
    assert [report for report in reports if not report.held] == []
    assert [report.mechanism for report in reports] == list(MECHANISMS)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_each_mechanism_matters(parity: AnyTrack, mechanism: str, tmp_path: Path) -> None:
    """Left out while it is said to hold, each lets its own attack through."""
    if mechanism == "cgroup":
        group = ControlGroup.make()
        if group is None:
            pytest.skip("no control group can be made here")
        group.close()
    if mechanism == "namespaces" and not can_have_namespaces(tmp_path):
        pytest.skip("no namespaces can be had here")
    _, reports = attack_subjects(parity, [mechanism], _off=(mechanism,))
    assert [report.mechanism for report in reports if not report.held] == [mechanism]


def test_memory_is_bounded_where_no_control_group_can_be_made(
    parity: AnyTrack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ControlGroup, "make", lambda: None)
    level, reports = attack_subjects(parity, ["cgroup"])
    assert level.endswith("memory sampled")
    assert [report for report in reports if not report.held] == []
    _, reports = attack_subjects(parity, ["cgroup"], _off=("watch",))
    assert [report for report in reports if report.held] == []


def can_have_namespaces(folder: Path) -> bool:
    child = os.fork()
    if child == 0:
        try:
            enter_namespaces(folder, network=False)
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
