"""A file system that is really full, in the middle of a run: clear words, nothing lost, nothing scored that was not."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.harness.fault_helpers import call, calls, command, contents, undisturbed

from assay.core import InfrastructureFailed, InvalidInput
from assay.core.track import AnyTrack
from assay.harness import LocalRunner, RunSpec, Store, check_store, run
from assay.harness.store.store import STORE_NAME

Spec = Callable[..., RunSpec]
Write = Callable[[str, str], str]
Disk = Callable[[Path, str], Path]

MACHINE_FAILED = 3


@pytest.fixture
def disk() -> Iterator[Disk]:
    """Mount a small file system on a folder; it is gone after the test."""
    mounted: list[Path] = []

    def mount(folder: Path, size: str) -> Path:
        folder.mkdir(parents=True)
        words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
        process = subprocess.run(words, capture_output=True, text=True, check=False)
        if process.returncode:
            pytest.skip(f"a small file system cannot be mounted here: {process.stderr.strip()}")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", str(folder)], check=True)


def leave(out: Path, room: int) -> Path:
    """Fill the file system with a file until only so many bytes are free."""
    ballast = out / "ballast"
    with ballast.open("wb") as stream:
        os.posix_fallocate(stream.fileno(), 0, max(1, shutil.disk_usage(out).free - room))
    return ballast


def begun(folder: Path) -> dict[str, str]:
    """What the records say; none when there was no room for a store."""
    if not (folder / "out" / STORE_NAME).exists():
        return {}
    try:
        return contents(folder)
    except InvalidInput as error:
        if "still empty" in str(error):
            return {}
        raise


def fill_and_resume(folder: Path, disk: Disk, expected: dict[str, str], room: int) -> int:
    """One run on a disk with little room, and its resumption when there is some; how many cells fitted at first."""
    folder.mkdir()
    out = disk(folder / "out", "40m")
    ballast = leave(out, room)
    ended = call(command(folder), folder)
    assert ended.code == MACHINE_FAILED, ended.output
    assert "free some" in ended.output, ended.output
    early = len(calls(folder))
    ballast.unlink()
    before = begun(folder)
    assert before.items() <= expected.items()
    ended = call(command(folder), folder)
    assert ended.code == 0, ended.output
    assert contents(folder) == expected
    assert len(calls(folder)) - early == len(expected) - len(before), "a finished cell was computed again"
    assert check_store(out).whole
    return len(before)


@pytest.mark.soak
def test_a_full_disk_ends_the_run_with_clear_words_and_it_goes_on_when_there_is_room(
    parity: AnyTrack, disk: Disk, tmp_path: Path
) -> None:
    expected = undisturbed(tmp_path / "undisturbed")
    assert fill_and_resume(tmp_path / "run", disk, expected, 300 << 10) >= 0


@pytest.mark.soak
def test_sixty_disks_that_are_full_at_random_moments(parity: AnyTrack, disk: Disk, tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "undisturbed")
    chance, fitted = random.Random(8), Counter[str]()
    for trial in range(60):
        folder = tmp_path / f"{trial}"
        cells = fill_and_resume(folder, disk, expected, chance.choice([0, 4096, 20_000, chance.randint(0, 400 << 10)]))
        fitted["none" if cells == 0 else "some"] += 1
        sys.stderr.write(f"disk full: {trial + 1} trials, cells that fitted: {dict(fitted)}\n")
    assert min(fitted["none"], fitted["some"]) >= 5


FILLS = (
    "import time\nfrom pathlib import Path\ndef solve(task, budget):\n"
    "    with Path('heap').open('wb', buffering=0) as heap:\n"
    "        while True:\n            heap.write(bytes(1 << 20))\n            time.sleep({pause})\n"
)
WRITES = (
    "from pathlib import Path\ndef solve(task, budget):\n"
    "    Path('note').write_bytes(bytes(1 << 19))\n    return tuple(n % 2 == 0 for n in task.numbers)\n"
)


def test_a_subject_that_fills_the_disk_is_stopped_before_others_are_hurt(
    spec: Spec, disk: Disk, subject_file: Write, tmp_path: Path
) -> None:
    out = disk(tmp_path / "out", "160m")
    fills, writes = subject_file("fills.py", FILLS.format(pause=0.005)), subject_file("writes.py", WRITES)
    result = run([spec(fills, writes, seeds=(0, 1), isolation="confined")], out=out, workers=2)
    assert not result.lost
    kinds = {(record.subject, record.error_kind) for record in result.records}
    shared = {("fills", "exception")}  # two at once may fill it together, and each meets the end of it
    assert kinds - shared == {("fills", "disk"), ("writes", None)}


def test_a_subject_that_meets_a_disk_filled_by_others_is_not_blamed(
    spec: Spec, disk: Disk, subject_file: Write, tmp_path: Path
) -> None:
    scratch = disk(tmp_path / "scratch", "8m")
    leave(scratch, 300 << 10)
    writes = subject_file("writes.py", WRITES)
    result = run([spec(writes)], out=tmp_path / "out", runner=LocalRunner(1, scratch=scratch))
    assert [loss.reason.partition(" on the disk")[0] for loss in result.lost] == ["no space left"] * 2
    (scratch / "ballast").unlink()
    result = run([spec(writes)], out=tmp_path / "out", runner=LocalRunner(1, scratch=scratch))
    assert {record.status for record in result.records} == {"ok"}


@pytest.mark.soak
def test_a_reckless_subject_on_a_small_disk_never_costs_another_a_point(
    spec: Spec, disk: Disk, subject_file: Write, tmp_path: Path
) -> None:
    """It writes as fast as it can: the run may have to stop, but no record is wrong, before or after."""
    out = disk(tmp_path / "out", "160m")
    fills, writes = subject_file("fills.py", FILLS.format(pause=0)), subject_file("writes.py", WRITES)
    lines: list[str] = []
    for _ in range(40):
        try:
            result = run([spec(fills, writes, seeds=tuple(range(6)), isolation="confined")], out=out, workers=2)
        except InfrastructureFailed as failure:
            lines.append(str(failure))
            continue
        if not result.lost:
            break
        assert all("no space left" in loss.reason for loss in result.lost)
    assert all("free some" in text for text in lines)
    with Store(out, read_only=True) as store:
        kinds = Counter((r.subject, r.error_kind) for latest in store.latest_runs() for r in store.records(latest.id))
    assert kinds == {("fills", "disk"): 12, ("writes", None): 12}
    sys.stderr.write(f"a reckless subject stopped the run {len(lines)} times\n")
