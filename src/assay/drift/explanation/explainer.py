"""Drifts explained from documents: ranked causes with verbatim evidence, or the admission that there is none."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.core import InvalidInput
from assay.core.checks import demand_whole
from assay.drift.detection.drift import Drift
from assay.drift.documents.dense import Embedder
from assay.drift.documents.document import Corpus
from assay.drift.documents.folder import Progress, read_corpus
from assay.drift.documents.language import language_named
from assay.drift.documents.taxonomy import categorise
from assay.drift.documents.text_index import TextIndex
from assay.drift.explanation.explanation import Cause, Explanation, Link, band_of
from assay.drift.explanation.linking import link_explanations
from assay.drift.explanation.prose import advise, describe, summarise
from assay.drift.explanation.query import Changed, Query, make_query
from assay.drift.explanation.quoting import best_passage
from assay.drift.explanation.rerank import Chat, Opinion, ask, join
from assay.drift.explanation.retrieve import Scored, Weights, chance_of_any, rank

__all__ = ["Cause", "DriftExplainer", "Explanation", "Link"]

_CONTEXT = 20_000  # characters of a document that tell what kind of cause it is


class DriftExplainer:
    """Explains drifts of event logs from documents: ranked causes with verbatim quotes, or that there is none.

    Parameters
    ----------
    corpus : Corpus, str or PathLike
        The documents, or a folder with them.
    glossary : mapping of str to str, optional
        Definitions by term.
    causes : int, default 5
        How many candidates an explanation shows.
    abstain_below : float, optional
        When the chance that any document tells the cause is below this, none is called a cause. Without it none is
        when "none of them" is likelier than every single document.
    weights : Weights or mapping of str to Weights, optional
        How much each signal counts; without them the fitted ones do. A mapping has those for prose under "free" and
        those for documents that name their process under "named".
    embedder : Embedder, optional
        Adds a dense signal.
    chat : Chat, optional
        A language model, such as ``assay.chat.ChatClient``: it sees up to 18 candidates, its order decides, and what it
        quotes is used only where it stands in the document word for word.
    index : str or PathLike, optional
        A folder that keeps extracted texts.
    progress : callable, optional
        Called with the number of files read, their total and the name.

    Raises
    ------
    InvalidInput
        A number is out of range, or the folder holds no readable document.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> corpus = Corpus.from_texts({
    ...     "2020-03-02_Travel_Permits.txt": "From 9 March 2020 travel permits need a second signature.",
    ...     "2020-03-04_Canteen.txt": "The canteen has a new menu from 9 March 2020.",
    ... })
    >>> day = datetime(2020, 3, 10, tzinfo=UTC)
    >>> drift = Drift(id="d1", process="TravelPermits", type="sudden", start_case="7", end_case="7", start=day, end=day)
    >>> explanation = DriftExplainer(corpus).explain(drift)
    >>> explanation.causes[0].document, explanation.causes[0].quote
    ('2020-03-02_Travel_Permits.txt', 'From 9 March 2020 travel permits need a second signature.')
    """

    def __init__(
        self,
        corpus: Corpus | str | os.PathLike[str],
        *,
        glossary: Mapping[str, str] | None = None,
        causes: int = 5,
        abstain_below: float | None = None,
        weights: Weights | Mapping[str, Weights] | None = None,
        embedder: Embedder | None = None,
        chat: Chat | None = None,
        index: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
    ) -> None:
        demand_whole(causes, "causes", least=1)
        if abstain_below is not None and not 0.0 <= abstain_below <= 1.0:
            raise InvalidInput(f"abstain_below must lie in [0, 1], got {abstain_below!r}.")
        self.corpus = (
            corpus if isinstance(corpus, Corpus) else read_corpus(Path(corpus), index=index, progress=progress)
        )
        self.glossary = dict(glossary or {})
        self.causes = causes
        self.abstain_below = abstain_below
        self.weights = weights
        self.embedder = embedder
        self.chat = chat
        self.index = TextIndex(self.corpus)
        self._places = {name: at for at, name in enumerate(self.corpus.names)}

    def __repr__(self) -> str:
        return f"DriftExplainer({self.corpus!r}, causes={self.causes}, abstain_below={self.abstain_below})"

    def explain(self, drift: Drift, profile: Changed | None = None) -> Explanation:
        """The documents that may explain a drift; ``profile`` tells what changed in the process."""
        ranking = rank(
            self.index,
            drift,
            profile=profile,
            glossary=self.glossary,
            weights=self.weights,
            embedder=self.embedder,
        )
        query = make_query(drift, profile=profile, glossary=self.glossary)
        opinion = None
        if self.chat is not None:
            opinion = ask(self.chat, self.corpus, drift, ranking, profile=profile)
            ranking = join(ranking, opinion)
        quotable = [scored for scored in ranking if self.corpus[scored.document].text]
        causes = tuple(self._cause(scored, drift, query, opinion) for scored in quotable[: self.causes])
        abstained = self._abstains(ranking)
        if opinion is not None and opinion.none is not None:
            abstained = opinion.none
        summary = summarise(drift, causes, abstained=abstained, profile=profile)
        if opinion is not None and opinion.summary and not abstained:
            summary = f"{summary} In the words of the language model: {opinion.summary}"
        return Explanation(
            drift=drift,
            causes=causes,
            ranking=ranking,
            summary=summary,
            abstained=abstained,
            profile=profile,
            next_step=advise(drift, causes, abstained=abstained),
            notes=(self._reading(), *(() if opinion is None else opinion.notes)),
        )

    def _abstains(self, ranking: Sequence[Scored]) -> bool:
        chance = chance_of_any(ranking)
        if self.abstain_below is not None:
            return chance < self.abstain_below
        return 1.0 - chance > max((scored.confidence for scored in ranking), default=0.0)

    def _reading(self) -> str:
        """How the documents were read: in which languages, and by words alone or by meaning too."""
        names = ", ".join(language_named(code).name for code in self.index.languages)
        means = "by words, dates and cues" if self.embedder is None else f"by words, dates, cues and {self.embedder!r}"
        return f"The documents were read as {names}, {means}."

    def link(self, explanations: Sequence[Explanation]) -> tuple[Link, ...]:
        """What joins drifts of one log: the same document, one that follows from another, or a common theme."""
        return link_explanations(self.index, explanations)

    def _cause(self, scored: Scored, drift: Drift, query: Query, opinion: Opinion | None) -> Cause:
        at = self._places[scored.document]
        document = self.corpus.documents[at]
        quoted = None if opinion is None else opinion.passages.get(document.name)
        passage = quoted if quoted is not None else best_passage(self.index, at, query)
        if not document.holds(passage.quote, passage.start, passage.end):
            raise InvalidInput(f"document {document.name!r}: the quote at {passage.start} is not its text.")
        description = describe(document, drift, scored)
        if opinion is not None and document.name in opinion.descriptions:
            description = f"{description} The language model adds: {opinion.descriptions[document.name]}"
        return Cause(
            document=document.name,
            title=document.title,
            quote=passage.quote,
            start=passage.start,
            end=passage.end,
            page=passage.page,
            dates=document.dates,
            signals=scored.signals,
            contributions=scored.contributions,
            confidence=scored.confidence,
            band=band_of(scored.confidence),
            category=categorise(passage.quote, around=f"{document.title}\n{document.text[:_CONTEXT]}", type=drift.type),
            description=description,
        )
