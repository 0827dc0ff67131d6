"""The progress bar of a run, on standard error, so that standard output stays clean."""

from __future__ import annotations

from collections import Counter

from assay.harness.plan import Cell

__all__ = ["BarProgress"]


class BarProgress:
    """Cells finished, failed and left, with the time that remains."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as Remaining

        self._console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            Remaining(),
            console=self._console,
            transient=False,
            disable=not self._console.is_terminal,
        )
        self._counts: Counter[str] = Counter()
        self._task = self._bar.add_task("cells", total=None, note="")

    def start(self, total: int, done: int) -> None:
        """Show the bar; what the store has already counts as done."""
        note = f"{done} from the store" if done else ""
        self._bar.update(self._task, total=total, completed=done, note=note)
        self._bar.start()

    def advance(self, cell: Cell, status: str) -> None:
        """One more cell."""
        self._counts[status] += 1
        troubles = [f"{self._counts[kind]} {kind}" for kind in ("failed", "lost") if self._counts[kind]]
        self._bar.update(self._task, advance=1, note=", ".join(troubles))

    def stop(self) -> None:
        """Leave the last state on the screen."""
        self._bar.stop()
