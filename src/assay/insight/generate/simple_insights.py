"""The six insights of a family: what an entity did up to a row's date, or up to the end of the tables without times."""

from __future__ import annotations

import numpy as np
import pandas as pd

from assay.insight.answer.answer import words_of
from assay.insight.generate.domains import Domain
from assay.insight.generate.draft import BoolArray, Draft, FloatArray, IntArray
from assay.insight.generate.insight import Insight
from assay.insight.generate.log_view import LogView, view_contacts, view_events

__all__ = ["simple_insights"]

MONTH = 30  # days
NEVER = 12  # months since the last contact of an entity that had none, and the most that count
WINDOW = 180  # days
LAST = 3


def simple_insights(draft: Draft, *, timed: bool) -> list[Insight]:
    """Six insights in the family's words; with ``timed``, they look back from each row's own date only."""
    d = draft.domain
    event_days, contact_days = (_time(draft, int(log.days.max()), timed) for log in (draft.events, draft.contacts))
    events, contacts = view_events(draft, event_days), view_contacts(draft, contact_days)
    own_events, own_contacts = (_own(d, log, timed) for log in (events, contacts))
    every = np.ones(len(events.ago), dtype=bool)
    shares = events.count(events.log.labels == 0) / np.maximum(events.count(every), 1)
    means = events.mean(events.log.values, _last(events))
    months = np.minimum(contacts.latest(contacts.ago >= 0, most=MONTH * NEVER) // MONTH, NEVER)
    usual = np.array([draft.prices[draft.groups == group].mean() for group in draft.groups])
    reasons = contacts.count(contacts.log.labels == 0)
    when = f"before the {words_of(d.row)}" if timed else "up to now"
    plans: tuple[tuple[str, str, str, str, IntArray | FloatArray], ...] = (
        (
            "window",
            f"{d.events}_in_last_{WINDOW}_days",
            f"number of {words_of(d.events)} of the {d.entity} in the {WINDOW} days {when}",
            f"{own_events}{_now(d, events, timed)}"
            f"    since = str((pd.Timestamp(now) - pd.Timedelta(days={WINDOW})).date())\n"
            f"    return int((own[{d.event + '_date'!r}] > since).sum())\n",
            events.count(events.ago < WINDOW)[draft.entities],
        ),
        (
            "conditional",
            f"share_of_{d.kinds[0]}_{d.events}",
            f"share of the {d.entity}'s {words_of(d.events)} {when} that are {words_of(d.kinds[0])}",
            f"{own_events}    if own.empty:\n        return 0.0\n"
            f"    return round(float((own['kind'] == {d.kinds[0]!r}).mean()), 1)\n",
            _rounded(shares[draft.entities]),
        ),
        (
            "aggregate",
            f"mean_{d.value}_of_last_{LAST}_{d.events}",
            f"rounded average {d.value} over the {d.entity}'s last {LAST} {words_of(d.events)} {when}",
            f"{own_events}    if own.empty:\n        return 0\n"
            f"    last = own.sort_values([{d.event + '_date'!r}, {d.event + '_id'!r}]).tail({LAST})\n"
            f"    return int(round(float(last[{d.value!r}].mean())))\n",
            np.round(means[draft.entities]).astype(np.int64),
        ),
        (
            "recency",
            f"months_since_last_{d.contact}",
            f"full months since the {d.entity}'s last {d.contact} {when}, at most {NEVER}",
            f"{own_contacts}    if own.empty:\n        return {NEVER}\n"
            f"{_now(d, contacts, timed)}"
            f"    days = (pd.Timestamp(now) - pd.Timestamp(own[{d.contact + '_date'!r}].max())).days\n"
            f"    return int(min(days // {MONTH}, {NEVER}))\n",
            months[draft.entities],
        ),
        (
            "lookup",
            f"{d.amount}_relative_to_{d.item}_group",
            f"{words_of(d.amount)} in relation to the average {words_of(d.price)} of {d.items} in the same group",
            f"    {d.items} = aux_dataframes[{d.items + '.csv'!r}]\n"
            f"    group = {d.items}.loc[{d.items}[{d.item + '_id'!r}] == row[{d.item + '_id'!r}], 'group'].iloc[0]\n"
            f"    usual = {d.items}.loc[{d.items}['group'] == group, {d.price!r}].mean()\n"
            f"    return round(float(row[{d.amount!r}] / usual), 1)\n",
            _rounded(draft.amounts / usual[draft.items]),
        ),
        (
            "interaction",
            f"{d.reasons[0]}_{d.contacts}_times_{d.size}",
            f"{words_of(d.reasons[0])} {words_of(d.contacts)} of the {d.entity} {when}, times {words_of(d.size)}",
            f"{own_contacts}    return int((own['reason'] == {d.reasons[0]!r}).sum() * row[{d.size!r}])\n",
            reasons[draft.entities] * draft.sizes,
        ),
    )
    return [
        Insight(kind, name, words, f"import pandas as pd\n\n\ndef {name}(row, aux_dataframes):\n{body}", values)
        for kind, name, words, body, values in plans
    ]


def _time(draft: Draft, end: int, timed: bool) -> IntArray:
    """The day from which each entity's past is looked at; entities without a row have none."""
    days = np.full(len(draft.ids), -1 if timed else end)
    if timed:
        days[draft.entities] = draft.days
    return days


def _last(log: LogView) -> BoolArray:
    """Which rows of the log are the last few of their entity, of those known."""
    rows = log.ago >= 0
    owners = pd.Series(log.log.entities[rows])
    rows[rows] = owners.groupby(owners).cumcount(ascending=False).to_numpy() < LAST
    return rows


def _rounded(values: FloatArray) -> FloatArray:
    # Python rounds to the nearest decimal, numpy scales first
    return np.array([round(value, 1) for value in values.tolist()])


def _own(d: Domain, log: LogView, timed: bool) -> str:
    table, entity = log.name, f"{d.entity}_id"
    lines = (
        f"    {table} = aux_dataframes[{table + '.csv'!r}]\n    own = {table}[{table}[{entity!r}] == row[{entity!r}]]\n"
    )
    return lines + (f"    own = own[own[{log.event + '_date'!r}] <= row[{d.row + '_date'!r}]]\n" if timed else "")


def _now(d: Domain, log: LogView, timed: bool) -> str:
    if timed:
        return f"    now = row[{d.row + '_date'!r}]\n"
    return f"    now = {log.name}[{log.event + '_date'!r}].max()\n"
