"""The facts that every report states first: question, settings, amount of work, and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from assay.core import Settings, UnknownName
from assay.core.display import counted
from assay.core.track import PRESET
from assay.harness.store.withdrawals import Withdrawal
from assay.report.tables.leaderboard import solved_here
from assay.report.track_records import TrackRecords
from assay.stats.record_table import decode_label

__all__ = ["Fact", "facts", "setting_differences"]

FEW_PROBLEMS = 6  # below that, 95 % intervals were measured to hold the truth less often than they say
LISTED = 12  # entries of a list that are named one by one


class Fact(NamedTuple):
    """A label and its text."""

    label: str
    text: str


def facts(results: TrackRecords) -> tuple[Fact, ...]:
    """The facts of one track's run; pending and lost cells are said, with the reasons."""
    table = results.table
    entries = [
        Fact("track", results.track.name),
        Fact("question", results.track.question),
        Fact("settings", _settings(results)),
        Fact("seeds", _listed(str(seed) for seed in sorted(map(int, table.labels["seed"].values)))),
        Fact("problems", _problems(results)),
        Fact("subjects", str(len(table.labels["subject"].values))),
        Fact("cells", _cells(results)),
        Fact("isolation", _counted(table.labels["isolation"].counts())),
    ]
    solved = table.take(np.flatnonzero(solved_here(table)))
    if len(solved) or not len(table):
        budgets = {_budget(decode_label("budget", text)) for text in solved.labels["budget"].values}
        entries.append(Fact("budget", _listed(sorted(budgets))))
    if len(table) and not results.clusters and results.defined_problems < FEW_PROBLEMS:
        entries.append(
            Fact("caution", f"fewer than {FEW_PROBLEMS} problems: intervals are too narrow; read them as the spread")
        )
    if results.pending:
        entries.append(Fact("pending", _pending(results)))
    if results.losses:
        reasons = _counted(Counter(reason for _, reason in results.losses))
        entries.append(Fact("lost", f"{reasons}; places and comparisons count the floor there"))
    if results.withdrawals:
        entries.append(Fact("withdrawn", "; ".join(map(_withdrawn, results.withdrawals))))
    if older := _older_versions(results):
        entries.append(Fact("versions", older))
    return tuple(entries)


def setting_differences(
    settings: Settings, others: Settings, *, called: str = "default", missing: str = "no longer a setting"
) -> dict[str, str]:
    """The settings that are not as others, each with the other value, which is called so.

    >>> setting_differences({"k": 7, "preset": "spec"}, {"k": 5, "preset": "spec"})
    {'k': '7 (default 5)'}
    """
    return {
        name: f"{value} ({called} {others[name]})" if name in others else f"{value} ({missing})"
        for name, value in sorted(settings.items())
        if name not in others or value != others[name]
    }


def _settings(results: TrackRecords) -> str:
    settings, default = results.run.settings, _defaults(results)
    if not settings:
        return "none"
    different = setting_differences(settings, default)
    parts = [f"{name} = {text}" for name, text in different.items()]
    if PRESET in settings and PRESET not in different:
        parts.insert(0, f"{PRESET} = {settings[PRESET]}")  # a report always names its preset
    if not different:
        parts.append("defaults")
    return ", ".join(parts)


def _defaults(results: TrackRecords) -> Settings:
    """The defaults of the run's own preset; those of today where that preset is gone."""
    try:
        return results.track.defaults(results.run.settings)
    except UnknownName:
        return results.track.settings


def _problems(results: TrackRecords) -> str:
    count = len(results.table.labels["problem"].values)
    words = results.clusters or str(count)
    return f"{words}, of {results.planned_problems} planned" if count < results.planned_problems else words


def _cells(results: TrackRecords) -> str:
    text = f"{len(results.records)} of {results.planned} finished"
    failed = int(results.table.failed.sum())
    return f"{text}, {failed} of them failed" if failed else text


def _pending(results: TrackRecords) -> str:
    lost = f", {len(results.losses)} of them lost" if results.losses else ""
    if results.run.decisions is not None:
        return f"{results.pending}{lost}; not needed, since the run stopped when decided"
    return f"{results.pending}{lost}; until they are there, subjects may rest on different problems"


def _withdrawn(withdrawal: Withdrawal) -> str:
    cells = counted(withdrawal.cells, "cell")
    verb = "is" if withdrawal.cells == 1 else "are"
    effect = f"{cells} here {verb} left out" if withdrawal.cells else "no cell is left out any longer"
    return f"{withdrawal} ({effect})"


def _budget(budget: object) -> str:
    if not isinstance(budget, dict) or not budget:
        return "not recorded"
    return f"{budget.get('seconds')} s, {budget.get('memory_mb')} MB"


def _older_versions(results: TrackRecords) -> str:
    """Records keep the versions that scored them; a reader must know when today's definitions are others."""
    today = results.track.versions()
    older = {
        name: version
        for text in results.table.labels["versions"].values
        for name, version in decode_label("versions", text).items()
        if name in today and version != today[name]
    }
    if not older:
        return ""
    listed = ", ".join(f"{name} {version} (now {today[name]})" for name, version in sorted(older.items()))
    return f"scored with other versions than today's: {listed}; assay rescore brings them up to date"


def _counted(entries: Mapping[str, int]) -> str:
    counts = sorted(entries.items(), key=lambda entry: (-entry[1], entry[0]))
    return _listed(f"{name} ({count})" for name, count in counts)


def _listed(entries: Iterable[str]) -> str:
    every = list(entries)
    more = f", and {len(every) - LISTED} more" if len(every) > LISTED else ""
    return ", ".join(every[:LISTED]) + more if every else "none"
