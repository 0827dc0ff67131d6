"""Can a program be started at all? Its execute bit and its interpreter are looked at, nothing is run."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import Final

from assay.core import InvalidInput
from assay.harness.programs.program import Program

__all__ = ["demand_startable"]

_FIRST_LINE: Final = 256  # bytes that the kernel reads of it
_ENV: Final = "env"
_NO_PROGRAMS: Final = (
    ".csv",
    ".tsv",
    ".json",
    ".jsonl",
    ".ipynb",
    ".txt",
    ".md",
    ".toml",
    ".yaml",
    ".xlsx",
    ".parquet",
)


def demand_startable(program: Program, *, name: str) -> None:
    """Refuse a program that the system could not start; what is not here is not in the confined process either."""
    first = program.words[0]
    if "/" not in first:
        if shutil.which(first) is None:
            raise InvalidInput(f"subject {name!r}: no program {first!r} on the PATH. Install it, or give its path.")
        return
    path = program.root / first
    if not path.is_file():
        raise InvalidInput(f"subject {name!r}: there is no program {first!r}.")
    shown = _shown(path)
    if path.suffix.lower() in _NO_PROGRAMS:
        raise InvalidInput(
            f"subject {name!r}: {shown} is not a program. A subject is a name, a Python file with solve(task, budget), "
            "module:object, a program, or a folder of precomputed answers."
        )
    if not os.access(path, os.X_OK):
        raise InvalidInput(f"subject {name!r}: {shown} is not executable. Make it so: chmod +x {shlex.quote(shown)}")
    with path.open("rb") as file:
        head = file.read(_FIRST_LINE)
    if head.startswith(b"#!"):
        _demand_interpreter(head, name, shown)
    elif head and b"\0" not in head and _is_text(head):
        raise InvalidInput(
            f"subject {name!r}: {shown} is a text that names no interpreter. Let its first line name one, "
            "as in #!/usr/bin/env python3 or #!/bin/sh."
        )


def _demand_interpreter(head: bytes, name: str, shown: str) -> None:
    line = head[2:].partition(b"\n")[0].decode("utf-8", errors="replace")
    if line.endswith("\r"):
        raise InvalidInput(
            f"subject {name!r}: the lines of {shown} end as Windows ends them, so that its interpreter is not found. "
            f"Convert it: sed -i 's/\\r$//' {shlex.quote(shown)}"
        )
    words = line.split()
    if not words:
        raise InvalidInput(f"subject {name!r}: the first line of {shown} names no interpreter after #!.")
    interpreter, *rest = words
    command = next((word for word in rest if not word.startswith("-") and "=" not in word), None)
    if Path(interpreter).name == _ENV and Path(interpreter).is_file() and command is not None:
        interpreter = command
    is_there = Path(interpreter).is_file() if "/" in interpreter else shutil.which(interpreter) is not None
    if not is_there:
        raise InvalidInput(
            f"subject {name!r}: {shown} names the interpreter {interpreter!r} in its first line, which is not here. "
            "Install it, or name another one."
        )


def _is_text(head: bytes) -> bool:
    try:
        head[:-4].decode("utf-8")  # the end may cut a letter
    except UnicodeDecodeError:
        return False
    return True


def _shown(path: Path) -> str:
    """The path as the user can type it in the working folder."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
