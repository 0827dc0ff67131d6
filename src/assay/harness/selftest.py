"""What the harness can promise on this machine, found out by trying."""

from __future__ import annotations

import sqlite3
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from assay.core import AssayError, Budget
from assay.core.track import AnyTrack
from assay.harness.answer import StoredAnswer
from assay.harness.references import resolve_subject
from assay.harness.schema import connect
from assay.harness.subject_process import ISOLATION, SubjectServer

__all__ = ["Finding", "examine_machine"]

Verdict: TypeAlias = Literal["ok", "warning", "broken"]

_HUNGRY = "def solve(task, budget):\n    return bytearray(400 << 20)\n"
_SLOW = "def solve(task, budget):\n    while True:\n        pass\n"
_CURIOUS = "import os\ndef solve(task, budget):\n    raise RuntimeError(','.join(sorted(os.environ)))\n"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was tried, and how it went."""

    what: str
    verdict: Verdict
    text: str


def examine_machine(track: AnyTrack) -> list[Finding]:
    """Try each promise of the harness for real: store, subject process, time, memory, environment."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        findings = [
            _tried("store", lambda: _store(folder)),
            *(_tried(what, partial(check, folder, track)) for what, check in _PROCESS_CHECKS.items()),
            _bytecode(),
        ]
    findings.append(
        Finding(
            "isolation",
            "warning",
            f"level {ISOLATION!r}: subjects run in processes of their own with hard time and memory limits and a clean "
            "environment, but are not locked down: they can read files and reach the network. Run only code you trust.",
        )
    )
    return findings


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


def _solve(folder: Path, track: AnyTrack, source: str, *, times: int = 1, **limits: float) -> StoredAnswer:
    path = folder / "probe.py"
    path.write_text(source)
    server = SubjectServer(folder)
    try:
        for _ in range(times):
            budget = Budget(seconds=limits.get("seconds", 20), memory_mb=int(limits.get("memory_mb", 2048)))
            answer = server.solve(track.name, resolve_subject(str(path), track), b"\x80\x05N.", budget)
    finally:
        server.close()
    return answer


def _start(folder: Path, track: AnyTrack) -> tuple[Verdict, str]:
    started = time.monotonic()
    answer = _solve(folder, track, _CURIOUS, times=6)
    first = time.monotonic() - started
    return "ok", f"server warm and six fresh processes in {first:.2f} s, the last in {1000 * answer.seconds:.1f} ms"


def _memory(folder: Path, track: AnyTrack) -> tuple[Verdict, str]:
    answer = _solve(folder, track, _HUNGRY, memory_mb=200)
    if answer.error_kind == "memory":
        return "ok", "400 MB refused under a limit of 200 MB"
    return "broken", f"400 MB under a limit of 200 MB was not refused ({answer.error})"


def _clock(folder: Path, track: AnyTrack) -> tuple[Verdict, str]:
    answer = _solve(folder, track, _SLOW, seconds=0.3)
    if answer.error_kind == "timeout":
        return "ok", f"an endless loop ended after {answer.seconds:.2f} s under a limit of 0.3 s"
    return "broken", f"an endless loop was not ended ({answer.error})"


def _environment(folder: Path, track: AnyTrack) -> tuple[Verdict, str]:
    answer = _solve(folder, track, _CURIOUS)
    seen = (answer.error or "").removeprefix("RuntimeError: ").partition(" (")[0]
    return "ok", f"subjects see only {seen.replace(',', ', ')}"


_PROCESS_CHECKS: dict[str, Callable[[Path, AnyTrack], tuple[Verdict, str]]] = {
    "subject process": _start,
    "memory limit": _memory,
    "time limit": _clock,
    "environment": _environment,
}


def _bytecode() -> Finding:
    """Missing byte code makes every process start slowly."""
    numpy = Path(sysconfig.get_paths()["platlib"]) / "numpy"
    cached = list((numpy / "__pycache__").glob(f"*{sys.implementation.cache_tag}*.pyc"))
    if numpy.is_dir() and not cached:
        return Finding("byte code", "warning", "site-packages is not compiled: python -m compileall speeds up starts")
    return Finding("byte code", "ok", "site-packages is compiled")
