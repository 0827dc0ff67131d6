"""Links, pipes and names that lead out of the folder that was given: what lies outside is neither read nor written."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from assay.core import AnyTrack, all_but_truth, get_track, track_names
from assay.drift.documents.folder import read_corpus
from assay.drift.problem.testsets import read_test_set
from assay.harness.programs.program import read_answer
from assay.insight.answer.answer import read_solution
from fuzz.targets.target import Target
from fuzz.targets.tracks import smallest

__all__ = ["SECRET", "escape_targets"]

SECRET = "secret"  # the folder that nobody may look into
_PIPE = "|pipe|"
_ABSOLUTE, _RELATIVE = "|absolute|", "|relative|"  # paths to the secret folder, wherever it is this time
_SPECIAL = (_PIPE, "/dev/zero", "/etc/passwd", "/proc/self/environ", ".", "..", "loop", "nowhere", "/", "")


def escape_targets(folder: Path) -> Iterator[Target]:
    """All of them; the built-in problems of the tracks lie in the folder already."""
    secret = folder / SECRET
    secret.mkdir()
    for name in track_names():
        track = get_track(name)
        whole = smallest(track, folder / name)
        shutil.copytree(whole, secret / name)
        yield _links(f"links in {name}", folder / "links" / name, whole, secret / name, _opened(track))
        yield _names(track, folder / "names" / name, secret)
    readers: dict[str, Callable[[Path], object]] = {"documents": read_corpus, "detector": read_test_set}
    for what, reader in readers.items():
        whole = folder / ("documents-read" if what == "documents" else what)
        whole = whole / "shelf" if what == "documents" else whole
        shutil.copytree(whole, secret / what)
        yield _links(f"links in {what}", folder / "links" / what, whole, secret / what, reader)
    solution = folder / "solutions" / "ready-enriched_train.csv" / "t"
    shutil.copytree(solution, secret / "solution")
    yield _links("links in solution", folder / "links" / "solution", solution, secret / "solution", read_solution)


def _opened(track: AnyTrack) -> Callable[[Path], object]:
    """A problem loaded, and its task handed over as files."""

    def read(folder: Path) -> object:
        out = folder.parent / "out"
        try:
            return track.load(folder)
        finally:
            with contextlib.suppress(FileNotFoundError):
                (all_but_truth if track.name != "insight" else track.hand_over)(folder, out)
            shutil.rmtree(out, ignore_errors=True)

    return read


def _links(name: str, place: Path, whole: Path, secret: Path, read: Callable[[Path], object]) -> Target:
    """One file or folder of a good folder replaced by a link or a pipe."""
    place.mkdir(parents=True)
    parts = sorted(path.relative_to(whole).as_posix() for path in whole.rglob("*"))
    parts = [*parts[:40], "further.csv", "further.txt"]
    copy = place / "copy"
    ends = [*_SPECIAL, *(f"{way}{part}" for part in parts for way in (_ABSOLUTE, _RELATIVE))]

    def change(seed: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
        part = chance.choice(parts)
        own = chance.choice((_ABSOLUTE, _RELATIVE)) + part
        return f"{part}\n{own if chance.random() < 0.5 else chance.choice(ends)}".encode()

    def linked(data: bytes) -> object:
        part, _, end = data.decode("utf-8", "replace").partition("\n")
        if part not in parts:  # guided bytes name no place in the folder
            return None
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(whole, copy)
        if end.startswith(_RELATIVE):
            end = os.path.relpath(secret / end.removeprefix(_RELATIVE), (copy / part).parent)
        elif end.startswith(_ABSOLUTE):
            end = str(secret / end.removeprefix(_ABSOLUTE))
        _place(copy / part, end)
        return read(copy)

    return Target(name, tuple(f"{part}\n{_ABSOLUTE}{part}".encode() for part in parts), linked, mutate=change)


def _place(path: Path, end: str) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if end == _PIPE:
        os.mkfifo(path)
        return
    with contextlib.suppress(OSError, ValueError):  # a text that cannot be a link at all
        path.symlink_to(path.name if end == "loop" else end)


def _names(track: AnyTrack, place: Path, secret: Path) -> Target:
    """A problem whose name leads elsewhere: its ready answer is looked for in the folder and nowhere else."""
    inside = place / "inside"
    inside.mkdir(parents=True)
    ways = (_ABSOLUTE, _RELATIVE, "../inside", "a/../../inside", ".", f"{_ABSOLUTE}/../{track.name}")

    def read(data: bytes) -> object:
        name = data.decode("utf-8", "replace").replace(_ABSOLUTE, str(secret / track.name))
        return read_answer(track, inside, name.replace(_RELATIVE, os.path.relpath(secret / track.name, inside)))

    return Target(f"names in {track.name}", tuple(way.encode() for way in ways), read, weight=2)
