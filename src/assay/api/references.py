"""Subjects and metrics as people give them in Python, turned into the texts that a run file would have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from types import GeneratorType

from assay.api.temporary import process_folder
from assay.core import Aggregate, InvalidInput, Metric
from assay.harness.process.isolation import NONE

__all__ = ["metric_texts", "subject_texts"]

_NAME = re.compile(r"[\w.@+-]+")
_SEVERAL = (list, tuple, set, frozenset, GeneratorType)  # an estimator may be a sequence of estimators, too
_numbers = count()


def subject_texts(given: object, *, isolation: str) -> tuple[str, ...]:
    """A text for each subject; callables are taken with their source, into a folder of this process."""
    texts = [_subject_text(name, value, isolation) for name, value in _named(given)]
    if not texts:
        raise InvalidInput("subjects: none is given. Name at least one, as in subjects=['oracle'].")
    repeated = [name for name, times in Counter(_label(text) for text in texts).items() if name and times > 1]
    if repeated:
        raise InvalidInput(
            f"subjects: two are named {repeated[0]!r}. Give names: subjects={{'first': ..., 'second': ...}}."
        )
    return tuple(texts)


def _label(text: str) -> str:
    name, equals, _ = text.partition("=")
    return name if equals and _NAME.fullmatch(name) else ""


def _named(given: object) -> Iterator[tuple[str | None, object]]:
    """Subjects with the names they are given, if any."""
    if isinstance(given, Mapping):
        for name, value in given.items():
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                raise InvalidInput(f"subjects: the name {name!r} may have letters, digits and . _ @ + - only.")
            yield name, value
    elif isinstance(given, _SEVERAL):
        yield from ((None, value) for value in given)
    elif given is not None:
        yield None, given


def _subject_text(name: str | None, value: object, isolation: str) -> str:
    if isinstance(value, str | Path):
        text = value if isinstance(value, str) else str(value.absolute())
        return text if name is None else f"{name}={text}"
    _demand_subject(value)
    from assay.harness.callables import SourceUnavailable, capture, name_of, pickle_subject

    name = name or name_of(value)
    folder = process_folder("subjects", str(next(_numbers)))
    try:
        path = capture(value, folder, name=name)
    except SourceUnavailable:
        if isolation != NONE:
            raise
        path = pickle_subject(value, folder, name=name)
    return f"{name}={path}"


def _demand_subject(value: object) -> None:
    """Refuse what can never be a subject."""
    if callable(getattr(value, "solve", None)):
        return
    if callable(getattr(value, "fit", None)) and callable(getattr(value, "predict", None)):
        return
    if isinstance(value, type):
        if "__call__" not in vars(value):
            raise InvalidInput(
                f"subjects: class {value.__name__} has no method solve. Add `def solve(self, task, budget)`, or give "
                "a function."
            )
    elif not callable(value):
        raise InvalidInput(
            f"subjects: {type(value).__name__} is no subject. Give a name such as 'oracle', a function "
            "solve(task, budget), a class or object with a method solve, an estimator, or a path."
        )


def metric_texts(given: object) -> tuple[str, ...]:
    """A text for each metric; those given as objects are taken with their source."""
    values = list(given) if isinstance(given, _SEVERAL) else [given]
    return tuple(_metric_text(value) for value in values)


def _metric_text(value: object) -> str:
    if isinstance(value, str | Path):
        return str(value)
    if not isinstance(value, Metric | Aggregate) and not callable(value):
        raise InvalidInput(
            f"metrics: {type(value).__name__} is no metric. Give a name such as 'recall@10', an assay.Metric, an "
            "assay.Aggregate, a function of evidence, or 'FILE.py:NAME'."
        )
    from assay.harness.callables import capture, name_of

    name = value.name if isinstance(value, Metric | Aggregate) else name_of(value)
    path = capture(value, process_folder("metrics", str(next(_numbers))), name=re.sub(r"\W", "_", name))
    return f"{path}:subject"
