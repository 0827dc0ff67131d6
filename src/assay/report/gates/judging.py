"""Gates applied to results: a verdict for each gate and subject, with the numbers that it rests on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from assay.core.display import counted
from assay.report.display import html_table
from assay.report.gates.gate import FailUnder, Gate, NotWorse, contests, contests_of
from assay.report.gates.pairing import paired
from assay.report.records import Entries
from assay.report.result_set import ResultSet, TrackResults
from assay.report.wording import format_interval, format_number, shown
from assay.stats import Comparison
from assay.stats.clusters import FEWEST_CLUSTERS

__all__ = ["GateResult", "GateResults", "judge_gates", "largest_loss"]

_Judge: TypeAlias = Callable[[str], tuple[str, bool, str]]  # subject -> what is demanded, whether it is met, why
FEWEST = 6  # problems: with fewer, not even a loss on none of them excludes chance with 95 %


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GateResult:
    """One gate and one subject.

    Attributes
    ----------
    gate : str
        What was demanded, such as ``auroc at least 0.8``.
    place : str
        Where the gate was written, such as ``--fail-under``.
    track, subject : str
        What it is about.
    passed : bool
        Whether the subject meets it.
    text : str
        The numbers behind the verdict.
    seconds : float
        How long the subject's cells took.
    """

    gate: str
    place: str
    track: str
    subject: str
    passed: bool
    text: str
    seconds: float = 0.0

    def __repr__(self) -> str:
        return shown(f"{'Met' if self.passed else 'Missed'} {self.place}: {self.subject}: {self.text}")


class GateResults(Entries[GateResult]):
    """The verdicts of gates; true where all are met, so that ``assert results.gate(...)`` does what it says.

    Made by :meth:`Results.gate`.

    Parameters
    ----------
    entries : iterable of GateResult
        One for each gate and subject.

    Examples
    --------
    >>> import assay
    >>> results = assay.run("conformal", ["oracle", "full-set"], problems=assay.problems("conformal")[:2])
    >>> bool(results.gate(fail_under=0.9, subjects="oracle"))
    True
    >>> [verdict.subject for verdict in results.gate(fail_under=0.9).missed]
    ['full-set']
    """

    @property
    def passed(self) -> bool:
        """Whether every subject meets every gate."""
        return all(entry.passed for entry in self)

    @property
    def missed(self) -> tuple[GateResult, ...]:
        """Those that are not met."""
        return tuple(entry for entry in self if not entry.passed)

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return "\n".join([*map(repr, self), f"{len(self) - len(self.missed)} of {counted(len(self), 'gate')} met"])

    def _repr_html_(self) -> str:
        rows = [[entry.subject, entry.gate, "met" if entry.passed else "missed", entry.text] for entry in self]
        return html_table(["subject", "gate", "verdict", "why"], rows) + f"<p>{escape(repr(self).splitlines()[-1])}</p>"


def judge_gates(gates: Sequence[Gate], results: ResultSet) -> GateResults:
    """The verdict of each gate on each subject that it is about, in the order of gates, tracks and names."""
    return GateResults(verdict for gate in gates for verdict in _verdicts(gate, results))


def _verdicts(gate: Gate, results: ResultSet) -> Iterator[GateResult]:
    for contest in contests(gate, contests_of(results)):
        entry = results.track(contest.track.name)
        judge = _fail_under(gate, results, entry) if isinstance(gate, FailUnder) else _not_worse(gate, results, entry)
        for subject in contest.subjects:
            demanded, passed, text = judge(subject)
            if unfinished := entry.unfinished:  # what is not run yet may be worse
                passed, text = False, f"{text}; {unfinished}"
            own = entry.table.labels["subject"].where(subject)
            yield GateResult(
                gate=demanded,
                place=gate.place,
                track=entry.track.name,
                subject=subject,
                passed=passed,
                text=text,
                seconds=math.fsum(entry.table.seconds[own].tolist()),
            )


def largest_loss(comparison: Comparison) -> float:
    """What a may be worse than b at most, given the interval."""
    return -comparison.difference.low if comparison.goal == "max" else comparison.difference.high


def _fail_under(gate: FailUnder, results: ResultSet, entry: TrackResults) -> _Judge:
    name = gate.metric or entry.track.headline
    across = {aggregate.name: aggregate for aggregate in entry.track.aggregates}
    goal = (across[name] if name in across else entry.metric(name)).goal
    rows = {row.subject: row for row in results.summary(entry).board_of([name]).rows}
    required = f"{'at least' if goal == 'max' else 'at most'} {_limit(gate.value)}"
    demanded = f"{name} {required}"

    def judge(subject: str) -> tuple[str, bool, str]:
        if subject not in rows:
            return demanded, False, f"{name}: no cell is finished, required {required}"
        row = rows[subject]
        mean = row.aggregates[name] if name in across else row.metrics[name].lost_as_floor.value
        passed = mean >= gate.value if goal == "max" else mean <= gate.value  # never for nan
        lost = f" with {counted(row.lost, 'lost cell')} as the floor" if row.lost else ""
        return demanded, passed, f"{name} = {_beside(f'{mean:.4g}', mean, gate.value)}{lost}, required {required}"

    return judge


def _not_worse(gate: NotWorse, results: ResultSet, entry: TrackResults) -> _Judge:
    name = gate.metric or entry.track.headline
    earlier = gate.baseline.track(entry.track.name)
    demanded = f"{name} not worse than in {gate.baseline.folder} by more than {_limit(gate.margin)}"

    def judge(subject: str) -> tuple[str, bool, str]:
        if subject not in entry.table.labels["subject"].values:
            return demanded, False, f"{name}: no cell is finished"
        pair = paired(entry, earlier, subject, name, gate, folder=results.folder)
        difference, problems = pair.comparison.difference, pair.comparison.problems
        largest = largest_loss(pair.comparison)
        where = f"over {counted(problems, 'common problem')} and {counted(pair.seeds, 'seed')}{pair.omitted}"
        text = f"{name} {format_interval(difference)} against {gate.baseline.folder} {where}"
        if 0 < pair.comparison.clusters < FEWEST_CLUSTERS:
            few = f"too few clusters of problems ({pair.comparison.clusters}) to exclude a loss"
            return demanded, False, f"{text}: {few}, at least {FEWEST_CLUSTERS} are needed"
        if problems < FEWEST or math.isnan(largest):
            return demanded, False, f"{text}: too few problems to exclude a loss, at least {FEWEST} are needed"
        passed = largest <= gate.margin
        limit = _limit(gate.margin) if gate.margin else "0 (by=0.02 would allow a loss of 0.02)"
        loss = f"a loss of {_beside(format_number(max(largest, 0.0)), max(largest, 0.0), gate.margin)}"
        percent = f"{100 * gate.confidence:g} %"
        verdict = f"at most {loss} with {percent} confidence" if passed else f"{loss} cannot be excluded at {percent}"
        return demanded, passed, f"{text}: {verdict}, allowed {limit}"

    return judge


def _limit(value: float) -> str:
    """A threshold as its author wrote it, also where that takes many digits."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(float(value))


def _beside(text: str, value: float, limit: float) -> str:
    """The rounded text of a value, with more digits where rounding hides on which side of the limit it is.

    >>> _beside("0.8", 0.79996, 0.79998), _beside("0.71", 0.7123, 0.8)
    ('0.79996', '0.71')
    """

    def side(number: float) -> int:
        return (number > limit) - (number < limit)

    if not math.isfinite(value):
        return text
    texts = (text, *(f"{value:.{digits}g}" for digits in range(5, 18)))
    return next(entry for entry in texts if side(float(entry)) == side(value))
