"""Words as retrieval sees them: names split into words, endings cut, function words left out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

__all__ = ["STOPWORDS", "name_words", "split_name", "stem", "stems", "tokens"]

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_HUMPS = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")

# fmt: off
STOPWORDS = frozenset({
    "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "could", "did", "do",
    "does", "doing", "down", "during", "each", "few", "for", "from", "further", "had", "has", "have", "having", "he",
    "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "itself", "just", "may",
    "me", "might", "more", "most", "must", "my", "no", "nor", "not", "of", "off", "on", "once", "only", "or", "other",
    "our", "ours", "out", "over", "own", "per", "same", "shall", "she", "should", "so", "some", "such", "than",
    "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this", "those", "through", "to",
    "too", "under", "until", "up", "upon", "us", "very", "via", "was", "we", "were", "what", "when", "where", "which",
    "while", "who", "whom", "why", "will", "with", "within", "without", "would", "you", "your", "yours",
})
# fmt: on


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


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its inflection, so that "approvals", "approved" and "approve" meet.

    >>> [stem(word) for word in ("approval", "approvals", "approved", "approve", "approving")]
    ['approv', 'approv', 'approv', 'approv', 'approv']
    >>> stem("policies"), stem("policy"), stem("payment"), stem("payments"), stem("bus")
    ('polici', 'polici', 'pay', 'pay', 'bus')
    """
    root = word.lower()
    if len(root) <= 3 or not root.isalpha():
        return root
    root = _singular(root)
    for ending, least in _ENDINGS:
        if root.endswith(ending) and len(root) - len(ending) >= least:
            root = root.removesuffix(ending)
            break
    if len(root) > 4 and root[-1] == root[-2] and root[-1] not in "aeiouls":
        root = root[:-1]  # "submitted" meets "submit"
    if len(root) > 3 and root.endswith("e"):
        root = root[:-1]
    return root[:-1] + "i" if len(root) > 2 and root.endswith("y") and root[-2] not in "aeiou" else root


_ENDINGS = (
    ("ization", 4),
    ("isation", 4),
    ("ement", 4),
    ("ment", 3),
    ("ation", 4),
    ("ition", 4),
    ("ingly", 4),
    ("ally", 4),
    ("ing", 3),
    ("ion", 4),
    ("edly", 4),
    ("ed", 3),
    ("al", 4),
    ("ly", 4),
    ("er", 4),
    ("or", 4),
)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def stems(text: str) -> list[str]:
    """The stems of a text's content words, in their order; function words are left out.

    >>> stems("The manager approves all declarations")
    ['manag', 'approv', 'declar']
    """
    return [stem(word) for word in tokens(text) if word not in STOPWORDS]


def name_words(names: Iterable[str]) -> list[str]:
    """The distinct stems of names of processes or activities, in the order in which they come.

    >>> name_words(["DomesticDeclarations", "Declaration SUBMITTED by EMPLOYEE"])
    ['domestic', 'declar', 'submit', 'employe']
    """
    words = (word for name in names for word in stems(split_name(name)))
    return list(dict.fromkeys(words))
