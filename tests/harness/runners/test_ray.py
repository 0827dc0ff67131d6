"""A real Ray cluster on this machine: the same records, whatever happens to its workers."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.core import InvalidInput, Record, registry
from assay.harness import LocalRunner, RunSpec, run

ray = pytest.importorskip("ray", reason="the extra assay[ray] is not installed")

from assay.harness.runners.ray import RayRunner  # noqa: E402 - after the skip


@pytest.fixture(scope="module")
def cluster(external_packages: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(external_packages))
        patch.setenv("PYTHONPATH", str(external_packages))
        for cached in (registry._entries, registry.get_track):
            cached.cache_clear()
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
        yield
        ray.shutdown()
    for cached in (registry._entries, registry.get_track):
        cached.cache_clear()


def write_problems(folder: Path, count: int) -> None:
    for index in range(count):
        problem = folder / "problems" / f"p{index:02}"
        (problem / "truth").mkdir(parents=True)
        numbers = [index, index + 3, 4, 5, 6]
        (problem / "problem.json").write_text(json.dumps({"track": "parity", "numbers": numbers}))
        (problem / "truth" / "even.json").write_text(json.dumps([number % 2 == 0 for number in numbers]))


def contents(records: tuple[Record, ...]) -> list[str]:
    return [record.content() for record in records]


@pytest.mark.parametrize("ship", [False, True])
def test_ray_gives_the_records_of_local_workers(cluster: None, tmp_path: Path, ship: bool) -> None:
    write_problems(tmp_path, 4)
    (tmp_path / "helper.py").write_text("def even(n):\n    return n % 2 == 0\n")
    (tmp_path / "good.py").write_text(
        "from helper import even\n\ndef solve(task, budget):\n    return tuple(map(even, task.numbers))\n"
    )
    (tmp_path / "bad.py").write_text("def solve(task, budget):\n    raise RuntimeError('on purpose')\n")
    (tmp_path / "agent.sh").write_text("#!/bin/sh\necho '[true, true, true, true, true]' > $2\n")
    (tmp_path / "agent.sh").chmod(0o755)
    subjects = ("oracle", "divide", "good.py", "bad.py", "agent.sh")
    spec = RunSpec(track="parity", subjects=subjects, problems=("problems",), folder=tmp_path)
    expected = run([spec], out=tmp_path / "expected", runner=LocalRunner(2))
    found = run([spec], out=tmp_path / "found", runner=RayRunner(2, ship=ship))
    assert not found.lost
    assert contents(found.records) == contents(expected.records)
    assert {record.isolation for record in found.records if record.subject == "good"} == {"confined"}
    again = run([spec], out=tmp_path / "found", runner=RayRunner(2, ship=ship))
    assert (again.solved, again.reused) == (0, 20)


def test_a_killed_ray_worker_is_replaced_and_its_cell_retried(cluster: None, tmp_path: Path) -> None:
    write_problems(tmp_path, 6)
    (tmp_path / "slow.py").write_text(
        "import time\n\ndef solve(task, budget):\n"
        "    time.sleep(0.4)\n    return tuple(n % 2 == 0 for n in task.numbers)\n"
    )
    spec = RunSpec(track="parity", subjects=("slow.py",), problems=("problems",), folder=tmp_path)
    runner = RayRunner(2)
    killed: list[int] = []

    def kill_one() -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end and not killed:
            time.sleep(0.2)
            for pid in runner.worker_pids[:1]:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    thread = threading.Thread(target=kill_one)
    thread.start()
    found = run([spec], out=tmp_path / "out", runner=runner)
    thread.join()
    assert killed
    assert not found.lost
    assert [record.scores["accuracy"] for record in found.records] == [1.0] * 6


def test_closing_ends_the_workers(cluster: None, tmp_path: Path) -> None:
    write_problems(tmp_path, 3)
    (tmp_path / "hang.py").write_text("import time\n\ndef solve(task, budget):\n    time.sleep(600)\n")
    spec = RunSpec(track="parity", subjects=("oracle", "hang.py"), problems=("problems",), folder=tmp_path, seconds=600)
    runner = RayRunner(2)
    pids: list[int] = []

    class Stop:
        def start(self, total: int, done: int) -> None: ...
        def stop(self) -> None: ...
        def advance(self, cell: Any, status: str) -> None:
            pids.extend(runner.worker_pids)
            raise KeyboardInterrupt

    found = run([spec], out=tmp_path / "out", runner=runner, progress=Stop())
    assert found.interrupted
    assert pids
    end = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_a_cluster_that_is_not_there_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="workers must be"):
        RayRunner(0)
