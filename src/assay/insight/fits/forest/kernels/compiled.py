"""Compile numeric kernels once, keep the machine code on disk, and say so when the first run has to wait."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import cache, cached_property, update_wrapper
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

from assay.core.files.digest import digest_files, digest_json
from assay.insight.fits.forest.kernels.machine_code import NotKept, describe, emit, load, processor

__all__ = ["compiled", "numba_missing"]

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

_HERE = Path(__file__).parent
_FOLDER = "NUMBA_CACHE_DIR"
_MACHINE = "machine-"  # folders of kept code

_log = logging.getLogger("assay.insight")


@cache
def numba_missing() -> str:
    """Why kernels cannot be compiled here; empty when they can, or were."""
    if (folder := _code_folder()) is not None and folder.is_dir():
        return ""
    try:
        _numba()
    except ImportError as error:
        return f"numba cannot be imported ({error})"
    return ""


def _own_folder() -> Path:
    """Where machine code is kept: beside the sources, or with the user where those cannot be written."""
    if os.access(_HERE, os.W_OK):
        return _HERE / "__pycache__"
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "assay" / "numba" / _stamp(_HERE)[:16]


@cache
def _code_folder() -> Path | None:
    """The folder of machine code for these sources, this compiler and its settings, and this processor; or None."""
    if not (target := processor()):
        return None
    try:
        facts = [target, *(version(name) for name in ("numba", "llvmlite", "numpy"))]
    except PackageNotFoundError:
        return None
    base = os.environ.get(_FOLDER)
    settings = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_") and name != _FOLDER}
    facts += (f"{name}={settings[name]}" for name in sorted(settings))
    return (Path(base) if base else _own_folder()) / f"{_MACHINE}{_stamp(_HERE)[:16]}-{digest_json(facts)[:16]}"


@cache
def _numba() -> Any:
    if _FOLDER not in os.environ and (own := _own_folder()).name != "__pycache__":
        os.environ[_FOLDER] = str(own)  # read when numba is first imported
    collecting = gc.isenabled()
    gc.disable()  # what an import makes stays: searching it for garbage takes a fifth of its time
    try:
        import numba
    finally:
        if collecting:
            gc.enable()

    _forget_stale_code(_HERE)
    _announce_compilation()
    return numba


def _forget_stale_code(folder: Path) -> None:
    """Drop kept machine code when any kernel's source has changed.

    The compiler looks only at the file of a kernel itself, so a change in a helper that was compiled into it would go
    unnoticed.
    """
    stamp = _stamp(folder)
    code_folder = folder / "__pycache__"
    note = code_folder / "kernels.stamp"
    try:
        if note.is_file() and note.read_text() == stamp:
            return
        for index in code_folder.glob("*.nbi"):
            index.unlink(missing_ok=True)
        for machine in code_folder.glob(f"{_MACHINE}*"):
            shutil.rmtree(machine, ignore_errors=True)
        code_folder.mkdir(exist_ok=True)
        note.write_text(stamp)
    except OSError as error:  # a folder that cannot be written holds nothing of this kind
        _log.debug("kept machine code was not looked at: %s", error)


def _stamp(folder: Path) -> str:
    return digest_files({path.name: path for path in folder.glob("*.py")})


def _announce_compilation() -> None:
    """Say, once per module, that its kernels are being compiled; loading them from disk is not compiling."""
    from numba.core import event

    announced: set[str] = set()

    class Announcer(event.Listener):
        def on_start(self, event: Any) -> None:
            module = str(event.data["dispatcher"].py_func.__module__)
            if module.startswith("assay.") and module not in announced:
                announced.add(module)
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


class Kernel:
    """A function that runs as machine code: kept code where there is some, else compiled at the first call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._loaded: dict[str, Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        kind = describe(arguments)
        run = self._loaded.get(kind) or self._find(kind, arguments)
        return run(*arguments)

    def _find(self, kind: str, arguments: Sequence[Any]) -> Callable[..., Any]:
        """Kept code for arguments of this kind, which is compiled if there is none; else what the compiler makes."""
        run = None
        if (path := self._path(kind)) is not None:
            run = self._load(path, arguments)
            if run is None:
                self._keep(path, arguments)
                run = self._load(path, arguments)
        if run is None:
            run = self.dispatcher
        if kind:
            self._loaded[kind] = run
        return run

    def _path(self, kind: str) -> Path | None:
        """Where code for arguments of this kind is kept; None for those whose sources are not watched."""
        watched = Path(self._function.__code__.co_filename).parent == _HERE
        if not kind or not watched or (folder := _code_folder()) is None:
            return None
        name = f"{self._function.__module__}.{self._function.__qualname__}"
        return folder / f"{name.rpartition('kernels.')[2]}-{digest_json(kind)[:16]}.o"

    def _load(self, path: Path, arguments: Sequence[Any]) -> Callable[..., Any] | None:
        try:
            return load(path.read_bytes(), arguments, gives=self._function.__annotations__["return"] != "None")
        except FileNotFoundError:
            return None
        except (OSError, NotKept) as error:
            _log.debug("kept machine code was not used: %s", error)
            return None

    def _keep(self, path: Path, arguments: Sequence[Any]) -> None:
        try:
            types = tuple(map(_numba().typeof, arguments))
            self.dispatcher.compile(types)
            code = emit(self.dispatcher.overloads[types], arguments)
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_suffix(f".{os.getpid()}")
            draft.write_bytes(code)
            draft.replace(path)
        except Exception as error:  # noqa: BLE001 (of whatever kind, the compiler's own ways remain)
            _log.debug("machine code of %s is not kept apart: %s", self._function.__name__, error)

    @cached_property
    def dispatcher(self) -> Any:
        """What the compiler makes of the function."""
        options = {"fastmath": False, "nogil": True, "error_model": "numpy"}
        try:
            decorated: Any = _numba().njit(cache=True, **options)(self._function)
        except RuntimeError as error:  # no folder to keep it in
            _log.info("compiled kernels cannot be kept for later runs: %s", error)
            return _numba().njit(**options)(self._function)
        if (quick := _quick_cache()) is not None:
            decorated._cache = quick(self._function)
        return decorated

    @property
    def _numba_type_(self) -> Any:
        """To the compiler, a kernel that another one calls is what it made of it."""
        return self.dispatcher._numba_type_


def compiled(function: FunctionT) -> FunctionT:
    """The function as machine code: exact floating point, no interpreter lock, kept on disk.

    Neither importing nor running it imports the compiler when its code is kept.
    """
    return cast(FunctionT, Kernel(function))


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

        complete = hasattr(own, "_load_overload") and hasattr(environment, "importlib")
        return QuickCache if complete else None
    except (ImportError, AttributeError):  # another compiler version: its own way
        return None
