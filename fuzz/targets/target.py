"""A reader under attack: good inputs, what is done with broken ones, and how they are broken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fuzz.mutation import Mutator, mutate, suited

__all__ = ["Target", "of_file", "of_text", "restored"]


@dataclass(frozen=True)
class Target:
    """One reader."""

    name: str
    seeds: tuple[bytes, ...]
    read: Callable[[bytes], object]
    weight: int = 1  # of its share of inputs; slow readers have less
    mutate: Mutator = mutate
    root: Path | None = None  # where it may write; nothing at all may be written elsewhere


def of_text(name: str, read: Callable[[str], object], *seeds: str, weight: int = 20) -> Target:
    """A reader of texts."""

    def decoded(data: bytes) -> object:
        return read(data.decode("utf-8", "surrogateescape"))

    return Target(name, tuple(seed.encode() for seed in seeds), decoded, weight=weight)


def of_file(
    name: str,
    path: Path,
    read: Callable[[Path], object],
    seeds: Sequence[bytes],
    *,
    weight: int = 5,
    breaking: Mutator | None = None,
) -> Target:
    """A reader of files: the input is written to the path, the path is read."""
    path.parent.mkdir(parents=True, exist_ok=True)

    def read_file(data: bytes) -> object:
        path.write_bytes(data)
        return read(path)

    return Target(name, tuple(seeds), read_file, weight=weight, mutate=breaking or suited(path.name))


def restored(target: Target, path: Path) -> Target:
    """The same target, which leaves the file as it was: others read the folder too."""

    def read(data: bytes) -> object:
        try:
            return target.read(data)
        finally:
            path.write_bytes(target.seeds[0])

    return replace(target, read=read)
