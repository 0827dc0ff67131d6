"""Killed, interrupted and starved runs: nothing finished is lost, nothing finished is done again."""

from __future__ import annotations

import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.core.track import AnyTrack
from assay.harness import Store
from assay.harness.store.store import STORE_NAME

ASSAY = str(Path(sys.executable).parent / "assay")

SUBJECT = """
import os, time
from pathlib import Path
def solve(task, budget):
    with (Path(__file__).parent / "calls.log").open("a") as log:
        log.write(f"{task.numbers[0]}-{budget.seed}\\n")
    time.sleep(0.03)
    return tuple((n + budget.seed) % 3 > 0 for n in task.numbers)
"""

SEEDS = tuple(str(seed) for seed in range(4))
CELLS = 8 * len(SEEDS)


def command(folder: Path) -> list[str]:
    (folder / "subject.py").write_text(SUBJECT)
    arguments = [ASSAY, "run", "parity", "--subject", "subject.py", "--out", "out", "--workers", "2", "--quiet"]
    arguments += ["--isolation", "none"]  # the subject logs its calls into the test's folder
    for seed in SEEDS:
        arguments += ["--seed", seed]
    return arguments


def records(folder: Path) -> dict[str, str]:
    with Store(folder / "out") as store:
        return {record.key: record.content() for run in store.latest_runs() for record in store.records(run.id)}


def finished_calls(folder: Path) -> set[str]:
    """The calls behind the records that are there: problem start and seed."""
    with Store(folder / "out") as store:
        stored = [record for run in store.latest_runs() for record in store.records(run.id)]
    return {f"{int(float(record.tags['start']))}-{record.seed}" for record in stored}


def processes_of(folder: Path) -> list[int]:
    """Processes whose command line names the folder, that is the workers of its runs."""
    stored = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().decode(errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue
            if "out/.scratch" in line and (entry / "cwd").readlink() == folder:
                stored.append(int(entry.name))
    return stored


def undisturbed(folder: Path) -> dict[str, str]:
    folder.mkdir()
    subprocess.run(command(folder), cwd=folder, check=True, capture_output=True)
    return records(folder)


def kill_and_resume(folder: Path, moments: random.Random, expected: dict[str, str]) -> int:
    """One trial: kill -9 at a random moment, look, resume, compare. Returns how many cells were finished by then.

    One trial in five is killed while it starts up; the others once a random number of subjects has been called, and a
    random while later, so that kills spread over the whole run however fast the machine is.
    """
    folder.mkdir()
    log = folder / "calls.log"
    due = 0 if moments.random() < 0.2 else moments.randint(1, CELLS)
    pause = moments.uniform(0, 1.0 if due == 0 else 0.06)
    with subprocess.Popen(command(folder), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as driver:
        while due and driver.poll() is None and not (log.exists() and log.read_text().count("\n") >= due):
            time.sleep(0.005)
        time.sleep(pause)
        driver.kill()
    time.sleep(0.05)
    deadline = time.monotonic() + 20
    while processes_of(folder) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert processes_of(folder) == [], "workers outlived their driver"
    before: dict[str, str] = {}
    finished: set[str] = set()
    if (folder / "out" / STORE_NAME).exists():
        try:
            before, finished = records(folder), finished_calls(folder)
        except InvalidInput as error:  # killed between making the file and its tables
            if "the store is still empty" not in str(error):
                raise
    early = log.read_text().splitlines() if log.exists() else []
    assert finished <= set(early)
    subprocess.run(command(folder), cwd=folder, check=True, capture_output=True)
    late = log.read_text().splitlines()[len(early) :]
    assert not finished & set(late), "a finished cell was computed again"
    assert len(late) == CELLS - len(finished)
    assert records(folder) == expected
    assert before.items() <= expected.items()
    return len(finished)


@pytest.mark.soak
def test_three_runs_killed_at_random_moments_resume_to_the_same_records(parity: AnyTrack, tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "undisturbed")
    assert len(expected) == CELLS
    moments = random.Random(20)
    finished = [kill_and_resume(tmp_path / f"{trial}", moments, expected) for trial in range(3)]
    assert any(0 < count < CELLS for count in finished), f"no kill fell into the run itself: {finished}"


@pytest.mark.soak
def test_two_hundred_runs_killed_at_random_moments_resume_to_the_same_records(parity: AnyTrack, tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "undisturbed")
    moments = random.Random(200)
    inside = 0
    for trial in range(200):
        inside += 0 < kill_and_resume(tmp_path / "trial", moments, expected) < CELLS
        shutil.rmtree(tmp_path / "trial")
        sys.stderr.write(f"\rkill -9: {trial + 1} of 200 trials, {inside} in the middle of the cells")
    assert inside >= 100


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_is_finished_and_says_how_to_go_on(
    parity: AnyTrack, tmp_path: Path, number: signal.Signals
) -> None:
    expected = undisturbed(tmp_path / "undisturbed")
    folder = tmp_path / "run"
    folder.mkdir()

    def attend() -> None:  # a test run in the background inherits "ignore Ctrl-C"
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen(
        command(folder), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=attend
    ) as driver:
        while not (folder / "calls.log").exists() or len((folder / "calls.log").read_text().splitlines()) < 6:
            assert driver.poll() is None, driver.stderr.read() if driver.stderr else ""
            time.sleep(0.01)
        driver.send_signal(number)
        _, output = driver.communicate(timeout=60)
    assert driver.returncode == 130
    assert "Interrupted." in output
    assert "The same command resumes." in output
    assert processes_of(folder) == []
    stored = records(folder)
    assert 0 < len(stored) < CELLS
    assert stored.items() <= expected.items()
    subprocess.run(command(folder), cwd=folder, check=True, capture_output=True)
    assert records(folder) == expected


@pytest.mark.soak
def test_a_full_disk_loses_no_finished_cell_and_leaves_a_store_that_opens(parity: AnyTrack, tmp_path: Path) -> None:
    """The store's files may not grow beyond a limit: the kernel refuses the write, as it does on a full disk."""
    expected = undisturbed(tmp_path / "undisturbed")
    folder = tmp_path / "run"
    folder.mkdir()

    def starve() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (185_000, 185_000))

    process = subprocess.run(
        command(folder), cwd=folder, capture_output=True, text=True, check=False, preexec_fn=starve
    )
    assert process.returncode == 3, process.stderr
    assert "writing failed" in process.stderr
    assert "Finished cells are safe" in process.stderr
    assert processes_of(folder) == []
    stored = records(folder)
    assert 0 < len(stored) < CELLS
    assert stored.items() <= expected.items()
    subprocess.run(command(folder), cwd=folder, check=True, capture_output=True)
    assert records(folder) == expected
