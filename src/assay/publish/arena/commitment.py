"""A commitment: published before any subject is submitted, and binding for the organiser."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assay.core import InvalidInput, Json, digest_json
from assay.core.checks import demand_whole
from assay.core.display import shell_word
from assay.core.files.drafts import new_folder
from assay.core.files.text import read_json, read_text, write_json
from assay.publish.arena.families import draw, find_family
from assay.version import __version__

__all__ = ["COMMITMENT", "PUBLIC_FOLDER", "SEED", "Commitment", "commit", "demand_seed", "read_commitment"]

COMMITMENT: Final = "commitment.json"
SEED: Final = "seed.secret"
PUBLIC_FOLDER: Final = "public"
FORMAT: Final = "assay-arena"
VERSION: Final = 1
BITS: Final = 256  # of a drawn seed
FEWEST_BITS: Final = 128
DIFFICULTIES: Final = ("easy", "medium", "hard")
_HEX = re.compile(r"[0-9a-f]{32,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Commitment:
    """What is published; ``digest`` is the SHA-256 of the secret seed together with all the rest."""

    families: tuple[dict[str, Json], ...]  # name, track, version and digest of each generator
    difficulty: str
    problems: int  # of each family, public and fresh
    public_seed: str
    digest: str

    def terms(self) -> dict[str, Json]:
        """All but the digest: what is hashed together with the seed."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "families": list(self.families),
            "difficulty": self.difficulty,
            "problems": self.problems,
            "public_seed": self.public_seed,
        }

    @property
    def tracks(self) -> tuple[str, ...]:
        """The tracks of the families, sorted."""
        return tuple(sorted({str(family["track"]) for family in self.families}))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the families."""
        return tuple(str(family["name"]) for family in self.families)


def committed(terms: dict[str, Json], seed: str) -> str:
    """H(seed, terms)."""
    return digest_json({**terms, "seed": seed})


def commit(
    folder: Path,
    families: Sequence[str],
    *,
    problems: int,
    difficulty: str = "easy",
    public_seed: str = "",
    seed: str = "",
) -> Commitment:
    """Open a round: draw a secret seed, write what is to be published and the public problems.

    The folder gets ``commitment.json`` and ``public/``, both to be published, and ``seed.secret``, to be kept. By
    default both seeds are drawn; a ``public_seed`` that was used before gives the public problems of that round.
    """
    demand_whole(problems, "problems", least=1)
    if difficulty not in DIFFICULTIES:
        raise InvalidInput(f"difficulty: must be one of {', '.join(DIFFICULTIES)}, got {difficulty!r}.")
    if not families or len(set(families)) < len(families):
        raise InvalidInput(f"families: name at least one, each once, got {list(families)}.")
    chosen = [find_family(name) for name in families]
    secret = seed or secrets.token_hex(BITS // 8)
    _demand_hex(secret, "seed")
    public = public_seed or secrets.token_hex(BITS // 8)
    draft = Commitment(
        families=tuple(family.facts() for family in chosen),
        difficulty=difficulty,
        problems=problems,
        public_seed=public,
        digest="",
    )
    digest = committed(draft.terms(), secret)
    with new_folder(folder) as place:
        for family in chosen:
            draw(place / PUBLIC_FOLDER / family.name, family, problems=problems, difficulty=difficulty, public=public)
        write_json(place / COMMITMENT, {**draft.terms(), "commitment": digest, "assay": __version__})
        descriptor = os.open(place / SEED, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(secret + "\n")
    return read_commitment(folder)


def read_commitment(folder: Path) -> Commitment:
    """The commitment of an arena's folder."""
    path = folder / COMMITMENT
    if not path.is_file():
        raise InvalidInput(
            f"{folder}: no {COMMITMENT} here. Open a round first: assay arena commit {shell_word(folder)}."
        )
    content = read_json(path)
    if content.get("format") != FORMAT:
        raise InvalidInput(f"{path}: not a commitment of an arena ('format' is {content.get('format')!r}).")
    if content.get("version") != VERSION:
        raise InvalidInput(
            f"{path}: has version {content.get('version')!r}, and this Assay reads version {VERSION}. Use the Assay "
            f"that wrote it ({content.get('assay', 'unknown')})."
        )
    families, problems = content.get("families"), content.get("problems")
    texts = [content.get(name) for name in ("difficulty", "public_seed", "commitment")]
    whole = isinstance(families, list) and all(isinstance(entry, dict) and "name" in entry for entry in families)
    if not whole or not isinstance(problems, int) or not all(isinstance(text, str) for text in texts):
        raise InvalidInput(f"{path}: damaged, a part is missing. Get it again from where it was published.")
    assert isinstance(families, list)
    difficulty, public_seed, digest = map(str, texts)
    return Commitment(
        families=tuple(families), difficulty=difficulty, problems=problems, public_seed=public_seed, digest=digest
    )


def demand_seed(commitment: Commitment, seed: str, *, what: str) -> str:
    """The seed, if it is the one that was committed to."""
    text = seed.strip().lower()
    _demand_hex(text, what)
    if committed(commitment.terms(), text) != commitment.digest:
        raise InvalidInput(
            f"{what}: this is not the seed that was committed to, or the commitment was changed: together they give "
            f"{committed(commitment.terms(), text)[:16]}..., published is {commitment.digest[:16]}... ."
        )
    return text


def read_secret(folder: Path) -> str:
    """The secret seed of a round, where it was opened."""
    path = folder / SEED
    if not path.is_file():
        raise InvalidInput(f"{path}: file not found. Who opened the round has it; give the seed itself with --seed.")
    return read_text(path)


def _demand_hex(text: str, what: str) -> None:
    if not _HEX.fullmatch(text):
        raise InvalidInput(
            f"{what}: must be at least {FEWEST_BITS} bits as {FEWEST_BITS // 4} hexadecimal digits, got "
            f"{len(text)} characters. A short seed can be guessed from the commitment."
        )
