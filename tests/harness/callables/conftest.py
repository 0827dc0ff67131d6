"""Values as a script would define them, and what their captured files give back."""

from __future__ import annotations

import importlib.util
import io
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from assay.harness.callables import capture

Script = Callable[[str], ModuleType]
Recapture = Callable[[object], Any]


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    """Run source as the script that was started, in this process."""

    ran: list[ModuleType] = []

    def run(source: str) -> ModuleType:
        path = tmp_path / "script.py"
        path.write_text(source)
        main = ModuleType("__main__")
        main.__file__ = str(path)
        monkeypatch.setitem(sys.modules, "__main__", main)
        exec(compile(source, str(path), "exec", dont_inherit=True), vars(main))
        ran.append(main)
        return main

    yield run
    for value in [value for main in ran for value in vars(main).values()]:
        if isinstance(value, io.IOBase | sqlite3.Connection):
            value.close()


def load(path: Path) -> Any:
    """The subject of a captured file, imported as the harness does it."""
    spec = importlib.util.spec_from_file_location("subject", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["subject"] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
        del sys.modules["subject"]
    return module.subject


@pytest.fixture
def recapture(tmp_path: Path) -> Recapture:
    """A value after it went through a file; nothing of the script is left but that file."""

    def through(value: object) -> Any:
        return load(capture(value, tmp_path / "captured", name="value"))

    return through
