"""Workers of a run that fills the machine keep to a core each; their subjects do not."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from assay.core import get_track
from assay.harness import LocalRunner, RunSpec, run
from assay.harness.process.cores import claim_core, fills_machine, use_cores

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not bind processes")

CLAIM = """
import os
from assay.harness.process.cores import claim_core, use_cores
own = claim_core()
print(None if own is None else (own.core, own.before, os.sched_getaffinity(0)), flush=True)
input()
if own is not None:
    use_cores(own.before)
    print(sorted(os.sched_getaffinity(0)) == list(own.before))
"""

CORES = """
import os


class Teller:
    def solve(self, task, budget):
        raise RuntimeError(f"cores {sorted(os.sched_getaffinity(0))}")
"""


def claimant() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CLAIM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )


def test_a_run_fills_the_machine_with_as_many_workers_as_cores() -> None:
    cores = len(os.sched_getaffinity(0))
    assert fills_machine(cores)
    assert not fills_machine(cores + 1)
    assert not fills_machine(cores - 1)


def test_claims_differ_end_with_their_holder_and_can_be_left() -> None:
    cores = sorted(os.sched_getaffinity(0))
    holders = [claimant() for _ in range(len(cores) + 1)]
    try:
        lines = []
        for holder in holders:
            assert holder.stdout is not None
            lines.append(holder.stdout.readline().strip())
        claimed = [text for text in lines if text != "None"]
        # other runs on this machine may hold some; never does anyone get what another has
        assert len(claimed) == len(set(claimed)) < len(holders)
        for core in cores:
            assert sum(text.startswith(f"({core}, {tuple(cores)}, {{{core}}}") for text in claimed) <= 1
        for holder, text in zip(holders, lines, strict=True):
            rest, _ = holder.communicate("\n", timeout=20)
            assert rest.strip() == ("" if text == "None" else "True")
    finally:
        for holder in holders:
            holder.kill()
            holder.wait()
    # looked at at once and by name, since other runs on this machine claim cores as well
    freed = [core for core in cores if any(text.startswith(f"({core},") for text in claimed) and is_free(core)]
    assert bool(freed) == bool(claimed)


def is_free(core: int) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as name:
        try:
            name.bind(f"\0assay-core-{core}")
        except OSError:
            return False
        return True


def test_roaming_without_cores_changes_nothing() -> None:
    before = os.sched_getaffinity(0)
    use_cores(())
    assert os.sched_getaffinity(0) == before


def test_subjects_may_use_every_core_whatever_their_worker_keeps_to(tmp_path: Path) -> None:
    every = sorted(os.sched_getaffinity(0))
    get_track("conformal").builtin(tmp_path / "problems")
    (tmp_path / "teller.py").write_text(CORES)
    spec = RunSpec(
        track="conformal", subjects=("teller.py:Teller",), problems=(str(tmp_path / "problems"),), folder=tmp_path
    )
    result = run([spec], out=tmp_path / "out", runner=LocalRunner(len(every)))
    assert result.records
    assert all(f"cores {every}" in (record.error or "") for record in result.records)


def test_a_claim_needs_a_core_that_nobody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(process: int, cores: object) -> None:
        raise OSError("not yours")

    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    assert claim_core() is None
