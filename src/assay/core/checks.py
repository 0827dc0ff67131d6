"""Checks of what callers pass, with one wording for one mistake."""

from __future__ import annotations

from assay.core.errors import InvalidInput

__all__ = ["demand_whole"]


def demand_whole(name: str, value: object, *, least: int) -> None:
    """Refuse what is not a whole number of at least so much; a boolean is none.

    >>> demand_whole("generate: rows", 3, least=1)
    >>> demand_whole("generate: rows", True, least=1)
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: generate: rows must be a whole number of at least 1, got True.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidInput(f"{name} must be a whole number of at least {least}, got {value!r}.")
