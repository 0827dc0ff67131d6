"""Kills of every component of a run at random moments: driver, workers, subject and sandbox servers, Ray's workers."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from assay.core.track import AnyTrack
from assay.harness import Store, check_store

SUBJECT = """
import time
from pathlib import Path
def solve(task, budget):
    with (Path(__file__).parent / "calls.log").open("a") as log:
        log.write(f"{task.numbers[0]}-{budget.seed}\\n")
    time.sleep(0.03)
    return tuple((n + budget.seed) % 3 > 0 for n in task.numbers)
"""
DRIVER = """
import sys
from pathlib import Path
from assay.harness import RunSpec, make_runner, run
here, runner, seeds, insight = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4] == "insight"
specs = [RunSpec(track="parity", subjects=("subject.py",), seeds=tuple(range(seeds)), isolation="none", folder=here)]
if insight:
    quick = {"N_RF_ESTIMATORS": 2}
    specs.append(RunSpec(track="insight", subjects=("ground-truth", "target"), settings=quick, folder=here))
result = run(specs, out=here / "out", runner=lambda scratch: make_runner(runner, 2, scratch=scratch))
sys.exit(3 if result.lost else 0)
"""


class Processes:
    """The processes below a driver, by what they do."""

    def __init__(self, driver: int) -> None:
        self.parents: dict[int, int] = {}
        self.lines: dict[int, str] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    self.lines[int(entry.name)] = (entry / "cmdline").read_bytes().decode(errors="replace")
                    self.parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        self.below = {driver}
        grown = True
        while grown:
            more = {pid for pid, parent in self.parents.items() if parent in self.below} - self.below
            self.below |= more
            grown = bool(more)
        self.below.discard(driver)

    def of(self, kind: str) -> list[int]:
        found = [pid for pid in self.below if kind in self.lines.get(pid, "")]
        # a server forks others with its own command line, which run foreign code: those are not ours to kill
        return [pid for pid in found if kind not in self.lines.get(self.parents.get(pid, 0), "")]


KINDS = ("assay.harness.worker", "assay.harness.subject_server", "assay.sandbox.server", "ray::_Actor")


def contents(folder: Path) -> dict[str, str]:
    with Store(folder / "out", read_only=True) as store:
        return {record.key: record.content() for run in store.latest_runs() for record in store.records(run.id)}


def finished(folder: Path) -> set[str]:
    with Store(folder / "out", read_only=True) as store:
        done = [record for run in store.latest_runs() for record in store.records(run.id) if record.track == "parity"]
    return {f"{int(float(record.tags['start']))}-{record.seed}" for record in done}


def start(folder: Path, runner: str, seeds: int, extra: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", DRIVER, str(folder), runner, str(seeds), extra]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def undisturbed(folder: Path, seeds: int, extra: str) -> dict[str, str]:
    folder.mkdir()
    (folder / "subject.py").write_text(SUBJECT)
    assert start(folder, "local", seeds, extra).wait() == 0
    return contents(folder)


def disturbed(folder: Path, runner: str, seeds: int, extra: str, chance: random.Random, most: int) -> Counter[str]:
    """Run to the end with kills all the while; a killed driver is started again. How many of each kind were killed."""
    folder.mkdir()
    (folder / "subject.py").write_text(SUBJECT)
    log, killed, settled = folder / "calls.log", Counter[str](), set[str]()
    early = 0
    while True:
        driver = start(folder, runner, seeds, extra)
        while driver.poll() is None and killed.total() < most:
            time.sleep(chance.uniform(0.2, 0.9))
            kind = chance.choice((*KINDS, "driver"))
            choices = [driver.pid] if kind == "driver" else Processes(driver.pid).of(kind)
            if kind == "driver" and not (log.exists() and len(log.read_text().splitlines()) > early + 5):
                continue  # one that has done nothing yet is not worth a kill, and would be killed for ever
            if choices and driver.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chance.choice(choices), signal.SIGKILL)
                    killed[kind] += 1
            if kind == "driver":
                break
        code = driver.wait()
        late = set(log.read_text().splitlines()[early:])
        assert not settled & late, "a finished cell was computed again"
        if code == 0:
            return killed
        assert code < 0, f"the driver ended with {code}"
        time.sleep(0.3)
        early = len(log.read_text().splitlines())
        settled = finished(folder)


def trial(folder: Path, runner: str, seeds: int, extra: str, chance: random.Random, most: int) -> Counter[str]:
    expected = undisturbed(folder / "undisturbed", seeds, extra)
    killed = disturbed(folder / "disturbed", runner, seeds, extra, chance, most)
    assert contents(folder / "disturbed") == expected
    found = check_store(folder / "disturbed" / "out")
    assert found.whole, found.troubles
    assert found.records == len(expected)
    return killed


def test_a_run_whose_components_are_killed_ends_with_the_same_records(parity: AnyTrack, tmp_path: Path) -> None:
    killed = trial(tmp_path, "local", 20, "", random.Random(5), 6)
    assert killed.total() >= 3


@pytest.mark.soak
def test_three_hundred_kills_across_all_components(parity: AnyTrack, tmp_path: Path) -> None:
    chance = random.Random(300)
    killed: Counter[str] = Counter()
    number = 0
    while killed.total() < 300:
        (tmp_path / f"{number}").mkdir()
        runner = "ray" if number % 3 == 2 else "local"
        killed += trial(tmp_path / f"{number}", runner, 60, "insight" if number % 3 == 1 else "", chance, 60)
        number += 1
        sys.stderr.write(f"\r{killed.total()} kills in {number} runs: {dict(killed)}")
    assert all(killed[kind] for kind in (*KINDS, "driver")), killed
