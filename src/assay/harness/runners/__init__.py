"""Engines that run cells."""

from __future__ import annotations

from pathlib import Path

from assay.core import InvalidInput, UnknownName
from assay.harness.runners.local import LocalRunner
from assay.harness.runners.protocol import Lost, Runner

__all__ = ["RUNNERS", "LocalRunner", "Lost", "Runner", "make_runner"]

RUNNERS = ("local", "ray")


def make_runner(name: str, workers: int | None, *, address: str | None = None, scratch: Path | None = None) -> Runner:
    """The runner of that name; ``address`` is that of a Ray cluster which runs already."""
    if name not in RUNNERS:
        raise UnknownName("runner", name, RUNNERS)
    if name == "local":
        if address is not None:
            raise InvalidInput("an address belongs to the runner 'ray'.")
        return LocalRunner(workers or 1, scratch=scratch)
    from assay.harness.runners.ray import RayRunner

    return RayRunner(workers, address=address, scratch=scratch)
