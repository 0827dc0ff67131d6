"""What joins the drifts of one log: one cause for several, one cause after another, or a theme in common."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from assay.core import InvalidInput
from assay.drift.documents.text_index import TextIndex
from assay.drift.explanation.explanation import Cause, Explanation, Link

__all__ = ["link_explanations"]

_CHAIN_DAYS = 120
_THEME = 0.35  # weighted share of words that two documents must have in common


def link_explanations(index: TextIndex, explanations: Sequence[Explanation]) -> tuple[Link, ...]:
    """The strongest link of each pair of explained drifts, if there is one; drifts without a cause are not linked.

    A "shared cause" is a document that both name at medium confidence or more. In the "same chain" the first drift's
    cause is issued before the second's, within four months, and the texts have much in common. A "common theme" is a
    category in common and texts with much in common.
    """
    processes = sorted({explanation.drift.process for explanation in explanations})
    if len(processes) > 1:
        raise InvalidInput(f"only drifts of one log can be linked, these are of {', '.join(processes)}.")
    ordered = sorted(explanations, key=lambda one: (one.drift.start, one.drift.id))
    pairs = combinations([one for one in ordered if not one.abstained], 2)
    return tuple(link for one, two in pairs if (link := _link(index, one, two)) is not None)


def _link(index: TextIndex, one: Explanation, two: Explanation) -> Link | None:
    first, second = _credible(one), _credible(two)
    if not first or not second:
        return None
    shared = tuple(sorted({cause.document for cause in first} & {cause.document for cause in second}))
    ids = one.drift.id, two.drift.id
    if shared:
        return Link(*ids, "shared cause", shared, f"Both drifts are explained by {', '.join(shared)}.")
    head, tail = first[0], second[0]
    common = _common(index, head, tail)
    names = head.document, tail.document
    earlier, later = index.corpus[head.document].issued, index.corpus[tail.document].issued
    if common >= _THEME and earlier is not None and later is not None:
        gap = (later - earlier).days
        if 0 < gap <= _CHAIN_DAYS:
            reason = f"{tail.document} follows {head.document} after {gap} days and speaks of much the same."
            return Link(*ids, "same chain", names, reason)
    if common >= _THEME and head.category == tail.category:
        return Link(*ids, "common theme", names, f"Both causes concern {head.category.name} and use the same words.")
    return None


def _credible(explanation: Explanation) -> list[Cause]:
    return [cause for cause in explanation.causes if cause.band != "low"] or list(explanation.causes[:1])


def _common(index: TextIndex, head: Cause, tail: Cause) -> float:
    """The share of words in common, by rarity, of what the two documents say."""
    one, two = (index.sets[index.corpus.names.index(cause.document)] for cause in (head, tail))
    together = sum(index.rarity(word) for word in one | two)
    return sum(index.rarity(word) for word in one & two) / together if together > 0.0 else 0.0
