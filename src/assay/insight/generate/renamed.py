"""Problems under invented names: tables, columns and categories are renamed to made-up words."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np

from assay.core import digest_json
from assay.core.checks import demand_whole
from assay.insight.generate.arguments import DIFFICULTIES, PROBLEM_TYPES, Difficulty, demand_choice
from assay.insight.generate.domains import FAMILIES, Domain
from assay.insight.generate.synthetic import FEWEST_ROWS, write_generated

__all__ = ["rename", "renamed_problems"]

_STARTS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "dr", "gl", "kr", "pl", "st")
_VOWELS = ("a", "e", "i", "o", "u")
_ENDS = ("", "l", "m", "n", "r", "s")
_SYLLABLES = (2, 4)  # at least, and below
_TEXTS = ("label", "title", "question")


def renamed_problems(
    folder: str | Path,
    *,
    problems: int,
    seed: int,
    difficulty: Difficulty = "easy",
    other_than: int | None = None,
    drawn: str = "public",
    rows: int = 300,
) -> None:
    """Write problems of the built-in families under invented names, each with data of its own; same seed, same bytes.

    Problem k is of the k-th combination of family, kind of target and times, which is its tag ``base``. ``drawn``
    becomes a tag; ``other_than`` is ignored, since two seeds share a name only by chance.
    """
    demand_whole(problems, "generate: problems", least=1)
    demand_whole(seed, "generate: seed", least=0)
    demand_whole(rows, "generate: rows", least=FEWEST_ROWS)
    demand_choice("difficulty", difficulty, DIFFICULTIES)
    bases = [(name, kind, timed) for timed in (False, True) for kind in PROBLEM_TYPES for name in FAMILIES]
    for number in range(problems):
        name, kind, timed = bases[number % len(bases)]
        words, data = (np.random.default_rng([seed, number, stream]) for stream in (1, 2))
        base = f"{name}-{kind}-{'timed' if timed else 'static'}"
        write_generated(
            Path(folder) / f"world-{digest_json(['world', str(seed), number])[:10]}",
            rename(FAMILIES[name], words),
            data,
            problem_type=kind,
            rows=rows,
            timed=timed,
            difficulty=difficulty,
            tags={"family": name, "base": base, "drawn": drawn, "generator": "renamed-worlds"},
        )


def rename(domain: Domain, rng: np.random.Generator) -> Domain:
    """The same domain in invented words, none of them twice."""
    used: set[str] = set()

    def word() -> str:
        while True:
            count = int(rng.integers(*_SYLLABLES))
            name = "".join(str(rng.choice(part)) for _ in range(count) for part in (_STARTS, _VOWELS, _ENDS))
            if name not in used:
                used.add(name)
                return name

    new: dict[str, str | tuple[str, ...]] = {}
    for field in fields(Domain):
        old = getattr(domain, field.name)
        if field.name not in _TEXTS and old:
            new[field.name] = tuple(word() for _ in old) if isinstance(old, tuple) else word()
    entity, row = new["entity"], new["row"]
    return replace(
        domain,
        **new,  # type: ignore[arg-type]
        label="Invented",
        title=f"What becomes of each {row}",
        question=f"Explain what becomes of each {row} of a {entity}.",
    )
