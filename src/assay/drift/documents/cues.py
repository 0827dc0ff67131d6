"""What a text does: does it announce that something changes, or say that nothing does?"""

from __future__ import annotations

import re

__all__ = ["announcement", "denies"]

_ANNOUNCES = re.compile(
    r"\b(?:no longer|any ?more|not foreseen|instead of|in place of|from now on|with (?:immediate )?effect|effective|"
    r"as of|as from|new(?:ly)?|chang(?:e|es|ed|ing)|introduc\w+|replac\w+|abolish\w*|discontinu\w+|obsolete|"
    r"mandatory|obligatory|compulsory|requir(?:e|es|ed|ement|ements)|must|shall|revis(?:e|es|ed|ion)|amend(?:ed|ment|s)?|"
    r"extend(?:ed|s)?|optional|restructur\w+|reorgani[sz]\w+|launch\w*|go(?:es|ing)?[ -]live|roll(?:ed)?[ -]?out|"
    r"switch\w*|migrat\w+|suspend\w*|moves? to|becomes?|revers(?:ed|es)|dropped|shortened|tighten\w*|"
    r"adjust(?:ed|ment|ments)?|decid(?:ed|es)|decision|instruct\w+|update[ds]?|upgrade[ds]?|transition\w*)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:withdrawn|cancell?ed|revoked|called off|abandoned|has been rejected|decided against|"
    r"(?:plan|proposal|idea|pilot|project|trial|initiative|matter|change|reform) (?:was|is|has been) "
    r"(?:dropped|stopped|scrapped|shelved|closed|rejected|terminated|discarded)|nobody (?:needs|has) to do anything|"
    r"not (?:be )?(?:carried out|implemented|introduced|pursued)|rejected the (?:proposal|plan|change)|"
    r"(?:does|do|will) not (?:take effect|apply|change|go live|come into (?:force|effect))|"
    r"(?:remains?|stays?|left|is|are|keep) (?:unchanged|the same|as (?:it|they) (?:is|are|was|were)|in place as)|"
    r"nothing (?:changes|will change|is changing|has changed)|no changes?\b(?! of)|works? as before|"
    r"(?:as|the way) (?:it|they) (?:has|have) always been|business as usual|everything stays|"
    r"(?:postponed|deferred|put on hold) (?:indefinitely|until further notice))\b",
    re.IGNORECASE,
)
_ENOUGH = 3  # that many different signs of an announcement are as good as more


def announcement(text: str) -> float:
    """How far a text announces a change, in [0, 1]: three tenths without any sign.

    A text that denies a change is near 0.

    >>> announcement("From now on a second signature is mandatory.") > 0.7
    True
    >>> announcement("The plan has been withdrawn; everything stays as it is.")
    0.05
    >>> announcement("The choir sings in the great hall.")
    0.3
    """
    if denies(text):
        return 0.05
    signs = {match.group().lower() for match in _ANNOUNCES.finditer(text)}
    return 0.3 + 0.7 * min(len(signs), _ENOUGH) / _ENOUGH


def denies(text: str) -> bool:
    """Whether a text says that nothing changes, or that a change is off.

    >>> denies("Existing rules remain unchanged."), denies("The rule changes.")
    (True, False)
    """
    return _DENIES.search(text) is not None
