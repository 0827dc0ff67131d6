"""Words that names of columns and cells are written with, in the usual languages; the lists are in ``words.toml``."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

__all__ = [
    "BOOLEANS",
    "CURRENCIES",
    "MISSING",
    "MISSING_NUMBERS",
    "MONTHS",
    "PROSE",
    "TOTALS",
    "WEEKDAYS",
    "plain",
    "says",
    "tokens",
]

_LISTS: Final[Mapping[str, Any]] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
_CELLS: Final[Mapping[str, Any]] = _LISTS["cells"]


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.replace("\n", "").split("|")]


# A word matches a whole part of a name (``order_id``), a phrase several parts in a row (``changed by``), and a word of
# five letters or more also the end of a compound (``Kundennummer``).
_CONCEPTS: Final = {
    concept: (
        frozenset(tuple(phrase.split()) for phrase in _words(text)),
        frozenset(phrase.replace(" ", "") for phrase in _words(text)),
        tuple(word for word in _words(text) if len(word) >= 5 and " " not in word),
    )
    for concept, text in _LISTS["concepts"].items()
}

BOOLEANS: Final = tuple((frozenset(yes.split()), frozenset(no.split())) for yes, no in _CELLS["booleans"])
MISSING: Final = frozenset(["", *_words(_CELLS["missing"])])
MISSING_NUMBERS: Final = MISSING | frozenset(
    _words(_CELLS["missing-among-numbers"])
)  # where all others are numbers or times
CURRENCIES: Final = frozenset(_words(_CELLS["currencies"]))
PROSE: Final = frozenset(_words(_CELLS["prose"]))
WEEKDAYS: Final = frozenset(_words(_CELLS["weekdays"]))
TOTALS: Final = re.compile(rf"^\W*({'|'.join(_words(_CELLS['totals']))})\b(?! \w+ \w)", re.IGNORECASE)


def _months() -> dict[str, tuple[int, bool]]:
    languages = [language.split() for language in _CELLS["months"]]
    names = {name: (number, True) for language in languages for number, name in enumerate(language, start=1)}
    names |= {"maerz": (3, True), "janner": (1, True), "jaenner": (1, True)}
    shortened = {"mrz": (3, False), "mae": (3, False), "mrt": (3, False)}
    unclear = set()
    for language in languages:
        for number, name in enumerate(language, start=1):
            for length in (3, 4):  # jun and juin, sep and sept
                if shortened.setdefault(name[:length], (number, False))[0] != number:
                    unclear.add(name[:length])  # jui is June or July
    return {name: month for name, month in shortened.items() if name not in unclear} | names


MONTHS: Final[Mapping[str, tuple[int, bool]]] = _months()  # by name: the number, and whether it is written in full


_LETTERS: Final = str.maketrans({"ß": "ss", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "ı": "i"})


def plain(text: str) -> str:
    """Lower case without accents.

    >>> plain("Fläche")
    'flache'
    """
    lowered = text.strip().lower().translate(_LETTERS)
    return "".join(letter for letter in unicodedata.normalize("NFKD", lowered) if not unicodedata.combining(letter))


@lru_cache(maxsize=4096)
def tokens(name: str) -> tuple[str, ...]:
    """The words of a column's name.

    >>> tokens("customerID"), tokens("Changed On"), tokens("concept:name")
    (('customer', 'id'), ('changed', 'on'), ('concept', 'name'))
    """
    spaced = re.sub(r"(?<=[a-zäöüß0-9])(?=[A-ZÄÖÜ])|(?<=[A-Z])(?=[A-Z][a-zäöü])", " ", name)
    return tuple(re.findall(r"[^\W\d_]+", plain(spaced))) or tuple(re.findall(r"\w+", plain(spaced)))


@lru_cache(maxsize=16384)
def says(name: str, concept: str, *, whole: bool = False) -> bool:
    """Whether a column's name says a concept; ``whole`` leaves compounds out.

    >>> says("Kundennummer", "identifier"), says("changed by", "resource"), says("litres", "identifier")
    (True, True, False)
    """
    phrases, joined, endings = _CONCEPTS[concept]
    parts = tokens(name)
    if any(parts[first:last] in phrases for first in range(len(parts)) for last in range(first + 1, len(parts) + 1)):
        return True
    if "".join(parts) in joined:
        return True
    if whole:
        return False
    if concept in ("identifier", "strong-identifier") and any(map(_ends_as_number, parts)):
        return True
    return any(part.endswith(endings) and len(part) > 5 for part in parts)


def _ends_as_number(part: str) -> bool:
    """``kundennr`` and ``orderid``, but not ``paid``."""
    if part.endswith("id") and part != "id":
        return (part[:-2],) in _CONCEPTS["identifier"][0] or (part[:-2],) in _CONCEPTS["case"][0]
    return part.endswith("nr") and len(part) > 4
