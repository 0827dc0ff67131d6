"""Compile numeric kernels once, keep the machine code on disk, and say so when the first run has to wait."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

from assay.core.files.digest import digest_files

__all__ = ["compiled", "numba_missing"]

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

_log = logging.getLogger("assay.insight")


@cache
def numba_missing() -> str:
    """Why kernels cannot be compiled here; empty when they can."""
    try:
        _numba()
    except ImportError as error:
        return f"numba cannot be imported ({error})"
    return ""


@cache
def _numba() -> Any:
    if "NUMBA_CACHE_DIR" not in os.environ and not os.access(Path(__file__).parent, os.W_OK):
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        kept = Path(base) / "assay" / "numba" / _stamp(Path(__file__).parent)[:16]
        os.environ["NUMBA_CACHE_DIR"] = str(kept)  # read when numba is first imported
    collects = gc.isenabled()
    gc.disable()  # what an import makes stays: searching it for garbage takes a fifth of its time
    try:
        import numba
    finally:
        if collects:
            gc.enable()

    _forget_stale_code(Path(__file__).parent)
    _announce_compilation()
    return numba


def _forget_stale_code(folder: Path) -> None:
    """Drop kept machine code when any kernel's source has changed.

    The compiler looks only at the file of a kernel itself, so a change in a helper that was compiled into it would go
    unnoticed.
    """
    stamp = _stamp(folder)
    kept = folder / "__pycache__"
    note = kept / "kernels.stamp"
    try:
        if note.is_file() and note.read_text() == stamp:
            return
        for index in kept.glob("*.nbi"):
            index.unlink(missing_ok=True)
        kept.mkdir(exist_ok=True)
        note.write_text(stamp)
    except OSError as error:  # a folder that cannot be written holds nothing of this kind
        _log.debug("kept machine code was not looked at: %s", error)


def _stamp(folder: Path) -> str:
    return digest_files({path.name: path for path in folder.glob("*.py")})


def _announce_compilation() -> None:
    """Say, once per module, that its kernels are being compiled; loading them from disk is not compiling."""
    from numba.core import event

    told: set[str] = set()

    class Announcer(event.Listener):
        def on_start(self, event: Any) -> None:
            module = str(event.data["dispatcher"].py_func.__module__)
            if module.startswith("assay.") and module not in told:
                told.add(module)
                _log.info("compiling %s for this machine, once (some seconds)", module.rpartition(".")[2])

        def on_end(self, event: Any) -> None:
            """Nothing to say."""

    register: Any = event.register  # untyped
    register("numba:compile", Announcer())


class _NamedOnly:
    """Stands in for the import of the compiler's modules while kept machine code is loaded."""

    @staticmethod
    def import_module(name: str) -> ModuleType:
        """A module that is loaded already or is not the compiler's; otherwise an empty one of that name."""
        if name in sys.modules or not name.startswith("numba."):
            return import_module(name)
        return ModuleType(name)


def compiled(function: FunctionT) -> FunctionT:
    """The function as machine code: exact floating point, no interpreter lock, cached on disk.

    Kernels live in modules that are imported only when a fit needs them, so that nothing else pays for the compiler.
    """
    options = {"fastmath": False, "nogil": True, "error_model": "numpy"}
    try:
        decorated: Any = _numba().njit(cache=True, **options)(function)
    except RuntimeError as error:  # no folder to keep it in
        _log.info("compiled kernels cannot be kept for later runs: %s", error)
        return cast(FunctionT, _numba().njit(**options)(function))
    if (quick := _quick_cache()) is not None:
        decorated._cache = quick(function)
    return cast(FunctionT, decorated)


@cache
def _quick_cache() -> Any:
    """A cache that loads machine code without first loading all that would be needed to compile; None if unknown.

    The compiler's own loads every implementation it knows (half a second) before it looks. Machine code that is kept
    needs the runtime only; where none is kept, compiling loads the rest as ever. Kept code also names the compiler's
    modules that it was made from, for code that goes back to the interpreter, which ours never does.
    """
    try:
        own: Any = import_module("numba.core.caching").FunctionCache
        runtime: Any = import_module("numba.core.runtime").rtsys
        environment: Any = import_module("numba.core.environment")

        class QuickCache(own):  # type: ignore[misc]
            def load_overload(self, sig: Any, target_context: Any) -> Any:
                runtime.initialize(target_context)
                imports, environment.importlib = environment.importlib, _NamedOnly
                try:
                    with self._guard_against_spurious_io_errors():
                        return self._load_overload(sig, target_context)
                finally:
                    environment.importlib = imports

        known = hasattr(own, "_load_overload") and hasattr(environment, "importlib")
        return QuickCache if known else None
    except (ImportError, AttributeError):  # another compiler version: its own way
        return None
