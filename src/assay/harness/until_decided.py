"""A run that stops when decided: problems in an order that no outcome moves, and bets on each pair of subjects."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from assay.core import AnyTrack, Interval, InvalidInput, Metric, Record, UnknownName, digest_json
from assay.harness.plan import Cell, Plan
from assay.stats.clusters import cluster_tag
from assay.stats.sequential.bets import confidence_sequence, e_process, fewest_units, together
from assay.stats.sequential.decisions import Decisions, PairDecision

__all__ = ["Deciding", "demand_level"]


def demand_level(level: float) -> None:
    """A level is a chance of being wrong."""
    if not 0 < level < 0.5:
        raise InvalidInput(f"until_decided: must be a level between 0 and 0.5, such as 0.05, got {level!r}.")


class Deciding:
    """Watches one plan: which cells are still wanted, and what is decided.

    Problems come in units: clusters, as the track's tags say, or single ones. Units are taken in the order of a hash of
    their contents, which is fixed before anything runs. A unit counts once every subject that is still compared has
    finished it; lost and withdrawn cells count as undefined scores. A subject whose comparisons are all decided is not
    run any more.
    """

    def __init__(self, plan: Plan, track: AnyTrack, *, level: float, against: str = "") -> None:
        demand_level(level)
        self._level, self._against = level, against
        self._plan = plan
        self.track = plan.track
        self._metric: Metric[object] = track.metric(track.headline)
        self._low, self._high = _range(self._metric)
        self._subjects = sorted({cell.subject.name for cell in plan.cells if cell.subject.kind != "privileged"})
        if against and against not in self._subjects:
            raise UnknownName("subject (against)", against, self._subjects)
        self._units = _units(plan.cells, track.clusters)
        self._place = {problem: place for place, unit in enumerate(self._units) for problem in unit}
        self._missing: dict[tuple[str, int], int] = {}  # cells of a subject in a unit that are not done
        for cell in plan.cells:
            key = cell.subject.name, self._place[cell.problem]
            self._missing[key] = self._missing.get(key, 0) + 1
        self._scores: dict[tuple[str, str], list[float]] = {}
        self._counted: set[str] = set()
        self._at = 0
        self._largest = max(map(len, self._units), default=1)
        self._trouble = ""
        self._pair_up()

    def _pair_up(self) -> None:
        pairs = list(combinations(self._subjects, 2))
        pairs = [pair for pair in pairs if not self._against or self._against in pair]
        self._differences: dict[tuple[str, str], list[float]] = {pair: [] for pair in pairs}
        self._open = set(pairs)

    @property
    def _active(self) -> set[str]:
        return {subject for pair in self._open for subject in pair}

    def drop(self, subjects: Collection[str]) -> None:
        """Leave out subjects that turned out to be ones that cannot be run, before anything is counted."""
        gone = [name for name in self._subjects if name in subjects]
        if gone:
            self._subjects = [name for name in self._subjects if name not in gone]
            cells = tuple(cell for cell in self._plan.cells if cell.subject.name not in gone)
            self._plan = replace(self._plan, cells=cells)
            self._pair_up()

    def ordered(self, cells: Iterable[Cell]) -> list[Cell]:
        """Cells unit by unit."""
        return sorted(cells, key=lambda cell: self._place.get(cell.problem, len(self._units)))  # stable

    def is_needed(self, cell: Cell) -> bool:
        """Whether a cell may still change a decision; cells of references are needed as long as any other is."""
        if self._trouble or len(self._subjects) < 2:
            return True
        return bool(self._open) and (cell.subject.name in self._active or cell.subject.name not in self._subjects)

    def take(self, record: Record) -> None:
        """Count a finished record."""
        self._take(record.key, record.subject, record.problem, record.scores.get(self._metric.name, math.nan))

    def lose(self, cell: Cell) -> None:
        """Count a cell that gets no record, lost or withdrawn: as an undefined score, which moves no comparison."""
        self._take(cell.record_key, cell.subject.name, cell.problem, math.nan)

    def _take(self, key: str, subject: str, problem: str, score: float) -> None:
        if key in self._counted or self._trouble or subject not in self._subjects:
            return
        self._counted.add(key)
        if not math.isnan(score) and not self._low - 1e-9 <= score <= self._high + 1e-9:
            self._trouble = (
                f"{subject} has {self._metric.name} {score:g} on {problem}, outside of {self._low:g} to "
                f"{self._high:g}, and bets need bounded scores"
            )
            return
        self._scores.setdefault((subject, problem), []).append(score)
        self._missing[subject, self._place[problem]] -= 1
        while self._open and self._at < len(self._units) and self._is_finished(self._at):
            self._count(self._at)
            self._at += 1

    def _is_finished(self, unit: int) -> bool:
        return not any(self._missing.get((subject, unit), 0) for subject in self._active)

    def _count(self, unit: int) -> None:
        for pair in sorted(self._open):
            gaps = [self._gap(*pair, problem) for problem in self._units[unit]]
            # a sum over the unit, so that its mean is 0 when the mean over problems is
            total = math.fsum(gap for gap in gaps if not math.isnan(gap)) / self._largest
            self._differences[pair].append(min(1.0, max(-1.0, total)))
        evidence = self._evidence()
        self._open -= {pair for pair in self._open if evidence[pair] >= 1 / self._level}

    def _gap(self, a: str, b: str, problem: str) -> float:
        """The difference of two subjects on a problem, as a share of the range."""
        means = []
        for subject in (a, b):
            scores = [score for score in self._scores.get((subject, problem), ()) if not math.isnan(score)]
            means.append(math.fsum(sorted(scores)) / len(scores) if scores else math.nan)
        return (means[0] - means[1]) / (self._high - self._low)

    def _evidence(self) -> dict[tuple[str, str], float]:
        """Of every pair as it stands, corrected for all of them."""
        pairs = list(self._differences)
        own = [float(e_process(self._differences[pair])[-1]) if self._differences[pair] else 0.5 for pair in pairs]
        return dict(zip(pairs, together(own).tolist(), strict=True))

    def decisions(self, finished: Collection[str]) -> Decisions:
        """What is decided; ``finished`` are the record keys that are there."""
        evidence = self._evidence() if self._differences else {}
        sign = 1.0 if self._metric.goal == "max" else -1.0
        scale = (self._high - self._low) * self._largest * len(self._units) / max(1, len(self._place))
        pairs = []
        for (a, b), values in self._differences.items():
            sequence = confidence_sequence(values)
            reach = self._high - self._low
            low, high = max(-reach, sequence.low * scale), min(reach, sequence.high * scale)
            value = scale * float(np.mean(values)) if values else math.nan
            is_open = (a, b) in self._open or bool(self._trouble)
            pairs.append(
                PairDecision(
                    a=a,
                    b=b,
                    winner="" if is_open else a if sign * value > 0 else b,
                    evidence=evidence[a, b],
                    units=len(values),
                    problems=sum(len(unit) for unit in self._units[: len(values)]),
                    difference=Interval(value, low, high),
                )
            )
        planned = len(self._plan.cells)
        return Decisions(
            level=self._level,
            metric=self._metric.name,
            goal=self._metric.goal,
            planned=planned,
            not_run=planned - sum(cell.record_key in finished for cell in self._plan.cells),
            pairs=tuple(pairs),
            against=self._against,
            trouble=self._trouble,
            fewest=fewest_units(self._level, max(1, len(pairs))),
            units=len(self._units),
        )


def _range(metric: Metric[object]) -> tuple[float, float]:
    """The ends of what the metric gives, where it says both, else 0 and 1."""
    worst, best = metric.ends
    if worst is None or best is None or not math.isfinite(worst - best) or worst == best:
        return 0.0, 1.0
    return min(worst, best), max(worst, best)


def _units(cells: Sequence[Cell], tags: Sequence[str]) -> list[list[str]]:
    """The problems of each unit, units in the order of a hash of what they hold."""
    problems: dict[str, Cell] = {cell.problem: cell for cell in cells}
    units: dict[str, list[str]] = {}
    for problem, cell in sorted(problems.items()):
        units.setdefault(_label(problem, cell.tags, tags), []).append(problem)
    digests = {
        label: digest_json([problems[problem].problem_digest for problem in unit]) for label, unit in units.items()
    }
    return [units[label] for label in sorted(units, key=lambda label: digests[label])]


def _label(problem: str, own: Mapping[str, object], tags: Sequence[str]) -> str:
    """The cluster of a problem, as tables find it; a problem without any is alone."""
    tag = cluster_tag(own, tags)
    return f"{tag}={own[tag]}" if tag else f"={problem}"
