"""Metrics as scorers: what ``scoring=`` takes in searches and cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from sklearn.utils.metadata_routing import MetadataRequest

from assay.connections.sklearn.evidence import Judged, judge_cases, judge_conformal, judge_formula
from assay.core import InvalidInput, Setting, SubjectFailed, UnknownName, get_track

__all__ = ["MetricScorer", "scorer", "scorers"]

_JUDGES: Final[Mapping[str, Callable[..., Judged]]] = {
    "cases": judge_cases,
    "conformal": judge_conformal,
    "formula": judge_formula,
}


class MetricScorer:
    """One metric of a track as scikit-learn's scorers are called; make it with :func:`scorer`.

    Metrics whose goal is a minimum come with a minus sign, as in scikit-learn, so that more is better.

    Parameters
    ----------
    track : {"cases", "conformal", "formula"}
        Whose examination judges.
    metric : str
        The name of the metric.
    formula : str, optional
        The true formula, for metrics of the formula track that compare with it.
    settings : mapping, optional
        Settings of the track's examination.

    Examples
    --------
    >>> MetricScorer("conformal", "relative_size")
    MetricScorer('conformal', 'relative_size', goal 'min': with a minus sign)
    """

    def __init__(
        self,
        track: str,
        metric: str,
        *,
        formula: str | None = None,
        settings: Mapping[str, Setting] | None = None,
    ) -> None:
        if track not in _JUDGES:
            if track in ("drift", "insight"):
                raise InvalidInput(
                    f"track {track!r}: its metrics need a truth that is no column y. Run its problems with assay.run."
                )
            raise UnknownName("track with scorers", track, _JUDGES)
        if formula is not None and track != "formula":
            raise InvalidInput(f"formula: is of the track 'formula' only, not of {track!r}.")
        self.track, self.metric, self.formula = get_track(track), get_track(track).metric(metric), formula
        self.settings = self.track.configure(settings or {})
        self._groups: bool | str | None = None

    def __repr__(self) -> str:
        sign = ": with a minus sign" if self.metric.goal == "min" else ""
        return f"MetricScorer({self.track.name!r}, {self.metric.name!r}, goal {self.metric.goal!r}{sign})"

    def __call__(self, estimator: Any, X: Any, y: Any, *, groups: Any = None) -> float:
        """Judge a fitted estimator by rows that it was not fitted on.

        Parameters
        ----------
        estimator : fitted estimator
            A :class:`ConformalClassifier`, an :class:`ExplainedClassifier` or a regressor that keeps a formula; also at
            the end of a pipeline, or the best of a search.
        X, y : arrays or data frames
            Held-out rows.
        groups : sequence of one group per row, optional
            Of conformal sets: where groups were calibrated apart, and for metrics by group.

        Returns
        -------
        float
            More is better; the metric's floor where there is nothing to judge, nan where it is undefined.
        """
        if groups is not None and self.track.name != "conformal":
            raise InvalidInput(f"groups: metrics of the track {self.track.name!r} know none.")
        options: dict[str, Any] = {"conformal": {"groups": groups}, "formula": {"formula": self.formula}}.get(
            self.track.name, {}
        )
        problem, answer = _JUDGES[self.track.name](estimator, X, y, **options)
        try:
            value = self.metric.function(self.track.examine(problem, answer, self.settings))
        except SubjectFailed:
            value = self.metric.floor_for(problem)
        return -value if self.metric.goal == "min" else float(value)

    def set_score_request(self, *, groups: bool | str | None) -> MetricScorer:
        """Say whether ``groups`` is asked for, and under which name, when metadata routing is enabled."""
        self._groups = groups
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """What scikit-learn's routing passes on."""
        request = MetadataRequest(owner=repr(self))
        request.score.add_request(param="groups", alias=self._groups)
        return request


def scorer(
    track: str, metric: str | None = None, *, formula: str | None = None, settings: Mapping[str, Setting] | None = None
) -> MetricScorer:
    """A metric of a track as a scorer for ``GridSearchCV``, ``cross_validate`` and the like.

    Parameters
    ----------
    track : {"cases", "conformal", "formula"}
        Sets of classes, explanations by cases, or formulas.
    metric : str, optional
        The name of the metric; by default the track's headline.
    formula : str, optional
        The true formula over the columns' names (``x0``, ``x1``, ... of an array), for metrics that compare with it.
    settings : mapping, optional
        Settings of the track's examination.

    Returns
    -------
    MetricScorer
        Called as ``scorer(estimator, X, y)``; more is better.

    Raises
    ------
    UnknownName
        No such track or metric.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from assay.connections.sklearn import ConformalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(GaussianNB())
    >>> cross_val_score(model, X, y, scoring=scorer("conformal", "coverage"), cv=3).round(2).tolist()
    [0.96, 0.92, 0.84]
    """
    return MetricScorer(track, metric or get_track(track).headline, formula=formula, settings=settings)


def scorers(track: str, metrics: Iterable[str], **options: Any) -> dict[str, MetricScorer]:
    """Several metrics of a track, by name: what ``scoring=`` takes for more than one.

    Parameters
    ----------
    track : {"cases", "conformal", "formula"}
        As in :func:`scorer`.
    metrics : sequence of str
        Names of metrics.
    **options
        ``formula`` and ``settings``, as in :func:`scorer`.

    Returns
    -------
    dict of str to MetricScorer
        One scorer per metric.

    Examples
    --------
    >>> sorted(scorers("conformal", ["coverage", "efficiency"]))
    ['coverage', 'efficiency']
    """
    return {name: scorer(track, name, **options) for name in metrics}
