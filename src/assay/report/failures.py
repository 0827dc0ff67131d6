"""Who failed where, and why: a line for each cell without a score of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, TypeAlias

from assay.core import Record
from assay.core.display import counted
from assay.report.display import cut, html_table
from assay.report.records import Entries
from assay.report.result_set import TrackResults
from assay.report.wording import shown

__all__ = ["Failure", "FailureKind", "Failures", "failures_of", "is_fault_of_metric", "unfinished_of"]

FailureKind: TypeAlias = Literal["failed", "lost", "withdrawn"]

METRIC = "metric"  # the kind of a cell that a broken metric could not score
_FAULT_OF_METRIC = re.compile("metric ['\"]")  # how the reasons of such losses begin
_LISTED = 20  # lines of a repr
_LISTED_HTML = 200
_LONGEST = 240  # characters of a reason on one line
_MEANING = {
    "failed": "the subject's own fault: scored at the floor",
    "lost": "the machine's fault: not scored, run the same command again",
    "withdrawn": "counts nowhere",
    METRIC: "a metric's fault: not scored, answers kept; fix the metric, then run the same command again or rescore",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One cell without a score of its own.

    ``failed`` is the subject's own fault, scored at the floor; ``lost`` is ours or the machine's, to be run again, or
    that of a broken metric (kind ``metric``), to be scored again;
    ``withdrawn`` stands for all cells of one withdrawal, so that problem and seed may be None.
    """

    status: FailureKind
    track: str
    problem: str | None
    subject: str
    seed: int | None
    kind: str  # such as "timeout", "memory", "exception", "malformed answer"
    reason: str
    record: Record | None = None  # of a subject that failed

    def __str__(self) -> str:
        seed = [] if self.seed is None else [f"seed {self.seed}"]
        place = " / ".join([self.problem or "every problem", self.subject, *seed])
        kind = f" ({self.kind})" if self.kind else ""
        return shown(f"{place}: {self.status}{kind}: {cut(self.reason, _LONGEST)}")

    def __repr__(self) -> str:
        return f"<{self}>"


class Failures(Entries[Failure]):
    """All failures of a run, those of subjects first; shows itself a line each."""

    def __init__(self, entries: Iterable[Failure], *, unfinished: str = "") -> None:
        super().__init__(entries)
        self._unfinished = f"{unfinished}." if unfinished else ""

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each status."""
        return dict(Counter(entry.status for entry in self))

    def __repr__(self) -> str:
        if not self:
            return f"No failures. {self._unfinished}".rstrip()
        several = len({entry.track for entry in self}) > 1
        lines = [f"{shown(entry.track)}: {entry}" if several else str(entry) for entry in self._entries[:_LISTED]]
        return "\n".join([self._headline(), *lines, *self._rest(_LISTED)])

    def _repr_html_(self) -> str:
        if not self:
            return f"<p>{escape(repr(self))}</p>"
        titles = ("track", "problem", "subject", "seed", "status", "kind", "reason")
        rows = [
            [
                entry.track,
                entry.problem or "every problem",
                entry.subject,
                "" if entry.seed is None else str(entry.seed),
                entry.status,
                entry.kind,
                cut(entry.reason, 3 * _LONGEST),
            ]
            for entry in self._entries[:_LISTED_HTML]
        ]
        return html_table(titles, rows, caption=self._headline(), note=" ".join(self._rest(_LISTED_HTML)))

    def _headline(self) -> str:
        counts = Counter((entry.status, METRIC if _is_metrics(entry) else entry.status) for entry in self)
        return "; ".join(f"{count} {status} ({_MEANING[why]})" for (status, why), count in counts.items()) + ":"

    def _rest(self, listed: int) -> list[str]:
        unlisted = len(self) - listed
        more = [f"... and {unlisted} more: iterate to see all."] if unlisted > 0 else []
        return [*more, self._unfinished] if self._unfinished else more


def _is_metrics(entry: Failure) -> bool:
    return entry.status == "lost" and entry.kind == METRIC


def is_fault_of_metric(reason: str) -> bool:
    """Whether a cell was lost since a metric from outside raised or gave no number."""
    return _FAULT_OF_METRIC.match(reason) is not None


def failures_of(tracks: Sequence[TrackResults]) -> Failures:
    """The failures of these tracks: failed records, lost cells, withdrawals."""
    entries = [_failed(record) for track in tracks for record in track.failed]
    for track in tracks:
        entries += [
            Failure(
                status="lost",
                track=cell.track,
                problem=cell.problem,
                subject=cell.subject.name,
                seed=cell.budget.seed,
                kind=METRIC if is_fault_of_metric(reason) else "",
                reason=reason,
            )
            for cell, reason in track.losses
        ]
        entries += [
            Failure(
                status="withdrawn",
                track=track.track.name,
                problem=withdrawal.problem,
                subject=withdrawal.subject,
                seed=withdrawal.seed,
                kind=counted(withdrawal.cells, "cell"),
                reason=withdrawal.reason,
            )
            for withdrawal in track.withdrawals
            if withdrawal.cells
        ]
    return Failures(entries, unfinished=unfinished_of(tracks))


def unfinished_of(tracks: Sequence[TrackResults]) -> str:
    """How many cells of these tracks are still to do, in words."""
    named = len(tracks) > 1
    parts = [(f"{entry.track.name}: " if named else "", entry.unfinished) for entry in tracks]
    return shown("; ".join(name + text for name, text in parts if text))


def _failed(record: Record) -> Failure:
    return Failure(
        status="failed",
        track=record.track,
        problem=record.problem,
        subject=record.subject,
        seed=record.seed,
        kind=record.error_kind or "",
        reason=record.error or "no reason was given",
        record=record,
    )
