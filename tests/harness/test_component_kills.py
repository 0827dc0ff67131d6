"""Kills of every component of a run at random moments: driver, workers, servers, Ray's workers and nodes."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
from tests.harness.fault_helpers import PROBLEMS, SUBJECT, Processes, bodies, calls, contents, demand_gone
from tests.harness.runners.test_ray_nodes import in_own_network

from assay.core.track import AnyTrack
from assay.harness import check_store

DRIVER = """
import sys
from pathlib import Path
from assay.harness import RunSpec, make_runner, run
here, runner, seeds, insight = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4] == "insight"
specs = [RunSpec(track="parity", subjects=("subject.py",), seeds=tuple(range(seeds)), isolation="none", folder=here)]
if insight:
    quick = {"settings": {"N_RF_ESTIMATORS": 2}, "seeds": (0, 1), "folder": here}
    specs.insert(0, RunSpec(track="insight", subjects=("ground-truth", "target"), **quick))
result = run(specs, out=here / "out", runner=lambda scratch: make_runner(runner, 2, scratch=scratch))
sys.exit(3 if result.lost else 0)
"""
DRIVER_KIND: Final = "driver"
SANDBOX: Final = "assay.sandbox.server"
WORKERS: Final = ("assay.harness.runners.worker", "assay.harness.process.subject_server", "ray::_Actor")
KINDS: Final = (DRIVER_KIND, SANDBOX, *WORKERS)
NODE: Final = "node of a Ray cluster"
LAST: Final = 40  # cells: from here on a cell may run alone, and would be blamed for a second death of its worker


@dataclass
class Tally:
    """What was killed so far, and what came of it."""

    killed: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    starts: int = 0
    unfinished: int = 0  # runs that gave up on a cell, said so, and were resumed

    def rarest(self, kinds: list[str], chance: random.Random) -> str:
        """One of the kinds, more likely one that was killed seldom."""
        return chance.choices(kinds, [1 / (1 + self.killed[kind]) for kind in kinds])[0]

    def __str__(self) -> str:
        by_kind = ", ".join(f"{kind} {self.killed[kind]}" for kind in (*KINDS, NODE))
        return (
            f"{self.killed.total()} kills in {self.runs} runs, {self.starts} starts, {self.unfinished} of them ended "
            f"with unfinished cells: {by_kind}"
        )


def start(folder: Path, runner: str, seeds: int, extra: str) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-c", DRIVER, str(folder), runner, str(seeds), extra]
    return subprocess.Popen(arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def undisturbed(folder: Path, seeds: int, extra: str) -> dict[str, str]:
    folder.mkdir()
    (folder / "subject.py").write_text(SUBJECT)
    assert start(folder, "local", seeds, extra).wait() == 0
    return contents(folder)


def disturb(driver: subprocess.Popen[bytes], folder: Path, cells: int, tally: Tally, chance: random.Random) -> int:
    """Kill what there is until the driver ends; how it ended. No process of the run is left after that."""
    early, mark, late_kills = len(calls(folder)), 0, 0
    processes = set(Processes(driver.pid).all())
    pause, patience = 0.1, 0.0
    while driver.poll() is None:
        time.sleep(pause)
        there = Processes(driver.pid)
        processes.update(there.all())
        finished = calls(folder)
        tail = len(set(finished)) > cells - LAST
        kinds = [kind for kind in KINDS[1:] if there.of(kind) and not (kind in WORKERS and tail and late_kills)]
        if len(finished) > early + 3:  # one that has done nothing yet would be killed for ever
            kinds.append(DRIVER_KIND)
        if not kinds or (len(finished) < mark and time.monotonic() < patience):
            pause = 0.1
            continue
        kind = tally.rarest(kinds, chance)
        victim = driver.pid if kind == DRIVER_KIND else chance.choice(there.of(kind))
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
            tally.killed[kind] += 1
        late_kills += kind in WORKERS and tail
        pause = chance.uniform(0.1, 1.2)
        mark = len(finished) + chance.randint(1, 12)  # something must happen between two kills
        patience = time.monotonic() + chance.uniform(2, 7)  # cells with a sandbox take seconds, and are not logged
        if kind == DRIVER_KIND:
            break
    code = driver.wait()
    demand_gone(list(processes))
    return code


def trial(
    folder: Path, expected: dict[str, str], how: tuple[str, int, str], tally: Tally, chance: random.Random
) -> None:
    """One run to its end with kills all the while; what was finished is never computed again, nothing is lost."""
    runner, seeds, extra = how
    folder.mkdir()
    (folder / "subject.py").write_text(SUBJECT)
    before: dict[str, str] = {}
    tally.runs += 1
    while True:
        tally.starts += 1
        code = disturb(start(folder, runner, seeds, extra), folder, seeds * PROBLEMS, tally, chance)
        stored = bodies(folder)
        assert before.items() <= stored.items(), "a finished cell was lost or computed again"
        before = stored
        if code == 0:
            break
        assert code in (-signal.SIGKILL, 3), f"the driver ended with {code}"
        tally.unfinished += code == 3
    assert contents(folder) == expected
    report = check_store(folder / "out")
    assert report.whole, report.troubles
    assert (report.records, report.unfinished) == (len(expected), 0)


@pytest.mark.soak
def test_a_run_whose_components_are_killed_ends_with_the_same_records(parity: AnyTrack, tmp_path: Path) -> None:
    tally = Tally()
    expected = undisturbed(tmp_path / "undisturbed", 9, "")
    trial(tmp_path / "disturbed", expected, ("local", 9, ""), tally, random.Random(5))
    assert tally.killed.total() >= 3, str(tally)


def lose_a_node(folder: Path, tally: Tally) -> None:
    """A run on a cluster of three nodes, one of which dies on the way; its records equal those of a local run."""
    folder.mkdir()
    assert "cells 48 lost 0 same True" in in_own_network(folder, "1")
    tally.killed[NODE] += 1


@pytest.mark.soak
def test_three_hundred_kills_across_all_components(parity: AnyTrack, tmp_path: Path) -> None:
    chance, tally, began = random.Random(300), Tally(), time.monotonic()
    expected = {extra: undisturbed(tmp_path / f"undisturbed-{extra}", 60, extra) for extra in ("", "insight")}
    while tally.killed.total() < 300 or min(tally.killed[kind] for kind in KINDS) < 10:
        rarest = min(KINDS, key=lambda kind: tally.killed[kind])
        runner, extra = {SANDBOX: ("local", "insight"), WORKERS[-1]: ("ray", "")}.get(rarest, ("local", ""))
        trial(tmp_path / f"{tally.runs}", expected[extra], (runner, 60, extra), tally, chance)
        lose_a_node(tmp_path / f"nodes-{tally.runs}", tally)
        sys.stderr.write(f"{(time.monotonic() - began) / 60:.1f} min: {tally}\n")
