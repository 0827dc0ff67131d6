"""Assertions on results: one subject beats another, or has not become worse, with the numbers when it is not so."""

from __future__ import annotations

from assay.core import Goal, InvalidInput
from assay.core.display import counted
from assay.report import Results
from assay.report.comparing import SubjectComparison
from assay.report.gates.judging import FEWEST, largest_loss
from assay.report.wording import format_interval, format_number
from assay.stats.clusters import FEWEST_CLUSTERS

__all__ = ["assert_beats", "assert_not_worse"]

_SHOWN = 5  # problems of a failure message


def assert_beats(
    results: Results, a: str, b: str, metric: str | None = None, margin: float = 0.0, *, track: str | None = None
) -> None:
    """Go red unless one subject is better than another by more than a margin, with 95 % confidence.

    Parameters
    ----------
    results : Results
        A run that holds both subjects.
    a, b : str
        The subject that must be better, and the one that it is compared with.
    metric : str, optional
        By default the track's headline.
    margin : float
        How much better, in the units of the metric.
    track : str, optional
        Which track, where several hold both subjects.

    Raises
    ------
    AssertionError
        The paired interval does not exclude less than the margin; the message has difference, interval and problems.
    InvalidInput
        An unknown subject or metric, or a margin below 0.

    Examples
    --------
    >>> import assay
    >>> from assay.connections.pytest import assert_beats
    >>> results = assay.run("conformal", ["oracle", "full-set"])
    >>> assert_beats(results, "oracle", "full-set", margin=0.1)
    """
    __tracebackhide__ = True
    margin = _margin(margin)
    pair = results.compare(a, b, metric=metric, track=track)
    if not (_enough(pair) and largest_loss(pair) < -margin):
        raise AssertionError(_message(results, pair, f"better than {pair.b} by more than {margin:g}", track))


def assert_not_worse(
    results: Results,
    a: str,
    b: str | Results,
    metric: str | None = None,
    margin: float = 0.0,
    *,
    track: str | None = None,
) -> None:
    """Go red unless a subject is at most a margin worse than another, or than itself before, with 95 % confidence.

    Parameters
    ----------
    results : Results
        The run that is judged.
    a : str
        The subject that must not be worse.
    b : str or Results
        Another subject of the same run, or an earlier run that has the same subject.
    metric : str, optional
        By default the track's headline.
    margin : float
        The loss that is allowed, in the units of the metric.
    track : str, optional
        Which track, where several hold the subjects.

    Raises
    ------
    AssertionError
        A larger loss cannot be excluded; the message has difference, interval and the problems with most of it.
    InvalidInput
        An unknown subject or metric, a margin below 0, or an earlier run that cannot be compared.

    Examples
    --------
    >>> import assay
    >>> from assay.connections.pytest import assert_not_worse
    >>> results = assay.run("conformal", ["oracle", "full-set"])
    >>> assert_not_worse(results, "oracle", "full-set", "coverage")
    """
    __tracebackhide__ = True
    margin = _margin(margin)
    if isinstance(b, str):
        pair = results.compare(a, b, metric=metric, track=track)
        if not (_enough(pair) and largest_loss(pair) <= margin):
            raise AssertionError(_message(results, pair, f"at most {margin:g} worse than {pair.b}", track))
        return
    judged = results if track is None else results.only([track])
    lines = []
    for verdict in judged.gate(not_worse_than=b, by=margin, metric=metric, subjects=a).missed:
        lines.append(f"{verdict.subject}: {verdict.text}")
        name = metric or results.track(verdict.track).track.headline
        now, before = (_values(each, verdict.subject, name, verdict.track) for each in (results, b))
        lines += _most_lost(now, before, ("now", "before"), results.track(verdict.track).metric(name).goal)
    if lines:
        raise AssertionError("\n".join(lines))


def _margin(margin: float) -> float:
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 <= margin < float("inf"):
        raise InvalidInput(f"margin: must be a number of at least 0, got {margin!r}.")
    return float(margin)


def _enough(pair: SubjectComparison) -> bool:
    return pair.problems >= FEWEST


def _message(results: Results, pair: SubjectComparison, demand: str, track: str | None) -> str:
    numbers = f"{pair.metric} {format_interval(pair.difference)} over {counted(pair.problems, 'problem')}"
    few = "" if _enough(pair) else f"; at least {FEWEST} problems are needed to exclude chance"
    if not few and 0 < pair.clusters < FEWEST_CLUSTERS:
        few = f" in {counted(pair.clusters, 'cluster')}; at least {FEWEST_CLUSTERS} are needed to exclude chance"
    first, second = (_values(results, subject, pair.metric, track) for subject in (pair.a, pair.b))
    lost = _most_lost(first, second, (pair.a, pair.b), pair.goal)
    return "\n".join([f"{pair.a} is not shown to be {demand}: {numbers}{few}", *lost])


def _values(results: Results, subject: str, metric: str, track: str | None) -> dict[str, float]:
    """The mean over seeds of each problem."""
    scores = results.scores
    chosen = scores[(scores["subject"] == subject) & (scores["metric"] == metric)]
    if track is not None:
        chosen = chosen[chosen["track"] == track]
    return {str(problem): float(value) for problem, value in chosen.groupby("problem")["value"].mean().items()}


def _most_lost(a: dict[str, float], b: dict[str, float], names: tuple[str, str], goal: Goal) -> list[str]:
    """A line for each of the problems on which a loses most against b."""
    sign = 1 if goal == "max" else -1
    differences = {problem: a[problem] - b[problem] for problem in a.keys() & b.keys()}
    lost = sorted((sign * difference, problem) for problem, difference in differences.items() if sign * difference < 0)
    lines = [
        f"  {problem}: {format_number(a[problem])} {names[0]}, {format_number(b[problem])} {names[1]}, "
        f"difference {differences[problem]:+.3g}"
        for _, problem in lost[:_SHOWN]
    ]
    if len(lost) > _SHOWN:
        lines.append(f"  and {len(lost) - _SHOWN} more")
    return lines
