"""The contract of a subject."""

from __future__ import annotations

from typing import Any

from assay.core import AnyProblem, AnyTrack, Budget, Subject
from assay.testing.failure import require

__all__ = ["check_subject"]


def check_subject(subject: Subject[Any, Any], track: AnyTrack, problem: AnyProblem, *, seed: int = 0) -> bytes:
    """A subject has a stable identity, and answers equally to equal seeds, in a form that can be encoded and examined.

    Returns the encoded answer.
    """
    label = f"subject {subject.name!r}"
    require(isinstance(subject, Subject), f"{label}: needs name, digest and solve(task, budget).")
    require(bool(subject.name.strip()), f"{label}: the name is blank.")
    require(bool(subject.digest.strip()), f"{label}: the digest is blank.")
    require((subject.name, subject.digest) == (subject.name, subject.digest), f"{label}: its identity is not stable.")
    budget = Budget(seed=seed)
    first = track.encode(subject.solve(problem.task, budget))
    second = track.encode(subject.solve(problem.task, budget))
    require(first == second, f"{label} on {problem.id!r}: the same seed gave two different answers.")
    track.examine(problem, track.decode(first), track.settings)
    return first
