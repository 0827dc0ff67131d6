"""Tracks and their subjects, as lists of names that are shown with a line about each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import overload

from assay.core import AnyTrack, get_track, track_names
from assay.harness.subject_ref import ORACLE
from assay.report.display import cut, html_table, text_table

__all__ = ["Names", "subjects", "tracks"]

_LONGEST = 110  # characters of a description


class Names(Sequence[str]):
    """A list of names; shown, it is a table with a line about each."""

    def __init__(self, kind: str, names: Sequence[str], describe: Callable[[str], str], *, note: str = "") -> None:
        self._kind = kind
        self._names = tuple(names)
        self._describe = describe
        self._note = note

    @cached_property
    def _rows(self) -> list[list[str]]:
        return [[name, cut(self._describe(name), _LONGEST)] for name in self._names]

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        return self._names[place]

    def __len__(self) -> int:
        return len(self._names)

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Names | list | tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._names)

    def __repr__(self) -> str:
        table = text_table([self._kind, ""], self._rows)
        return f"{table}\n{self._note}" if self._note else table

    def _repr_html_(self) -> str:
        return html_table([self._kind, ""], self._rows, note=self._note)


def tracks() -> Names:
    """The names of the installed tracks, with the question that each asks.

    Returns
    -------
    Names
        A list of names that shows itself as a table.

    Examples
    --------
    >>> import assay
    >>> list(assay.tracks())
    ['cases', 'conformal', 'drift', 'formula', 'insight']
    """
    return Names("track", track_names(), lambda name: get_track(name).question)


def subjects(track: str) -> Names:
    """The names of a track's own subjects, with a line about each.

    Parameters
    ----------
    track : str
        The name of a track.

    Returns
    -------
    Names
        A list of names that shows itself as a table. ``oracle``, the truth itself as an answer, is the last.

    Raises
    ------
    UnknownName
        If the track is not found.

    Examples
    --------
    >>> import assay
    >>> list(assay.subjects("insight"))[-3:]
    ['ground-truth', 'target', 'oracle']
    """
    definition = get_track(track)
    names = [*definition.subjects, *definition.privileged, ORACLE]
    note = "A subject may also be a function, a class, an estimator, a file, module:object, a folder or command(...)."
    return Names("subject", names, partial(_description, definition), note=note)


def _description(track: AnyTrack, name: str) -> str:
    if name == ORACLE:
        return "The truth itself as an answer: the best score there can be."
    if name in track.privileged:
        return f"Given the truth: {_first_line(track.privileged[name])}"
    factory: object = track.subjects[name]
    if not isinstance(factory, partial):
        return _first_line(factory)
    arguments = ", ".join([*map(repr, factory.args), *(f"{key}={value!r}" for key, value in factory.keywords.items())])
    return f"{_first_line(factory.func).rstrip('.')}: {arguments}."


def _first_line(value: object) -> str:
    return (inspect.getdoc(value) or "").partition("\n")[0]
