"""The sandbox attacks itself: one attempt per layer, from inside a real guest, each aimed past all other layers.

A layer that was not applied, or does not hold on this machine, lets its attempt through; then the level is refused.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import pandas as pd

from assay.core import InvalidInput
from assay.sandbox.contract import FunctionResult, FunctionSource, Limits, Tables
from assay.sandbox.lockdown.lockdown import layers_of
from assay.sandbox.lockdown.syscalls import MACHINES

__all__ = ["LayerReport", "require_passed", "self_test"]

_MEMORY_MB = 512
_SECONDS = 0.1
_WAITS = 3 * _SECONDS


class Tested(Protocol):
    """What of a sandbox is attacked."""

    level: str

    def run(
        self, functions: Sequence[FunctionSource], tables: Tables, *, limits: Limits | None = None
    ) -> list[FunctionResult]:
        """Run every function over every row."""


class LayerReport(NamedTuple):
    """Whether a layer held, and what got through if it did not."""

    layer: str
    held: bool
    breach: str = ""


# Each attempt returns what it achieved, or raises. Names of calls come in as numbers of this machine.
_ATTACKS = """
import ctypes, json, mmap, os, resource, socket, threading

NUMBERS = __NUMBERS__
libc = ctypes.CDLL(None, use_errno=True)

def environment():
    names = [name for name in sorted(os.environ) if not name.endswith("_NUM_THREADS")]
    return names and "the environment is visible: " + ", ".join(names)[:100]

def descriptors():
    numbers = []
    for number in range(3, 64):
        try:
            os.fstat(number)
            numbers.append(number)
        except OSError:
            continue
    return len(numbers) > 1 and f"descriptors {numbers} are open"

def memory():
    mmap.mmap(-1, __TOO_MUCH__)
    return "took more memory than allowed"

def open_files():
    opened = []
    try:
        while len(opened) < 200:
            opened.append(os.dup(0))
    finally:
        for number in opened:
            os.close(number)
    return "opened 200 files"

def capabilities():
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()
    if libc.syscall(NUMBERS["capget"], header, sets) != 0:
        return "cannot tell"
    return any(sets) and "holds capabilities"

def tracing():
    return libc.prctl(3, 0, 0, 0, 0) != 0 and "may be traced by the same user"

def read_outside():
    return len(os.listdir("/")) and "listed the root folder"

def write_outside():
    os.close(os.open("/dev/null", os.O_WRONLY))
    return "opened a file for writing"

def network():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
    return "opened a network socket"

def process():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "started a process"

def thread():
    threading.Thread(target=int).start()
    return "started a thread"

def signals():
    os.kill(os.getppid(), 0)
    return "may signal its parent"

def raised_limit():
    # a pointer whose lower half is zero: compared by halves it is not NULL
    libc.mmap.restype = ctypes.c_void_p
    for high in range(1, 64):
        place = ctypes.c_void_p(high << 32)
        address = libc.mmap(place, ctypes.c_size_t(4096), 3, 0x100022, -1, ctypes.c_long(0))
        if address == high << 32:
            break
    else:
        return False
    limit = ctypes.cast(address, ctypes.POINTER(ctypes.c_uint64))
    limit[0] = limit[1] = 0
    failed = libc.syscall(NUMBERS["prlimit64"], 0, resource.RLIMIT_CORE, ctypes.c_void_p(address), None)
    return failed == 0 and "changed a limit through a pointer aligned to 4 GiB"

ATTEMPTS = {
    "environment": [environment],
    "descriptors": [descriptors],
    "limits": [memory, open_files],
    "capabilities": [capabilities],
    "tracing": [tracing],
    "landlock": [read_outside, write_outside],
    "seccomp": [network, process, thread, signals, raised_limit],
}

def attack(row):
    layer = row["layer"]
    for attempt in ATTEMPTS[layer]:
        try:
            breach = attempt()
        except (OSError, RuntimeError, MemoryError, ValueError):
            continue
        if breach:
            return breach
    return ""
"""

_SLEEP = f"import time\ndef sleep(row):\n    time.sleep({_WAITS})\n    return 'slept past its time'\n"


def self_test(sandbox: Tested) -> list[LayerReport]:
    """Attack every layer that the sandbox's level promises; one report each."""
    promised = layers_of(sandbox.level)
    numbers = MACHINES[platform.machine()].numbers if platform.machine() in MACHINES else {}
    code = _ATTACKS.replace("__NUMBERS__", json.dumps(dict(numbers))).replace("__TOO_MUCH__", str(_MEMORY_MB << 21))
    attacked = [layer for layer in promised if layer != "clock"]
    limits = Limits(function_seconds=20, memory_mb=_MEMORY_MB)
    (attack,) = sandbox.run([FunctionSource("attack", code)], _rows(attacked), limits=limits)
    (sleep,) = sandbox.run(
        [FunctionSource("sleep", _SLEEP)], _rows(["clock"]), limits=Limits(function_seconds=_SECONDS)
    )
    if attack.status != "ok" or attack.rows_failed:
        return [LayerReport(layer, False, f"not tested: {attack.message}") for layer in promised]
    breaches = dict(zip(attacked, attack.column.to_pylist(), strict=True))
    breaches["clock"] = "" if sleep.status == "timeout" else "a function ran past its time"
    return [LayerReport(layer, breaches[layer] == "", str(breaches[layer])) for layer in promised]


def _rows(layers: list[str]) -> Tables:
    return Tables(rows=pd.DataFrame({"layer": layers}))


def require_passed(sandbox: Tested) -> None:
    """Refuse a sandbox if one of its layers does not hold."""
    broken = [f"{report.layer} ({report.breach})" for report in self_test(sandbox) if not report.held]
    if broken:
        raise InvalidInput(
            f"sandbox: the self-test of level {sandbox.level!r} failed: {'; '.join(broken)}. Untrusted code is not "
            "run. If this machine cannot do better, choose level='weak' explicitly; it is recorded."
        )
