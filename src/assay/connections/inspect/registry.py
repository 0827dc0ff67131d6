"""The tasks that ``inspect eval assay/TRACK`` finds through the entry point ``inspect_ai``."""

from __future__ import annotations

from typing import Any

from inspect_ai import task

from assay.connections.inspect.tasks import make_task

__all__ = ["cases", "conformal", "drift", "formula", "insight"]


@task  # type: ignore[untyped-decorator, unused-ignore]
def cases(problems: str = "builtin", sandbox: str | None = None) -> Any:
    """Problems of the track cases."""
    return make_task("cases", problems, sandbox=sandbox)


@task  # type: ignore[untyped-decorator, unused-ignore]
def conformal(problems: str = "builtin", sandbox: str | None = None) -> Any:
    """Problems of the track conformal."""
    return make_task("conformal", problems, sandbox=sandbox)


@task  # type: ignore[untyped-decorator, unused-ignore]
def drift(problems: str = "builtin", sandbox: str | None = None) -> Any:
    """Problems of the track drift."""
    return make_task("drift", problems, sandbox=sandbox)


@task  # type: ignore[untyped-decorator, unused-ignore]
def formula(problems: str = "builtin", sandbox: str | None = None) -> Any:
    """Problems of the track formula."""
    return make_task("formula", problems, sandbox=sandbox)


@task  # type: ignore[untyped-decorator, unused-ignore]
def insight(problems: str = "builtin", sandbox: str | None = None) -> Any:
    """Problems of the track insight."""
    return make_task("insight", problems, sandbox=sandbox)
