"""Does the value for a row depend on later data? Checked only where a problem declares times.

Auxiliary rows and labels later than the time of prediction are dropped, replaced or changed. Three scenarios share the
work: tables cut after groups of rows (all that is missing lies in the future of every row of the group), the future of
each entity replaced at once (a suspicion: one entity's future may be another's past), and tables cut for single rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.insight.leakage.finding import ROUNDING, Finding, compare, find_alone
from assay.insight.leakage.perturbations import BoolArray, IntArray, Scenario, changed_labels
from assay.insight.leakage.perturbed_runs import Candidate, PerturbedRuns, differ

__all__ = ["check_future"]

_BRACKETS = 8
_EXACT = 40  # as many moments are cut one by one
_ALONE = 12


def check_future(runs: PerturbedRuns, candidate: Candidate, *, uses_labels: bool) -> Finding | None:
    """A dependence on later auxiliary rows or later labels, if there is one."""
    available = runs.available
    if not available.declared:
        return None
    tests = _FutureTests(runs, candidate)
    reads_tables = bool(available.dated) and (candidate.needs.auxiliary or not candidate.needs.known)
    if reads_tables:
        finding = tests.by_brackets(labels=False)
        if finding is None and not tests.exact:
            finding = tests.by_entities() or tests.alone(tests.spread(), labels=False)
        if finding:
            return finding
    if not uses_labels:
        return None
    finding = tests.by_brackets(labels=True)
    return finding if finding or tests.exact else tests.alone(tests.spread(), labels=True)


class _FutureTests:
    def __init__(self, runs: PerturbedRuns, candidate: Candidate) -> None:
        self._runs = runs
        self._candidate = candidate
        self._available = runs.available
        self._times: npt.NDArray[Any] = runs.available.times[candidate.rows]
        self._distinct = np.unique(self._times)
        self.exact = len(self._distinct) <= _EXACT  # every row is cut at its own time

    def spread(self) -> IntArray:
        """Rows to be tried alone."""
        rng = np.random.default_rng([self._runs.seed, 5])
        return rng.permutation(self._candidate.rows)[:_ALONE]

    def by_brackets(self, *, labels: bool) -> Finding | None:
        """Cut at the latest time of a group of rows: what is missing is later than all of them."""
        for times in np.array_split(self._distinct, len(self._distinct) if self.exact else _BRACKETS):
            members = self._candidate.rows[(self._times >= times[0]) & (self._times <= times[-1])]
            outcome = self._runs.one(self._candidate, self._scenario(times[-1], labels=labels), members)
            if not outcome.comparable:
                continue
            before = self._candidate.plain_values(members)
            suspects = members[differ(before, outcome.values, tolerance=ROUNDING)]
            finding = self.alone(suspects[:4], labels=labels)  # the same call with and without the future
            if finding:
                return replace(finding, changed=len(suspects))
        return None

    def by_entities(self) -> Finding | None:
        """Drop, then replace, the later rows of every entity at once; confirm what changes row by row."""
        chosen, key = self._entities()
        if key is None:
            return None
        for drop in (True, False):
            scenario = self._runs.setting.plain()
            tables = dict(scenario.tables)
            for name in self._available.dated:
                if key in tables[name].columns:
                    tables[name] = self._without_future(name, tables[name], key, chosen, drop=drop)
            outcome = self._runs.one(self._candidate, replace(scenario, tables=tables))
            changed = compare(self._candidate, outcome, tolerance=ROUNDING) & np.isin(self._candidate.rows, chosen)
            suspects = np.random.default_rng([self._runs.seed, 6]).permutation(self._candidate.rows[changed])
            finding = self.alone(suspects[:_ALONE], labels=False)
            if finding:
                return replace(finding, changed=int(changed.sum()))
        return None

    def alone(self, rows: IntArray, *, labels: bool) -> Finding | None:
        """Cut the tables, or change the labels, after one row's time and look at that row."""
        test = "labels later than the row changed" if labels else "auxiliary rows later than the row dropped"
        for row in rows.tolist():
            scenario = self._scenario(self._available.times[row], labels=labels)
            finding = find_alone(self._runs, self._candidate, scenario, row, kind="temporal", test=test)
            if finding is not None:
                return finding
        return None

    def _scenario(self, time: Any, *, labels: bool) -> Scenario:
        setting = self._runs.setting
        if not labels:
            return replace(setting.plain(), tables=self._available.cut(time))
        later: BoolArray = self._available.times > time
        return setting.relabelled(changed_labels(setting.labels, setting.task.problem_type, later))

    def _entities(self) -> tuple[IntArray, str | None]:
        """The column that links most rows to the dated tables, and one row of each of its values."""
        task = self._runs.setting.task
        linked = {column for name in self._available.dated for column in task.tables[name].columns}
        shared = [column for column in task.base_columns if column in linked and column != task.time_column]
        if not shared:
            return self._candidate.rows[:0], None
        best = max(shared, key=lambda column: task.train[column].nunique())
        keys = task.train[best].iloc[self._candidate.rows]
        rng = np.random.default_rng([self._runs.seed, 7])
        order = rng.permutation(len(keys))
        first = keys.iloc[order].drop_duplicates()
        return np.sort(first.index.map(dict(zip(keys.index, self._candidate.rows, strict=True))).to_numpy()), best

    def _without_future(
        self, name: str, table: pd.DataFrame, key: str, chosen: IntArray, *, drop: bool
    ) -> pd.DataFrame:
        task = self._runs.setting.task
        row_times = pd.Series(self._available.times[chosen], index=task.train[key].iloc[chosen].to_numpy())
        latest = table[key].map(row_times)
        later = (latest.notna() & (self._available.table_times(name) > latest.to_numpy())).to_numpy()
        if drop:
            return table[~later]
        declared = task.table_times[name].time_column
        places = np.flatnonzero(later)
        order = np.random.default_rng([self._runs.seed, 8]).permutation(places)
        replaced = table.copy()
        for column in table.columns:
            if column not in (key, declared):
                values = table[column].to_numpy(copy=True)
                values[places] = table[column].to_numpy()[order]
                replaced[column] = pd.Series(values, index=table.index).astype(table[column].dtype)
        return replaced
