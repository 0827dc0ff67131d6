"""One log of a draft in its domain's words, and what of it an entity's row can know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.insight.generate.draft import BoolArray, Draft, FloatArray, IntArray, Log

__all__ = ["LogView", "view_contacts", "view_events"]


@dataclass(frozen=True, slots=True)
class LogView:
    """A log with the days between its rows and the time at which they are looked at."""

    log: Log
    name: str
    event: str
    label: str
    labels: tuple[str, ...]
    value: str
    ago: IntArray  # days before the entity's time; negative ones are later
    entities: int

    def count(self, chosen: BoolArray) -> IntArray:
        """Events per entity, of those chosen and known."""
        return np.bincount(self.log.entities[chosen & (self.ago >= 0)], minlength=self.entities)

    def sum(self, values: FloatArray, chosen: BoolArray) -> FloatArray:
        """Sums per entity; missing values add nothing."""
        rows = chosen & (self.ago >= 0) & np.isfinite(values)
        sums = np.bincount(self.log.entities[rows], weights=values[rows], minlength=self.entities)
        return sums.astype(np.float64)

    def mean(self, values: FloatArray, chosen: BoolArray) -> FloatArray:
        """Means per entity of the values that are there; 0 where there is none."""
        count = self.count(chosen & np.isfinite(values))
        return np.where(count > 0, self.sum(values, chosen) / np.maximum(count, 1), 0.0)

    def latest(self, chosen: BoolArray, *, most: int) -> IntArray:
        """Days since the last of the chosen and known events per entity, at most so many."""
        age = np.full(self.entities, most)
        rows = chosen & (self.ago >= 0)
        np.minimum.at(age, self.log.entities[rows], self.ago[rows])
        return age


def view_events(draft: Draft, now: IntArray) -> LogView:
    """The frequent log as each entity's day shows it."""
    d = draft.domain
    ago = now[draft.events.entities] - draft.events.days
    return LogView(draft.events, d.events, d.event, "kind", d.kinds, d.value, ago, len(now))


def view_contacts(draft: Draft, now: IntArray) -> LogView:
    """The rarer log as each entity's day shows it."""
    d = draft.domain
    ago = now[draft.contacts.entities] - draft.contacts.days
    return LogView(draft.contacts, d.contacts, d.contact, "reason", d.reasons, d.effort, ago, len(now))
