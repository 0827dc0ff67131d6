"""All methods on one task, under the same limits: the same rows and tables, twenty columns, so many seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from assay.insight.features import RelationalFeatures
from benchmarks.databases.compare import Compared, best_twenty, compare
from benchmarks.databases.exchange import PEERS, ask_peer
from benchmarks.databases.flatten import coded, flat_table
from benchmarks.databases.flights import cancelled, departure_delay, late_arrivals
from benchmarks.databases.flights_planes import plane_week
from benchmarks.databases.lahman import all_stars, home_runs, salaries
from benchmarks.databases.lahman_teams import team_wins
from benchmarks.databases.lahman_votes import hall_of_fame
from benchmarks.databases.task import DatabaseTask
from benchmarks.measure import Rows, Unmeasured, cpu_seconds, shown

__all__ = ["OURS", "TASKS", "measure_task"]

TASKS: dict[str, Callable[[int], DatabaseTask]] = {
    make.__name__: make
    for make in (
        all_stars, home_runs, salaries, hall_of_fame, team_wins, late_arrivals, departure_delay, cancelled, plane_week,
    )
}  # fmt: skip
OURS = "RelationalFeatures"


def measure_task(task: DatabaseTask, peers: Sequence[str] = PEERS) -> Rows:
    """The figure of each set of columns with its interval and its difference to ours; seconds of each search."""
    plain = coded(
        task.rows.drop(columns=list(dict.fromkeys(k for keys in task.keys.values() for k in keys))), task.late
    )
    sets = {"the row itself": plain, "flat table": coded(flat_table(task), task.late)}
    seconds: dict[str, float] = {}
    for name in peers:
        answer = ask_peer(name, task)
        if answer.columns is None:
            yield Unmeasured(name=f"{task.name}: {name}", reason=answer.reason)
            continue
        seconds[name] = answer.seconds
        columns = coded(answer.columns, task.late)
        sets[name] = best_twenty(columns, task)
        if name in ("featuretools", "getml"):
            sets[f"{name}, all"] = columns
    begun = cpu_seconds()
    sets[OURS] = _relational(task)
    seconds[OURS] = cpu_seconds() - begun
    sets["experts"] = task.experts.astype(float)
    sets["experts and ours"] = pd.concat([sets[OURS], sets["experts"]], axis=1)
    yield shown(f"{task.name}: training rows", float((~task.late).sum()), "")
    yield shown(f"{task.name}: test rows", float(task.late.sum()), "")
    for name, spent in seconds.items():
        yield shown(f"{task.name}: CPU, {name}", spent, "s")
    figure = "AUROC" if task.kind == "binary" else "R²"
    for comparison in compare({name: sets[name] for name in sets if sets[name].shape[1]}, task, against=OURS):
        yield shown(f"{task.name}: {figure}, {_line(comparison)}", comparison.value, "")


def _line(comparison: Compared) -> str:
    apart = f"{comparison.difference:+.3f} [{comparison.difference_low:+.3f}, {comparison.difference_high:+.3f}]"
    value = f"[{comparison.low:.3f}, {comparison.high:.3f}]"
    return f"{comparison.name}, {comparison.columns} columns {value}, difference {apart}"


def _relational(task: DatabaseTask) -> pd.DataFrame:
    """The search on training rows, its columns of all."""
    features = RelationalFeatures(task.tables, time=task.time, table_times=task.table_times)
    early = features.fit_transform(task.rows[~task.late], task.target[~task.late])
    return pd.concat([early, features.transform(task.rows[task.late])]).loc[task.rows.index]
