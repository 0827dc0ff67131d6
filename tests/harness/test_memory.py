"""The driver of a large run stays small, from the plan to the table at the end, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.core.track import AnyTrack

MOST = 120  # MB
DRIVER = """
import os, sys
from pathlib import Path
from benchmarks.memory import peak_mb
from benchmarks.stand_ins import Instant, tiny_problems, tiny_run
from assay.cli.shared.summary import conclude
from assay.harness import run
from assay.report import results_of

here, problems, subjects = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
opened = lambda: len(os.listdir("/proc/self/fd"))
tiny_problems(here / "problems", problems)
before = opened()
result = run([tiny_run(here / "problems", subjects=subjects)], out=here / "out", runner=Instant())
conclude(results_of(result), as_json=False, quiet=False)
left = sorted({path.name.partition("-")[0] for path in (here / "out").iterdir()})
print("peak", round(peak_mb()), "descriptors", opened() - before, "left", left, file=sys.stderr)
"""

LITTERER = """
import ctypes, os, subprocess, sys, tempfile
from contextlib import suppress
libc = ctypes.CDLL(None)
def solve(task, budget):
    libc.shmget(0, 4096, 0o1600), libc.semget(0, 1, 0o1600), libc.msgget(0, 0o1600)
    for place in ("/dev/shm", tempfile.gettempdir()):
        with suppress(OSError):
            os.close(tempfile.mkstemp(dir=place)[0])
    if os.fork() == 0:
        os.setsid()
        os.execv("/bin/sleep", ["sleep", "1000"])
    return tuple(n % 2 == 0 for n in task.numbers)
"""
REAL_DRIVER = """
import json, os, sys, tempfile
from pathlib import Path
from benchmarks.memory import peak_mb
from tests.harness.fault_helpers import Processes
from assay.harness import LocalRunner, RunSpec, run

here, seeds = Path(sys.argv[1]), int(sys.argv[2])

def things():
    ipc = {kind: len(Path("/proc/sysvipc", kind).read_text().splitlines()) for kind in ("shm", "sem", "msg")}
    groups = [path for path in Path("/sys/fs/cgroup").glob("**/assay-*") if path.is_dir()]
    folders = {str(place): len(list(place.iterdir())) for place in (Path("/dev/shm"), Path(tempfile.gettempdir()))}
    sleeping = sum(line.startswith("sleep") and "1000" in line for line in Processes(1).lines.values())
    children, opened = len(Processes(os.getpid()).all()), len(os.listdir("/proc/self/fd"))
    return {**ipc, **folders, "groups": len(groups), "sleeping": sleeping, "children": children, "opened": opened}

before = things()
spec = RunSpec(track="parity", subjects=("litterer.py",), seeds=tuple(range(seeds)), folder=here)
result = run([spec], out=here / "out", runner=LocalRunner(2))
statuses = {record.status for record in result.records}
print("peak", round(peak_mb()), "cells", len(result.records), statuses, "lost", len(result.lost), file=sys.stderr)
print(json.dumps(before), file=sys.stderr)
print(json.dumps(things()), file=sys.stderr)
"""


def driven(folder: Path, problems: int, subjects: int) -> tuple[int, str]:
    """The peak of a run in MB, and what it left open and on the disk."""
    words = [sys.executable, "-c", DRIVER, str(folder), str(problems), str(subjects)]
    process = subprocess.run(words, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)
    _, peak, rest = process.stderr.splitlines()[-1].split(" ", 2)
    return int(peak), rest


def test_the_table_of_a_run_does_not_read_all_records_into_memory(parity: AnyTrack, tmp_path: Path) -> None:
    few, _ = driven(tmp_path / "few", 10, 10)
    many, rest = driven(tmp_path / "many", 60, 50)
    # tiers flip the signs of whole tables
    assert max(many - few, many - 85) < 22, f"{few} MB with 100 records, {many} MB with 3,000"
    assert rest == "descriptors 0 left ['.cache', '.lock', '.scratch', 'assay.sqlite']"


@pytest.mark.soak
def test_twenty_thousand_cells_take_a_driver_of_120_mb(parity: AnyTrack, tmp_path: Path) -> None:
    peak, rest = driven(tmp_path, 400, 50)
    assert peak < MOST
    assert "descriptors 0" in rest


@pytest.mark.soak
def test_twenty_thousand_cells_that_litter_leave_nothing_behind(parity: AnyTrack, tmp_path: Path) -> None:
    (tmp_path / "litterer.py").write_text(LITTERER)
    (tmp_path / "temporary").mkdir()
    words = [sys.executable, "-c", REAL_DRIVER, str(tmp_path), "2500"]
    variables = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    here = Path(__file__).parents[2]
    process = subprocess.run(words, cwd=here, env=variables, capture_output=True, text=True, check=False)
    sys.stderr.write(process.stderr)
    peak, before, after = process.stderr.splitlines()[-3:]
    assert "cells 20000 {'ok'} lost 0" in peak
    assert int(peak.split()[1]) < MOST
    more = {name: count for name, count in json.loads(after).items() if count > json.loads(before)[name]}
    assert not more  # fewer is fine: groups that others left are removed
