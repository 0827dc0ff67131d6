"""Words as retrieval sees them: names split into words, endings cut, function words left out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from assay.drift.documents.language import DEFAULT, fold, language_named

__all__ = ["name_words", "split_name", "stem", "stems", "synonyms", "tokens"]

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_HUMPS = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, in their order.

    >>> tokens("Invoices, checked twice (2x)")
    ['invoices', 'checked', 'twice', '2x']
    """
    return [word.lower() for word in _WORD.findall(text)]


def split_name(name: str) -> str:
    """A name as words: camel case, underscores, dashes and digits are taken apart.

    >>> split_name("RequestForPayment_v2"), split_name("W_Validate-application")
    ('Request For Payment v 2', 'W Validate application')
    """
    return " ".join(" ".join(_HUMPS.split(part)) for part in _WORD.findall(name.replace("_", " ")))


@lru_cache(maxsize=262144)
def stem(word: str, language: str = DEFAULT) -> str:
    """A word without its inflection, so that "approvals", "approved" and "approve" meet.

    >>> [stem(word) for word in ("approval", "approvals", "approved", "approve", "approving")]
    ['approv', 'approv', 'approv', 'approv', 'approv']
    >>> stem("policies"), stem("policy"), stem("payment"), stem("payments"), stem("bus")
    ('polici', 'polici', 'pay', 'pay', 'bus')
    >>> [stem(word, "de") for word in ("Prüfung", "prüfen", "geprüft", "Pruefung")]
    ['pruf', 'pruf', 'pruf', 'pruf']
    """
    root = fold(word)
    if language == "de":
        root = root.replace("ae", "a").replace("oe", "o").replace("ue", "u")
    if len(root) <= 3 or not root.isalpha():
        return root
    rules = language_named(language)
    if language == DEFAULT:
        root = _singular(root)
    root = _cut(root, rules.endings, repeatedly=rules.compounds)
    for prefix in rules.prefixes:
        if root.startswith(prefix) and len(root) - len(prefix) >= 4:
            root = root.removeprefix(prefix)
    if language != DEFAULT:
        return root
    if len(root) > 4 and root[-1] == root[-2] and root[-1] not in "aeiouls":
        root = root[:-1]  # "submitted" meets "submit"
    if len(root) > 3 and root.endswith("e"):
        root = root[:-1]
    return root[:-1] + "i" if len(root) > 2 and root.endswith("y") and root[-2] not in "aeiou" else root


def _cut(root: str, endings: tuple[tuple[str, int], ...], *, repeatedly: bool) -> str:
    """A word without its ending; in some languages ("Prüfungen") two come one after the other."""
    for _ in range(2 if repeatedly else 1):
        for ending, least in endings:
            if root.endswith(ending) and len(root) - len(ending) >= least:
                root = root.removesuffix(ending)
                break
    return root


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def stems(text: str, language: str = DEFAULT) -> list[str]:
    """The stems of a text's content words, in their order; function words are left out.

    >>> stems("The manager approves all declarations")
    ['manag', 'approv', 'declar']
    """
    function_words = language_named(language).function_words
    return [stem(word, language) for word in tokens(text) if word not in function_words]


@lru_cache(maxsize=8)
def synonyms(language: str = DEFAULT) -> dict[str, frozenset[str]]:
    """For each stem the stems that stand for the same in descriptions of work.

    >>> stem("approve") in synonyms()[stem("authorise")]
    True
    """
    by_word: dict[str, set[str]] = {}
    for words in language_named(language).synonyms:
        group = {stem(word, language) for word in words}
        for word in group:
            by_word.setdefault(word, set()).update(group - {word})
    return {word: frozenset(others) for word, others in by_word.items()}


def name_words(names: Iterable[str], language: str = DEFAULT) -> list[str]:
    """The distinct stems of names of processes or activities, in the order in which they come.

    >>> name_words(["DomesticDeclarations", "Declaration SUBMITTED by EMPLOYEE"])
    ['domestic', 'declar', 'submit', 'employe']
    """
    words = (word for name in names for word in stems(split_name(name), language))
    return list(dict.fromkeys(words))
