"""Fields of JSON objects: texts, lists of texts and known keys, with errors that name the key."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from assay.core import InvalidInput
from assay.core.errors import near_key, suggest

__all__ = ["demand_known_keys", "demand_text", "short", "text_of", "texts_of"]

_LONGEST_KEY = 50


def demand_known_keys(content: Iterable[str], known: Collection[str], *, what: object) -> None:
    """Refuse a key that is not known, with the nearest known one.

    >>> demand_known_keys({"scors": []}, ("scores", "neighbors"), what="answer")
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: answer: unknown key 'scors'. Did you mean 'scores'? Known: neighbors, scores.
    """
    for key in content:
        if key not in known:
            name = str(key)[:_LONGEST_KEY]
            raise InvalidInput(f"{what}: unknown key {name!r}. {suggest(name, known)}")


def demand_text(value: object, *, what: str) -> str:
    """A text that can be written to a file: JSON's escapes can also spell half a character."""
    if not isinstance(value, str):
        raise InvalidInput(f"{what} must be text, got {type(value).__name__}.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{what} is not Unicode text: {value[:60]!r}.") from None
    return value


def text_of(content: Mapping[str, object], key: str, path: Path, *, default: str | None = None) -> str:
    """The text under a key; without a default it must be there and say something."""
    value = content.get(key, default)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or (default is None and not value):
        raise _wrong(content, key, path, "a text")
    return value


def texts_of(content: Mapping[str, object], key: str, path: Path, *, optional: bool = False) -> tuple[str, ...]:
    """The list of texts under a key; an optional one may be missing or null."""
    value = content.get(key)
    if value is None and optional:
        return ()
    if not isinstance(value, list):
        raise _wrong(content, key, path, "a list of texts")
    for place, entry in enumerate(value):
        if not isinstance(entry, str):
            raise InvalidInput(f"{path}: {key!r}[{place}] is {short(entry)}; it must be a text.")
    return tuple(value)


def _wrong(content: Mapping[str, object], key: str, path: Path, form: str) -> InvalidInput:
    state = short(content[key]) if key in content else "missing"
    return InvalidInput(f"{path}: {key!r} is {state}; it must be {form}.{near_key(key, content)}")


def short(value: object, *, longest: int = 60) -> str:
    """A value as it is shown in messages.

    >>> short("x" * 100, longest=10)
    "'xxxxxx..."
    """
    text = repr(value)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."
