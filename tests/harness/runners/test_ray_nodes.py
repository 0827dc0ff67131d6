"""Nodes of a Ray cluster that are lost in the middle of a run, in a network of the test's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.core.track import AnyTrack

pytest.importorskip("ray", reason="ray is not installed")

TOKEN = "0123456789abcdef" * 2
SUBJECT = """
import time
def solve(task, budget):
    time.sleep(0.2)
    return tuple(n % 2 == 0 for n in task.numbers)
"""
DRIVER = """
import os
import sys
from pathlib import Path
from ray.cluster_utils import Cluster
from assay.core import AssayError
from assay.harness import LocalRunner, RunSpec, run
from assay.harness.runners.ray import RayRunner

here, lost = Path(sys.argv[1]), int(sys.argv[2])
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0 if lost == 2 else 1, "include_dashboard": False})
nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]


class Watch:
    def __init__(self):
        self.done = 0

    def start(self, total, done): ...
    def stop(self): ...

    def advance(self, cell, status):
        self.done += 1
        if self.done == 8:
            for node in nodes[:lost]:
                for info in node.all_processes["raylet"]:
                    info.process.kill()


if not lost:
    os.environ["RAY_AUTH_MODE"] = "token"  # as one has it who believes that the cluster asks for a token
spec = RunSpec(track="parity", subjects=("slow.py",), seeds=tuple(range(6)), folder=here)
try:
    result = run([spec], out=here / "found", runner=RayRunner(address=cluster.address), progress=Watch())
    expected = run([spec], out=here / "expected", runner=LocalRunner(2))
    same = [one.content() for one in result.records] == [one.content() for one in expected.records]
    print("cells", len(result.records), "lost", len(result.lost), "same", same)
except AssayError as error:
    print("ended:", error)
"""


def in_own_network(folder: Path, *words: str, mode: str = "token") -> str:
    """Run a driver where nothing but its own loopback can be reached; what it said."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("needs unshare and ip")
    rights = [] if os.geteuid() == 0 else ["-r"]
    if subprocess.run(["unshare", *rights, "-n", "true"], check=False, capture_output=True).returncode:
        pytest.skip("this system lets nobody make a network namespace")
    (folder / "slow.py").write_text(SUBJECT)
    (folder / "driver.py").write_text(DRIVER)
    command = ["unshare", *rights, "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    command += [sys.executable, str(folder / "driver.py"), str(folder), *words]
    variables = {**os.environ, "RAY_AUTH_MODE": mode, "RAY_AUTH_TOKEN": TOKEN}
    process = subprocess.run(
        command, env=variables, cwd=folder, capture_output=True, text=True, check=False, timeout=150
    )
    return process.stdout[-2000:] + process.stderr[-2000:]


@pytest.mark.soak
def test_the_cells_of_a_lost_node_are_done_by_those_that_are_left(parity: AnyTrack, tmp_path: Path) -> None:
    assert "cells 48 lost 0 same True" in in_own_network(tmp_path, "1")


@pytest.mark.soak
def test_without_any_node_the_run_ends_and_says_how_it_goes_on(parity: AnyTrack, tmp_path: Path) -> None:
    assert "ended: no node of the Ray cluster is available" in in_own_network(tmp_path, "2")


@pytest.mark.soak
def test_a_cluster_that_lets_strangers_in_is_not_joined(parity: AnyTrack, tmp_path: Path) -> None:
    output = in_own_network(tmp_path, "0", mode="disabled")
    assert "ended: Ray at 127.0.0.1" in output
    assert "it accepts processes without a token" in output
