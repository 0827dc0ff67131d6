"""Engines that run cells: two are built in, packages add others through the entry points ``assay.runners``."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol, cast

from assay.core import InvalidInput, UnknownName
from assay.harness.runners.local import LocalRunner
from assay.harness.runners.protocol import Lost, Runner

__all__ = ["GROUP", "LocalRunner", "Lost", "Runner", "RunnerFactory", "find_runner", "make_runner", "runner_names"]

GROUP = "assay.runners"  # of entry points: NAME = package.module:factory


class RunnerFactory(Protocol):
    """What an entry point names: it makes a runner from what the command line was given."""

    def __call__(self, workers: int | None, /, *, address: str | None, scratch: Path | None) -> Runner:
        """A runner of so many workers, by default as many as it sees fit.

        ``address`` is where something runs already that it shall use; ``scratch`` is a folder for its workers.
        """


def make_local(workers: int | None, /, *, address: str | None = None, scratch: Path | None = None) -> Runner:
    """Processes of this machine."""
    if address is not None:
        raise InvalidInput("an address needs the runner 'ray'.")
    return LocalRunner(workers or 1, scratch=scratch)


def make_ray(workers: int | None, /, *, address: str | None = None, scratch: Path | None = None) -> Runner:
    """A Ray cluster: one of its own on this machine, or the one at the address."""
    from assay.harness.runners.ray import RayRunner

    return RayRunner(workers, address=address, scratch=scratch)


_BUILT_IN: dict[str, RunnerFactory] = {"local": make_local, "ray": make_ray}  # also where packages are not installed


def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP) if entry.name not in _BUILT_IN}


def runner_names() -> tuple[str, ...]:
    """The names of all installed runners, sorted; none is imported."""
    return tuple(sorted({*_BUILT_IN, *_entries()}))


def find_runner(name: str) -> RunnerFactory:
    """What makes the runner of that name."""
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    entry = _entries().get(name)
    if entry is None:
        raise UnknownName("runner", name, runner_names())
    try:
        factory: Any = entry.load()
    except (ImportError, AttributeError) as error:
        raise InvalidInput(f"runner {name!r} ({entry.value}) cannot be imported: {error}.") from error
    if not callable(factory):
        raise InvalidInput(f"runner {name!r}: {entry.value} is not a function that makes a runner.")
    return cast("RunnerFactory", factory)


def make_runner(name: str, workers: int | None, *, address: str | None = None, scratch: Path | None = None) -> Runner:
    """The runner of that name; ``address`` is that of a cluster which runs already."""
    runner = find_runner(name)(workers, address=address, scratch=scratch)
    if not callable(getattr(runner, "map", None)):
        raise InvalidInput(f"runner {name!r}: its factory gives {type(runner).__name__}, which has no method map.")
    return runner
