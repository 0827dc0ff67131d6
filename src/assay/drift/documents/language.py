"""Languages of documents: function words, endings, words of dates, and cues, each read from a file of its own."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

__all__ = ["DEFAULT", "Language", "all_languages", "fold", "language_named", "language_of", "with_plain_letters"]

DEFAULT = "en"

_WORD = re.compile(r"[^\W\d_]+", re.UNICODE)
_ENOUGH = 4000  # characters in which a language shows
_SHARP = str.maketrans({"ß": "ss", "œ": "oe", "æ": "ae"})
_PLAIN = str.maketrans("İıſ", "Iis")  # what patterns that ignore case take for others


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Language:
    """One language, as its file in the folder ``languages`` describes it.

    ``cues`` tell what a sentence does (announces, denies, calls off, reports, trains), ``changes`` in which direction
    something changes, ``dates`` which words stand around days; all are patterns of whole words.
    """

    code: str
    name: str
    function_words: frozenset[str]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    ordinals: Mapping[str, int]
    numbers: Mapping[str, int]
    prefixes: tuple[str, ...]
    endings: tuple[tuple[str, int], ...]
    compounds: bool
    synonyms: tuple[tuple[str, ...], ...]
    feasts: Mapping[str, str]
    dates: Mapping[str, tuple[str, ...]]
    cues: Mapping[str, re.Pattern[str]]
    changes: Mapping[str, re.Pattern[str]]

    def weekdays_in(self, text: str) -> frozenset[int]:
        """The days of the week that a text names by themselves, Monday 0: not "Monday 3 May", nor "next Monday".

        >>> sorted(language_named("en").weekdays_in("Only on Tuesdays and Fridays, from Monday 3 May."))
        [1, 4]
        """
        following = "|".join(self.dates["next"])
        pattern = rf"(?<!\w)(?:(?:{following})\s+)?({'|'.join(self.weekdays)})s?(?!\w)(?!,?\s+(?:den\s+|the\s+)?\d)"
        return frozenset(
            self.weekdays[match[1].lower()]
            for match in re.finditer(pattern, with_plain_letters(text), re.IGNORECASE)
            if len(match.group()) <= len(match[1]) + 1
        )

    def __repr__(self) -> str:
        return f"Language({self.code!r}: {self.name})"


@cache
def all_languages() -> Mapping[str, Language]:
    """Every language that has a file, by its code."""
    folder = files("assay.drift.documents").joinpath("languages")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return {
        name.removesuffix(".toml"): _parsed(name.removesuffix(".toml"), folder.joinpath(name).read_text("utf-8"))
        for name in names
    }


def language_named(code: str) -> Language:
    """A language by its code."""
    return all_languages()[code]


def _parsed(code: str, text: str) -> Language:
    content: dict[str, Any] = tomllib.loads(text)
    months = {word: number for number, words in enumerate(content["months"], start=1) for word in words.split()}
    weekdays = {word: number for number, words in enumerate(content["weekdays"]) for word in words.split("|")}
    return Language(
        code=code,
        name=content["name"],
        function_words=frozenset(content["function_words"].split()),
        months=months,
        weekdays=weekdays,
        ordinals=content["ordinals"],
        numbers=content["numbers"],
        prefixes=tuple(content["prefixes"]),
        endings=tuple((fold(ending), least) for ending, least in content["endings"]),
        compounds=content["compounds"],
        synonyms=tuple(tuple(words.split()) for words in content["synonyms"]),
        feasts={name.lower(): day for name, day in content["feasts"].items()},
        dates={name: tuple(entries) for name, entries in content["dates"].items()},
        cues={name: _words(entries) for name, entries in content["cues"].items()},
        changes={name: _words(entries) for name, entries in content["changes"].items()},
    )


def _words(entries: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(entries)})(?!\w)", re.IGNORECASE)


def with_plain_letters(text: str) -> str:
    """A text of the same length in which what a pattern finds, ignoring case, is in lower case what it looked for.

    >>> with_plain_letters("APRİL, Auguſt")
    'APRIL, August'
    """
    return text.translate(_PLAIN)


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """A word in lower case without marks, so that "Prüfung" meets "PRUFUNG".

    >>> fold("Prüfung"), fold("Straße"), fold("Décision")
    ('prufung', 'strasse', 'decision')
    """
    plain = unicodedata.normalize("NFKD", word.lower().translate(_SHARP))
    return "".join(letter for letter in plain if not unicodedata.combining(letter)) or word.lower()


def language_of(text: str) -> Language:
    """The language whose function words a text holds most of; English where there are none.

    >>> language_of("Der Antrag wird nicht mehr geprüft.").code, language_of("La demande est reçue ici.").code
    ('de', 'fr')
    >>> language_of("Order 17").code
    'en'
    """
    counts = Counter(word.lower() for word in _WORD.findall(text[:_ENOUGH]))
    languages = all_languages()
    shares = {code: sum(counts[word] for word in entry.function_words) for code, entry in languages.items()}
    best = max(languages, key=lambda code: (shares[code], code == DEFAULT))
    return languages[best]
