"""What a text does, by the words of its language: announce a change, deny it, call it off, report it, teach it."""

from __future__ import annotations

from collections.abc import Iterable

from assay.drift.documents.language import DEFAULT, language_named

__all__ = ["announcement", "changes_in", "denies", "has_cue"]

_ENOUGH = 3  # that many different signs of an announcement are as good as more


def announcement(text: str, language: str = DEFAULT) -> float:
    """How far a text announces a change, in [0, 1]: three tenths without any sign.

    A text that denies a change is near 0.

    >>> announcement("From now on a second signature is mandatory.") > 0.7
    True
    >>> announcement("The plan has been withdrawn; everything stays as it is.")
    0.05
    >>> announcement("The choir sings in the great hall.")
    0.3
    """
    if denies(text, language):
        return 0.05
    pattern = language_named(language).cues["announces"]
    signs = {match.group().lower() for match in pattern.finditer(text)}
    return 0.3 + 0.7 * min(len(signs), _ENOUGH) / _ENOUGH


def denies(text: str, language: str = DEFAULT) -> bool:
    """Whether a text says that nothing changes, or that a change is off.

    >>> denies("Existing rules remain unchanged."), denies("The rule changes.")
    (True, False)
    >>> denies("Das Verfahren bleibt unverändert.", "de")
    True
    """
    return has_cue(text, "denies", language) or has_cue(text, "off", language)


def has_cue(text: str, cue: str, language: str = DEFAULT) -> bool:
    """Whether a text holds a cue of this kind: one of those under [cues] in the file of its language.

    >>> has_cue("Le projet est abandonné.", "off", "fr"), has_cue("Le projet commence.", "off", "fr")
    (True, False)
    """
    return language_named(language).cues[cue].search(text) is not None


def changes_in(text: str, directions: Iterable[str], language: str = DEFAULT) -> dict[str, int]:
    """How many different words of each direction of change a text holds.

    >>> changes_in("The check is no longer needed.", ["removed", "faster"])
    {'removed': 1, 'faster': 0}
    """
    patterns = language_named(language).changes
    return {entry: len({match.group().lower() for match in patterns[entry].finditer(text)}) for entry in directions}
