"""An explanation of a drift: ranked causes with evidence, what changed, a summary, and links to other drifts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from assay.drift.detection.drift import Drift
from assay.drift.documents.dates import DateMention
from assay.drift.documents.taxonomy import Category
from assay.drift.explanation.retrieve import Scored
from assay.drift.explanation.signals import Changed

__all__ = ["BANDS", "Band", "Cause", "Connection", "Explanation", "Link", "band_of"]

Band: TypeAlias = Literal["high", "medium", "low"]
Connection: TypeAlias = Literal["shared cause", "same chain", "common theme"]

BANDS: Mapping[Band, float] = {"high": 0.75, "medium": 0.4, "low": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One document as a possible cause: what it says, word for word, where, and how sure that is.

    ``quote`` is ``text[start:end]`` of the document, on ``page``. ``dates`` are the days that the document names.
    ``confidence`` is the calibrated probability that it tells the cause, ``band`` its rough size.
    """

    document: str
    title: str
    quote: str
    start: int
    end: int
    page: int
    dates: tuple[DateMention, ...]
    signals: Mapping[str, float]
    contributions: Mapping[str, float]
    confidence: float
    band: Band
    category: Category
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What explains a drift.

    ``causes`` are the likeliest documents, best first; ``ranking`` holds all. ``abstained`` says that the evidence is
    too weak to name a cause: ``causes`` are then merely what came nearest. ``next_step`` says what to do with it,
    ``notes`` what was remarkable on the way.
    """

    drift: Drift
    causes: tuple[Cause, ...]
    ranking: tuple[Scored, ...]
    summary: str
    abstained: bool
    profile: Changed | None = None
    next_step: str = ""
    notes: tuple[str, ...] = ()


class Link(NamedTuple):
    """What joins two drifts: their ids, in which way, the documents in common, and a sentence."""

    first: str
    second: str
    connection: Connection
    documents: tuple[str, ...]
    reason: str


def band_of(confidence: float) -> Band:
    """The band of a confidence.

    >>> band_of(0.9), band_of(0.5), band_of(0.1)
    ('high', 'medium', 'low')
    """
    return next(band for band, least in BANDS.items() if confidence >= least)
