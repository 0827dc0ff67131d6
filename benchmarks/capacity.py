"""What 100,000 problems by 50 subjects on 200 workers would take, from costs measured here; and what gives out first.

The driver is one process: whatever it does per cell caps how many cells a second there can be, however many workers
there are. Costs are measured on tiny problems and stand-in answers, in CPU seconds of the driver; solving, examining
and the bytes of problems come from a run of all five tracks.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Rows, Unmeasured, counted, folder_bytes, shown, sized
from benchmarks.overhead import install_track

PROBLEMS, SUBJECTS, WORKERS, NODES = 100_000, 50, 200, 25
PLANS = sized(((2000, 5), (2000, 50)), ((20, 5), (20, 10)))
STORED = sized((600, 50), (20, 10))  # more than a run keeps at hand, as large runs have
DISPATCHED = sized((300, 50), (8, 10))
ON_RAY = sized((30, 20), (4, 5))
RESULTS = sized(500, 20)  # that are waited for while as many workers as are wanted are busy
TRACKS = {
    "cases": ("detector", "vote"),
    "conformal": ("taskwise", "joint"),
    "drift": ("explainer", "date-only"),
    "formula": ("polynomial", "linear"),
    "insight": ("base-columns", "random-features"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Seconds are CPU seconds of the driver unless said otherwise."""

    plan_problem: float  # seconds
    plan_cell: float
    plan_cell_bytes: float  # held by the driver
    hash_byte: float
    dispatch_cell: float  # with as many workers as are wanted
    ray_cell: float  # dispatching and storing with the Ray runner, many workers busy; nan without Ray
    store_cell: float
    store_cell_bytes: float  # on disk
    run_cell_bytes: float  # held by the driver at the peak of a run, the plan included
    resume_cell: float
    load_cell: float
    report_cell: float
    job_bytes: float
    result_bytes: float
    loads: float  # workers that load a problem
    problem_bytes: float  # mean over the tracks
    packed_bytes: float
    pack_problem: float
    work_cell: float  # a worker's seconds: solving and examining, mean over the tracks


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Of the whole run."""

    cells: int
    plan_hours: float
    plan_gb: float
    driver_hours: float  # dispatching and storing
    cells_per_second: float  # that the driver can keep up with
    break_even: float  # seconds of work per cell, below which workers wait for the driver
    break_even_ray: float
    work_hours: float  # of all workers at once, if nothing else held them up
    store_gb: float
    driver_gb: float
    resume_hours: float
    report_hours: float
    sent_gb: float
    pack_hours: float
    bottleneck: str


def estimate(costs: Costs, *, problems: int, subjects: int, workers: int, nodes: int) -> Estimate:
    """Totals, and the first thing that gives out: the longest of what must happen one after the other."""
    cells = problems * subjects
    plan = problems * (costs.plan_problem + costs.hash_byte * costs.problem_bytes) + cells * costs.plan_cell
    each = costs.dispatch_cell + costs.store_cell
    pack = problems * costs.pack_problem
    there = min(nodes, costs.loads)  # nodes that get to see a problem
    driver = cells * each + pack
    work = cells * costs.work_cell / workers
    stages = {
        "planning": plan,
        "the driver, which hands out and stores": driver,
        "solving and examining": work,
    }
    return Estimate(
        cells=cells,
        plan_hours=plan / 3600,
        plan_gb=cells * costs.plan_cell_bytes / 1e9,
        driver_hours=driver / 3600,
        cells_per_second=1 / each,
        break_even=workers * each,
        break_even_ray=workers * costs.ray_cell,
        work_hours=work / 3600,
        store_gb=cells * costs.store_cell_bytes / 1e9,
        driver_gb=cells * costs.run_cell_bytes / 1e9,
        resume_hours=(plan + cells * costs.resume_cell) / 3600,
        report_hours=cells * (costs.load_cell + costs.report_cell) / 3600,
        sent_gb=(cells * (costs.job_bytes + costs.result_bytes) + problems * there * costs.packed_bytes) / 1e9,
        pack_hours=pack / 3600,
        bottleneck=max(stages, key=lambda name: stages[name]),
    )


def _cost(name: str, problems: int, subjects: int, *, may_break: bool = False) -> dict[str, float]:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.capacity_costs", name, str(problems), str(subjects)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode or "RESULT" not in process.stdout:
        if may_break:
            print(f"{name}: not measured: {(process.stderr.strip().splitlines() or ['no output'])[-1]}")
            return {}
        raise SystemExit(f"the measurement failed:\n{process.stderr[-2000:]}")
    figures: dict[str, float] = json.loads(process.stdout.rpartition("RESULT")[2])
    print(f"{name} {problems} {subjects}: {_sentence(figures)}", flush=True)
    return figures


def _sentence(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in figures.items())


def _tracks(folder: Path) -> dict[str, dict[str, float]]:
    """Of each track's built-in problems: bytes, packing, and the seconds of solving and examining."""
    from assay.core import find_problems, get_track
    from assay.harness import RunSpec, run
    from assay.harness.runners.shipping import pack_problem

    figures: dict[str, dict[str, float]] = {}
    for name, subjects in TRACKS.items():
        problems = folder / name / "problems"
        problems.mkdir(parents=True)
        get_track(name).builtin(problems)
        folders = find_problems(problems, marker=get_track(name).marker)
        start = time.process_time()
        packed = [len(pack_problem(path)) for path in folders]
        packing = time.process_time() - start
        spec = RunSpec(track=name, subjects=subjects, problems=(str(problems),))
        records = run([spec], out=folder / name / "out", workers=2).records
        figures[name] = {
            "problem_bytes": float(np.mean([folder_bytes(path) for path in folders])),
            "packed_bytes": float(np.mean(packed)),
            "pack_problem": packing / len(folders),
            "solve": float(np.mean([record.seconds for record in records])),
            "examine": float(np.mean([record.cost["examine_seconds"] for record in records])),
        }
        print(f"{name}, {', '.join(subjects)}: {_sentence(figures[name])}", flush=True)
    return figures


