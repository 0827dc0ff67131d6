"""Failures with the same reason as one entry: subject, reason, number of cells, first place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assay.core import Json
from assay.core.display import counted
from assay.report.failures import Failure
from assay.report.wording import shell_command

__all__ = ["FailureGroup", "group_failures"]

# what differs between failures that are the same: addresses, digests, paths, numbers but those of lines
_VARYING: Final = re.compile(
    r"0x[0-9a-fA-F]+…?|\b[0-9a-f]{16,}\b|(?<!\w)(?:~|\.{1,2})?/[^\s'\",;:()]+"
    r"|(?<!line )(?<!\d)[-+]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureGroup:
    """Failures of one subject whose reasons differ in numbers, paths and addresses only.

    Attributes
    ----------
    first : Failure
        The first of them, in the order of the plan.
    cells : int
        How many cells failed so.
    of : int
        How many cells the subject has in these results.
    problems : int
        On how many problems.
    """

    first: Failure
    cells: int
    of: int
    problems: int

    @property
    def headline(self) -> str:
        """Who, how many, and what it is called.

        A group of all cells of a subject is said to be one.
        """
        first = self.first
        amount = f"all {counted(self.of, 'cell')}" if 1 < self.cells == self.of else f"{self.cells} of {self.of} cells"
        if self.of == 1:
            amount = "its only cell"
        kind = f" ({first.kind})" if first.kind and first.status != "withdrawn" else ""
        return f"{first.subject}: {amount} {first.status}{kind}"

    @property
    def reason(self) -> str:
        """The reason of the first failure, complete and on one line."""
        return " ".join(self.first.reason.split())

    @property
    def place(self) -> str:
        """Problem and seed of the first failure."""
        seed = "" if self.first.seed is None else f", seed {self.first.seed}"
        return f"{self.first.problem or 'every problem'}{seed}"

    def show_command(self, folder: Path | str) -> str:
        """The command that shows the first one in full; empty where there is no record to show."""
        first = self.first
        if first.record is None or first.problem is None:
            return ""
        words = ["assay", "show", str(folder), "--subject", first.subject, "--problem", first.problem]
        return shell_command([*words, *(["--seed", str(first.seed)] if first.seed else [])])

    def to_json(self) -> dict[str, Json]:
        """As plain values."""
        first = self.first
        return {
            "track": first.track,
            "subject": first.subject,
            "status": first.status,
            "kind": first.kind,
            "reason": self.reason,
            "cells": self.cells,
            "of": self.of,
            "problems": self.problems,
            "problem": first.problem,
            "seed": first.seed,
        }


def group_failures(failures: Iterable[Failure], cells: Mapping[tuple[str, str], int]) -> tuple[FailureGroup, ...]:
    """The failures by track, subject and reason; subjects with most of them first, as are their reasons.

    ``cells`` says how many cells each track's subject has.
    """
    alike: dict[tuple[str, str, str, str, str], list[Failure]] = {}
    for failure in failures:
        if failure.status != "withdrawn":  # the owner of the results knows
            pattern = _VARYING.sub("#", failure.reason)
            key = (failure.track, failure.subject, failure.status, failure.kind, pattern)
            alike.setdefault(key, []).append(failure)
    groups = [
        FailureGroup(
            first=members[0],
            cells=len(members),
            of=max(cells.get((track, name), 0), len(members)),
            problems=len({member.problem for member in members}),
        )
        for (track, name, *_), members in alike.items()
    ]
    total: Counter[tuple[str, str]] = Counter()
    for group in groups:
        total[group.first.track, group.first.subject] += group.cells
    return tuple(
        sorted(
            groups,
            key=lambda group: (
                group.first.track,
                -total[group.first.track, group.first.subject],
                group.first.subject,
                -group.cells,
            ),
        )
    )
