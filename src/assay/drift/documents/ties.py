"""A ranking as blocks of tied documents: without scores every document is a block of its own."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from assay.core import InvalidInput

__all__ = ["Block", "blocks", "chance_of_first", "gains", "places"]


class Block(NamedTuple):
    """Tied documents: how many rank strictly before them, how many they are, and the gains of the golden among them."""

    before: int
    size: int
    gains: tuple[float, ...]


def blocks(ranking: Sequence[str], golden: Mapping[str, float], scores: Sequence[float] | None) -> list[Block]:
    """The blocks in order, best first; a document that is named twice counts where it stands first.

    Scores need not be sorted: they decide the order, and equal scores are a tie.
    """
    if isinstance(ranking, str):
        raise InvalidInput(f"ranking must be a list of document names, got the single text {ranking!r}.")
    if scores is None:
        ordered = list(dict.fromkeys(ranking))
        return [Block(place, 1, _of((name,), golden)) for place, name in enumerate(ordered)]
    if len(scores) != len(ranking):
        raise InvalidInput(f"ranking has {len(ranking)} documents and scores {len(scores)} numbers; give one each.")
    first: dict[str, float] = {}
    for name, score in zip(ranking, scores, strict=True):
        if math.isnan(score):
            raise InvalidInput(f"scores: the score of document {name!r} is nan, which has no place in an order.")
        first.setdefault(name, float(score))
    tied: dict[float, list[str]] = {}
    for name, score in first.items():
        tied.setdefault(score, []).append(name)
    ordered_blocks, before = [], 0
    for score in sorted(tied, reverse=True):
        ordered_blocks.append(Block(before, len(tied[score]), _of(tied[score], golden)))
        before += len(tied[score])
    return ordered_blocks


def _of(names: Sequence[str], golden: Mapping[str, float]) -> tuple[float, ...]:
    return tuple(golden[name] for name in names if name in golden)


def gains(golden: Collection[str] | Mapping[str, float]) -> dict[str, float]:
    """Golden documents with their gains, 1 each unless a mapping says otherwise; those with gain 0 are not golden."""
    if isinstance(golden, str):
        raise InvalidInput(f"golden must be a set of document names, got the single text {golden!r}; write {{name}}.")
    by_name = dict(golden) if isinstance(golden, Mapping) else dict.fromkeys(golden, 1.0)
    for name, gain in by_name.items():
        if not 0 <= gain < math.inf:
            raise InvalidInput(f"golden: the gain of {name!r} must be finite and not negative, got {gain!r}.")
    return {name: float(gain) for name, gain in by_name.items() if gain > 0}


def places(size: int, golden: int) -> list[float]:
    r"""Chances that the first of some golden documents stands at place 1, 2, ... of a block in random order.

    $$P(J = j) = \binom{m - j}{g - 1} \Big/ \binom{m}{g}$$

    >>> places(2, 1)
    [0.5, 0.5]
    >>> places(3, 2)
    [0.6666666666666666, 0.3333333333333333]
    """
    total = math.comb(size, golden)
    return [math.comb(size - place, golden - 1) / total for place in range(1, size - golden + 2)]


def chance_of_first(
    ranking: Sequence[str], golden: Collection[str] | Mapping[str, float], scores: Sequence[float] | None
) -> float:
    """Chance that the first document is golden when ties are in random order; nan when nothing is golden.

    >>> chance_of_first(["a", "b"], {"b"}, [0.7, 0.7])
    0.5
    """
    relevant = gains(golden)
    if not relevant:
        return math.nan
    tied = blocks(ranking, relevant, scores)
    return len(tied[0].gains) / tied[0].size if tied else 0.0
