"""The contract of a track, with the oracle self-test."""

from __future__ import annotations

import math
import pickle
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.core import (
    AnyProblem,
    AnyTrack,
    InvalidInput,
    Metric,
    MissingExtra,
    Record,
    Settings,
    SubjectFailed,
    UnknownName,
    canonical_json,
    digest_folder,
    find_problems,
    plain,
)
from assay.harness.execute import score
from assay.testing.failure import CheckFailed, require
from assay.testing.hiding import find_truth_in_task
from assay.testing.metric import check_metric
from assay.testing.subject import check_subject

__all__ = ["check_track"]

GARBAGE = (b"", b"\x00\xff\x00", b"[[[[", b"{}", b'"text"', b"null", b"[1e999]")


def check_track(track: AnyTrack, *, subjects: Sequence[str] | None = None) -> None:
    """Everything that the harness relies on, tried on the track's built-in problems.

    Metrics have formulas and examples that hold; problems are reproducible; tasks hide their truths; answers
    round-trip; equal answers give equal scores; the truth reaches every declared oracle value and ranks first on the
    headline; the floor is no better than the truth; malformed answers are refused.

    Parameters
    ----------
    track : Track
        The track to check.
    subjects : sequence of str, optional
        Registered subjects that are tried twice on every problem; all of them by default. Leave out those that stop by
        the clock, since they may answer twice in two ways.

    Raises
    ------
    CheckFailed
        When a contract does not hold; the message names what, where and why.

    Examples
    --------
    >>> from assay.cases import TRACK
    >>> check_track(TRACK, subjects=["max-probability"])  # doctest: +SKIP
    >>> check_track(TRACK, subjects=["nobody"])
    Traceback (most recent call last):
        ...
    assay.core.errors.UnknownName: No subject of track 'cases' named 'nobody'. ...
    """
    chosen = list(track.subjects) if subjects is None else list(subjects)
    for name in chosen:
        if name not in track.subjects:
            raise UnknownName(f"subject of track {track.name!r}", name, track.subjects)
    require(bool(track.question.strip()), f"track {track.name!r}: the question is blank.")
    track = track.with_metrics(_examples(track))
    for metric in track.metrics:
        check_metric(metric)
    _check_garbage(track)
    with tempfile.TemporaryDirectory() as name:  # kept to the end: a track may read its tables late
        _check_problems(track, _builtin(track, Path(name)), chosen)


def _examples(track: AnyTrack) -> list[Metric[Any]]:
    """A metric of each family: what holds for a registered one holds for it."""
    names = [metric.name for metric in track.metrics]
    return [track.metric(name) for family in track.families if (name := family.shown(family.example)) not in names]


def _check_problems(track: AnyTrack, problems: list[AnyProblem], subjects: Sequence[str]) -> None:
    defined = {metric.name: 0 for metric in track.metrics if metric.oracle is not None}
    for problem in problems:
        _check_hidden(track, problem)
        best = _check_oracle(track, problem, defined)
        _check_floor(track, problem, best)
        _check_ranking(track, problem, best, subjects)
    for metric_name, count in defined.items():
        require(count > 0, f"metric {metric_name!r}: its oracle value is undefined on every built-in problem.")
    _check_record(track, problems[0])


def _builtin(track: AnyTrack, folder: Path) -> list[AnyProblem]:
    for copy in ("first", "second"):
        (folder / copy).mkdir()
        track.builtin(folder / copy)
    require(
        digest_folder(folder / "first") == digest_folder(folder / "second"),
        f"track {track.name!r}: the built-in problems differ from one writing to the next.",
    )
    problems = []
    for path in find_problems(folder / "first", marker=track.marker):
        manifest = track.manifest(path)
        problem = track.load(path)
        require(
            (problem.id, problem.digest, dict(problem.tags)) == (manifest.id, manifest.digest, dict(manifest.tags)),
            f"problem {problem.id!r}: load() and the manifest disagree on id, digest or tags.",
        )
        problems.append(problem)
    require(len({problem.id for problem in problems}) == len(problems), f"track {track.name!r}: problem ids repeat.")
    return problems


def _check_hidden(track: AnyTrack, problem: AnyProblem) -> None:
    leak = find_truth_in_task(problem.task, problem.truth)
    require(leak is None, f"track {track.name!r}, problem {problem.id!r}: the task contains the truth: {leak}.")
    pickle.loads(pickle.dumps(problem.task))


