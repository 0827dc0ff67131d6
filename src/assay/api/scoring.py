"""One answer against one problem: no process, no store."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from assay.api.references import several
from assay.core import (
    Aggregate,
    AnyProblem,
    AnyTrack,
    InvalidInput,
    Json,
    Problem,
    Setting,
    SubjectFailed,
    as_metrics,
    get_track,
)
from assay.core.errors import UnknownKey, suggest
from assay.harness.execute import BrokenMetric
from assay.harness.execute import score as score_evidence
from assay.harness.metric_loading import resolve_metrics
from assay.report.display import cut, html_table, text_table
from assay.report.wording import ARROWS, format_number, shown

__all__ = ["Score", "score"]

_NOTES, _LONGEST_NOTE = 3, 200
_OBJECT = "given as an object"  # the source of a metric that is not the track's own


class Score(Mapping[str, float]):
    """The metrics of one answer by name, nan where undefined, the headline first; shows itself as a table."""

    def __init__(self, track: AnyTrack, problem: str, scores: Mapping[str, float], details: Mapping[str, Json]) -> None:
        self.headline = track.headline_among([name for name, value in scores.items() if not math.isnan(value)])
        order = sorted(scores, key=lambda name: name != self.headline)
        self._scores = {name: scores[name] for name in order}
        self._goals = {metric.name: metric.goal for metric in track.metrics}
        self.track = track.name
        self.problem = problem
        self.details = MappingProxyType(dict(details))  # what the examination says beside the numbers

    def __getitem__(self, metric: str) -> float:
        if metric not in self._scores:
            raise UnknownKey(f"score: no metric named {metric!r}. {suggest(str(metric), self._scores)}")
        return self._scores[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def _rows(self) -> list[list[str]]:
        return [
            [f"{name} {ARROWS[self._goals[name]]}" if name in self._goals else name, format_number(value)]
            for name, value in self.items()
        ]

    def _notes(self) -> list[str]:
        """What the examination remarks on, such as a function that failed: the first texts under 'notes'."""
        notes = self.details.get("notes")
        texts = [note for note in notes if isinstance(note, str)] if isinstance(notes, list) else []
        more = [f"{len(texts) - _NOTES} more in score.details['notes']"] if len(texts) > _NOTES else []
        return [f"Note: {cut(shown(note), _LONGEST_NOTE)}" for note in texts[:_NOTES]] + more

    def __repr__(self) -> str:
        table = text_table([f"{self.track}: {self.problem}", ""], self._rows(), right=[False, True])
        return "\n".join([table, *self._notes()])

    def _repr_html_(self) -> str:
        caption = f"{self.track}: {self.problem}"
        return html_table(["metric", "value"], self._rows(), caption=caption, note=". ".join(self._notes()))


def score(
    problem: AnyProblem, answer: object, *, metrics: object = (), settings: Mapping[str, Setting] | None = None
) -> Score:
    """Score one answer to one problem, here and now: no subject is called, nothing is stored.

    Code that an answer of the insight track brings still runs in the sandbox.

    Parameters
    ----------
    problem : Problem
        From :func:`assay.problems`, or from the ``load`` of a track.
    answer : object
        Whatever a subject of the track may return.
    metrics : str, Metric or a list of them, optional
        Metrics beside those of the track.
    settings : mapping, optional
        Settings of the track, as for :func:`assay.run`.

    Returns
    -------
    Score
        A mapping from metric to value, with ``details``.

    Raises
    ------
    InvalidInput
        The answer is malformed, or the problem does not say of which track it is.

    Examples
    --------
    >>> import assay
    >>> problem = assay.problems("formula")["exact-3"]
    >>> assay.score(problem, "h + t*(v - g*t/2)")["solved"]
    1.0
    """
    if not isinstance(problem, Problem):
        raise InvalidInput(
            f"score: the problem is a {type(problem).__name__}. Give one of assay.problems(TRACK), as in "
            "assay.problems('formula')[0]."
        )
    if not problem.track:
        raise InvalidInput(
            f"problem {problem.id!r}: does not name its track. Take it from assay.problems(TRACK, FOLDER)."
        )
    track = _with_metrics(get_track(problem.track), metrics)
    chosen = track.configure(settings or {})
    try:
        payload = track.encode(answer)
    except InvalidInput:
        raise
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        what = str(error).rstrip(".")
        raise InvalidInput(f"answer: a {type(answer).__name__} cannot be read as one: {what}.") from error
    try:
        evidence = track.examine(problem, track.decode(payload), chosen)
    except SubjectFailed as failure:
        what = str(failure).rstrip(".")
        raise InvalidInput(f"answer to problem {problem.id!r}: {failure.kind}: {what}.") from failure
    try:
        scores, details = score_evidence(track, evidence)
    except BrokenMetric as broken:
        raise InvalidInput(f"{broken} Fix the metric.") from broken
    return Score(track, problem.id, scores, details)


def _with_metrics(track: AnyTrack, metrics: object) -> AnyTrack:
    """The track with further metrics: objects as they are, texts as a run would read them."""
    values = several(metrics)
    texts = [str(value) for value in values if isinstance(value, str | Path)]
    _, extended = resolve_metrics(texts, track)
    extra = as_metrics([value for value in values if not isinstance(value, str | Path)], what="metrics")
    if any(isinstance(metric, Aggregate) for metric in (*extra, *extended.aggregates[len(track.aggregates) :])):
        raise InvalidInput(
            "metrics: an Aggregate needs the records of a whole run. Give it to assay.run(..., metrics=)."
        )
    return extended.with_metrics([replace(metric, source=metric.source or _OBJECT) for metric in extra])
