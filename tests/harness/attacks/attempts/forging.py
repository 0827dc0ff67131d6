"""Replacing parts of the interpreter and of the harness in its own process, to forge what is reported."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import gc
import importlib.abc
import json
import os
import pickle
import resource
import struct
import sys
import threading
import time
from typing import Any

from tests.harness.attacks import means

_LIES = {"status": "ok", "isolation": "container", "level": "container", "seconds": 0.0, "error": None, "lost": True}


def _lie(value: Any, depth: int = 0) -> Any:
    """Mappings and objects with the fields of a reply, changed in place."""
    if isinstance(value, dict):
        for name in set(_LIES) & set(value):
            value[name] = _LIES[name]
    elif depth < 3 and type(value).__module__.startswith("assay"):
        for name in set(_LIES) & set(dir(value)):
            with contextlib.suppress(Exception):
                object.__setattr__(value, name, _LIES[name])
    if depth < 3 and isinstance(value, list | tuple | dict):
        for entry in value.values() if isinstance(value, dict) else value:
            _lie(entry, depth + 1)
    return value


@means.limits(spent=0.7)
def clocks_that_stand_still(target: means.Target) -> object:
    now = time.monotonic()
    time.sleep(0.8)
    for name in ("monotonic", "perf_counter", "time", "process_time", "thread_time"):
        setattr(time, name, lambda now=now: now)
        setattr(time, f"{name}_ns", lambda now=now: int(now * 1e9))
    for module in list(sys.modules.values()):
        for name in ("monotonic", "perf_counter"):
            if hasattr(module, name):
                setattr(module, name, lambda now=now: now)
    return target.answer()


@means.limits(cpu=0.4)
def usage_that_is_nothing(target: means.Target) -> object:
    until = time.process_time() + 0.6
    while time.process_time() < until:
        pass
    nothing = resource.struct_rusage((0.0,) * 16)
    resource.getrusage = lambda who: nothing  # type: ignore[assignment]
    os.times = lambda: os.times_result((0.0,) * 5)  # type: ignore[assignment]
    time.process_time = lambda: 0.0
    return target.answer()


@means.limits(cpu=0.4)
def usage_spent_in_a_child(target: means.Target) -> object:
    def burn() -> None:
        until = time.process_time() + 0.6
        while time.process_time() < until:
            pass

    means.in_child(burn)
    return target.answer()


@means.limits(cpu=0.4)
def usage_spent_by_a_child_that_nobody_waits_for(target: means.Target) -> object:
    """Processor time of a child counts for its parent only when the parent waits."""

    def burn() -> None:
        until = time.process_time() + 0.6
        while time.process_time() < until:
            pass

    means.daemon(burn)
    time.sleep(1.0)
    return target.answer()


def isolation_that_is_claimed(target: means.Target) -> object:
    """Every object of the harness in this process is told that it is better isolated."""
    for value in gc.get_objects():
        if type(value).__module__.startswith("assay") and hasattr(value, "isolation"):
            with contextlib.suppress(Exception):
                object.__setattr__(value, "isolation", "container")
        if type(value).__module__.startswith("assay") and hasattr(value, "level"):
            with contextlib.suppress(Exception):
                object.__setattr__(value, "level", "container")
    return target.answer()


def functions_that_lie_about_failure(target: means.Target) -> object:
    """What is packed for the harness says that all went well."""
    for module, name in ((json, "dumps"), (pickle, "dumps")):
        honest = getattr(module, name)
        setattr(module, name, lambda value, *rest, honest=honest, **named: honest(_lie(value), *rest, **named))
    raise ValueError("a failure")


def frames_of_the_callers_changed(target: means.Target) -> object:
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        for value in list(frame.f_locals.values()):
            _lie(value)
        for name in set(_LIES) & set(frame.f_globals):
            frame.f_globals[name] = _LIES[name]
    return target.answer()


def functions_of_the_harness_replaced(target: means.Target) -> object:
    """All that could examine, check or measure does nothing any more."""
    for name, module in list(sys.modules.items()):
        if name.startswith("assay"):
            for key, value in list(vars(module).items()):
                if callable(value) and any(word in key for word in ("examine", "score", "check", "demand", "auroc")):
                    setattr(module, key, lambda *rest, **named: 1.0)
    return target.answer()


def built_in_functions_replaced(target: means.Target) -> object:
    builtins.isinstance = lambda *rest: True  # type: ignore[assignment]
    builtins.len = lambda value: 40  # type: ignore[assignment]
    builtins.getattr = lambda value, name, *rest: 1.0  # type: ignore[assignment]
    return target.answer()


def struct_and_sockets_replaced(target: means.Target) -> object:
    """Lengths of messages are wrong."""
    honest = struct.pack
    struct.pack = lambda form, *rest: honest(form, *[0 if isinstance(value, int) else value for value in rest])
    return target.answer()


def writes_of_the_process_replaced(target: means.Target) -> object:
    honest = os.write
    os.write = lambda number, data: honest(
        number, bytes(data).replace(b'"failed"', b'"ok"').replace(b"confined", b"container")
    )
    raise ValueError("a failure")


def modules_that_are_imported_later(target: means.Target) -> object:
    class Finder(importlib.abc.MetaPathFinder):
        def find_spec(self, name: str, path: object = None, target: object = None) -> None:
            if name.startswith("assay"):
                raise SystemExit(0)

    sys.meta_path.insert(0, Finder())
    return target.answer()


def handlers_at_exit(target: means.Target) -> object:
    atexit.register(lambda: os._exit(0))
    atexit.register(lambda: time.sleep(3))
    sys.excepthook = lambda *rest: os._exit(0)
    return target.answer()


def thread_that_goes_on(target: means.Target) -> object:
    """It works on the answer after that was given."""
    answer = target.answer()

    def change() -> None:
        for step in range(2000):
            with contextlib.suppress(Exception):
                answer.scores[:] = step / 2000
            time.sleep(0.001)

    threading.Thread(target=change, daemon=False).start()
    return answer


def trace_function_in_the_callers(target: means.Target) -> object:
    def trace(frame: Any, event: str, value: Any) -> Any:
        for entry in list(frame.f_locals.values()):
            _lie(entry)
        return trace

    sys.settrace(trace)
    frame = sys._getframe().f_back
    while frame is not None:
        frame.f_trace = trace
        frame = frame.f_back
    return target.answer()


def recursion_and_hash_settings(target: means.Target) -> object:
    sys.setrecursionlimit(60)
    sys.setswitchinterval(100.0)
    gc.disable()
    return target.answer()


def task_changed_in_place(target: means.Target) -> object:
    """If the examiner shared it, all predictions would be right."""
    for name in dir(target.task):
        value = getattr(target.task, name)
        if hasattr(value, "setflags"):
            with contextlib.suppress(ValueError):
                value.setflags(write=True)
                value[...] = 0
    return target.answer()


def truth_in_the_objects_of_its_process(target: means.Target) -> str | None:
    """A harness that forks after loading leaves the truth in memory."""
    for value in gc.get_objects():
        if type(value).__name__ in ("CasesTruth", "Problem", "CasesEvidence"):
            return f"found {type(value).__name__}"
    return None


def truth_in_the_frames_of_its_callers(target: means.Target) -> str | None:
    frame = sys._getframe().f_back
    while frame is not None:
        for name, value in frame.f_locals.items():
            if not isinstance(value, means.Target) and ("truth" in name.lower() or hasattr(value, "truth")):
                return f"found {name} in {frame.f_code.co_name}"
        frame = frame.f_back
    return None


def paths_in_the_objects_of_its_process(target: means.Target) -> str | None:
    """Texts of the harness that name the problem tell which truth it is; names alone are no secret, the id is."""
    name = os.path.basename(target.problem)
    for value in gc.get_objects():
        if isinstance(value, dict) and value.get("problem") == name:
            return "the cell names its problem"
    return None


def pickle_of_the_budget_class_replaced(target: means.Target) -> object:
    """Classes of the harness that pickle to something else."""
    for value in {type(entry) for entry in gc.get_objects() if type(entry).__module__.startswith("assay")}:
        with contextlib.suppress(Exception):
            value.__reduce__ = lambda self: (os.system, (f"touch {target.mark()}",))  # type: ignore[method-assign,assignment]
    return target.answer()
