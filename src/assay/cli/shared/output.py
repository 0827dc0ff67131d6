"""What commands write: files that are whole or absent, JSON to a file or the screen, folders of new problems."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from assay.cli.shared.gate import NO_GATES, Gating
from assay.core import AnyTrack, plain
from assay.core.display import counted, wrapped
from assay.core.files.drafts import new_folder

__all__ = [
    "chatter_aside",
    "echo_wrapped",
    "new_problems",
    "replace_problems",
    "stop_cleanly_when_terminated",
    "write_json",
    "write_text",
]


def echo_wrapped(text: str, *, first: str = "", rest: str = "  ", err: bool = False) -> None:
    """Echo a sentence on lines as wide as the terminal; a word that is longer, such as a path, stays whole."""
    lines = wrapped(text, shutil.get_terminal_size().columns, first=first, rest=rest)
    click.echo("\n".join(lines), err=err)


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole and say so."""
    from assay.report.export.files import write_whole

    write_whole(path, text.encode())
    click.echo(f"wrote {path}", err=True)


def write_json(path: Path | None, body: Callable[[], Any], *, text: Callable[[], str]) -> bool:
    """Print JSON where the path is ``-``; else print the text, and write JSON to the file, if one is named.

    Says whether the text was printed: beside JSON on the screen nothing else belongs there.
    """
    if path is not None and str(path) == "-":
        click.echo(json.dumps(plain(body()), ensure_ascii=False, indent=2, allow_nan=False))
        return False
    click.echo(text())
    if path is not None:
        write_text(path, json.dumps(plain(body()), ensure_ascii=False, allow_nan=False))
    return True


@contextmanager
def chatter_aside() -> Iterator[None]:
    """Send what libraries print meanwhile, from Python or C, to standard error; standard output stays clean."""
    sys.stdout.flush()
    stdout = os.dup(1)
    try:
        os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        with suppress(OSError, AttributeError):  # what C code printed leaves its buffer while that leads elsewhere
            ctypes.CDLL(None).fflush(None)
        os.dup2(stdout, 1)
        os.close(stdout)


@contextmanager
def new_problems(out: Path) -> Iterator[Path]:
    """A draft to fill, which becomes ``out`` at the end; problems are counted then, and a failure leaves nothing."""
    with new_folder(out) as draft:
        yield draft
    click.echo(f"wrote {counted(sum(1 for entry in out.iterdir() if entry.is_dir()), 'problem')} to {out}")


@contextmanager
def replace_problems(
    folder: Path, track: AnyTrack, subjects: Sequence[str], gating: Gating = NO_GATES
) -> Iterator[Path]:
    """A folder to write problems into, which takes the place of ``folder`` as a whole at the end.

    What an earlier call left behind must not be scored. A mistake in subjects or gates surfaces before anything is
    written.
    """
    from assay.harness import resolve_subject

    refs = [resolve_subject(subject, track) for subject in subjects]
    if gating.gates or gating.junit:
        from assay.report import Contest

        gating.check([Contest(track, tuple(ref.name for ref in refs))])
    with tempfile.TemporaryDirectory() as draft:
        place = Path(draft) / "problems"
        yield place
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(place, folder)


def stop_cleanly_when_terminated() -> None:
    """SIGTERM ends a command as Ctrl-C does: finished cells are kept, workers are ended, temporary folders removed."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    if sys.platform != "win32":
        signal.signal(signal.SIGTERM, stop)