def _check_garbage(track: AnyTrack) -> None:
    for payload in GARBAGE:
        try:
            track.decode(payload)
        except InvalidInput:
            continue
        except Exception as error:
            raise CheckFailed(
                f"track {track.name!r}: decode({payload!r}) raised {type(error).__name__}, not InvalidInput."
            ) from error


def _scores(track: AnyTrack, problem: AnyProblem, payload: bytes, settings: Settings) -> dict[str, float]:
    scores = score(track, track.examine(problem, track.decode(payload), settings))[0]
    for metric in track.metrics:
        low, high = metric.limits or (-math.inf, math.inf)
        number = scores[metric.name]
        require(
            math.isnan(number) or low - metric.tolerance <= number <= high + metric.tolerance,
            f"metric {metric.name!r}: scores {number!r} on {problem.id!r}, outside of its limits {low:g} to {high:g}.",
        )
    return scores


def _check_oracle(track: AnyTrack, problem: AnyProblem, defined: dict[str, int]) -> Mapping[str, float]:
    label = f"track {track.name!r}, problem {problem.id!r}"
    payload = _check_round_trip(track, track.encode(track.oracle(problem)), f"{label}: the oracle")
    settings = {**track.settings, **track.privileged_settings}
    scores = _scores(track, problem, payload, settings)
    require(
        canonical_json(plain(scores)) == canonical_json(plain(_scores(track, problem, payload, settings))),
        f"{label}: examining the same answer twice gave two scores.",
    )
    for metric in track.metrics:
        score = scores[metric.name]
        if metric.oracle is None or math.isnan(score):
            continue
        defined[metric.name] += 1
        require(
            abs(score - metric.oracle) <= metric.tolerance,
            f"{label}: the truth itself scores {metric.name} = {score!r}, declared is {metric.oracle!r}.",
        )
    return scores


def _check_round_trip(track: AnyTrack, payload: bytes, label: str) -> bytes:
    require(isinstance(payload, bytes), f"{label}'s answer does not encode to bytes.")
    again = track.encode(track.decode(payload))
    require(again == payload, f"{label}'s answer does not round-trip: decoding and encoding it gives other bytes.")
    return payload


def _check_floor(track: AnyTrack, problem: AnyProblem, best: Mapping[str, float]) -> None:
    for metric in track.metrics:
        floor, score = metric.floor_for(problem), best[metric.name]
        if metric.oracle is None or math.isnan(floor) or math.isnan(score):
            continue
        worse = floor <= score if metric.goal == "max" else floor >= score
        require(worse, f"metric {metric.name!r}: its floor {floor!r} is better than the truth's {score!r}.")


def _check_ranking(track: AnyTrack, problem: AnyProblem, best: Mapping[str, float], subjects: Sequence[str]) -> None:
    headline = track.metric(track.headline)
    top = best[headline.name]
    for name in subjects:
        try:
            subject = track.subjects[name]()
        except MissingExtra:
            continue
        label = f"track {track.name!r}, problem {problem.id!r}, subject {name!r}"
        try:
            payload = _check_round_trip(track, check_subject(subject, track, problem), label)
        except SubjectFailed:
            continue  # an honest failure: it gets the floor
        score = _scores(track, problem, payload, track.settings)[headline.name]
        if math.isnan(score) or math.isnan(top):
            continue
        first = score <= top + headline.tolerance if headline.goal == "max" else score >= top - headline.tolerance
        require(first, f"{label}: scores {headline.name} = {score!r}, better than the truth's {top!r}.")


def _check_record(track: AnyTrack, problem: AnyProblem) -> None:
    scores = {metric.name: metric.floor_for(problem) for metric in track.metrics}
    record = Record(
        key="k",
        answer_key="a",
        track=track.name,
        problem=problem.id,
        problem_digest=problem.digest,
        subject="none",
        subject_digest="none",
        seed=0,
        status="failed",
        scores=scores,
        tags=problem.tags,
        settings=track.settings,
        versions=track.versions(),
    )
    again = Record.from_json(record.to_json())
    require(again.content() == record.content(), f"track {track.name!r}: a record does not survive storage.")
