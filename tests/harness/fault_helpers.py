"""What the tests of faults share: a run as a program, its processes, and what its store holds."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from assay.harness import Store

ASSAY = str(Path(sys.executable).parent / "assay")
CALLS = "calls.log"
PROBLEMS = 8  # built-in ones of the external track

SUBJECT = """
import time
from pathlib import Path
def solve(task, budget):
    with (Path(__file__).parent / "calls.log").open("a") as log:
        log.write(f"{task.numbers[0]}-{budget.seed}\\n")
    time.sleep(0.03)
    return tuple((n + budget.seed) % 3 > 0 for n in task.numbers)
"""


def command(folder: Path, *extra: str, seeds: int = 4, source: str = SUBJECT) -> list[str]:
    """``assay run`` of a subject that logs its calls, which a confined one could not."""
    (folder / "subject.py").write_text(source)
    arguments = [ASSAY, "run", "parity", "--subject", "subject.py", "--out", "out", "--workers", "2", "--quiet"]
    arguments += ["--isolation", "none", *extra]
    return [*arguments, *(word for seed in range(seeds) for word in ("--seed", str(seed)))]


def attend() -> None:
    """Before a program starts: heed Ctrl-C, also where the tests themselves run in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Ended(NamedTuple):
    """How a program ended, and what it said."""

    code: int
    output: str


def call(arguments: Sequence[str], folder: Path, *, seconds: float = 120) -> Ended:
    """Run a program to its end; it must neither hang nor show a traceback."""
    process = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False, timeout=seconds)
    output = process.stdout + process.stderr
    assert "Traceback" not in output, output
    return Ended(process.returncode, output)


def undisturbed(folder: Path, *extra: str, seeds: int = 4, source: str = SUBJECT) -> dict[str, str]:
    """The records of a run that nothing befell."""
    folder.mkdir()
    ended = call(command(folder, *extra, seeds=seeds, source=source), folder)
    assert ended.code == 0, ended.output
    return contents(folder)


def contents(folder: Path) -> dict[str, str]:
    """What the records of the latest plans say, times and machines apart."""
    with Store(folder / "out", read_only=True) as store:
        return {record.key: record.content() for run in store.latest_runs() for record in store.records(run.id)}


def bodies(folder: Path) -> dict[str, str]:
    """The records to the last digit, times included: one that was computed again differs."""
    with Store(folder / "out", read_only=True) as store:
        stored = [record for run in store.latest_runs() for record in store.records(run.id)]
    return {record.key: json.dumps(record.to_json(), sort_keys=True) for record in stored}


def calls(folder: Path) -> list[str]:
    """The calls of the subject so far, in order."""
    log = folder / CALLS
    return log.read_text().splitlines() if log.exists() else []


# of Ray itself: they notice the end of what they belong to by themselves, some only after a minute or two
RAYS_OWN = ("ray::DashboardAgent", "ray::RuntimeEnvAgent", "ray/_private/", "ray/dashboard/", "ray/core/src/")


class Process(NamedTuple):
    """One process: its number may be used again, its number and start may not."""

    pid: int
    start: str


class Processes:
    """The processes below one process, by what they do."""

    def __init__(self, root: int) -> None:
        self.parents: dict[int, int] = {}
        self.lines: dict[int, str] = {}
        self.starts: dict[int, str] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    line = (entry / "cmdline").read_bytes().decode(errors="replace")
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                    pid = int(entry.name)
                    self.lines[pid], self.parents[pid], self.starts[pid] = line, int(fields[1]), fields[19]
        self.below: set[int] = {root}
        while more := {pid for pid, parent in self.parents.items() if parent in self.below} - self.below:
            self.below |= more
        self.below.discard(root)

    def of(self, kind: str) -> list[int]:
        """Those whose command line has the word, without the processes that such a one forked for foreign code."""
        pids = [pid for pid in self.below if kind in self.lines.get(pid, "")]
        return [pid for pid in pids if kind not in self.lines.get(self.parents.get(pid, 0), "")]

    def all(self) -> list[Process]:
        """Every process below, but those that are Ray's own."""
        ours = [pid for pid in self.below if not any(word in self.lines[pid] for word in RAYS_OWN)]
        return [Process(pid, self.starts[pid]) for pid in ours]


def alive(process: Process) -> bool:
    """Whether this very process still runs; a zombie does not."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[19] == process.start and fields[0] not in "ZX"


def demand_gone(processes: Sequence[Process], *, seconds: float = 30) -> None:
    """All of them end within the time."""
    deadline = time.monotonic() + seconds
    while running := [process for process in processes if alive(process)]:
        assert time.monotonic() < deadline, f"left behind: {[_line(process) for process in running]}"
        time.sleep(0.05)


def _line(process: Process) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process.pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:120]
    return "gone"


def store_files(out: Path) -> list[Path]:
    """The files that make up the store: all of the results folder but problems, scratch and lock."""
    return sorted(_files(out))


def _files(out: Path) -> Iterator[Path]:
    for path in out.rglob("*"):
        first = path.relative_to(out).parts[0]
        if path.is_file() and first not in ("problems", ".scratch", ".lock"):
            yield path
