"""Insights to plant: values from relational tables, the experts' words for them, and code that computes the same.

The values are computed here from arrays, the code works on data frames as an agent's would: neither knows the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from assay.core.arrays import FloatArray, IntArray
from assay.insight.generate.themes import Theme

__all__ = ["NEVER", "History", "Insight", "insights"]

MONTH = 30  # days
NEVER = 12  # months since the last contact of an entity that had none, and the most that count
WINDOW = 180  # days
LAST = 3


class History(NamedTuple):
    """What one primary row can know: its entity's events and contacts in order of time, its own numbers."""

    event_days: IntArray
    event_kinds: IntArray
    event_values: FloatArray
    contact_days: IntArray
    contact_reasons: IntArray
    now: int  # the row's day, or the last day of the tables where rows have no time
    event_now: int
    amount: float
    extra: int
    usual: float  # mean price in the group of the row's item


class Insight(NamedTuple):
    """A column: its name, the experts' words, source code, and the value for one row."""

    name: str
    words: str
    code: str
    digits: int  # after the point: few, as experts speak, and so that CSV keeps them exactly
    value: Callable[[History], float]


def insights(theme: Theme, *, timed: bool) -> tuple[Insight, ...]:
    """Six insights in the theme's words; with ``timed``, they look back from each row's own date only."""
    t = theme
    when = f"before the {t.row.replace('_', ' ')}" if timed else "up to now"
    kind, reason = t.kinds[0].replace("_", " "), t.reasons[0].replace("_", " ")
    plans: tuple[tuple[str, str, str, int, Callable[[History], float]], ...] = (
        (
            f"{t.events}_in_last_{WINDOW}_days",
            f"number of {t.events.replace('_', ' ')} of the {t.entity} in the {WINDOW} days {when}",
            _events(t, timed)
            + _since(t, f"{t.event}_date", timed)
            + f"    return int((own[{t.event + '_date'!r}] > since).sum())\n",
            0,
            _count,
        ),
        (
            f"share_of_{t.kinds[0]}_{t.events}",
            f"share of the {t.entity}'s {t.events.replace('_', ' ')} {when} that are {kind}",
            _events(t, timed)
            + "    if own.empty:\n        return 0.0\n"
            + f"    return round(float((own['kind'] == {t.kinds[0]!r}).mean()), 1)\n",
            1,
            _share,
        ),
        (
            f"mean_{t.value}_of_last_{LAST}_{t.events}",
            f"rounded average {t.value} over the {t.entity}'s last {LAST} {t.events.replace('_', ' ')} {when}",
            _events(t, timed)
            + "    if own.empty:\n        return 0\n"
            + f"    last = own.sort_values([{t.event + '_date'!r}, {t.event + '_id'!r}]).tail({LAST})\n"
            + f"    return int(round(float(last[{t.value!r}].mean())))\n",
            0,
            _mean_of_last,
        ),
        (
            f"months_since_last_{t.contact}",
            f"full months since the {t.entity}'s last {t.contact} {when}, at most {NEVER}",
            _contacts(t, timed)
            + f"    if own.empty:\n        return {NEVER}\n"
            + _now(t, f"{t.contact}_date", timed)
            + f"    days = (pd.Timestamp(now) - pd.Timestamp(own[{t.contact + '_date'!r}].max())).days\n"
            + f"    return int(min(days // {MONTH}, {NEVER}))\n",
            0,
            _recency,
        ),
        (
            f"{t.amount}_relative_to_{t.item}_group",
            f"{t.amount.replace('_', ' ')} in relation to the average {t.price.replace('_', ' ')} of {t.items} in the "
            f"same group",
            f"    {t.items} = aux_dataframes[{t.items + '.csv'!r}]\n"
            f"    group = {t.items}.loc[{t.items}[{t.item + '_id'!r}] == row[{t.item + '_id'!r}], 'group'].iloc[0]\n"
            f"    usual = {t.items}.loc[{t.items}['group'] == group, {t.price!r}].mean()\n"
            f"    return round(float(row[{t.amount!r}] / usual), 1)\n",
            1,
            _ratio,
        ),
        (
            f"{t.reasons[0]}_{t.contacts}_times_{t.extra}",
            f"{reason} {t.contacts.replace('_', ' ')} of the {t.entity} {when}, times {t.extra.replace('_', ' ')}",
            _contacts(t, timed) + f"    return int((own['reason'] == {t.reasons[0]!r}).sum() * row[{t.extra!r}])\n",
            0,
            _interaction,
        ),
    )
    return tuple(
        Insight(name, words, f"import pandas as pd\n\n\ndef {name}(row, aux_dataframes):\n{body}", digits, value)
        for name, words, body, digits, value in plans
    )


def _events(theme: Theme, timed: bool) -> str:
    return _own(theme, theme.events, f"{theme.event}_date", timed)


def _contacts(theme: Theme, timed: bool) -> str:
    return _own(theme, theme.contacts, f"{theme.contact}_date", timed)


def _own(theme: Theme, table: str, date: str, timed: bool) -> str:
    lines = (
        f"    {table} = aux_dataframes[{table + '.csv'!r}]\n"
        f"    own = {table}[{table}[{theme.entity + '_id'!r}] == row[{theme.entity + '_id'!r}]]\n"
    )
    return lines + (f"    own = own[own[{date!r}] <= row[{theme.row + '_date'!r}]]\n" if timed else "")


def _now(theme: Theme, date: str, timed: bool) -> str:
    if timed:
        return f"    now = row[{theme.row + '_date'!r}]\n"
    table = theme.events if date == f"{theme.event}_date" else theme.contacts
    return f"    now = {table}[{date!r}].max()\n"


def _since(theme: Theme, date: str, timed: bool) -> str:
    return _now(theme, date, timed) + f"    since = str((pd.Timestamp(now) - pd.Timedelta(days={WINDOW})).date())\n"


def _count(history: History) -> float:
    return float((history.event_days > history.event_now - WINDOW).sum())


def _share(history: History) -> float:
    return float((history.event_kinds == 0).mean()) if len(history.event_kinds) else 0.0


def _mean_of_last(history: History) -> float:
    return float(history.event_values[-LAST:].mean()) if len(history.event_values) else 0.0


def _recency(history: History) -> float:
    return float(min((history.now - history.contact_days[-1]) // MONTH, NEVER)) if len(history.contact_days) else NEVER


def _ratio(history: History) -> float:
    return history.amount / history.usual


def _interaction(history: History) -> float:
    return float((history.contact_reasons == 0).sum() * history.extra)
