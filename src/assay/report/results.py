"""The results of a run, or of a results folder: scores, leaderboard, comparisons, failures, answers, files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Self

from assay.core import InvalidInput, UnknownName
from assay.core.files.folders import user_path
from assay.harness.driver.result import RunResult
from assay.harness.metric_facts import MetricFacts
from assay.report.analysis.items import ItemAnalysis, analysed_items
from assay.report.analysis.planning import SizePlan, planned_size
from assay.report.answers import Answers
from assay.report.comparing import SubjectComparison, compare_subjects
from assay.report.export.archive import write_archive
from assay.report.export.frames import Frames, frames
from assay.report.export.score_frame import score_frame
from assay.report.export.tables import write_csv, write_json, write_markdown, write_parquet
from assay.report.failure_groups import FailureGroup, group_failures
from assay.report.failures import Failures, failures_of, is_fault_of_metric, unfinished_of
from assay.report.gates.gate import FailUnder, Gate, NotWorse
from assay.report.gates.judging import GateResults, judge_gates
from assay.report.page.html import write_html
from assay.report.page.study import Study
from assay.report.records import Records
from assay.report.result_set import ResultSet, TrackResults
from assay.report.tables.standings import Leaderboard
from assay.report.wording import format_number, shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Outcome", "Results", "TrackResults"]

_FIRST_PLACES = 3
_REASONS = 10  # groups of failures that a repr tells
_WRITERS: Mapping[str, Callable[[ResultSet, Path], None]] = {
    ".csv": write_csv,
    ".html": write_html,
    ".json": write_json,
    ".md": write_markdown,
    ".parquet": write_parquet,
    ".zip": write_archive,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run did with its cells: solved, failed, scored again, found in the store, left out, not finished."""

    cells: int
    solved: int  # subjects that were called and answered
    rescored: int
    reused: int
    withdrawn: int
    lost: tuple[str, ...]  # a line for each cell that could not be finished in this run
    interrupted: bool
    out_of_time: bool
    traces: tuple[Path, ...]
    left_out: tuple[MetricFacts, ...] = ()  # metrics from outside that a rescoring was not given again
    solved_again: tuple[str, ...] = ()  # subjects that had answered here before and are others now: a line with the why
    failed: int = 0  # subjects that were called and failed: they have the floor of every metric
    failed_before: int = 0  # of those found in the store
    not_run: tuple[str, ...] = ()  # subjects that cannot be run and were left out: a line with the why
    not_needed: int = 0  # cells that a run that stops when decided did not run
    references: Mapping[str, str] = field(default_factory=dict)  # subjects that are code: what they are run as

    @classmethod
    def of(cls, result: RunResult) -> Outcome:
        """Without the plans, which may be large."""
        return cls(
            cells=result.cells,
            solved=result.solved - result.failed,
            rescored=result.rescored,
            reused=result.reused,
            withdrawn=result.withdrawn,
            lost=tuple(f"{loss.cell}: {loss.reason}" for loss in result.lost),
            interrupted=result.interrupted,
            out_of_time=result.out_of_time,
            traces=result.traces,
            left_out=result.left_out,
            solved_again=result.solved_again,
            failed=result.failed,
            failed_before=result.failed_before,
            not_run=result.not_run,
            not_needed=sum(own.not_run for own in result.decisions.values()),
            references={ref.name: ref.reference() for plan in result.plans for ref in plan.subjects if ref.runs_code},
        )

    @property
    def left(self) -> int:
        """Cells that an interrupt or the time limit left undone."""
        done = self.solved + self.failed + self.rescored + self.reused
        return self.cells - done - self.withdrawn - len(self.lost) - self.not_needed


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Results(ResultSet):
    """The records of a run with everything that follows from them; shows itself in a terminal and in a notebook.

    Made by :func:`assay.run`, :func:`assay.load` and :func:`assay.rescore`.

    Attributes
    ----------
    folder : Path
        The results folder, or the exported archive. A run without ``out`` has a temporary one, which is removed when
        nothing refers to the results any more.
    tracks : tuple of TrackResults
        The records of each track, with the cells that are missing.
    outcome : Outcome or None
        What the run did; None where results were loaded.
    keep : object
        What must live as long as the results, such as a temporary folder.

    Examples
    --------
    >>> import assay
    >>> results = assay.run("conformal", ["global", "oracle"], problems=assay.problems("conformal")[:2])
    >>> results.subjects
    ('global', 'oracle')
    >>> results.scores.columns.tolist()[:7]
    ['track', 'problem', 'subject', 'seed', 'metric', 'value', 'status']
    >>> results.leaderboard().rows[0].subject
    'oracle'
    >>> results.failures
    No failures.
    """

    outcome: Outcome | None = None
    keep: object = field(default=None, compare=False)  # what must live as long as these results: a temporary folder

    @property
    def subjects(self) -> tuple[str, ...]:
        """The names of the subjects that have records, sorted."""
        return self._values("subject")

    @property
    def problems(self) -> tuple[str, ...]:
        """The ids of the problems that have records, sorted."""
        return self._values("problem")

    def _values(self, label: str) -> tuple[str, ...]:
        return tuple(sorted({value for entry in self.tracks for value in entry.table.labels[label].values}))

    @property
    def records(self) -> Records:
        """The records in the order of the plans; very many of them are read when they are asked for."""
        if len(self.tracks) == 1:
            return Records(self.tracks[0].records, keep=self.keep)
        return Records(tuple(record for entry in self.tracks for record in entry.records))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """A tidy frame with one row per problem, subject, seed and metric.

        Columns: track, problem, subject, seed, metric, value (nan where undefined), status, and ``tag.NAME`` for every
        tag of the problems. A failed cell has the floor of each metric.
        """
        return score_frame(self.tracks)

    @cached_property
    def failures(self) -> Failures:
        """Who failed where, and why: failed, lost and withdrawn cells."""
        return failures_of(self.tracks)

    @cached_property
    def failure_groups(self) -> tuple[FailureGroup, ...]:
        """The failures that say the same, told once: the subjects with most of them first."""
        cells: Counter[tuple[str, str]] = Counter()
        for entry in self.tracks:
            for subject, count in entry.table.labels["subject"].counts().items():
                cells[entry.track.name, subject] += count
            cells.update((entry.track.name, cell.subject.name) for cell, _ in entry.losses)
        return group_failures(self.failures, cells)

    @cached_property
    def answers(self) -> Answers:
        """The decoded answers by ``(problem, subject, seed)``, read when they are asked for."""
        return Answers(self.folder, self.tracks, keep=self.keep)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C or the kernel's interrupt ended the run; what was finished is here."""
        return self.outcome is not None and self.outcome.interrupted

    def leaderboard(
        self,
        track: str | None = None,
        *,
        metrics: Sequence[str] | str | None = None,
        confidence: float = 0.95,
        seed: int = 0,
        resamples: int = 2000,
    ) -> Leaderboard:
        """The leaderboard of one track: a row per subject, best first by the headline. It is computed once.

        Parameters
        ----------
        track : str, optional
            Which track; needed where the results hold several.
        metrics : str or sequence of str, optional
            The columns beside the headline; by default all metrics and aggregates of the track.
        confidence : float
            Of the bootstrap intervals.
        seed, resamples : int
            Of the bootstrap.

        Returns
        -------
        Leaderboard
            ``rows`` in order, each with ``subject``, ``place`` and ``mean(METRIC)``.

        Raises
        ------
        InvalidInput
            Several tracks and none is named, or an unknown track or metric.
        """
        chosen = (metrics,) if isinstance(metrics, str) else metrics
        return self._summary(self._place(track), confidence, seed, resamples).board_of(chosen)

    def _place(self, track: str | None) -> int:
        names = [entry.track.name for entry in self.tracks]
        if track is None:
            if len(names) != 1:
                raise InvalidInput(
                    f"these results hold {len(names)} tracks: name one, as in leaderboard({names[0]!r})."
                    if names
                    else "these results are empty: run something first."
                )
            return 0
        if track not in names:
            raise UnknownName(f"track in {self.folder}", track, names)
        return names.index(track)

    def compare(self, a: str, b: str, *, metric: str | None = None, track: str | None = None) -> SubjectComparison:
        """Two subjects on the problems that both have.

        Parameters
        ----------
        a, b : str
            Names of subjects; the part before the bracket is enough where only one subject has it.
        metric : str, optional
            By default the track's headline.
        track : str, optional
            Which track, where several hold both subjects.

        Returns
        -------
        SubjectComparison
            ``difference`` (the mean of a - b with its interval), ``p_value``, ``wins``, ``ties``, ``losses``.

        Raises
        ------
        InvalidInput
            An unknown subject, metric or track, or several tracks that hold both subjects.
        """
        metrics = () if metric is None else (metric,)
        found = compare_subjects(self, a, b, metrics=metrics, track=track)
        if len(found) > 1:
            names = ", ".join(repr(entry.track.name) for entry in self.tracks)
            raise InvalidInput(f"several tracks hold both {a!r} and {b!r}: name one with track=, of {names}.")
        return found[0]

    def items(self, track: str | None = None, *, metric: str | None = None) -> ItemAnalysis:
        """What each problem tells about the subjects, and where the variation of scores comes from.

        Parameters
        ----------
        track : str, optional
            Which track; needed where the results hold several.
        metric : str, optional
            By default the track's headline.

        Returns
        -------
        ItemAnalysis
            ``items``: difficulty, discrimination, agreement with the other problems, solved by all or none, twin;
            ``variance``: of each subject between clusters, problems and seeds; ``frame``: the items for pandas.

        Raises
        ------
        InvalidInput
            Several tracks and none is named, or an unknown track or metric.
        """
        return analysed_items(self.tracks[self._place(track)], metric=metric)

    def plan_size(
        self,
        a: str,
        b: str,
        *,
        metric: str | None = None,
        track: str | None = None,
        effect: float | None = None,
        power: float = 0.8,
        level: float = 0.05,
    ) -> SizePlan:
        """How many problems tell two subjects apart, from the paired differences recorded here.

        Parameters
        ----------
        a, b : str
            Names of subjects; the part before the bracket is enough where only one subject has it.
        metric, track : str, optional
            By default the headline, and the only track.
        effect : float, optional
            The mean difference to find, in the units of the metric; by default the observed one, which flatters.
        power, level : float
            The chance of finding it, and that of a false alarm.

        Returns
        -------
        SizePlan
            ``problems`` and, where problems come in clusters, ``clusters``; ``reached``: the power of these results.

        Raises
        ------
        InvalidInput
            Fewer than three common problems or clusters, equal subjects, or shares outside 0 and 1.
        """
        entry = self.tracks[self._place(track)]
        return planned_size(entry, a, b, metric=metric, effect=effect, power=power, level=level)

    def gate(
        self,
        *,
        fail_under: float | None = None,
        not_worse_than: ResultSet | None = None,
        by: float = 0.0,
        metric: str | None = None,
        subjects: Sequence[str] | str = (),
    ) -> GateResults:
        """Judge these results: a threshold, an earlier run, or both.

        Parameters
        ----------
        fail_under : float, optional
            What the mean of the metric must reach, or must not exceed where less is better. A failed or lost cell
            counts with the floor.
        not_worse_than : Results, optional
            An earlier run: the loss since then, paired over common problems and seeds, must be at most ``by`` with
            95 % confidence.
        by : float
            The loss that is allowed, in the units of the metric.
        metric : str, optional
            By default the track's headline.
        subjects : str or sequence of str, optional
            Those that must pass; by default all.

        Returns
        -------
        GateResults
            A verdict for each gate and subject; true where all are met.

        Raises
        ------
        InvalidInput
            No gate is given, an unknown metric or subject, or an earlier run that cannot be compared.
        """
        chosen = (subjects,) if isinstance(subjects, str) else tuple(subjects)
        gates: list[Gate] = []
        if fail_under is not None:
            gates.append(FailUnder(value=fail_under, metric=metric, subjects=chosen))
        if not_worse_than is not None:
            if not isinstance(not_worse_than, ResultSet):
                raise InvalidInput(
                    f"not_worse_than: must be results, as in assay.load('earlier'), got {not_worse_than!r:.60}."
                )
            gates.append(NotWorse(baseline=not_worse_than, margin=by, metric=metric, subjects=chosen))
        if not gates:
            raise InvalidInput("no gate to judge: give fail_under=0.8, or not_worse_than=assay.load('earlier').")
        return judge_gates(gates, self)

    def to_html(self, path: str | Path, *, title: str = "", author: str = "", notes: str = "") -> Path:
        """Write the report, one HTML file that opens offline.

        Parameters
        ----------
        path : str or Path
            The file to write.
        title : str, optional
            What the first page is headed with.
        author : str, optional
            Who is named below it.
        notes : str, optional
            A text in Markdown for the first page: the question, the design, what follows.

        Returns
        -------
        Path
            The file that was written.
        """
        path = user_path(path)
        write_html(self, path, study=Study(title=title, author=author, notes=notes))
        return path

    def export(self, path: str | Path) -> Path:
        """Write the results as a file for other tools; the suffix says which.

        Parameters
        ----------
        path : str or Path
            ``.csv`` or ``.parquet``: one row per record and metric; ``.json``: leaderboards, comparisons and whole
            records; ``.md``: the leaderboards; ``.html``: the report; ``.zip``: all of these, to be read again by
            :func:`assay.load`.

        Returns
        -------
        Path
            The file that was written.

        Raises
        ------
        InvalidInput
            Another suffix, or a file that cannot be written.
        """
        path = user_path(path)
        write = _WRITERS.get(path.suffix.lower())
        if write is None:
            raise InvalidInput(f"{path}: the suffix says what to write: one of {', '.join(sorted(_WRITERS))}.")
        write(self, path)
        return path

    def frames(self, *, confidence: float = 0.95, seed: int = 0, resamples: int = 2000) -> Frames:
        """Records, scores, leaderboard, comparisons and problems as pandas frames.

        Parameters
        ----------
        confidence, seed, resamples : float, int, int
            Of the bootstrap intervals.

        Returns
        -------
        Frames
            A named tuple of five data frames.
        """
        return frames(self.summaries(confidence=confidence, seed=seed, resamples=resamples))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        lines = [f"Results({self._size()}) in {self.folder}"]
        lines += [self._first_places(entry) for entry in self.tracks if len(entry.records)]
        return "\n".join([*lines, *self._notes()])

    def _repr_html_(self) -> str:
        """As a notebook shows it: all tracks, one below the other, then what is missing."""
        boards = "".join(
            f"<p>{escape(shown(entry.track.question))}</p>"
            + self.leaderboard(entry.track.name, metrics=())._repr_html_()
            for entry in self.tracks
        )
        notes = "".join(f"<p>{escape(line)}</p>" for note in self._notes() for line in note.splitlines())
        return f"{boards}{notes}<p><small>{escape(self._size())}, in {escape(str(self.folder))}</small></p>"

    def _size(self) -> str:
        parts = [
            (len(self.tracks), "track"),
            (len(self.subjects), "subject"),
            (len(self.problems), "problem"),
            (sum(len(entry.records) for entry in self.tracks), "record"),
        ]
        return ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in parts)

    def _first_places(self, entry: TrackResults) -> str:
        rows = self.leaderboard(entry.track.name, metrics=()).rows
        named = ", ".join(
            f"{row.place}. {row.subject} {format_number(row.mean(entry.headline).value)}"
            for row in rows[:_FIRST_PLACES]
        )
        more = f", {len(rows) - _FIRST_PLACES} more" if len(rows) > _FIRST_PLACES else ""
        return shown(f"{entry.track.name}, {entry.headline}: {named}{more}")

    def _notes(self) -> list[str]:
        """What the reader must know of the run: failures, and why it ended early."""
        lost = [reason for entry in self.tracks for _, reason in entry.losses]
        broken = sum(map(is_fault_of_metric, lost))
        counts = {
            "failed": sum(int(entry.table.failed.sum()) for entry in self.tracks),
            "lost": len(lost) - broken,
            "lost to a broken metric": broken,
            "withdrawn": sum(entry.withdrawn for entry in self.tracks),
        }
        told = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        notes = ["\n".join([f"{told}: see results.failures", *self._reasons()])] if told else []
        unfinished = unfinished_of(self.tracks)
        if self.outcome is not None and (self.outcome.interrupted or self.outcome.out_of_time):
            why = "Interrupted" if self.outcome.interrupted else "The time limit is reached"
            notes.append(
                f"{why}: {self.outcome.left} of {self.outcome.cells} cells are left; the same call with "
                "out=results.folder continues."
            )
        elif unfinished:
            notes.append(f"{unfinished}.")
        if self.outcome is not None:
            notes += [f"{line}." for line in self.outcome.solved_again]
            notes += [f"Left out: {shown(line)}" for line in self.outcome.not_run]
        if self.outcome is not None and self.outcome.left_out:
            given = ", ".join(repr(facts.text) for facts in self.outcome.left_out)
            notes.append(f"Left out, since their code was not given again: metrics=[{given}] scores them.")
        return notes

    def _reasons(self) -> list[str]:
        groups = self.failure_groups
        lines = [shown(f"- {group.headline}: {group.reason}") for group in groups[:_REASONS]]
        more = len(groups) - _REASONS
        return [*lines, f"- ... and {more} more: results.failure_groups"] if more > 0 else lines
