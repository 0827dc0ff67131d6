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

from assay.core import InfrastructureFailed, InvalidInput, Record, registry
from assay.harness import LocalRunner, RunSpec, run

ray = pytest.importorskip("ray", reason="ray is not installed")

from assay.harness.runners import ray as ray_runner  # noqa: E402 - after the skip
from assay.harness.runners import ray_cluster  # noqa: E402
from assay.harness.runners.ray import RayRunner  # noqa: E402


@pytest.fixture(scope="module")
def cluster(external_packages: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(external_packages))
        patch.setenv("PYTHONPATH", str(external_packages))
        for cached in (registry._entries, registry.get_track):
            cached.cache_clear()
        with ray_cluster.cluster(None, 2):
            yield
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
    result = run([spec], out=tmp_path / "found", runner=RayRunner(2, ship=ship))
    assert not result.lost
    assert contents(result.records) == contents(expected.records)
    assert all(record.isolation.startswith("confined") for record in result.records if record.subject == "good")
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
    result = run([spec], out=tmp_path / "out", runner=runner)
    thread.join()
    assert killed
    assert not result.lost
    assert [record.scores["accuracy"] for record in result.records] == [1.0] * 6


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

    result = run([spec], out=tmp_path / "out", runner=runner, progress=Stop())
    assert result.interrupted
    assert pids
    end = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_a_cluster_that_is_not_there_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="workers must be"):
        RayRunner(0)


def test_a_cluster_of_our_own_is_reached_from_this_machine_alone_and_asks_for_a_token(cluster: None) -> None:
    assert {node["NodeManagerAddress"] for node in ray.nodes()} == {"127.0.0.1"}
    address = ray.get_runtime_context().gcs_address
    port = int(address.rpartition(":")[2])
    listening = [line.split()[1] for line in Path("/proc/net/tcp6").read_text().splitlines() if line.split()[3] == "0A"]
    (bound,) = [place for place in listening if int(place.rpartition(":")[2], 16) == port]
    assert bound.startswith("0000000000000000FFFF00000100007F"), "not 127.0.0.1"
    ray_cluster._demand_closed(ray, address)  # a process without a token is not let in


def test_releases_of_ray_without_authentication_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "__version__", "2.51.2")
    with pytest.raises(InvalidInput, match=r"Ray 2.51.2 has no authentication.*pip install --upgrade 'ray>=2.52'"):
        RayRunner(1)


def test_a_cluster_is_not_joined_without_authentication_unless_that_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    with pytest.raises(InvalidInput, match=r"10.0.0.5:6379: .*without authentication.*ASSAY_RAY_ALLOW_OPEN=1"):
        ray_cluster._join(ray, "10.0.0.5:6379")
    monkeypatch.setenv(ray_cluster.ALLOW_OPEN, "1")
    joined: list[str] = []
    monkeypatch.setattr(ray_cluster, "_init", lambda ray, *, address: joined.append(address))
    ray_cluster._join(ray, "10.0.0.5:6379")
    assert joined == ["10.0.0.5:6379"]


class Placed:
    """A worker as the pool sees it: on a node, or waiting for one."""

    def __init__(self, node: str | None, *, waited: float = 60) -> None:
        self._node, self.began, self.stranded = node, time.monotonic() - waited, ""

    def node(self) -> str | None:
        return self._node


def test_workers_on_lost_nodes_and_those_without_room_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    living = {"a": 1, "b": 1}
    monkeypatch.setattr(ray_runner, "living_nodes", lambda ray: living)
    pool: Any = ray_runner._Pool(3, ship=False, scratch=None)
    idle, busy, lost, waiting, fresh = map(Placed, ("a", "b", "c", None, None))
    fresh.began = time.monotonic()
    pool.workers = [idle, busy, lost, waiting, fresh]
    assert pool._stranded([busy, lost, waiting, fresh]) == [lost, waiting]
    assert (lost.stranded, waiting.stranded) == ("a Ray node was lost", "no Ray node is available for this worker")
    assert pool.size == 2
    living.clear()
    pool._next_look = 0.0
    with pytest.raises(
        InfrastructureFailed, match="no node of the Ray cluster is available.*run the same command to continue"
    ):
        pool._stranded([busy])
