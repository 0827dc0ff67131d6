"""The contract of a subject."""

from __future__ import annotations

from typing import Any

from assay.core import AnyProblem, AnyTrack, Budget, Subject
from assay.testing.failure import require

__all__ = ["check_subject"]


def check_subject(subject: Subject[Any, Any], track: AnyTrack, problem: AnyProblem, *, seed: int = 0) -> bytes:
    """A subject has a stable identity, and answers equally to equal seeds, in a form that can be encoded and examined.

    Parameters
    ----------
    subject : Subject
        The subject to check.
    track : Track
        Whose tasks it solves.
    problem : Problem
        On which it is tried, twice.
    seed : int, default 0
        Of the budget.

    Returns
    -------
    bytes
        The encoded answer.

    Raises
    ------
    CheckFailed
        When the identity changes, or equal seeds give two answers.

    Examples
    --------
    >>> import tempfile
    >>> from assay.conformal import TRACK, generate, load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder, problems=1, seed=1, families=["correlated"], calibration=60, test=30)
    ...     problem = load(f"{folder}/generated-1-000-correlated-taskwise")
    >>> check_subject(TRACK.subjects["taskwise"](), TRACK, problem)[:8]
    b'{"sets":'
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