def _hashing(folder: Path) -> float:
    """Seconds per byte of a problem's digest."""
    from assay.core import digest_folder

    (folder / "large").mkdir()
    size = sized(200, 5) << 20
    (folder / "large" / "data").write_bytes(np.random.default_rng(0).bytes(size))
    start = time.process_time()
    digest_folder(folder / "large")
    return (time.process_time() - start) / size


def measure() -> Costs:
    """All costs, in processes of their own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        install_track(folder / "packages")
        few, many = (_cost("planning", *size) for size in PLANS)
        cell = (many["prepare"] + many["plan"] - few["prepare"] - few["plan"]) / (many["cells"] - few["cells"])
        whole = few["prepare"] + few["plan"] - cell * few["cells"]
        stored = _cost("storing", *STORED)
        planned = cell * stored["cells"] + whole * STORED[0] / PLANS[0][0]
        handed = _cost("dispatching", *DISPATCHED)
        on_ray = _cost("on_ray", *ON_RAY, may_break=True)
        waiting = _cost("waiting_on_ray", WORKERS, RESULTS, may_break=True)
        more = max(0.0, waiting["many"] - waiting["few"]) if waiting else math.nan
        tracks = _tracks(folder)
        cells = stored["cells"]
        mean = {key: float(np.mean([row[key] for row in tracks.values()])) for key in next(iter(tracks.values()))}
        return Costs(
            plan_problem=max(0.0, whole) / PLANS[0][0],
            plan_cell=cell,
            plan_cell_bytes=max(0.0, many["mb"] - few["mb"]) * 2**20 / (many["cells"] - few["cells"]),
            hash_byte=_hashing(folder),
            dispatch_cell=handed[f"seconds_{WORKERS}"] / handed["cells"],
            ray_cell=on_ray.get("cell", math.nan) + more,
            store_cell=max(0.0, stored["run"] - planned) / cells,
            store_cell_bytes=stored["bytes"] / cells,
            run_cell_bytes=max(0.0, stored["peak_mb"]) * 2**20 / cells,
            resume_cell=max(0.0, stored["resume"] - planned) / cells,
            load_cell=stored["load"] / cells,
            report_cell=stored["report"] / cells,
            job_bytes=handed["job_bytes"],
            result_bytes=handed["result_bytes"],
            loads=handed[f"loads_{WORKERS}"],
            problem_bytes=mean["problem_bytes"],
            packed_bytes=mean["packed_bytes"],
            pack_problem=mean["pack_problem"],
            work_cell=mean["solve"] + mean["examine"],
        )


def main() -> Rows:
    costs = measure()
    estimated = estimate(costs, problems=PROBLEMS, subjects=SUBJECTS, workers=WORKERS, nodes=NODES)
    print(
        f"{PROBLEMS:,} problems x {SUBJECTS} subjects on {WORKERS} workers of {NODES} nodes, {estimated.cells:,} cells"
    )
    for name, value in asdict(estimated).items():
        print(f"  {name.replace('_', ' '):18} {value if isinstance(value, str) else f'{value:,.3g}'}")
    if os.environ.get("ASSAY_BENCH_QUICK"):
        yield Unmeasured(name="", reason="small sizes say nothing about large ones")
        return
    yield shown("planning, per cell", 1e6 * costs.plan_cell, "µs CPU")
    yield shown("planning, per problem", 1e6 * costs.plan_problem, "µs CPU")
    yield counted("planning, held per cell", costs.plan_cell_bytes, "bytes")
    yield shown(f"dispatching to {WORKERS} workers, per cell", 1e6 * costs.dispatch_cell, "µs CPU")
    yield shown("dispatching and storing on Ray, per cell", 1e6 * costs.ray_cell, "µs CPU")
    yield counted(f"workers of {WORKERS} that load a problem", costs.loads, "")
    yield shown("storing, per cell", 1e6 * costs.store_cell, "µs CPU")
    yield counted("stored per cell", costs.store_cell_bytes, "bytes")
    yield counted("held by the driver per cell", costs.run_cell_bytes, "bytes")
    yield shown("resuming, per cell", 1e6 * costs.resume_cell, "µs CPU")
    yield counted("sent per cell", costs.job_bytes + costs.result_bytes, "bytes")
    yield shown("5 million cells: the driver", estimated.driver_hours, "h CPU")
    yield shown("5 million cells: store", estimated.store_gb, "GB")
    yield shown("5 million cells: driver's memory", estimated.driver_gb, "GB")


def example_costs(**changed: Any) -> Costs:
    """Round figures, for tests and for trying out other sizes."""
    values: dict[str, Any] = dict.fromkeys(Costs.__dataclass_fields__, 0.0)
    return Costs(**{**values, "dispatch_cell": 1e-3, "store_cell": 1e-3, "work_cell": 1.0, **changed})
