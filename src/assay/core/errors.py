"""The three error types, and the user's mistakes; each message is built here and nowhere else."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from assay.core.files.extras import install_hint

__all__ = [
    "AssayError",
    "InfrastructureFailed",
    "InvalidInput",
    "MissingExtra",
    "SubjectFailed",
    "UnknownKey",
    "UnknownName",
    "near_key",
    "nearest",
    "suggest",
]


_LONGEST_NUMBER = 10  # digits


def suggest(name: str, known: Collection[str]) -> str:
    """A hint for a mistyped name: the nearest known one if any, then all of them.

    >>> suggest("vot", ["vote", "knn"])
    "Did you mean 'vote'? Known: knn, vote."
    >>> suggest("zzz", [])
    'None is known.'
    """
    if not known:
        return "None is known."
    listed = "Known: " + ", ".join(sorted(known)) + "."
    close = nearest(name, known, cutoff=0.5)
    if close is None:  # of a call such as vote(k=5) the name alone may be near
        calls = {entry.partition("(")[0]: entry for entry in known}
        close = calls.get(nearest(name, calls, cutoff=0.7) or "")
    return listed if close is None else f"Did you mean {close!r}? {listed}"


def nearest(name: str, known: Iterable[str], *, cutoff: float) -> str | None:
    """The known name that is most like another, capitals or not; None where none is like it.

    Of names that differ in their number alone it is the one with the nearest number, the lower of two.

    >>> nearest("VOT", ["Vote", "knn"], cutoff=0.5), nearest("x0", ["x1", "x2", "x7"], cutoff=0.5)
    ('Vote', 'x1')
    """
    folded = {entry.lower(): entry for entry in known}
    stem, number = _numbered(name.lower())
    numbers = {own: entry for entry in sorted(folded) for its, own in [_numbered(entry)] if its == stem}
    if stem and numbers:
        return folded[numbers[min(numbers, key=lambda own: (abs(own - number), own))]]
    close = get_close_matches(name.lower(), list(folded), n=1, cutoff=cutoff)
    return folded[close[0]] if close else None


def _numbered(name: str) -> tuple[str, int]:
    """A name without the number at its end, and that number; no name where there is no number."""
    stem = name.rstrip("0123456789")
    digits = name[len(stem) :]
    return (stem, int(digits)) if 0 < len(digits) < _LONGEST_NUMBER else ("", 0)


def near_key(key: str, content: Collection[str]) -> str:
    """Where an object lacks a key: the one in it that may have been meant, as a sentence after a space, or "".

    >>> near_key("target_column", {"target_colum": "churned", "name": "churn"})
    " There is 'target_colum': rename it."
    """
    if key in content:
        return ""
    close = get_close_matches(key, [name for name in content if isinstance(name, str)], n=1, cutoff=0.8)
    return f" There is {close[0]!r}: rename it." if close else ""


class AssayError(Exception):
    """Everything that Assay raises on purpose: catch this one to catch them all.

    Examples
    --------
    >>> issubclass(InvalidInput, AssayError), issubclass(SubjectFailed, AssayError)
    (True, True)
    """


class InvalidInput(AssayError, ValueError):
    """The user's input is wrong: the message names the value and the way out (exit code 2).

    It is a ``ValueError`` as well.

    Examples
    --------
    >>> try:
    ...     raise InvalidInput("seeds must be at least 1, got 0.")
    ... except ValueError as error:
    ...     print(error)
    seeds must be at least 1, got 0.
    """


class UnknownName(InvalidInput):
    """A name that is not registered, with a suggestion.

    Parameters
    ----------
    kind : str
        What was looked for.
    name : str
        What was given.
    known : collection of str
        What there is.

    Examples
    --------
    >>> raise UnknownName("metric", "sucess@2", ["recall@k", "success@k"])
    Traceback (most recent call last):
        ...
    assay.core.errors.UnknownName: No metric named 'sucess@2'. Did you mean 'success@k'? Known: recall@k, success@k.
    """

    def __init__(self, kind: str, name: str, known: Collection[str]) -> None:
        super().__init__(f"No {kind} named {name!r}. {suggest(name, known)}")


class UnknownKey(InvalidInput, KeyError):
    """A mapping of Assay has nothing under this key; it is a ``KeyError`` as well, so that ``in`` and ``get`` work.

    Examples
    --------
    >>> raise UnknownKey("answers: 'iris', 'vote' was not run.")
    Traceback (most recent call last):
        ...
    assay.core.errors.UnknownKey: answers: 'iris', 'vote' was not run.
    """

    __str__ = Exception.__str__  # a KeyError would show the message in quotes


class MissingExtra(InvalidInput):
    """An optional dependency is absent.

    Parameters
    ----------
    what : str
        What needs it.
    package : str
        The distribution that is not installed.
    extra : str
        The extra of Assay that brings it: its metadata says in which versions.

    Examples
    --------
    >>> raise MissingExtra("Plots", "matplotlib", "plot")
    Traceback (most recent call last):
        ...
    assay.core.errors.MissingExtra: Plots need matplotlib, which is not installed: pip install 'matplotlib>=3.8'.
    """

    def __init__(self, what: str, package: str, extra: str) -> None:
        verb = "need" if what.endswith("s") else "needs"
        hint = install_hint([package], extra)
        super().__init__(f"{what} {verb} {package}, which is not installed: {hint}.")


class SubjectFailed(AssayError):
    """The subject's own fault: crash, time-out, memory, malformed or missing answer. Scored at the floor, counted.

    Parameters
    ----------
    kind : str
        A few words that reports count by, such as "malformed answer".
    message : str
        What happened.

    Examples
    --------
    >>> error = SubjectFailed("malformed answer", "3 scores were given for 4 queries.")
    >>> error.kind, str(error)
    ('malformed answer', '3 scores were given for 4 queries.')
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple[type[SubjectFailed], tuple[str, str]]:
        return type(self), (self.kind, str(self))


class InfrastructureFailed(AssayError):
    """Our own fault or the machine's: a dead worker, a full disk. Retried, never scored.

    Examples
    --------
    >>> issubclass(InfrastructureFailed, InvalidInput)
    False
    """
