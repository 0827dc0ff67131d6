"""What the harness can guarantee on this machine: every guarantee is tried."""

from __future__ import annotations

import sqlite3
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from assay.core import AssayError
from assay.core.track import AnyTrack
from assay.harness.attack import Probe, attack_subjects
from assay.harness.process.subject_process import SubjectServer
from assay.harness.store.opening import connect
from assay.sandbox.lockdown.namespaces import refusal

__all__ = ["Finding", "attack_machine", "examine_machine"]

Verdict: TypeAlias = Literal["ok", "warning", "broken"]

_HUNGRY = "def solve(task, budget):\n    return bytearray(400 << 20)\n"
_SLOW = "def solve(task, budget):\n    while True:\n        pass\n"
_CURIOUS = "import os\ndef solve(task, budget):\n    raise RuntimeError(','.join(sorted(os.environ)))\n"
_PRYING = """
import errno, socket
from pathlib import Path
def solve(task, budget):
    escapes = []
    for name, attempt in {{
        "read": lambda: Path({path!r}).read_text(),
        "write": lambda: Path({path!r}).with_name("left-behind").write_text("x"),
        "connect": lambda: socket.create_connection(("127.0.0.1", 9), 1),
    }}.items():
        try:
            attempt()
            escapes.append(name)
        except PermissionError:
            continue
        except OSError as error:
            if error.errno != errno.EROFS:
                escapes.append(name + "-" + type(error).__name__)
    raise RuntimeError("escaped: " + " ".join(escapes))
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was tried, and how it went."""

    what: str
    verdict: Verdict
    text: str


def attack_machine(track: AnyTrack) -> list[Finding]:
    """Attack every mechanism that keeps subjects and feature functions apart; an attack that gets through is broken."""
    from assay.sandbox import Sandbox, self_test

    level, reports = attack_subjects(track)
    with Sandbox(level="strong") as sandbox:
        layers = self_test(sandbox)
    subjects = [("subject", report.mechanism, report.held, report.breach) for report in reports]
    functions = [("function", report.layer, report.held, report.breach) for report in layers]
    return [
        Finding("level reached", "ok", f"subjects {level}, functions strong"),
        *(
            Finding(f"{what}: {name}", "ok" if holds else "broken", "held" if holds else breach)
            for what, name, holds, breach in [*subjects, *functions]
        ),
    ]


def examine_machine(track: AnyTrack) -> list[Finding]:
    """Try each promise of the harness for real: store, subject process, time, memory, environment."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with closing(SubjectServer(folder)) as server:
            probe = Probe(server, track, folder)
            findings = [
                _tried("store", lambda: _store(folder)),
                *(_tried(what, partial(check, probe)) for what, check in _PROCESS_CHECKS.items()),
                _bytecode(),
            ]
    return [*findings, _tried("sandbox", _sandbox)]


def _tried(what: str, check: Callable[[], tuple[Verdict, str]]) -> Finding:
    try:
        return Finding(what, *check())
    except (AssayError, OSError, sqlite3.Error) as error:
        return Finding(what, "broken", f"{type(error).__name__}: {error}")


def _store(folder: Path) -> tuple[Verdict, str]:
    connection = connect(folder / "try.sqlite", create=True)
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    connection.close()
    if mode != "wal":
        return "warning", f"SQLite {sqlite3.sqlite_version} without WAL ({mode}): use a local file system."
    return "ok", f"SQLite {sqlite3.sqlite_version}, WAL"


def _start(probe: Probe) -> tuple[Verdict, str]:
    started = time.monotonic()
    for _ in range(6):
        answer = probe.solve(_CURIOUS)
    first = time.monotonic() - started
    return "ok", f"server warm and six fresh processes in {first:.2f} s, the last in {1000 * answer.seconds:.1f} ms"


def _memory(probe: Probe) -> tuple[Verdict, str]:
    answer = probe.solve(_HUNGRY, memory_mb=200)
    if answer.error_kind == "memory":
        return "ok", "400 MB refused under a limit of 200 MB"
    return "broken", f"400 MB under a limit of 200 MB was not refused ({answer.error})"


def _clock(probe: Probe) -> tuple[Verdict, str]:
    answer = probe.solve(_SLOW, seconds=0.3)
    if answer.error_kind == "timeout":
        return "ok", f"an endless loop ended after {answer.seconds:.2f} s under a limit of 0.3 s"
    return "broken", f"an endless loop was not ended ({answer.error})"


def _environment(probe: Probe) -> tuple[Verdict, str]:
    answer = probe.solve(_CURIOUS)
    variables = (answer.error or "").removeprefix("RuntimeError: ").partition(" (")[0]
    return "ok", f"subjects see only {variables.replace(',', ', ')}"


def _confinement(probe: Probe) -> tuple[Verdict, str]:
    secret = probe.folder / "secret.txt"
    secret.write_text("a file of the user's")
    answer = probe.solve(_PRYING.format(path=str(secret)))
    breaches = (answer.error or "").partition("escaped: ")[2].partition(" (")[0].split()
    if breaches:
        return "broken", f"a subject's process could {', '.join(breaches)}"
    text = f"{answer.isolation}: no reading of other files, no writing, no network"
    if "without namespaces" in answer.isolation:
        return (
            "warning",
            f"{text}. Namespaces: {refusal(probe.folder)}; until then modes and times of files cannot be set",
        )
    return "ok", text


def _sandbox() -> tuple[Verdict, str]:
    from assay.sandbox import Sandbox, self_test

    with Sandbox(level="strong") as sandbox:
        open_layers = [report.layer for report in self_test(sandbox) if not report.held]
        facts = sandbox.facts
    if open_layers:
        return "broken", f"attacked and open: {', '.join(open_layers)}"
    return (
        "ok",
        f"level {facts['level']!r} on Linux {facts['kernel']} (Landlock {facts['landlock_abi']}), every layer held",
    )


_PROCESS_CHECKS: dict[str, Callable[[Probe], tuple[Verdict, str]]] = {
    "subject process": _start,
    "memory limit": _memory,
    "time limit": _clock,
    "environment": _environment,
    "confinement": _confinement,
}


def _bytecode() -> Finding:
    """Missing byte code makes every process start slowly."""
    numpy = Path(sysconfig.get_paths()["platlib"]) / "numpy"
    cached = list((numpy / "__pycache__").glob(f"*{sys.implementation.cache_tag}*.pyc"))
    if numpy.is_dir() and not cached:
        return Finding("byte code", "warning", "site-packages is not compiled: python -m compileall speeds up starts")
    return Finding("byte code", "ok", "site-packages is compiled")
