"""The sandbox behind a run: warm for many cells, and its death is nobody's fault."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core import InfrastructureFailed
from assay.harness import RunSpec, run
from assay.insight import generate, load, write_solution
from assay.insight.columns.sandbox_pool import close_sandboxes, shared_sandbox
from assay.insight.subjects.builtin import ground_truth
from assay.sandbox import FunctionSource, Sandbox, Tables


def servers() -> set[int]:
    """The process ids of all sandbox servers below this process."""
    levels = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if b"assay.sandbox.server" in (folder / "cmdline").read_bytes() and _below(int(folder.name)):
                    levels.add(int(folder.name))
    return levels


def _below(pid: int) -> bool:
    while pid > 1:
        if pid == os.getpid():
            return True
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return False


def test_the_sandbox_stays_warm_and_a_dead_one_is_replaced() -> None:
    import pandas as pd

    double = FunctionSource("double", "def double(row): return 2 * row['x']")
    tables = Tables(rows=pd.DataFrame({"x": [1]}))
    before = servers()
    with shared_sandbox("strong") as first:
        first.run([double], tables)
    with shared_sandbox("strong") as second:
        assert second is first
    for server in servers() - before:
        os.kill(server, signal.SIGKILL)
    with shared_sandbox("strong") as again:  # one that died idle is started anew
        assert again.run([double], tables, fresh=True)[0].column.to_pylist() == [2]
    with pytest.raises(InfrastructureFailed), shared_sandbox("strong"):
        raise InfrastructureFailed("died in the middle")
    with shared_sandbox("strong") as third:
        assert third is not first
        assert third.run([double], tables)[0].column.to_pylist() == [2]
    close_sandboxes()


def test_a_machine_that_cannot_keep_the_level_is_not_the_subjects_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    close_sandboxes()
    from assay.core import InvalidInput

    def refuse(**options: object) -> Sandbox:
        raise InvalidInput("sandbox: level 'strong' needs Landlock; choose 'weak' by name.")

    monkeypatch.setattr(Sandbox, "start", refuse)
    with pytest.raises(InfrastructureFailed, match="choose 'weak'"), shared_sandbox("strong"):
        pass


@pytest.mark.soak
def test_killing_the_sandbox_in_the_middle_of_a_run_loses_nothing(tmp_path: Path) -> None:
    problems, agent = tmp_path / "problems", tmp_path / "agent"
    for seed in range(4):
        problem = load(generate(problems, seed=seed, rows=90, difficulty="easy"))
        answer = replace(ground_truth(problem), functions=problem.truth.functions, train=None, test=None)
        write_solution(agent / problem.id, answer)
    spec = RunSpec(track="insight", problems=(str(problems),), subjects=(str(agent),), settings={"N_RF_ESTIMATORS": 5})
    quiet = run([spec], out=tmp_path / "quiet", workers=1)
    assert all(record.status == "ok" for record in quiet.records)
    killed: list[int] = []

    def assassin() -> None:
        end = time.monotonic() + 60
        while len(killed) < 2 and time.monotonic() < end:
            for server in servers():
                time.sleep(0.4)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(server, signal.SIGKILL)
                    killed.append(server)
            time.sleep(0.05)

    watcher = threading.Thread(target=assassin)
    watcher.start()
    disturbed = run([spec], out=tmp_path / "disturbed", workers=1)
    watcher.join()
    assert len(killed) >= 2
    assert not disturbed.lost
    assert [record.content() for record in disturbed.records] == [record.content() for record in quiet.records]
