"""Subjects and metrics as people give them in Python, turned into the texts that a run file would have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import GeneratorType

from assay.api.temporary import process_folder
from assay.core import AnyTrack, InvalidInput, as_metrics
from assay.harness.callables import SourceUnavailable, capture, demand_subject, name_of, pickle_subject
from assay.harness.process.isolation import NONE

__all__ = ["as_texts", "metric_texts", "several", "subject_texts"]

_NAME = re.compile(r"[\w.@+-]+(?:\([^()]*\))?")  # as in label=reference
_SEVERAL = (list, tuple, set, frozenset, GeneratorType)  # an estimator may be a sequence of estimators, too


def subject_texts(subjects: object, track: AnyTrack, *, isolation: str) -> tuple[str, ...]:
    """A text for each subject; callables are taken with their source, into a folder of this process."""
    named = [_named_text(name, value, track, isolation) for name, value in _entries(subjects)]
    if not named:
        raise InvalidInput("subjects: none is given. Name at least one, as in subjects=['oracle'].")
    repeated = [name for name, times in Counter(name for name, _ in named if name).items() if times > 1]
    if repeated:
        raise InvalidInput(
            f"subjects: two are named {repeated[0]!r}. Give names: subjects={{'first': ..., 'second': ...}}."
        )
    return tuple(text for _, text in named)


def _entries(subjects: object) -> Iterator[tuple[str | None, object]]:
    """Subjects with the names they are given, if any."""
    if isinstance(subjects, Mapping):
        for name, value in subjects.items():
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                raise InvalidInput(f"subjects: the name {name!r} may have letters, digits and . _ @ + - only.")
            yield name, value
    elif isinstance(subjects, _SEVERAL):
        yield from ((None, value) for value in subjects)
    elif subjects is not None:
        yield None, subjects


def _named_text(name: str | None, value: object, track: AnyTrack, isolation: str) -> tuple[str | None, str]:
    """The text of a subject, with its name where that is known before the text is read."""
    if isinstance(value, str | Path):
        text = value if isinstance(value, str) else str(value.absolute())
        return name, text if name is None else f"{name}={text}"
    name = name or name_of(value)
    _demand_solve(value)
    demand_subject(value, track, name=name)
    folder = process_folder("subjects")
    try:
        path = capture(value, folder, name=name)
    except SourceUnavailable:
        if isolation != NONE:
            raise
        path = pickle_subject(value, folder, name=name)
    return name, f"{name}={path}"


def _demand_solve(value: object) -> None:
    """Refuse a class whose instances solve nothing, and what is neither callable nor has such a method."""
    if any(callable(getattr(value, method, None)) for method in ("solve", "fit")):
        return
    if isinstance(value, type) and not any("__call__" in vars(base) for base in value.__mro__):
        raise InvalidInput(
            f"subjects: class {value.__name__} has no method solve. Add `def solve(self, task, budget)`, or give a "
            "function."
        )
    if not callable(value):
        raise InvalidInput(
            f"subjects: {type(value).__name__} is not a subject. Give a name such as 'oracle', a function "
            "solve(task, budget), a class or object with a method solve, an estimator, or a path."
        )


def metric_texts(metrics: object) -> tuple[str, ...]:
    """A text for each metric; those given as objects are taken with their source."""
    return tuple(map(_metric_text, several(metrics)))


def several(value: object) -> list[object]:
    """The members of a collection, or the one thing that was given."""
    return list(value) if isinstance(value, _SEVERAL) else [value]


def _metric_text(value: object) -> str:
    if isinstance(value, str | Path):
        return str(value)
    (metric,) = as_metrics((value,), what="metrics")
    return f"{capture(value, process_folder('metrics'), name=metric.name)}:subject"


def as_texts(value: object, what: str) -> tuple[str, ...]:
    """Texts and paths, one or several, as texts; ``what`` names them in errors."""
    if isinstance(value, str | Path):
        return (str(value),)
    if isinstance(value, Iterable) and not isinstance(value, Mapping | bytes):
        entries = tuple(value)
        if all(isinstance(entry, str | Path) for entry in entries):
            return tuple(map(str, entries))
    raise InvalidInput(f"{what}: must be a text or a list of texts, got {value!r:.60}.")
