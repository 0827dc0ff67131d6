"""Rows that the source knows by their id: a list of them, or labels by id, alone or mixed with what a model could use.

A row is listed when its value changes once it has an id that occurs nowhere. Lists of the one part that hold few rows
of the other, and follow its labels, are memorised. What a function looks up by id in tables is no list: the tables are
shuffled, and where most rows seem listed their ids are replaced as well, so that only the source knows any.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.insight.leakage.finding import Finding
from assay.insight.leakage.known_labels import permuted_values
from assay.insight.leakage.memorised import ALPHA
from assay.insight.leakage.perturbations import BoolArray, IntArray, Scenario
from assay.insight.leakage.perturbed_runs import Candidate, Outcome, PerturbedRuns, differ
from assay.insight.leakage.tails import fisher_greater
from assay.insight.problem.task import InsightTask, ProblemType

__all__ = ["check_listed_rows", "identifying_columns"]

_FEWEST_LISTED, _MOST_LISTED = 8, 0.5  # rows that a list names, and of all rows where the value itself is not looked at
_LISTED_ALPHA = 1e-3
_MOST_TEXTS = 20  # distinct values that are compared with labels one by one
_STRANGE = "~"


def identifying_columns(task: InsightTask) -> list[str]:
    """The columns whose values name one training row each."""
    return [
        name
        for name in task.base_columns
        if task.train[name].is_unique and not pd.api.types.is_float_dtype(task.train[name].dtype)
    ]


class _Part(NamedTuple):
    """One part's values with its own ids and with ids that occur nowhere."""

    known: npt.NDArray[Any]
    unknown: npt.NDArray[Any]
    listed: BoolArray

    @property
    def counts(self) -> tuple[int, int]:
        return int(self.listed.sum()), int((~self.listed).sum())


def check_listed_rows(
    runs: PerturbedRuns,
    candidate: Candidate,
    scenarios: tuple[Scenario, Scenario],
    parts: tuple[Outcome, Outcome],
    test_rows: IntArray,
    test_labels: npt.NDArray[Any],
) -> Finding | None:
    """Whether the source lists rows of one part by their id, with other labels than the rest, and fewer of the other.

    A list of more than half of the rows, and labels by id, are looked for where the tables hold none of the ids.
    """
    task = runs.setting.task
    labels = (runs.setting.labels.iloc[candidate.rows].to_numpy(), test_labels)
    for name in identifying_columns(task):
        both = _parts(runs, candidate, scenarios, name, test_rows, known=parts)
        for place, word in ((0, "train"), (1, "test")):
            count, rest = both[place].counts
            if not _FEWEST_LISTED <= count <= _MOST_LISTED * (count + rest):
                continue
            apart = _apart(labels[place], both[place].listed, task.problem_type)
            if finding := _finding(name, word, both, place, apart):
                return finding
        if both[0].counts[0] < _FEWEST_LISTED:
            continue
        alone = scenarios
        if candidate.needs.auxiliary or candidate.needs.train:
            alone = (_stranger(scenarios[0], name), _stranger(scenarios[1], name))
            both = _parts(runs, candidate, alone, name, test_rows)
        if finding := _finding(name, "train", both, 0, _told_by_ids(runs, candidate, alone[0], name, both[0])):
            return finding
    return None


def _parts(
    runs: PerturbedRuns,
    candidate: Candidate,
    scenarios: tuple[Scenario, Scenario],
    name: str,
    test_rows: IntArray,
    *,
    known: tuple[Outcome, Outcome] | None = None,
) -> list[_Part]:
    both = []
    for place, rows in enumerate((None, test_rows)):
        own = known[place] if known is not None else runs.one(candidate, scenarios[place], rows)
        other = runs.one(candidate, _with_unknown_ids(scenarios[place], name), rows)
        both.append(_Part(own.values, other.values, differ(own.values, other.values)))
    return both


def _finding(name: str, word: str, both: list[_Part], place: int, apart: float) -> Finding | None:
    rarer = fisher_greater(*both[place].counts, *both[1 - place].counts)
    if apart >= ALPHA or rarer >= _LISTED_ALPHA:
        return None
    return Finding(
        kind="memorised",
        test=f"{word} rows that the source lists by their id",
        statistic={
            "key": name,
            "listed_train": both[0].counts[0],
            "listed_test": both[1].counts[0],
            "p_value": apart,
            "p_value_of_other_rows": rarer,
        },
    )


def _apart(labels: npt.NDArray[Any], listed: BoolArray, kind: ProblemType) -> float:
    """The p-value of listed rows having other labels than the rest."""
    from scipy import stats  # takes as long to import as all of ours, and is seldom needed

    if kind == "regression":
        numbers = labels.astype(np.float64)
        return float(stats.mannwhitneyu(numbers[listed], numbers[~listed]).pvalue)
    table = pd.crosstab(np.asarray([str(label) for label in labels]), listed).to_numpy()
    return float(stats.chi2_contingency(table).pvalue) if min(table.shape) > 1 else 1.0


