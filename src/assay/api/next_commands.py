"""Commands to type next: they keep every option that both ``assay check`` and ``assay run`` take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from assay.core import get_track
from assay.harness import RunSpec
from assay.harness.plan import Cell
from assay.report.wording import shell_command

__all__ = ["check_command", "run_call", "run_command"]

_FLAGS: Final[Mapping[str, str]] = {"network": "--allow-network", "environment": "--pass-env", "settings": "--set"}
_DEFAULTS: Final = {part.name: part.default for part in fields(RunSpec)}


def check_command(cell: Cell, folder: str) -> str:
    """The command that tries a cell's subject on the problem in this folder, under the limits of the cell."""
    words = ["assay", "check", cell.subject.reference(), "--track", cell.track, "--problem", _near(folder)]
    return shell_command([*words, *_words(cell)])


def run_command(cell: Cell, subject: str, problems: str = "") -> str:
    """The command that runs a subject as the cell was run: on a folder of problems, or on all built-in ones."""
    words = ["assay", "run", cell.track, *(["--problems", problems] if problems else []), "--subject", subject]
    return shell_command([*words, *_words(cell)])


def run_call(cell: Cell, problems: str = "") -> str:
    """The same in Python, for a subject that has a name there."""
    chosen = {**({"problems": problems} if problems else {}), **_options(cell)}
    more = "".join(f", {name}={value!r}" for name, value in chosen.items())
    return f"assay.run({cell.track!r}, {cell.subject.name}{more})"


def _options(cell: Cell) -> dict[str, Any]:
    """What a cell was given beyond the defaults, as arguments of :func:`assay.run`."""
    defaults = get_track(cell.track).settings
    chosen = {
        "settings": {name: value for name, value in cell.settings.items() if value != defaults[name]},
        "seconds": cell.budget.seconds,
        "memory_mb": cell.budget.memory_mb,
        "isolation": cell.isolation.level,
        "network": cell.isolation.network,
        "readable": [*map(_near, cell.isolation.readable)],
        "environment": list(cell.isolation.environment),
    }
    return {name: value for name, value in chosen.items() if value and value != _DEFAULTS[name]}


def _words(cell: Cell) -> list[str]:
    """The same as words of a command line."""
    words: list[str] = []
    for name, value in _options(cell).items():
        flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
        if value is True:
            words.append(flag)
            continue
        values = [f"{key}={_text(entry)}" for key, entry in value.items()] if isinstance(value, dict) else value
        for entry in values if isinstance(values, list) else [values]:
            words += [flag, _text(entry)]
    return words


def _text(value: object) -> str:
    """A value as ``--set`` and the other options read it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _near(path: str) -> str:
    """A path as it is typed in the working folder."""
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path
