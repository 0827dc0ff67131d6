"""The glossary of ``docs/glossary.md``, held against everything that a user reads.

Source files are searched whole: strings, docstrings and comments. A text that is cut into several literals is joined
first. Code between backticks on a page, and blocks of code, are searched too, since they show what Assay prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

__all__ = ["Occurrence", "banned_phrases", "commands", "find_phrases", "plain_text", "texts", "unclear_help"]

_SKIPPED = ("docs/glossary.md", "docs/decisions/")  # the list itself; notes of their day
_PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
_CUT = re.compile(r"""(?<=[^\\])(["']) [rfb]{0,2}\1(?!\1)""")  # between two parts of one text
_OPENING = re.compile(  # no verb: an article, a preposition, a pronoun, a question word
    r"(a|all|an|any|as|at|by|each|every|for|from|how|if|in|instead|into|its|may|most|no|of|on|one|only|or|same|so|some|"
    r"that|the|their|they|this|those|to|what|when|where|which|who|whose|why|with|without|your)\b",
    re.IGNORECASE,
)


class Occurrence(NamedTuple):
    """A banned phrase, and where it stands."""

    place: str
    phrase: str
    around: str


def banned_phrases(page: str) -> tuple[str, ...]:
    """The phrases of the column "not" of the glossary's first table, in lower case."""
    rows = page.partition("## Words")[2].partition("\n## ")[0].splitlines()
    cells = [row.strip("| ").split(" | ")[1] for row in rows if row.startswith("| ") and not row.startswith("| write")]
    return tuple(phrase.strip().lower() for cell in cells for phrase in cell.split(";"))


def texts(root: Path) -> Iterator[tuple[str, str]]:
    """Every source file and page of a repository, by its path."""
    paths = [*(root / "src").rglob("*.py"), *(root / "docs").rglob("*.md"), *(root / name for name in _PAGES)]
    for path in sorted(paths):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith(_SKIPPED):
            yield name, path.read_text(encoding="utf-8")


def plain_text(text: str) -> str:
    r"""In lower case and one line, without the marks between the lines of a comment or the parts of a text.

    >>> plain_text('raise Error(f"there is no "\n    "such file")  # for want\n# of it')
    'raise error(f"there is no such file") for want of it'
    """
    words = " ".join(word for word in text.lower().split() if word != "#")
    return _CUT.sub("", words)


def find_phrases(place: str, text: str, phrases: tuple[str, ...]) -> Iterator[Occurrence]:
    """Where a phrase stands as words of its own.

    >>> [found.phrase for found in find_phrases("a.py", "Recommended; we mend it.", ("mend", "anew"))]
    ['mend']
    """
    plain = plain_text(text)
    for phrase in phrases:
        if phrase in plain:  # quick: few texts hold one
            for match in re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", plain):
                yield Occurrence(place, phrase, plain[max(0, match.start() - 50) : match.end() + 50])


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """A command and all below it, by what is typed."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for part in command.list_commands(context):
            below = command.get_command(context, part)
            assert below is not None
            yield from commands(below, f"{name} {part}")


def unclear_help(name: str, command: click.Command) -> Iterator[str]:
    """What is wrong with the help of a command and its options: missing, or not beginning with what is done."""
    if not command.help:
        yield f"{name}: has no help"
    for option in command.params:
        if not isinstance(option, click.Option) or option.hidden:
            continue
        flag = max(option.opts, key=len)
        first = (option.help or "").partition(" ")[0]
        if not first:
            yield f"{name} {flag}: has no help"
        elif _OPENING.match(first) or not first[0].isupper():
            yield f"{name} {flag}: begins with {first!r}, not with what the option does: {option.help}"
