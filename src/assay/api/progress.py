"""The progress of a run: a bar in a terminal, a display that updates in place in a notebook, else notices alone."""

from __future__ import annotations

import logging
import math
import sys
import time
from collections import Counter
from html import escape
from typing import Any

from assay.harness.driver.progress import NoProgress, Progress
from assay.harness.plan import Cell
from assay.report.wording import duration, shown

__all__ = ["BarProgress", "LineProgress", "NotebookProgress", "choose_progress"]

_EVERY = 0.2  # seconds between two updates of a notebook
_WHILE = 10.0  # seconds between two lines of a script


def choose_progress(progress: Progress | bool | None) -> Progress:
    """The given one; by default what suits the place, and only notices where standard error is not a terminal."""
    if progress is None or progress is True:
        if _in_notebook():
            return NotebookProgress()
        if sys.stderr is not None and sys.stderr.isatty():
            return BarProgress()
        return LineProgress(begun=progress is None)
    return NoProgress() if progress is False else progress


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this code; IPython in a terminal has no kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


class _Noticing:
    """Says what the user must know before the run."""

    def notice(self, line: str) -> None:
        """A line on standard error, unless the log of Assay is shown there already."""
        if not logging.getLogger("assay").isEnabledFor(logging.INFO):
            _write(line)


def _write(line: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"assay: {shown(line)}\n")


class LineProgress(_Noticing, NoProgress):
    """For scripts: notices, and lines where planning takes long; nothing that moves.

    Unless it counts as ``begun``, the first line comes at once.
    """

    def __init__(self, *, begun: bool = False) -> None:
        self._last_time = time.monotonic() if begun else -math.inf

    def status(self, line: str) -> None:
        """The first is a sign of life; of the others those that come after a while."""
        if time.monotonic() - self._last_time >= _WHILE:
            _write(line)
            self._last_time = time.monotonic()


class _Counted(_Noticing):
    """What both displays say in words."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def _note(self) -> str:
        troubles = [f"{self._counts[kind]} {kind}" for kind in ("failed", "lost") if self._counts[kind]]
        return ", ".join(troubles)


class BarProgress(_Counted):
    """Cells finished, failed and left, with the time that remains; on standard error, so that output stays clean."""

    def __init__(self) -> None:
        super().__init__()
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar
        from rich.progress import TimeRemainingColumn as Remaining

        console = Console(stderr=True)
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            Remaining(),
            console=console,
            transient=False,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("cells", total=None, note="")
        self._line = console.status("")
        self._moving: set[str] = set()

    def status(self, line: str) -> None:
        """What is being done before the first cell, on a line that goes away."""
        self._line.update(_escaped(shown(line)))
        if self._bar.console.is_terminal and not self._moving:
            self._line.start()
            self._moving.add("line")

    def start(self, total: int, done: int) -> None:
        """Show the bar; what the store has already counts as done."""
        self._line.stop()
        note = f"{done} from the store" if done else "starting workers" if total else ""
        self._bar.update(self._task, total=total, completed=done, note=note)
        self._bar.start()
        self._moving.add("bar")

    def advance(self, cell: Cell, status: str) -> None:
        """One more cell."""
        self._counts[status] += 1
        self._bar.update(self._task, advance=1, note=self._note())

    def stop(self) -> None:
        """Leave the last state on the screen."""
        self._line.stop()
        if "bar" in self._moving:
            self._bar.stop()


def _escaped(text: str) -> str:
    from rich.markup import escape as escape_markup

    return escape_markup(text)


class NotebookProgress(_Counted):
    """The same in a notebook's output, as one display that is replaced; needs no widgets."""

    def __init__(self) -> None:
        super().__init__()
        self._total = self._finished = self._before = 0
        self._started = self._shown = time.monotonic()
        self._handle: Any = None
        self._status = ""  # before the first cell

    def status(self, line: str) -> None:
        """What is being done before the first cell."""
        self._status = shown(line)
        if self._handle is None or time.monotonic() - self._shown >= _EVERY:
            self._draw()

    def start(self, total: int, done: int) -> None:
        """Show the display; what the store has already counts as done."""
        self._total, self._finished, self._before = total, done, done
        self._started = time.monotonic()
        self._status = ""
        self._draw()

    def advance(self, cell: Cell, status: str) -> None:
        """One more cell; the display is not replaced more often than an eye can follow."""
        self._counts[status] += 1
        self._finished += 1
        if time.monotonic() - self._shown >= _EVERY:
            self._draw()

    def stop(self) -> None:
        """Leave the last state in the output."""
        if self._handle is not None:
            self._draw()

    def _draw(self) -> None:
        self._shown = time.monotonic()
        if self._handle is not None:
            self._handle.update(self._bundle(), raw=True)
            return
        from IPython.display import display

        self._handle = display(self._bundle(), raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def _bundle(self) -> dict[str, str]:
        if self._status:
            return {"text/plain": self._status, "text/html": escape(self._status)}
        text = self._text()
        bar = f"<progress value='{self._finished}' max='{max(self._total, 1)}'></progress>"
        return {"text/plain": text, "text/html": f"{bar} {escape(text)}"}

    def _text(self) -> str:
        elapsed = time.monotonic() - self._started
        parts = [f"{self._finished} of {self._total} cells"]
        parts += [f"{self._before} from the store"] if self._before else []
        parts += [self._note()] if self._note() else []
        parts.append(duration(elapsed))
        finished, remaining = self._finished - self._before, self._total - self._finished
        if finished and remaining:
            parts.append(f"about {duration(elapsed / finished * remaining)} left")
        return ", ".join(parts)
