"""Does the value for a row depend on what became known only later? Only where a problem declares times.

Auxiliary rows and labels later than the time of prediction are dropped, replaced or changed. Three worlds share the
work: tables cut after groups of rows (all that is missing lies in the future of every row of the group), the future of
each entity replaced at once (a suspicion: one entity's future may be another's past), and tables cut for single rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.insight.columns.available import Availability
from assay.insight.leakage.finding import Found, compare, found_in, place_of
from assay.insight.leakage.perturbations import BoolArray, IntArray, World, changed_labels
from assay.insight.leakage.perturbed_runs import Candidate, Trial, differ

__all__ = ["check_future"]

_BRACKETS = 8
_EXACT = 40  # as many moments are cut one by one
_ALONE = 12
_NEAR = 1e-12


def check_future(trial: Trial, candidate: Candidate, *, uses_labels: bool) -> Found | None:
    """A dependence on later auxiliary rows or later labels, if there is one."""
    available = Availability(trial.setting.task, trial.setting.task.train)
    if not available.declared:
        return None
    look = _Look(trial, candidate, available)
    reads_tables = bool(available.dated) and (candidate.needs.auxiliary or not candidate.needs.known)
    if reads_tables:
        found = look.by_brackets(labels=False)
        if found is None and not look.exact:
            found = look.by_entities() or look.alone(look.spread(), labels=False)
        if found:
            return found
    if not uses_labels:
        return None
    found = look.by_brackets(labels=True)
    return found if found or look.exact else look.alone(look.spread(), labels=True)


class _Look:
    def __init__(self, trial: Trial, candidate: Candidate, available: Availability) -> None:
        self._trial = trial
        self._candidate = candidate
        self._available = available
        self._times: npt.NDArray[Any] = available.times[candidate.rows]
        self._distinct = np.unique(self._times)
        self.exact = len(self._distinct) <= _EXACT  # every row is cut at its own time

    def spread(self) -> IntArray:
        """Rows to be tried alone."""
        rng = np.random.default_rng([self._trial.seed, 5])
        return rng.permutation(self._candidate.rows)[:_ALONE]

    def by_brackets(self, *, labels: bool) -> Found | None:
        """Cut at the latest time of a group of rows: what is missing is later than all of them."""
        for times in np.array_split(self._distinct, len(self._distinct) if self.exact else _BRACKETS):
            members = self._candidate.rows[(self._times >= times[0]) & (self._times <= times[-1])]
            outcome = self._trial.one(self._candidate, self._world(times[-1], labels=labels), members)
            before = self._candidate.plain.values[place_of(self._candidate.rows, members)]
            if outcome.comparable and differ(before, outcome.values, tolerance=_NEAR).any():
                suspects = members[differ(before, outcome.values, tolerance=_NEAR)]
                found = self.alone(suspects[:4], labels=labels)  # the same call with and without the future
                if found:
                    return replace(found, changed=len(suspects))
        return None

    def by_entities(self) -> Found | None:
        """Drop, then replace, the later rows of every entity at once; confirm what changes row by row."""
        chosen, key = self._entities()
        if key is None:
            return None
        for drop in (True, False):
            world = self._trial.setting.plain()
            tables = dict(world.tables)
            for name in self._available.dated:
                if key in tables[name].columns:
                    tables[name] = self._without_future(name, tables[name], key, chosen, drop=drop)
            outcome = self._trial.one(self._candidate, replace(world, tables=tables))
            changed = compare(self._candidate, outcome, tolerance=_NEAR) & np.isin(self._candidate.rows, chosen)
            suspects = np.random.default_rng([self._trial.seed, 6]).permutation(self._candidate.rows[changed])
            found = self.alone(suspects[:_ALONE], labels=False)
            if found:
                return replace(found, changed=int(changed.sum()))
        return None

    def alone(self, rows: IntArray, *, labels: bool) -> Found | None:
        """Cut the tables, or change the labels, after one row's time and look at that row."""
        for row in rows:
            one = np.array([row])
            world = self._world(self._available.times[row], labels=labels)
            after = self._trial.one(self._candidate, world, one)
            before = self._candidate.plain.values[place_of(self._candidate.rows, one)]
            if not after.comparable or not differ(before, after.values, tolerance=_NEAR).any():
                continue
            plain = self._trial.one(self._candidate, self._trial.setting.plain(), one)
            changed = differ(plain.values, after.values, tolerance=_NEAR)
            if plain.comparable and changed.any():
                what = "labels later than the row changed" if labels else "auxiliary rows later than the row dropped"
                return found_in("temporal", what, one, plain, after, changed)
        return None

    def _world(self, time: Any, *, labels: bool) -> World:
        setting = self._trial.setting
        if not labels:
            return replace(setting.plain(), tables=self._available.cut(time))
        later: BoolArray = self._available.times > time
        return setting.relabelled(changed_labels(setting.labels, setting.task.problem_type, later))

    def _entities(self) -> tuple[IntArray, str | None]:
        """The column that links most rows to the dated tables, and one row of each of its values."""
        task = self._trial.setting.task
        best: tuple[float, str] | None = None
        for column in task.base_columns:
            tables = [name for name in self._available.dated if column in task.tables[name].columns]
            if column != task.time_column and tables:
                distinct = task.train[column].nunique()
                if best is None or distinct > best[0]:
                    best = (distinct, column)
        if best is None:
            return self._candidate.rows[:0], None
        keys = task.train[best[1]].iloc[self._candidate.rows]
        rng = np.random.default_rng([self._trial.seed, 7])
        drawn = rng.permutation(len(keys))
        first = keys.iloc[drawn].drop_duplicates()
        return np.sort(first.index.map(dict(zip(keys.index, self._candidate.rows, strict=True))).to_numpy()), best[1]

    def _without_future(
        self, name: str, table: pd.DataFrame, key: str, chosen: IntArray, *, drop: bool
    ) -> pd.DataFrame:
        task = self._trial.setting.task
        known = pd.Series(self._available.times[chosen], index=task.train[key].iloc[chosen].to_numpy())
        latest = table[key].map(known)
        later = (latest.notna() & (self._available.table_times(name) > latest.to_numpy())).to_numpy()
        if drop:
            return table[~later]
        declared = task.table_times[name].time_column
        places = np.flatnonzero(later)
        drawn = np.random.default_rng([self._trial.seed, 8]).permutation(places)
        replaced = table.copy()
        for column in table.columns:
            if column not in (key, declared):
                values = table[column].to_numpy(copy=True)
                values[places] = table[column].to_numpy()[drawn]
                replaced[column] = pd.Series(values, index=table.index).astype(table[column].dtype)
        return replaced
