"""What objects show of themselves: lines and small tables in notebooks, and the panels of a track in reports."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import islice
from textwrap import wrap
from typing import Any, NamedTuple

__all__ = ["Listing", "Panel", "counted", "object_html", "shell_word", "shortened", "visible", "wrapped"]

_LONGEST, _MOST_ROWS = 60, 20
_STEERING = frozenset(" \t\n;|&<>()$`\\\"'*?[]{}!")  # characters that a shell interprets


class Panel(NamedTuple):
    """A title, one ``<svg>`` or ``<table>`` element, and what it shows in words.

    Texts inside it must be escaped by the code that draws it. Colours come from the report's classes ``series-1`` to
    ``series-8`` and ``axis``, which follow the reader's light or dark theme; scripts and inline styles do not run.
    ``columns`` and ``rows`` are the numbers behind it, which a reader can download as CSV.
    """

    title: str
    svg: str
    caption: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()


class Listing(NamedTuple):
    """Source text that was answered, with remarks on its lines: (line from 1, words)."""

    title: str
    code: str
    remarks: tuple[tuple[int, str], ...] = ()
    note: str = ""
    alarm: bool = False  # whether something is wrong with it


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "class"), counted(2, "class"), counted(1200, "query"), counted(0, "task"), counted(2, "day")
    ('1 class', '2 classes', '1200 queries', '0 tasks', '2 days')
    """
    if number == 1:
        return f"{number} {noun}"
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeou"):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}{'es' if noun.endswith('s') else 's'}"


def shortened(text: object, longest: int = _LONGEST) -> str:
    r"""One line of at most so many characters, every one of them visible.

    >>> shortened("two\nlines"), shortened("a long text", 7)
    ('two lines', 'a long…')
    """
    whole = str(text)
    line = " ".join(whole[: 4 * longest].split())  # a huge text is not split as a whole
    line = visible(line)
    return line if len(line) <= longest and len(whole) <= 4 * longest else line[: longest - 1].rstrip() + "…"


def visible(text: str) -> str:
    r"""A text without characters that control a terminal or reverse the direction of the text.

    >>> visible("\x1b[2Jname")
    '\ufffd[2Jname'
    """
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def wrapped(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """A text in lines of at most this width, each with its indent; a word that is longer, such as a path, stays whole.

    >>> wrapped("see data/2024/orders.csv now", 12, rest="  ")
    ['see', '  data/2024/orders.csv', '  now']
    """
    return wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def shell_word(text: object) -> str:
    """A text, or a path, as one word of a shell's, in quotes only where it needs them; letters of any language do not.

    >>> print(shell_word("label=Fläche"), shell_word("two words"), shell_word("command(run='./a.sh')"))
    label=Fläche 'two words' "command(run='./a.sh')"
    """
    word = str(text)
    if word and not set(word) & _STEERING and not word.startswith(("#", "~")):
        return word
    return f'"{word}"' if "'" in word and not set('"$`\\!') & set(word) else shlex.quote(word)


def object_html(
    title: str,
    facts: Mapping[str, object],
    *,
    columns: Sequence[str] = (),
    rows: Iterable[Sequence[object]] = (),
    total: int | None = None,
) -> str:
    """An object for notebooks: what it is, its facts, and the first rows of a table; everything escaped, no scripts.

    Of ``total`` rows, those that are not shown are counted.

    >>> object_html("<Budget>", {"seconds": 60})
    '<div><b>&lt;Budget&gt;</b><table><tbody><tr><th>seconds</th><td>60</td></tr></tbody></table></div>'
    """
    parts = [f"<b>{escape(shortened(title, 2 * _LONGEST))}</b>"]
    if facts:
        cells = "".join(f"<tr><th>{_cell(name)}</th><td>{_cell(fact)}</td></tr>" for name, fact in facts.items())
        parts.append(f"<table><tbody>{cells}</tbody></table>")
    if columns:
        shown = list(islice(rows, _MOST_ROWS))
        head = "".join(f"<th>{_cell(name)}</th>" for name in columns)
        body = "".join(f"<tr>{''.join(f'<td>{_cell(value)}</td>' for value in row)}</tr>" for row in shown)
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        if total is not None and total > len(shown):
            parts.append(f"<small>{total - len(shown)} more are not shown.</small>")
    return f"<div>{''.join(parts)}</div>"


def _cell(value: object) -> str:
    if hasattr(value, "__html__"):  # markup of our own, such as a formula in MathML
        return str(value.__html__())
    return escape(shortened(f"{value:.4g}" if isinstance(value, float) else value, 2 * _LONGEST))