def _told_by_ids(runs: PerturbedRuns, candidate: Candidate, scenario: Scenario, name: str, part: _Part) -> float:
    """The p-value of labels following which rows are listed or, where that tells nothing, what each id adds.

    What ids add must be lost when they change hands: a ratio to an honest column follows the labels without them.
    """
    kind = runs.setting.task.problem_type
    ids = scenario.rows[name].iloc[candidate.rows]
    labels = runs.setting.labels.iloc[candidate.rows].to_numpy()
    if _is_scattered(ids, part.listed.astype(np.float64)):
        return _apart(labels, part.listed, kind)
    share = _share_of_id(part)
    if share is None or not _is_scattered(ids, share) or (follows := _follows(labels, share, kind)) >= ALPHA:
        return 1.0
    swapped = permuted_values(runs, candidate, scenario, [name])
    other = _share_of_id(_Part(swapped, part.unknown, differ(swapped, part.unknown)))
    return 1.0 if other is None or _follows(labels, other, kind) < _LISTED_ALPHA else follows


def _share_of_id(part: _Part) -> npt.NDArray[np.float64] | None:
    """What the id adds to each value: the difference of numbers, else whether and to what it changes the value."""
    own, other = (
        pd.to_numeric(pd.Series(v, dtype=object), errors="coerce").astype(float) for v in (part.known, part.unknown)
    )
    share: npt.NDArray[np.float64] = np.asarray((own - other).where(part.listed, 0.0), dtype=np.float64)
    if not np.isfinite(share).all():
        changed = pd.Series(part.known).astype(str).where(part.listed, "")
        if changed.nunique() > _MOST_TEXTS:
            changed = pd.Series(part.listed.astype(str))
        share = pd.factorize(changed, sort=True)[0].astype(np.float64)
    return share if len(np.unique(share)) > 1 else None


def _is_scattered(ids: pd.Series[Any], share: npt.NDArray[np.float64]) -> bool:
    """Whether what ids add goes up and down along them, as a list does; a threshold of early ids does not."""
    ranks = pd.Series(share).rank().to_numpy()
    high = (ranks > ranks.mean())[np.argsort(ids.to_numpy(), kind="stable")]
    return int((high[1:] != high[:-1]).sum()) >= _FEWEST_LISTED


def _follows(labels: npt.NDArray[Any], share: npt.NDArray[np.float64], kind: ProblemType) -> float:
    """The p-value of labels and what the id adds having nothing to do with each other."""
    from scipy import stats

    if kind == "regression":
        return float(stats.spearmanr(labels.astype(np.float64), share).pvalue)
    texts = np.asarray([str(label) for label in labels])
    return float(stats.kruskal(*(share[texts == label] for label in np.unique(texts))).pvalue)


def _with_unknown_ids(scenario: Scenario, name: str) -> Scenario:
    """The rows with ids that occur nowhere."""
    ids = scenario.rows[name]
    if ids.dtype.kind in "iu" and not ids.dtype.name.lower().startswith(("int64", "uint64")):
        ids = ids.astype(np.int64)  # a narrow type has too few values that occur nowhere
    if ids.dtype.kind in "iu" and int(ids.max()) > np.iinfo(np.int64).max - len(ids) - 1_000_003:
        present = ids.to_numpy()
        unused = np.setdiff1d(np.arange(2 * len(ids)).astype(present.dtype), present)
        strange = pd.Series(unused[: len(ids)], index=ids.index)
    elif pd.api.types.is_numeric_dtype(ids.dtype):
        strange = pd.Series(np.arange(len(ids)) + int(ids.max()) + 1_000_003, index=ids.index).astype(ids.dtype)
    else:
        strange = ids.astype(str) + _STRANGE
    return replace(scenario, rows=scenario.rows.assign(**{name: strange}))


def _stranger(scenario: Scenario, name: str) -> Scenario:
    """Tables in which the rows' ids do not occur, whatever their columns are called."""
    ids = frozenset(scenario.rows[name].dropna().tolist())
    tables = {table: _without_ids(frame, ids) for table, frame in scenario.tables.items()}
    return replace(scenario, tables=tables, train=_without_ids(scenario.train, ids, only=(name,)))


def _without_ids(frame: pd.DataFrame, ids: Collection[Any], *, only: Collection[str] | None = None) -> pd.DataFrame:
    changed = {}
    for name in frame.columns if only is None else only:
        values = frame[name]
        is_id = values.isin(list(ids))
        if is_id.any():
            strange = -1 - values if values.dtype.kind in "iu" else values.astype(object).astype(str) + 2 * _STRANGE
            changed[name] = values.where(~is_id, strange)
    return frame.assign(**changed)
