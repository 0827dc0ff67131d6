"""What a contract check says when it goes red."""

from __future__ import annotations

__all__ = ["CheckFailed", "require"]


class CheckFailed(AssertionError):
    """A contract does not hold; the message names what, where and why.

    Examples
    --------
    >>> raise CheckFailed("metric 'size': the definition has no docstring.")
    Traceback (most recent call last):
        ...
    assay.testing.failure.CheckFailed: metric 'size': the definition has no docstring.
    """


def require(holds: bool, message: str) -> None:
    """Go red with the message unless it holds."""
    if not holds:
        raise CheckFailed(message)
