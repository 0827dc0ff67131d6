"""Answers of the drift track, and their bytes: JSON that a person can write by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from assay.core import InvalidInput, Json, canonical_json
from assay.core.checks import is_number
from assay.core.display import counted, object_html, shortened
from assay.intake.answers import no_answer, parse_answer
from assay.intake.fields import demand_known_keys

__all__ = ["DriftAnswer", "DriftReply", "Quote", "decode", "encode"]

_REPLY_KEYS = ("ranking", "scores", "quotes", "abstained", "confidence")
_QUOTE_KEYS = ("document", "start", "end", "text")


class Quote(NamedTuple):
    """A passage that a reply rests on: it must stand in the document's text between the two offsets."""

    document: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftReply:
    """What is said of one drift: documents, the likeliest cause first.

    Parameters
    ----------
    ranking : sequence of str, optional
        Names of documents, the likeliest cause first.
    scores : sequence of float, optional
        A score per document; equal numbers are a tie.
    quotes : sequence of Quote, optional
        Passages that the reply rests on; each must stand in its document between its offsets.
    abstained : bool, default False
        No document of the corpus is to blame; a ranking beside it is a best guess.
    confidence : float, optional
        How sure it is that the first document is a cause, from 0 to 1.

    Raises
    ------
    InvalidInput
        Something is not of its type, or scores and ranking differ in length.

    Examples
    --------
    >>> DriftReply(ranking=("rule.pdf", "memo.pdf"), confidence=0.8)
    DriftReply(2 documents, first 'rule.pdf' (0.80))
    """

    ranking: tuple[str, ...] = ()
    scores: tuple[float, ...] | None = None
    quotes: tuple[Quote, ...] = ()
    abstained: bool = False
    confidence: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranking", _texts(self.ranking, "ranking"))
        if self.scores is not None:
            object.__setattr__(self, "scores", _numbers(self.scores, "scores"))
            if len(self.scores) != len(self.ranking):
                raise InvalidInput(f"answer: {len(self.scores)} scores for {len(self.ranking)} ranked documents.")
        object.__setattr__(self, "quotes", tuple(map(_quote, _entries(self.quotes, "quotes", "quotes"))))
        if not isinstance(self.abstained, bool):
            raise InvalidInput(f"answer: abstained must be true or false, got {self.abstained!r}.")
        if self.confidence is not None:
            (confidence,) = _numbers((self.confidence,), "confidence")
            if not 0 <= confidence <= 1:
                raise InvalidInput(f"answer: confidence must lie between 0 and 1, got {self.confidence!r}.")
            object.__setattr__(self, "confidence", confidence)

    def __repr__(self) -> str:
        first = f", first {shortened(self.ranking[0])!r}" if self.ranking else ""
        sure = "" if self.confidence is None else f" ({self.confidence:.2f})"
        abstained = "; abstained" if self.abstained else ""
        return f"DriftReply({counted(len(self.ranking), 'document')}{first}{sure}{abstained})"

    def _repr_html_(self) -> str:
        facts: dict[str, object] = {"abstained": self.abstained, "confidence": self.confidence}
        scores = self.scores or ("",) * len(self.ranking)
        quotes = {quote.document: quote.text for quote in reversed(self.quotes)}
        rows = (
            (place, name, score, quotes.get(name, ""))
            for place, (name, score) in enumerate(zip(self.ranking, scores, strict=True), start=1)
        )
        columns = ("rank", "document", "score", "quote")
        return object_html("Reply", facts, columns=columns, rows=rows, total=len(self.ranking))

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values; what is not given is left out."""
        body: dict[str, Json] = {"ranking": list(self.ranking), "abstained": self.abstained}
        if self.scores is not None:
            body["scores"] = list(self.scores)
        if self.quotes:
            body["quotes"] = [quote._asdict() for quote in self.quotes]
        if self.confidence is not None:
            body["confidence"] = self.confidence
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftAnswer:
    """A reply per drift, by the drift's id; a drift without one counts zero.

    Parameters
    ----------
    replies : mapping of str to DriftReply
        Replies by the drift's id.

    Raises
    ------
    InvalidInput
        Something else is given than replies by id.

    Examples
    --------
    >>> answer = DriftAnswer(replies={"permits_drift_1_1": DriftReply(ranking=("2020-03-02_New_Rule.pdf",))})
    >>> decode(encode(answer)) == answer
    True
    >>> decode(b'{"drifts": {"permits_drift_1_1": ["2020-03-02_New_Rule.pdf"]}}') == answer
    True
    """

    replies: Mapping[str, DriftReply] = field(default_factory=dict)

    def __repr__(self) -> str:
        abstained = sum(reply.abstained for reply in self.replies.values())
        return f"DriftAnswer({counted(len(self.replies), 'reply')}, {abstained} abstained)"

    def _repr_html_(self) -> str:
        rows = (
            (name, reply.ranking[0] if reply.ranking else "", len(reply.ranking), "yes" if reply.abstained else "")
            for name, reply in self.replies.items()
        )
        columns = ("drift", "first document", "ranked", "abstained")
        return object_html("Answer", {}, columns=columns, rows=rows, total=len(self.replies))

    def __post_init__(self) -> None:
        if not isinstance(self.replies, Mapping):
            raise InvalidInput(f"answer: replies must be a DriftReply per drift id, got {self.replies!r:.80}.")
        for name, reply in self.replies.items():
            if not isinstance(name, str) or not isinstance(reply, DriftReply):
                raise InvalidInput(
                    f"answer: drift {name!r:.80}: must have a list of document names, the likeliest cause first, or a "
                    f"DriftReply; got {reply!r:.80}."
                )


def encode(answer: DriftAnswer | Mapping[str, DriftReply | Sequence[str]]) -> bytes:
    """The answer as JSON, the same bytes for the same answer. Documents by drift, best first, are an answer, too.

    >>> encode({"d1": ["a.txt", "b.txt"]})
    b'{"drifts":{"d1":{"abstained":false,"ranking":["a.txt","b.txt"]}}}'
    """
    if isinstance(answer, Mapping):
        answer = DriftAnswer(replies={name: _as_reply(reply) for name, reply in answer.items()})
    if not isinstance(answer, DriftAnswer):
        raise no_answer(
            answer,
            wanted="a ranking of document names per drift, as {'<drift id>': ['a.txt', 'b.txt']}, or a DriftAnswer",
        )
    return canonical_json({"drifts": {name: reply.to_json() for name, reply in answer.replies.items()}}).encode()


def _as_reply(reply: DriftReply | Sequence[str]) -> DriftReply:
    return DriftReply(ranking=tuple(reply)) if isinstance(reply, list | tuple) else reply  # type: ignore[return-value]


def decode(data: bytes) -> DriftAnswer:
    """The inverse of encode; a plain list of documents stands for a reply that has nothing else."""
    body = parse_answer(data, finite="every number must be finite")
    if not isinstance(body, dict) or not isinstance(body.get("drifts"), dict):
        raise InvalidInput('answer: must be {"drifts": {"<drift id>": {"ranking": ["<document>", ...]}, ...}}.')
    demand_known_keys(body, ("drifts",), what="answer")
    return DriftAnswer(replies={name: _reply(entry, name) for name, entry in body["drifts"].items()})


def _reply(entry: Any, name: str) -> DriftReply:
    if isinstance(entry, list):
        entry = {"ranking": entry}
    if not isinstance(entry, dict):
        raise InvalidInput(f"answer: drift {name!r} must have an object or a list of documents, got {entry!r}.")
    demand_known_keys(entry, _REPLY_KEYS, what=f"answer: drift {name!r}")
    for key in ("ranking", "scores", "quotes"):
        if key in entry and not isinstance(entry[key], list):
            raise InvalidInput(f"answer: drift {name!r}: {key} must be a list, got {type(entry[key]).__name__}.")
    return DriftReply(**entry)


def _quote(entry: Any) -> Quote:
    if isinstance(entry, Mapping):
        demand_known_keys(entry, _QUOTE_KEYS, what="answer: a quote")
        missing = [key for key in _QUOTE_KEYS if key not in entry]
        if missing:
            raise InvalidInput(f"answer: a quote lacks {', '.join(missing)}.")
        entry = tuple(entry[key] for key in _QUOTE_KEYS)
    if not isinstance(entry, tuple | list) or len(entry) != len(_QUOTE_KEYS):
        raise InvalidInput(f"answer: a quote must have {', '.join(_QUOTE_KEYS)}, got {str(entry)[:80]}.")
    document, start, end, text = entry
    if not isinstance(document, str) or not isinstance(text, str):
        raise InvalidInput(f"answer: document and text of a quote must be texts, got {document!r} and {text!r}.")
    if type(start) is not int or type(end) is not int:
        raise InvalidInput(f"answer: start and end of a quote must be whole numbers, got {start!r} and {end!r}.")
    return Quote(document, start, end, text)


def _entries(values: Any, name: str, kind: str) -> tuple[Any, ...]:
    """Values in their order, read once: a generator has no second time, a set no order."""
    if isinstance(values, str | set | frozenset) or not isinstance(values, Iterable):
        raise InvalidInput(f"answer: {name} must be a list of {kind}, got {values!r:.80}.")
    return tuple(values)


def _texts(values: Any, name: str) -> tuple[str, ...]:
    texts = _entries(values, name, "document names")
    if not all(isinstance(text, str) for text in texts):
        raise InvalidInput(f"answer: {name} must be a list of document names, got {values!r:.80}.")
    return texts


def _numbers(values: Any, name: str) -> tuple[float, ...]:
    numbers = _entries(values, name, "numbers")
    for number in numbers:
        if not is_number(number):
            raise InvalidInput(f"answer: {name} must be finite numbers, got {number!r}.")
    return tuple(map(float, numbers))
