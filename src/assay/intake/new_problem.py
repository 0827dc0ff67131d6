"""A problem made of a user's own material: written whole or not at all, loaded again, tried with the truth itself."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assay.core import AnyProblem, InvalidInput, Json, find_problems, get_track
from assay.core.display import counted
from assay.core.files.drafts import new_folder
from assay.intake.table.reading import TableReading

__all__ = ["NewProblem", "check_problems"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewProblem:
    """What was written, what it was made of, and what is thin about it.

    Parameters
    ----------
    track : str
        The track of the problem.
    folder : Path
        The problem folder, or the folder of several problem folders.
    problems : tuple of str
        The ids of the problems.
    facts : mapping of str to value
        Sizes and figures, such as the number of training rows.
    warnings : tuple of str
        What makes results less certain than they look, one sentence each.
    tables : tuple of TableReading
        The tables as they were read: what each column was taken for.
    oracle : mapping of str to float
        What the truth itself scores; empty where there is none.
    subjects : tuple of str
        Built-in subjects to begin with.

    Examples
    --------
    >>> NewProblem(track="cases", folder=Path("problems/iris"), problems=("iris",), facts={"queries": 45})
    NewProblem(cases, 1 problem in problems/iris: queries 45)
    """

    track: str
    folder: Path
    problems: tuple[str, ...]
    facts: Mapping[str, Json] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    tables: tuple[TableReading, ...] = ()
    oracle: Mapping[str, float] = field(default_factory=dict)
    subjects: tuple[str, ...] = ()

    def __repr__(self) -> str:
        facts = ", ".join(f"{name} {value}" for name, value in self.facts.items())
        lines = [f"NewProblem({self.track}, {counted(len(self.problems), 'problem')} in {self.folder}: {facts})"]
        return "\n".join([*lines, *(f"Warning: {warning}" for warning in self.warnings)])

    @property
    def commands(self) -> tuple[str, ...]:
        """What to type next."""
        folder = shlex.quote(str(self.folder))
        subjects = [*self.subjects, *(["oracle"] if self.oracle else [])]
        return (
            f"assay validate {folder}",
            f"assay check SUBJECT --track {self.track}",
            f"assay run {self.track} --problems {folder} --subject " + " --subject ".join(subjects),
        )


def check_problems(track_name: str, folder: Path, *, oracle: bool = True) -> tuple[list[AnyProblem], dict[str, float]]:
    """The problems of a folder, loaded as a run loads them, and what the truth itself scores in the headline.

    Refused where the truth misses a score that the track promises for it.
    """
    track = get_track(track_name)
    problems = [track.load(path) for path in find_problems(folder, marker=track.marker)]
    scores: dict[str, float] = {}
    for problem in problems if oracle else ():
        answer = track.decode(track.encode(track.oracle(problem)))
        evidence = track.examine(problem, answer, {**track.settings, **track.privileged_settings})
        for metric in track.metrics:
            if metric.oracle is None and metric.name != track.headline:
                continue
            score = float(metric.function(evidence))
            if metric.oracle is not None and abs(score - metric.oracle) > metric.tolerance:  # nan: undefined here
                raise InvalidInput(
                    f"problem {problem.id!r}: the truth itself scores {metric.name} = {score:.6g} instead of "
                    f"{metric.oracle:g}. Its tables and its truth do not belong together."
                )
            if metric.name == track.headline:
                scores[problem.id] = score
    return problems, scores
