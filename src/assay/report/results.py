"""The results of a run, or of a results folder: scores, leaderboard, comparisons, answers, gates, files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from assay.core import InvalidInput
from assay.core.files.folders import user_path
from assay.report.analysis.items import ItemAnalysis, analysed_items
from assay.report.analysis.planning import SizePlan, planned_size
from assay.report.answers import Answers
from assay.report.comparing import SubjectComparison, compare_subjects
from assay.report.export.archive import write_archive
from assay.report.export.frames import Frames, frames
from assay.report.export.score_frame import score_frame
from assay.report.export.tables import write_csv, write_json, write_markdown, write_parquet
from assay.report.gates.gate import FailUnder, Gate, NotWorse
from assay.report.gates.judging import GateResults, judge_gates
from assay.report.page.html import write_html
from assay.report.page.study import Study
from assay.report.records import Records
from assay.report.result_set import ResultSet, TrackResults
from assay.report.shown_results import Outcome, ShownResults
from assay.report.tables.standings import Leaderboard
from assay.report.wording import shell_command

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Outcome", "Results", "TrackResults"]

_WRITERS: Mapping[str, Callable[[ResultSet, Path], None]] = {
    ".csv": write_csv,
    ".html": write_html,
    ".json": write_json,
    ".md": write_markdown,
    ".parquet": write_parquet,
    ".zip": write_archive,
}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Results(ShownResults):
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

    keep: object = field(default=None, compare=False)  # what must live as long as these results: a temporary folder

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
        summary = self.summary(self._chosen(track), confidence=confidence, seed=seed, resamples=resamples)
        return summary.board_of(chosen)

    def _chosen(self, track: str | None) -> TrackResults:
        if track is not None:
            return self.track(track)
        if len(self.tracks) == 1:
            return self.tracks[0]
        if not self.tracks:
            raise InvalidInput("these results are empty: run something first.")
        name = self.tracks[0].track.name
        raise InvalidInput(
            f"these results hold {len(self.tracks)} tracks: name one, as in track={name!r}; on the command line: "
            f"{shell_command(['--track', name])}."
        )

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
        comparisons = compare_subjects(self, a, b, metrics=metrics, track=track)
        if len(comparisons) > 1:
            names = ", ".join(repr(entry.track.name) for entry in self.tracks)
            raise InvalidInput(f"several tracks hold both {a!r} and {b!r}: name one with track=, of {names}.")
        return comparisons[0]

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
        return analysed_items(self._chosen(track), metric=metric)

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
        entry = self._chosen(track)
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
