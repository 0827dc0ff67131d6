"""Options of every command that reads a results folder and compares what is in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.cli.shared.options import cluster_option, folder_argument, track_option

__all__ = ["results_options"]


def results_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``DIR``, ``--track`` and ``--clusters``; the command gets what they choose as one argument, ``results``."""

    @folder_argument
    @track_option
    @cluster_option
    @functools.wraps(function)
    def command(*arguments: Any, folder: Path, track_name: str | None, clusters: tuple[str, ...], **others: Any) -> Any:
        from assay.cli.shared.summary import chosen

        return function(*arguments, results=chosen(folder, track_name, clusters), **others)

    return command
