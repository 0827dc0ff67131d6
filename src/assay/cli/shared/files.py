"""Files and folders that commands write, whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from assay.core import InvalidInput

__all__ = ["demand_new", "problem_folder", "write_text"]


def demand_new(folder: Path) -> None:
    """Refuse a folder that has something in it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"{folder}: already there and not empty. Choose a new folder.")


@contextmanager
def problem_folder(folder: Path) -> Iterator[None]:
    """A new folder for problems: emptied when writing them fails, else said how many there are."""
    demand_new(folder)
    existed = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        if existed:
            folder.mkdir()
        raise
    click.echo(f"wrote {sum(1 for entry in folder.iterdir() if entry.is_dir())} problems to {folder}")


def write_text(path: Path, text: str) -> None:
    """Write a file, and say so."""
    from assay.report.export.files import write_whole

    write_whole(path, text.encode())
    click.echo(f"wrote {path}", err=True)
