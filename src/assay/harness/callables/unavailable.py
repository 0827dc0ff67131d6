"""Values whose source or data cannot be taken along: one line that names the value and the remedy."""

from __future__ import annotations

from dataclasses import dataclass

from assay.core import InvalidInput

__all__ = ["SourceUnavailable", "Use", "describe_type"]

REMEDY = 'put the subject into a file and give its path, or run with isolation="none"'


class SourceUnavailable(InvalidInput):
    """The source of a Python value, or of something that it uses, cannot be written into a file."""

    def __init__(self, what: object, why: str, *, remedy: str = "") -> None:
        hint = f"{remedy}; or {REMEDY}" if remedy else REMEDY
        super().__init__(f"{what}: {why}. {hint[0].upper()}{hint[1:]}.")


@dataclass(frozen=True, slots=True)
class Use:
    """Who uses a value, and by which name: for messages."""

    user: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.user} uses {self.name!r}" if self.name else self.user

    def inner(self, name: str) -> Use:
        """Something inside the value that is used here."""
        return Use(self.user, f"{self.name}{name}" if self.name else name.lstrip("."))


def describe_type(value: object) -> str:
    """The type of a value as a person would name it.

    >>> describe_type(open), describe_type(3), describe_type(iter([]))
    ('a builtin_function_or_method', 'an int', 'a list_iterator')
    """
    kind = type(value)
    name = (
        kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"
    )
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
