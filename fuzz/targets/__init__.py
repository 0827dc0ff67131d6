"""Every loader and parser that reads what others wrote, with good input to break and the way to read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from fuzz.targets.target import Target

__all__ = ["Target", "targets"]


def targets(folder: Path) -> Iterator[Target]:
    """All of them; ``folder`` is where files are written for readers of files."""
    from fuzz.targets.escapes import escape_targets
    from fuzz.targets.formulas import formula_targets
    from fuzz.targets.insights import insight_targets
    from fuzz.targets.logs import drift_targets
    from fuzz.targets.runs import option_targets, run_targets, store_targets
    from fuzz.targets.tables import table_targets
    from fuzz.targets.tracks import track_targets

    groups = (
        track_targets(folder),  # first: others take its problems
        option_targets(folder),
        formula_targets(folder),
        table_targets(folder),
        drift_targets(folder),
        insight_targets(folder),
        run_targets(folder),
        escape_targets(folder),
        store_targets(folder),
    )
    for target in chain.from_iterable(groups):
        yield replace(target, root=target.root or folder)
