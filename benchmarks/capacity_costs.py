"""The harness's costs, each in a process of its own: what the driver spends and holds per problem and per cell.

``python -m benchmarks.capacity_costs NAME PROBLEMS SUBJECTS`` prints one measurement as JSON.
"""

from __future__ import annotations

import json
import logging
import pickle
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from benchmarks.measure import folder_bytes
from benchmarks.memory import peak_mb, reset_peak, resident_mb
from benchmarks.stand_ins import IdlePool, Instant, finished, tiny_problems, tiny_run

Costs: TypeAlias = dict[str, float]
WORKERS = (2, 200)


def planning(problems: int, subjects: int, folder: Path) -> Costs:
    """Resolving names, reading problems, making keys: CPU seconds and MB that the plan takes."""
    from assay.harness import make_plan, prepare

    spec = tiny_run(tiny_problems(folder / "problems", problems), subjects=subjects)
    make_plan(prepare(tiny_run(tiny_problems(folder / "warm", 2))), out=folder / "out")
    idle = resident_mb()
    start = time.process_time()
    prepared = prepare(spec)
    between = time.process_time()
    plan = make_plan(prepared, out=folder / "out")
    ended = time.process_time()
    cells = len(plan.cells)
    return {"cells": cells, "prepare": between - start, "plan": ended - between, "mb": resident_mb() - idle}


def storing(problems: int, subjects: int, folder: Path) -> Costs:
    """A whole run without workers, and the same again: what is left is the plan, the store and the driver's lists."""
    from assay.harness import run
    from assay.report import load, write_html

    run([tiny_run(tiny_problems(folder / "warm", 2))], out=folder / "warm-out", runner=Instant())
    spec = tiny_run(tiny_problems(folder / "problems", problems), subjects=subjects)
    rng = np.random.default_rng(0)
    out = folder / "out"
    idle = resident_mb()
    reset_peak()
    start = time.process_time()
    result = run([spec], out=out, runner=Instant())
    ended = time.process_time()
    peak = peak_mb()
    cells = result.solved
    example = next(cell for plan in result.plans for cell in plan.cells)
    making = time.process_time()
    for _ in range(1000):
        finished(example, rng)
    making = (time.process_time() - making) / 1000
    again = time.process_time()
    assert run([spec], out=out, runner=Instant()).reused == cells
    resumed = time.process_time() - again
    del result
    reading = time.process_time()
    results = load(out)
    loaded = time.process_time()
    write_html(results, folder / "report.html")
    stored_at = time.process_time()
    return {
        "cells": cells,
        "run": ended - start - making * cells,  # without making the stand-in itself
        "peak_mb": peak - idle,
        "bytes": folder_bytes(out),
        "resume": resumed,
        "load": loaded - reading,
        "report": stored_at - loaded,
    }


def dispatching(problems: int, subjects: int, folder: Path) -> Costs:
    """Handing out cells to workers that answer at once: the driver's own CPU, by the number of workers.

    Also how many workers get to see a problem, since each of them loads it: the fewest possible is one.
    """
    from assay.harness import make_plan, prepare
    from assay.harness.execute import Job
    from assay.harness.runners.dispatch import dispatch

    spec = tiny_run(tiny_problems(folder / "problems", problems), subjects=subjects)
    cells = make_plan(prepare(spec), out=folder / "out").cells
    costs: Costs = {"cells": len(cells)}
    for workers in WORKERS:
        pool = IdlePool(workers)
        start = time.process_time()
        count = sum(1 for _ in dispatch((Job(cell=cell) for cell in cells), pool))
        costs[f"seconds_{workers}"] = time.process_time() - start
        assert count == len(cells)
        costs[f"loads_{workers}"] = pool.loads() / (len(cells) / subjects)
    rng = np.random.default_rng(0)
    costs["job_bytes"] = len(pickle.dumps(Job(cell=cells[0])))
    costs["result_bytes"] = len(pickle.dumps(finished(cells[0], rng)))
    return costs


def on_ray(problems: int, subjects: int, folder: Path) -> Costs:
    """Real cells on a Ray of this machine, problems shipped: the driver's own CPU from the first result to the last."""
    from assay.harness import NoProgress, make_plan, prepare, run
    from assay.harness.runners.ray import RayRunner

    spec = tiny_run(tiny_problems(folder / "problems", problems), subjects=subjects)
    assert len(make_plan(prepare(spec), out=folder / "plan").cells) == problems * subjects

    class Clock(NoProgress):
        def __init__(self) -> None:
            self.times: list[float] = []

        def advance(self, cell: object, status: str) -> None:
            self.times.append(time.process_time())

    clock = Clock()
    result = run([spec], out=folder / "out", runner=RayRunner(2, ship=True), progress=clock)
    assert not result.lost
    return {"cells": len(clock.times), "cell": (clock.times[-1] - clock.times[0]) / (len(clock.times) - 1)}


def waiting_on_ray(workers: int, results: int, folder: Path) -> Costs:
    """Asking for a result and waiting for it while many others are due: the driver's CPU, against two that are due."""
    import ray

    class Stand:
        def hold(self) -> None:
            time.sleep(3600)

        def answer(self, number: int) -> bytes:
            return bytes(1400)

    ray.init(num_cpus=2, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    try:
        actor: Any = ray.remote(Stand)
        holding, answering = (actor.options(num_cpus=0).remote() for _ in range(2))
        ray.get(answering.answer.remote(0))
        costs: Costs = {}
        for name, due in (("few", 2), ("many", workers)):
            blockers = [holding.hold.remote() for _ in range(due - 1)]
            start = time.process_time()
            for number in range(results):
                every = [*blockers, answering.answer.remote(number)]
                ray.wait(every, num_returns=1, timeout=1.0)
                ready, _ = ray.wait(every, num_returns=len(every), timeout=0)  # as the runner does
                ray.get(ready)
            costs[name] = (time.process_time() - start) / results
        return costs
    finally:
        ray.shutdown()


COSTS: dict[str, Callable[[int, int, Path], Costs]] = {
    "planning": planning,
    "storing": storing,
    "dispatching": dispatching,
    "on_ray": on_ray,
    "waiting_on_ray": waiting_on_ray,
}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        print("RESULT" + json.dumps(COSTS[sys.argv[1]](int(sys.argv[2]), int(sys.argv[3]), Path(scratch))))
