"""The generators that an arena draws problems from; the same seed gives the same problems."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assay.core import Json, UnknownName, digest_json
from assay.core.files.digest import digest_implementation
from assay.stats.problems.memorisation import FRESH, PUBLIC

__all__ = ["FAMILIES", "Family", "draw", "family_seed", "find_family"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A generator: the same seed, number and difficulty give the same bytes, and any two seeds other problems."""

    name: str
    track: str
    module: str
    function: str
    summary: str
    version: int = 1  # bump when the same seed gives other problems

    def facts(self) -> dict[str, Json]:
        """What a commitment says of it: its name, version, and the digest of all code of Assay's that it reaches."""
        digest = digest_implementation(self.module)
        return {"name": self.name, "track": self.track, "version": self.version, "digest": digest}


FAMILIES: Final[Mapping[str, Family]] = {
    family.name: family
    for family in (
        Family(
            name="solved-laws",
            track="formula",
            module="assay.formula.generate.redrawn",
            function="solved_laws",
            summary="laws of physics solved for another variable",
        ),
        Family(
            name="laws-with-constants",
            track="formula",
            module="assay.formula.generate.redrawn",
            function="laws_with_constants",
            summary="laws of physics with changed constants",
        ),
        Family(
            name="renamed-worlds",
            track="insight",
            module="assay.insight.generate.renamed",
            function="renamed_problems",
            summary="worlds of tables under invented names",
        ),
    )
}


def find_family(name: str) -> Family:
    """The family of that name."""
    if name not in FAMILIES:
        raise UnknownName("family of an arena", name, FAMILIES)
    return FAMILIES[name]


def family_seed(seed: str, family: str) -> int:
    """The seed of one family; the problems of one family reveal nothing about those of another.

    >>> family_seed("00" * 16, "solved-laws") != family_seed("00" * 16, "renamed-worlds")
    True
    """
    return int(digest_json(["arena", seed, family]), 16)


def draw(
    folder: Path, family: Family, *, problems: int, difficulty: str, public: str, fresh: str | None = None
) -> None:
    """Write the public problems of a family or, given the secret seed, the fresh ones that belong to them."""
    generate = getattr(importlib.import_module(family.module), family.function)
    public_seed = family_seed(public, family.name)
    if fresh is None:
        generate(folder, problems=problems, seed=public_seed, difficulty=difficulty, drawn=PUBLIC)
    else:
        own = family_seed(fresh, family.name)
        generate(folder, problems=problems, seed=own, difficulty=difficulty, drawn=FRESH, other_than=public_seed)
