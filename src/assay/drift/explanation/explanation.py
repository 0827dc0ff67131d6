"""An explanation of a drift: ranked causes with evidence, what changed, a summary, and links to other drifts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Literal, NamedTuple, TypeAlias

from markupsafe import Markup

from assay.core.display import counted, object_html, shortened
from assay.drift.detection.drift import Drift
from assay.drift.documents.dates import DateMention
from assay.drift.documents.taxonomy import Category
from assay.drift.explanation.query import Changed
from assay.drift.explanation.retrieve import Scored

__all__ = ["BANDS", "Band", "Cause", "Connection", "Explanation", "Link", "band_of"]

Band: TypeAlias = Literal["high", "medium", "low"]
Connection: TypeAlias = Literal["shared cause", "same chain", "common theme"]

_LONGEST_TEXT = 1000  # characters of a quote or a summary that are shown

BANDS: Mapping[Band, float] = {"high": 0.75, "medium": 0.4, "low": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One document as a possible cause: what it says, word for word, where, and how sure that is.

    ``quote`` is ``text[start:end]`` of the document, on ``page``. ``dates`` are the days that the document names.
    ``confidence`` is the probability that it tells the cause, by a model fitted to documents of outside authors (how
    far that holds for other authors is shown in the track's page); ``band`` is its rough size.
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

    Attributes
    ----------
    drift : Drift
        The drift.
    causes : tuple of Cause
        The likeliest documents, best first, each with a quote, where it stands, and how sure that is.
    ranking : tuple of Scored
        All documents with their scores.
    summary : str
        The finding in a sentence or two.
    abstained : bool
        The evidence is too weak to name a cause: ``causes`` are then merely what came nearest.
    profile : ChangeProfile or None
        What changed in the process, where that was given.
    next_step : str
        What to do with it.
    notes : tuple of str
        What was remarkable on the way.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> from assay.drift import Corpus, DriftExplainer
    >>> corpus = Corpus.from_texts({"2020-03-02_Travel_Permits.txt": "From 9 March 2020 permits need two signatures."})
    >>> day = datetime(2020, 3, 10, tzinfo=UTC)
    >>> drift = Drift(id="d1", process="TravelPermits", type="sudden", start_case="7", end_case="7", start=day, end=day)
    >>> DriftExplainer(corpus).explain(drift).causes[0].page
    1
    """

    drift: Drift
    causes: tuple[Cause, ...]
    ranking: tuple[Scored, ...]
    summary: str
    abstained: bool
    profile: Changed | None = None
    next_step: str = ""
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        first = next(
            (f"{shortened(cause.document)!r} ({cause.confidence:.2f}, {cause.band})" for cause in self.causes), ""
        )
        finding = f"no document tells the cause; nearest {first}" if self.abstained else first
        return f"Explanation({shortened(self.drift.id)!r}: {finding}; {counted(len(self.ranking), 'document')} ranked)"

    def _repr_html_(self) -> str:
        facts = {"drift": f"{self.drift.id}, {self.drift.type}", "summary": Markup(_in_full(self.summary))}
        if self.next_step:
            facts["next step"] = Markup(_in_full(self.next_step))
        rows = (
            (place, cause.document, f"{cause.confidence:.2f} ({cause.band})", Markup(_quoted(cause)))
            for place, cause in enumerate(self.causes, start=1)
        )
        title = "No document tells the cause; the nearest are" if self.abstained else "What explains the drift"
        columns = ("rank", "document", "confidence", "quote")
        return object_html(title, facts, columns=columns, rows=rows, total=len(self.causes))


def _quoted(cause: Cause) -> str:
    return f"<q>{_in_full(cause.quote)}</q> (page {cause.page})"


def _in_full(text: str) -> str:
    """A text as HTML, in several lines where it is long."""
    return escape(shortened(text, _LONGEST_TEXT))


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
