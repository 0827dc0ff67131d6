"""Several mistakes as one error, so that a user can fix all of them at once."""

from __future__ import annotations

from collections.abc import Sequence

from assay.core import InvalidInput

__all__ = ["listed", "mistakes_error"]


def listed(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are.

    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def mistakes_error(lines: Sequence[str], *, of: int) -> InvalidInput:
    """The error for these subjects of so many; the only subject of a run cannot be left out.

    >>> print(mistakes_error(["subject 'a': broken.", "subject 'b': broken."], of=3))
    2 of 3 subjects cannot be run; nothing was run:
      subject 'a': broken.
      subject 'b': broken.
    Fix them and run the same command again, or leave them out: --keep-going, keep_going=True in Python.
    """
    if of == 1:
        return InvalidInput(lines[0])
    them = "it" if len(lines) == 1 else "them"
    leave = f", or leave {them} out: --keep-going, keep_going=True in Python" if len(lines) < of else ""
    listed = "".join(f"\n  {line}" for line in lines)
    head = f"{len(lines)} of {of} subjects cannot be run; nothing was run:"
    return InvalidInput(f"{head}{listed}\nFix {them} and run the same command again{leave}.")
