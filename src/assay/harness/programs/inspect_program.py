"""``inspect(task="agent.py@name", model="...")``: a task of Inspect AI as a program, and so as a subject."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from assay.core import Call, InvalidInput, MissingExtra, digest_json
from assay.core.files.digest import digest_files
from assay.harness.programs.program import COMMAND, Program, demand_parameters, read_program

__all__ = ["INSPECT", "digest_inspect", "read_inspect"]

INSPECT: Final = "inspect"
_MODULE: Final = "assay.connections.inspect.solving"  # started as a program, never imported here
_PARAMETERS: Final = ("task", "model", "folder")


def read_inspect(call: Call, track: str, here: Path) -> Program:
    """The program that puts a task's question to the solver of an Inspect task, with the files that belong to it."""
    demand_parameters(call, _PARAMETERS)
    task, model = call.parameters.get("task"), call.parameters.get("model", "")
    if not isinstance(task, str) or not task.partition("@")[0].endswith(".py") or not isinstance(model, str):
        raise InvalidInput(
            f"subject {INSPECT!r}: give a Python file with a task of Inspect, as in "
            "inspect(task='agent.py@name', model='openai/gpt-4o')."
        )
    if find_spec("inspect_ai") is None:
        raise MissingExtra(f"subject {INSPECT!r}", "inspect-ai", INSPECT)
    file, _, name = task.partition("@")
    folder = call.parameters.get("folder")
    root = here if folder is None else here / str(folder)
    if not (root / file).is_file():
        raise InvalidInput(f"subject {str(call)!r}: there is no file {file!r} in {root}.")
    words = [sys.executable, "-m", _MODULE, "--track", track]
    words += ["--name", name] * bool(name) + ["--model", model] * bool(model) + [file]
    options = {} if folder is None else {"folder": folder}
    return read_program(Call(COMMAND, {"run": shlex.join(words), **options}), here)


def digest_inspect(call: Call, program: Program) -> str:
    """Of the parameters and the files: where Python lies on a machine makes no other subject."""
    parameters = {name: value for name, value in call.parameters.items() if name != "folder"}
    return digest_json({"inspect": parameters, "files": digest_files(program.paths)})
