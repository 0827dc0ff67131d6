"""Formats of numbers and untrusted texts, the same in the terminal, in Markdown and in HTML."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from assay.core import Goal, Interval
from assay.core.display import counted, shell_word

__all__ = [
    "ANYTIME",
    "ARROWS",
    "UNDEFINED",
    "cluster_words",
    "cost_title",
    "duration",
    "format_cost",
    "format_interval",
    "format_number",
    "format_p_value",
    "format_rank",
    "format_signed",
    "shell_command",
    "shown",
    "some_of",
]

ANYTIME = "bets that hold at any time of stopping, all pairs of the run together"

UNDEFINED = "–"
_COSTS = {"cpu_seconds": "CPU time", "examine_seconds": "time to examine", "peak_memory_mb": "peak memory (MB)"}
ARROWS: Mapping[Goal, str] = {"max": "↑", "min": "↓"}


def shown(text: str, *, lines: bool = False) -> str:
    r"""A text from outside with every invisible character written out, so that it cannot steer a terminal or a page.

    Line breaks and tabs are kept when ``lines`` is set.

    >>> shown("\x1b[2Jname\x00")
    '\\x1b[2Jname\\x00'
    >>> shown("two\nlines", lines=True)
    'two\nlines'
    """
    if text.isprintable():
        return text
    allowed = "\n\t" if lines else ""
    return "".join(
        character if character.isprintable() or character in allowed else character.encode("unicode_escape").decode()
        for character in text
    )


def shell_command(words: Iterable[str]) -> str:
    """Words as a shell takes them, in the quotes that are easiest to read.

    >>> print(shell_command(["assay", "check", "command(run='./a.sh')", "two words", "$HOME's"]))
    assay check "command(run='./a.sh')" 'two words' '$HOME'"'"'s'
    """
    return " ".join(map(shell_word, words))


def some_of(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are.

    >>> some_of(["a", "b", "c"], 2), some_of(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def format_number(value: float) -> str:
    """A number with the digits that a reader can use; undefined is a dash.

    >>> [format_number(value) for value in (0.91249, -0.0, 0.00002, 123.456, 1234567.0, float("nan"), float("inf"))]
    ['0.912', '0.000', '2.0e-05', '123.5', '1.235e+06', '–', '∞']
    """
    return _format(value, abs(value))


def format_interval(interval: Interval) -> str:
    """A value with its bounds; without them when the data cannot give any.

    >>> format_interval(Interval(0.912, 0.8814, 0.94))
    '0.912 [0.881, 0.940]'
    >>> format_interval(Interval(0.5, float("nan"), float("nan")))
    '0.500'
    """
    if math.isnan(interval.low) or math.isnan(interval.high):
        return format_number(interval.value)
    size = max(map(abs, interval))  # one style for all three, that of the largest
    return f"{_format(interval.value, size)} [{_format(interval.low, size)}, {_format(interval.high, size)}]"


def format_rank(value: float) -> str:
    """A mean rank; a third digit would say nothing.

    >>> format_rank(2.4), format_rank(float("nan"))
    ('2.40', '–')
    """
    return UNDEFINED if math.isnan(value) else f"{value:.2f}"


def format_signed(value: float) -> str:
    """A difference, with its sign; what rounds to nothing has none.

    >>> format_signed(0.25), format_signed(-0.0625), format_signed(0.00001), format_signed(float("nan"))
    ('+0.250', '-0.062', '+1.0e-05', '–')
    """
    text = format_number(value)
    return f"+{text}" if value > 0 else text


def cluster_words(problems: int, clusters: int, tags: Sequence[str]) -> str:
    """So many problems in so many clusters, called by the tag that makes them.

    >>> cluster_words(9, 4, ["family"]), cluster_words(19, 5, ["dataset"]), cluster_words(9, 7, ["base", "family"])
    ('9 problems in 4 families', '19 problems in 5 data sets', '9 problems in 7 clusters (by base, family)')
    """
    if len(tags) == 1:
        called = {"dataset": "data set", "base": "base problem"}.get(tags[0], shown(tags[0]))
        return f"{counted(problems, 'problem')} in {counted(clusters, called)}"
    by = f" (by {', '.join(map(shown, tags))})" if tags else ""
    return f"{counted(problems, 'problem')} in {counted(clusters, 'cluster')}{by}"


def cost_title(kind: str) -> str:
    """The title of a kind of cost; costs that a subject reports itself are marked.

    >>> cost_title("cpu_seconds"), cost_title("reported_tokens")
    ('CPU time', 'tokens (as reported)')
    """
    if kind in _COSTS:
        return _COSTS[kind]
    plain = kind.removeprefix("reported_").replace("_", " ")
    return f"{plain} (as reported)" if kind.startswith("reported_") else plain


def format_cost(value: float, kind: str) -> str:
    """An amount of some cost: seconds as a time, anything else as a number.

    >>> format_cost(0.5, "cpu_seconds"), format_cost(1200.0, "reported_tokens"), format_cost(0.25, "reported_usd")
    ('500 ms', '1200', '0.250')
    """
    if kind.endswith("seconds"):
        return duration(value)
    return (
        f"{value:.0f}" if value == value and abs(value) < 1e15 and float(value).is_integer() else format_number(value)
    )


def format_p_value(value: float) -> str:
    """A p-value; below 0.001 only that bound.

    >>> format_p_value(0.04), format_p_value(0.0001)
    ('0.040', '<0.001')
    """
    return "<0.001" if value < 0.001 else _format(value, value)


def duration(seconds: float) -> str:
    """A time that people can compare.

    >>> [duration(seconds) for seconds in (0.0002, 0.25, 12.34, 250.0, float("nan"))]
    ['<1 ms', '250 ms', '12.3 s', '250 s', '–']
    """
    if math.isnan(seconds):
        return UNDEFINED
    if seconds < 0.001:
        return "<1 ms"
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds:.0f} s"


def _format(value: float, size: float) -> str:
    """The value in the style that suits a number of that size."""
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if 0 < size < 0.0005:
        return f"{value:z.1e}"
    if size < 100:
        return f"{value:z.3f}"
    return f"{value:z.1f}" if size < 10_000 else f"{value:z.4g}"
