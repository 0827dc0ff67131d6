"""The problems of a track, loaded one by one when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple, overload

from assay.api.temporary import process_folder
from assay.core import AnyProblem, AnyTrack, InvalidInput, Problem, Tags, UnknownName, get_track
from assay.core.display import counted
from assay.core.files.folders import user_path
from assay.core.files.near import near_path
from assay.harness.plan import materialise_builtin
from assay.harness.setup.problems import problem_folders, problem_manifest
from assay.harness.spec import BUILTIN
from assay.report.display import cut, html_table, text_table

__all__ = ["ProblemSet", "problem_paths", "problems"]

_LISTED = 40  # rows of a repr
_NAMED = 5  # problems that an error names
_LONGEST = 90  # characters of the tags

_folders: dict[tuple[str, str], Path] = {}  # where the problems that this process has seen lie, by track and digest


class Entry(NamedTuple):
    """A problem before it is loaded."""

    id: str
    digest: str
    tags: Tags
    folder: Path


class ProblemSet(Sequence[AnyProblem]):
    """Problems of one track by place or by id; shows itself as a table of ids and tags."""

    def __init__(self, track: AnyTrack, entries: Sequence[Entry]) -> None:
        self._track = track
        self._entries = tuple(entries)

    @property
    def track(self) -> str:
        """The name of the track."""
        return self._track.name

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the problems."""
        return tuple(entry.id for entry in self._entries)

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where the problems lie."""
        return tuple(entry.folder for entry in self._entries)

    @overload
    def __getitem__(self, place: int | str) -> AnyProblem: ...
    @overload
    def __getitem__(self, place: slice) -> ProblemSet: ...
    def __getitem__(self, place: int | str | slice) -> AnyProblem | ProblemSet:
        if isinstance(place, slice):
            return ProblemSet(self._track, self._entries[place])
        if isinstance(place, str):
            if place not in self.ids:
                raise UnknownName(f"problem of track {self.track!r}", place, self.ids)
            place = self.ids.index(place)
        return replace(self._track.load(self._entries[place].folder), track=self.track)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[AnyProblem]:
        return (self[place] for place in range(len(self)))

    def __repr__(self) -> str:
        rest = len(self) - _LISTED
        more = f"\n... and {rest} more" if rest > 0 else ""
        return f"{text_table(['problem', 'tags'], self._rows(_LISTED))}{more}\n{self._size()}"

    def _repr_html_(self) -> str:
        return html_table(["problem", "tags"], self._rows(len(self)), note=self._size())

    def _rows(self, most: int) -> list[list[str]]:
        return [[entry.id, cut(_pairs(entry.tags), _LONGEST)] for entry in self._entries[:most]]

    def _size(self) -> str:
        return f"{counted(len(self), 'problem')} of track {self.track}"


def _pairs(tags: Tags) -> str:
    return ", ".join(f"{name}={value}" for name, value in tags.items())


def problems(track: str, path: str | Path | Iterable[str | Path] = BUILTIN) -> ProblemSet:
    """The problems of a track: its built-in ones, or those of a folder.

    Parameters
    ----------
    track : str
        The name of a track.
    path : str, Path or several of them
        ``"builtin"``, the id of a built-in problem, a folder of problem folders, or one problem folder.

    Returns
    -------
    ProblemSet
        A sequence of :class:`assay.Problem`, each loaded when it is asked for, by place or by id. Some of them may be
        given to :func:`assay.run` as ``problems=``.

    Raises
    ------
    InvalidInput
        If the track or folder is not found, or a problem in it is wrong.

    Examples
    --------
    >>> import assay
    >>> found = assay.problems("conformal")
    >>> len(found), found[0].id == found.ids[0], found[:2]["digits-joint"].id
    (9, True, 'digits-joint')
    """
    definition = get_track(track)
    paths = (path,) if isinstance(path, str | Path) else tuple(path)
    entries = [entry for place in paths for entry in _entries(definition, place)]
    return ProblemSet(definition, entries)


def _entries(track: AnyTrack, path: str | Path) -> Iterator[Entry]:
    for folder in problem_folders(_place(track, path), track):
        manifest = problem_manifest(folder, track)
        _folders[track.name, manifest.digest] = folder.resolve()
        yield Entry(manifest.id, manifest.digest, manifest.tags, folder.resolve())


def _place(track: AnyTrack, reference: str | Path) -> Path:
    """The folder of the built-in problems, of one of them by its id, or at a path."""
    if reference == BUILTIN:
        return materialise_builtin(track, process_folder("builtin"))
    path = user_path(reference)
    if path.exists() or len(path.parts) != 1 or isinstance(reference, Path):
        return path
    builtin = {entry.id: entry.folder for entry in _entries(track, BUILTIN)}
    if reference in builtin:
        return builtin[reference]
    raise InvalidInput(
        f"{reference}: problem folder not found, and no built-in problem of track {track.name!r} has this id."
        f"{near_path(path) or _similar(reference, [BUILTIN, *builtin]) or _first(builtin)}"
    )


def _similar(name: str, ids: Sequence[str]) -> str:
    close = get_close_matches(name, ids, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _first(builtin: Mapping[str, Path]) -> str:
    names = ", ".join(list(builtin)[:_NAMED])
    return f" Built-in are {names}{', ...' * (len(builtin) > _NAMED)}."


def problem_paths(track: AnyTrack, value: object) -> tuple[str, ...]:
    """What ``problems=`` means to a run: paths as they are, problems and ids of built-in ones by their folders."""
    if isinstance(value, str | Path):
        return (str(value if value == BUILTIN else _place(track, value)),)
    if isinstance(value, ProblemSet):
        _demand_track(track, value.track, "these problems")
        return tuple(map(str, value.folders))
    if isinstance(value, Problem):
        return (_folder_of(track, value),)
    if isinstance(value, Iterable) and not isinstance(value, Mapping | bytes):
        return tuple(path for entry in value for path in problem_paths(track, entry))
    raise InvalidInput(
        f"problems: got {type(value).__name__}. Give 'builtin', a folder, or some of assay.problems({track.name!r})."
    )


def _folder_of(track: AnyTrack, problem: AnyProblem) -> str:
    if problem.track:
        _demand_track(track, problem.track, f"problem {problem.id!r}")
    folder = _folders.get((track.name, problem.digest))
    if folder is None:
        raise InvalidInput(
            f"problem {problem.id!r}: its folder is not known. Take it from "
            f"assay.problems({track.name!r}, FOLDER), or give the folder itself."
        )
    if not folder.is_dir() or problem_manifest(folder, track).digest != problem.digest:
        raise InvalidInput(f"problem {problem.id!r}: {folder} has changed since it was read. Read it again.")
    return str(folder)


def _demand_track(track: AnyTrack, name: str, what: str) -> None:
    if name != track.name:
        raise InvalidInput(f"{what}: of track {name!r}, not of {track.name!r}.")
