"""What a contract check says when it goes red."""

from __future__ import annotations

__all__ = ["CheckFailed", "require"]


class CheckFailed(AssertionError):
    """A contract does not hold; the message names what, where and why."""


def require(holds: bool, message: str) -> None:
    """Go red with the message unless it holds."""
    if not holds:
        raise CheckFailed(message)
