"""Ctrl-C and SIGTERM at any moment, also twice, to the driver or its whole group: nothing is left, nothing lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.harness.fault_helpers import (
    CALLS,
    PROBLEMS,
    SUBJECT,
    Process,
    Processes,
    attend,
    bodies,
    call,
    calls,
    command,
    contents,
    demand_gone,
    undisturbed,
)

from assay.core import InvalidInput
from assay.core.track import AnyTrack
from assay.harness.store.store import STORE_NAME

SEEDS = 4
CELLS = PROBLEMS * SEEDS
# each call leaves a process of its own behind for a while, in a session of its own
BREEDING = SUBJECT.replace(
    "    time.sleep(0.03)\n",
    "    import subprocess\n    subprocess.Popen(['sleep', '300'], start_new_session=True)\n    time.sleep(0.05)\n",
)


def watched(driver: subprocess.Popen[str], folder: Path, due: int, seen: set[Process]) -> None:
    """Wait until the subject was called so often, noting every process of the run."""
    while driver.poll() is None and len(calls(folder)) < due:
        seen.update(Processes(driver.pid).all())
        time.sleep(0.01)


def stored(folder: Path) -> dict[str, str]:
    """The records that are there, to the last digit; none when the run was ended before it had a store."""
    if not (folder / "out" / STORE_NAME).exists():
        return {}
    try:
        return bodies(folder)
    except InvalidInput as error:
        assert "still empty" in str(error)  # noqa: PT017 - ended as it made the file
        return {}


def interrupt(
    folder: Path, arguments: list[str], numbers: list[signal.Signals], *, due: int, group: bool, gap: float
) -> tuple[int, str]:
    """Start a run, send the signals, and see that nothing of it is left; how it ended and what it said."""
    seen: set[Process] = set()
    with subprocess.Popen(
        arguments,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=attend,
        start_new_session=True,
    ) as driver:
        watched(driver, folder, due, seen)
        if due == 0:
            time.sleep(gap * 4)
        seen.update(Processes(driver.pid).all())
        for number in numbers:
            if group:
                os.killpg(driver.pid, number)
            else:
                driver.send_signal(number)
            time.sleep(gap)
        output = "".join(driver.communicate(timeout=90))
    demand_gone(list(seen))
    return driver.returncode, output


def resume(folder: Path, arguments: list[str], expected: dict[str, str]) -> int:
    """Go on: what was there stays as it is to the last digit, the rest is as if nothing had happened."""
    before, early = stored(folder), len(calls(folder))
    assert call(arguments, folder).code == 0
    assert contents(folder) == expected
    assert before.items() <= bodies(folder).items()
    assert len(calls(folder)) - early == CELLS - len(before), "a finished cell was computed again"
    return len(before)


@pytest.mark.parametrize(("number", "group"), [(signal.SIGINT, True), (signal.SIGTERM, False)])
def test_a_signal_sent_twice_ends_the_run_once_and_cleanly(
    parity: AnyTrack, tmp_path: Path, number: signal.Signals, group: bool
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    arguments = command(folder, seeds=SEEDS, source=BREEDING)
    code, output = interrupt(folder, arguments, [number, number], due=5, group=group, gap=0.05)
    assert code == 130, output
    assert "Interrupted." in output
    assert "Traceback" not in output
    assert 0 < len(stored(folder)) < CELLS


def test_a_killed_driver_leaves_no_process_of_its_subjects(parity: AnyTrack, tmp_path: Path) -> None:
    code, _ = interrupt(tmp_path, command(tmp_path, source=BREEDING), [signal.SIGKILL], due=5, group=False, gap=0.01)
    assert code == -signal.SIGKILL


@pytest.mark.soak
@pytest.mark.parametrize(("runner", "trials"), [("local", 80), ("ray", 16)])
def test_signals_at_random_moments_leave_nothing_behind(
    parity: AnyTrack, tmp_path: Path, runner: str, trials: int
) -> None:
    chance = random.Random(31)
    expected = undisturbed(tmp_path / "undisturbed", seeds=SEEDS, source=BREEDING)
    codes: Counter[int] = Counter()
    inside = 0
    for trial in range(trials):
        folder = tmp_path / f"{trial}"
        folder.mkdir()
        arguments = command(folder, "--runner", runner, seeds=SEEDS, source=BREEDING)
        number = chance.choice([signal.SIGINT, signal.SIGTERM])
        numbers = [number] * chance.randint(1, 3)
        due = 0 if chance.random() < 0.2 else chance.randint(1, CELLS)
        gap, group = chance.uniform(0, 0.3), chance.random() < 0.5
        code, output = interrupt(folder, arguments, numbers, due=due, group=group, gap=gap)
        codes[code] += 1
        if (folder / CALLS).exists():  # before that it may still be starting Python itself
            assert "Traceback" not in output, output
            assert code in (130, 0, -signal.SIGTERM), output
        inside += 0 < resume(folder, arguments, expected) < CELLS
        sys.stderr.write(
            f"signals, {runner}: {trial + 1} of {trials}, {inside} inside the cells, codes {dict(codes)}\n"
        )
    assert inside >= trials // 3
