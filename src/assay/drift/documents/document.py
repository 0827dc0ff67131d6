"""Documents that may say why a process changed: their text, their dates, and passages with exact offsets."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePath
from typing import NamedTuple

from assay.core import InvalidInput, UnknownName, digest_bytes, digest_json
from assay.core.display import counted, object_html, shortened
from assay.drift.documents.date_words import is_month
from assay.drift.documents.dates import DateKind, DateMention, date_in_name, find_dates, issue_date
from assay.drift.documents.language import language_of
from assay.drift.documents.words import split_name

__all__ = [
    "Chunk",
    "Corpus",
    "DateKind",
    "DateMention",
    "Document",
    "Trouble",
    "is_header",
    "make_document",
    "sentences",
]

_MOST_TROUBLES = 5  # that are shown

_SENTENCE = re.compile(
    r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9À-Þ])|\n\s*\n|\n(?=\s*(?:[-*•–]|\d{1,2}[.)])\s)|(?<=[:;])\n"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|etc|approx|resp|dr|mr|mrs|ms|prof|no|nr|art|sec|vs|jan|feb|apr|aug|sept?|oct|nov|dec)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\d.,:])\d{1,2}\.$")
_ARTICLE = re.compile(r"\b(?:der|die|das|den|dem|des|am|vom|zum|zur|im|bis)\s+\d{1,2}\.$", re.IGNORECASE)
_FIRST_WORD = re.compile(r"[ \t]+([^\W\d_]+)")

_HEADER_LINES = re.compile(r"(?:[A-Z][A-Za-z -]{1,18}:[^\n]*\n){2,}")


class Chunk(NamedTuple):
    """A passage of a document: ``document.text[start:end]`` is its text."""

    document: str
    start: int
    end: int
    text: str


class Trouble(NamedTuple):
    """A file that could not be read, and why."""

    name: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document with its dates.

    Parameters
    ----------
    name : str
        The file's name, with the suffix.
    text : str
        The whole text.
    title : str
        The title, from the name or the first line.
    issued : date or None
        When it was issued, where that is known.
    dates : tuple of DateMention, optional
        Every date that the text names.
    pages : tuple of int, optional
        The offsets at which its pages begin in ``text``.
    digest : str, optional
        That of the file's content.
    language : str, default "en"
        The code of its language, detected from its words.

    Examples
    --------
    >>> document = Corpus.from_texts({"2020-03-02_New_Rule.txt": "It applies from 16 March 2020."}).documents[0]
    >>> document
    Document('2020-03-02_New_Rule.txt': issued 2020-03-02, 1 page, 30 characters)
    >>> document.find("applies  from")
    (3, 15)
    """

    name: str
    text: str
    title: str
    issued: date | None
    dates: tuple[DateMention, ...] = ()
    pages: tuple[int, ...] = (0,)
    digest: str = ""
    language: str = "en"

    def __repr__(self) -> str:
        issued = "no date of issue" if self.issued is None else f"issued {self.issued}"
        size = f"{counted(len(self.pages), 'page')}, {counted(len(self.text), 'character')}"
        return f"Document({shortened(self.name)!r}: {issued}, {size})"

    def _repr_html_(self) -> str:
        facts = {
            "title": self.title,
            "issued": self.issued or "not known",
            "pages": len(self.pages),
            "characters": len(self.text),
            "names the days": ", ".join(dict.fromkeys(str(mention.day) for mention in self.dates)),
            "begins": self.text[:1000],
        }
        return object_html(self.name, facts)

    def page_of(self, offset: int) -> int:
        """The number of the page on which an offset stands, from 1 on."""
        return max(1, bisect_right(self.pages, offset))

    def holds(self, quote: str, start: int, end: int) -> bool:
        """Whether the quote is exactly what stands between the two offsets."""
        return 0 <= start < end <= len(self.text) and self.text[start:end] == quote

    def find(self, quote: str) -> tuple[int, int] | None:
        """Where a text stands in this document, word for word; None when it does not.

        Runs of white space count as one space, because line breaks in extracted text are layout, not words.
        """
        words = quote.split()
        if not words:
            return None
        match = re.search(r"\s+".join(map(re.escape, words)), self.text)
        return match.span() if match else None

    def chunks(self, *, words: int = 120, overlap: int = 1) -> tuple[Chunk, ...]:
        """Passages of whole sentences, about so many words long; neighbours share ``overlap`` sentences."""
        if words < 1 or overlap < 0:
            raise InvalidInput(f"chunks need words >= 1 and overlap >= 0, not words={words}, overlap={overlap}.")
        spans = sentences(self.text)
        sizes = [len(self.text[start:end].split()) for start, end in spans]
        chunks, first = [], 0
        while first < len(spans):
            last, total = first, sizes[first]
            while last + 1 < len(spans) and total + sizes[last + 1] <= words:
                last += 1
                total += sizes[last]
            start, end = spans[first][0], spans[last][1]
            chunks.append(Chunk(self.name, start, end, self.text[start:end]))
            if last + 1 >= len(spans):
                break
            first = max(first + 1, last + 1 - overlap)
        return tuple(chunks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Documents in the order of their names.

    Parameters
    ----------
    documents : tuple of Document
        The documents.
    troubles : tuple of Trouble, optional
        Files that could not be read, and why.

    Raises
    ------
    InvalidInput
        Two documents have the same name.

    Examples
    --------
    >>> corpus = Corpus.from_texts({"2020-03-02_New_Rule.txt": "It applies from 16 March 2020."})
    >>> corpus
    Corpus(1 document, issued 2020-03-02 to 2020-03-02)
    >>> corpus["2020-03-02_New_Rule.txt"].title
    'New Rule'
    """

    documents: tuple[Document, ...]
    troubles: tuple[Trouble, ...] = ()
    _by_name: dict[str, Document] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.documents, key=lambda document: document.name))
        object.__setattr__(self, "documents", ordered)
        object.__setattr__(self, "_by_name", {document.name: document for document in ordered})
        if len(self._by_name) < len(ordered):
            names = [document.name for document in ordered]
            twice = sorted({name for name in names if names.count(name) > 1})
            raise InvalidInput(f"documents with the same name: {', '.join(twice)}. Rename one of each.")

    @classmethod
    def from_texts(cls, texts: Mapping[str, str]) -> Corpus:
        """A corpus of texts by file name.

        >>> corpus = Corpus.from_texts({"2020-03-02_New_Rule.txt": "It applies from 16 March 2020."})
        >>> corpus["2020-03-02_New_Rule.txt"].title, corpus.documents[0].dates[0].day.isoformat()
        ('New Rule', '2020-03-16')
        """
        for name, text in texts.items():
            if not (isinstance(name, str) and isinstance(text, str)):
                raise InvalidInput(f"texts: {{{name!r}: {text!r:.80}}} is no file name with its text: give two str.")
        return cls(documents=tuple(make_document(name, [text]) for name, text in texts.items()))

    def __repr__(self) -> str:
        return f"Corpus({self._size()})"

    def _repr_html_(self) -> str:
        rows = ((entry.name, entry.title, entry.issued or "", len(entry.pages), len(entry.text)) for entry in self)
        columns = ("document", "title", "issued", "pages", "characters")
        facts = {f"not read: {trouble.name}": trouble.message for trouble in self.troubles[:_MOST_TROUBLES]}
        return object_html(f"Corpus: {self._size()}", facts, columns=columns, rows=rows, total=len(self))

    def _size(self) -> str:
        issued = sorted(document.issued for document in self if document.issued is not None)
        period = f", issued {issued[0]} to {issued[-1]}" if issued else ""
        unread = f"; {counted(len(self.troubles), 'file')} not read" if self.troubles else ""
        return f"{counted(len(self), 'document')}{period}{unread}"

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Document:
        if name not in self._by_name:
            raise UnknownName("document", name, self._by_name)
        return self._by_name[name]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the documents, in order."""
        return tuple(self._by_name)

    @property
    def digest(self) -> str:
        """Digest of all names and contents."""
        return digest_json({document.name: document.digest for document in self.documents})


def make_document(name: str, pages: list[str], *, digest: str | None = None) -> Document:
    """A document from the texts of its pages: title and dates are read from its name and text."""
    starts, offset = [], 0
    for page in pages:
        starts.append(offset)
        offset += len(page) + 2
    text = "\n\n".join(pages)
    language = language_of(text).code
    dates = find_dates(text, issued=date_in_name(name), language=language)
    return Document(
        name=name,
        text=text,
        title=_title(name, text),
        issued=issue_date(name, dates, text),
        dates=dates,
        pages=tuple(starts) or (0,),
        digest=digest if digest is not None else digest_bytes(text.encode()),
        language=language,
    )


def _title(name: str, text: str) -> str:
    """The words of the file name without its date; for a name that is only a date, the first line of the text."""
    stem = re.sub(r"(?<!\d)(?:19|20)\d\d[-_. ]?[01]\d[-_. ]?[0-3]\d(?!\d)", " ", PurePath(name).stem)
    words = split_name(stem).strip()
    return words or next((line.strip()[:120] for line in text.splitlines() if line.strip()), name)


def sentences(text: str) -> list[tuple[int, int]]:
    """The spans of a text's sentences, without the white space around them.

    >>> text = "Rule 4 changes, e.g. for trips. It starts on 2 May."
    >>> [text[start:end] for start, end in sentences(text)]
    ['Rule 4 changes, e.g. for trips.', 'It starts on 2 May.']
    """
    spans, start = [], 0
    for match in _SENTENCE.finditer(text):
        before = text[max(start, match.start() - 16) : match.start()]
        if _ABBREVIATION.search(before) or (
            _NUMBER.search(before) and _is_ordinal(before, text[match.start() : match.end() + 12])
        ):
            continue
        spans.append((start, match.start()))
        start = match.end()
    spans.append((start, len(text)))
    spans = [part for span in spans for part in _without_header(text, *span)]
    return [span for span in (_strip(text, *span) for span in spans) if span[0] < span[1]]


def _is_ordinal(before: str, after: str) -> bool:
    """Whether a number with a full stop is that of a day or of its kind: "2. September", "die 2. Sitzung"."""
    word = _FIRST_WORD.match(after)
    return word is not None and (_ARTICLE.search(before) is not None or is_month(word[1]))


def _without_header(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A span parted where header lines end and a text begins right below them."""
    start, end = _strip(text, start, end)
    header = _HEADER_LINES.match(text, start, end)
    return [(start, header.end()), (header.end(), end)] if header else [(start, end)]


def is_header(text: str) -> bool:
    r"""Whether a passage is a block of header lines, such as those above a letter.

    >>> is_header("Subject: New rule\nFrom: Finance"), is_header("The rule is new.")
    (True, False)
    """
    lines = [line for line in text.splitlines() if line.strip()]
    marked = sum(":" in line[:20] or line.startswith("#") for line in lines)
    return bool(lines) and marked >= max(1, len(lines) / 2) and (len(lines) > 1 or lines[0].startswith("#"))


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
