"""Run plans into a results folder: only what is missing is done, and every finished cell is committed at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from assay.core import InvalidInput, UnknownName
from assay.core.files.folders import user_path
from assay.harness.driver.driver import Driver, Orders
from assay.harness.driver.progress import Progress, reporting
from assay.harness.driver.result import RunResult
from assay.harness.identity import identified
from assay.harness.plan import Prepared, make_plan, prepare
from assay.harness.runners import Runner
from assay.harness.spec import RunSpec, demand_one_run_per_track
from assay.harness.store.lock import locked
from assay.harness.store.store import Store
from assay.harness.until_decided import demand_level

__all__ = ["run"]


def run(
    specs: RunSpec | Sequence[RunSpec],
    *,
    out: str | Path,
    workers: int = 1,
    runner: Runner | Callable[[Path], Runner] | None = None,
    progress: Progress | None = None,
    retry_failed: bool = False,
    retry_withdrawn: bool = False,
    time_limit: float | None = None,
    trace: Collection[str] = (),
    check: Callable[[Sequence[Prepared]], None] | None = None,
    keep_going: bool = False,
    until_decided: float | None = None,
    against: str = "",
) -> RunResult:
    """Plan, solve, examine, store. A second run of the same plan calls no subject.

    Subjects that cannot be run - a file that cannot be loaded, a program that cannot be started, a folder without an
    answer to any problem - are an error before the first cell; with ``keep_going`` they are left out. Cells whose
    records are withdrawn are left alone, unless ``retry_withdrawn`` asks to run them again.

    ``runner`` may be a function of the folder in which its workers may write. After ``time_limit`` seconds no further
    cell is begun; those under way are finished and kept. ``trace`` names subjects to run in quarantine: their cells
    alone are run, one after the other and also where they have records, with every system call in a log. ``check`` may
    refuse the run once its names are resolved, before anything is written. ``until_decided`` is a level: problems are
    taken in an order of their own, and a subject is called no more once it is told apart from all others, or from the
    one ``against`` which they were to be compared.
    """
    if time_limit is not None and not time_limit > 0:
        raise InvalidInput(f"the time limit must be above 0 seconds, got {time_limit!r}.")
    if until_decided is not None:
        demand_level(until_decided)
    out = user_path(out)
    specs = [specs] if isinstance(specs, RunSpec) else specs
    demand_one_run_per_track(specs)
    with reporting(progress) as say:
        # wrong input must leave nothing behind
        prepared = [prepare(spec, keep_going=keep_going, say=say) for spec in specs]
    tracks = {entry.track.name: entry.track for entry in prepared}
    known = {subject.name for entry in prepared for subject in entry.subjects if subject.runs_code}
    for name in trace:
        if name not in known:
            raise UnknownName("subject with a process to trace", name, sorted(known))
    if check is not None:
        check(prepared)
    with locked(out), Store(out, create=True) as store:
        with reporting(progress) as say:
            say("preparing: planning every cell; built-in problems are written first")
            plans = tuple(make_plan(identified(entry, store), out=out) for entry in prepared)
        orders = Orders(
            workers=workers,
            runner=runner,
            progress=progress,
            retry_failed=retry_failed,
            retry_withdrawn=retry_withdrawn,
            time_limit=time_limit,
            trace=frozenset(trace),
            keep_going=keep_going,
            until_decided=until_decided,
            against=against,
        )
        not_run = tuple(line for entry in prepared for line in entry.left_out)
        return Driver(store, plans, out, tracks, orders).run(not_run=not_run)
