"""How cost grows: CPU time and peak memory of the main paths against rows, problems, subjects and workers.

Every point is a process of its own. The exponent is the slope of a line through the logarithms: 1 is proportional, 0
does not grow. The picture goes to the folder that ``ASSAY_BENCH_PICTURES`` names, if it names one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measure import Rows, Unmeasured, fitted, growth, shown, sized
from benchmarks.overhead import install_track

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
PICTURES = "ASSAY_BENCH_PICTURES"
LARGEST_PICTURE = 150_000  # bytes
LONGEST = 300  # seconds for one point


class Curve(NamedTuple):
    """One path against one kind of size; ``figure`` is what the curve is about, and ``warm`` a size that compiles."""

    name: str
    path: str
    axis: str
    sizes: tuple[int, ...]
    warm: int
    figure: str = "cpu"
    unit: str = "s"

    @property
    def memory(self) -> bool:
        """Whether the peak of the process says something: other processes do the work of some paths."""
        return self.figure == "cpu" and self.path not in ("insight_verification", "running")


ROWS = (20_000, 60_000, 200_000, 600_000)
SAMPLES = (300_000, 1_000_000, 3_000_000, 10_000_000)
POINTS = (10_000, 100_000, 300_000, 1_000_000)
CELLS, FEWER = (1000, 2000, 4000, 8000), (500, 1000, 2000, 4000)
CURVES = (
    Curve("cases: index and explain", "cases_index", "rows", ROWS, 1000),
    Curve("conformal: sets and counts", "conformal_evaluation", "samples", SAMPLES, 300_000),
    Curve("drift: reading XES", "drift_reading", "cases", (400, 800, 1600, 3200), 50),
    Curve("drift: explaining", "drift_explaining", "documents", (60, 120, 240, 480), 20),
    Curve("formula: examining", "formula_examination", "rows", POINTS, 200),
    Curve("insight: scoring", "insight_scoring", "rows", (600, 1200, 2400, 4800), 120),
    Curve("insight: verifying code", "insight_verification", "rows", (300, 600, 1200, 2400), 90),
    Curve("planning", "planning_problems", "problems", FEWER, 20),
    Curve("planning", "planning_subjects", "subjects", (5, 10, 20, 40), 2),
    Curve("committing", "committing", "cells", CELLS, 50),
    Curve("store size", "committing", "cells", CELLS, 50, "bytes", "bytes"),
    Curve("resuming", "resuming", "cells", CELLS, 50),
    Curve("report", "report", "cells", FEWER, 50),
    Curve("report size", "report", "cells", FEWER, 50, "bytes", "bytes"),
    Curve("dispatching, per cell", "dispatching", "workers", (2, 8, 32, 128), 2, "driver_ms", "ms"),
    Curve("running 400 cells", "running", "workers", (1, 2, 4), 1),
)


def points(path: str, sizes: tuple[int, ...], warm: int, results: dict[tuple[str, int], dict[str, Any]]) -> bool:
    """Measure what is not known yet; False when a point broke, with the reason printed."""
    for size in sizes:
        if (path, size) in results:
            continue
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.growth_paths", path, str(size), str(warm)]
        variables = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
        try:
            process = subprocess.run(
                command, capture_output=True, text=True, check=False, env=variables, timeout=LONGEST
            )
        except subprocess.TimeoutExpired:
            print(f"{path} of {size}: not measured: more than {LONGEST} s")
            return False
        if process.returncode or "RESULT" not in process.stdout:
            lines = process.stderr.strip().splitlines() or ["no output"]
            print(f"{path} of {size}: not measured: {lines[-1]}")
            return False
        results[path, size] = json.loads(process.stdout.rpartition("RESULT")[2])
    return True


def main() -> Rows:
    results: dict[tuple[str, int], dict[str, Any]] = {}
    curves: list[tuple[Curve, list[float]]] = []
    print("| path | against | sizes | cost | exponent | peak memory, MB | exponent |")
    print("|---|---|---|---|---:|---|---:|")
    with tempfile.TemporaryDirectory() as folder:
        install_track(Path(folder) / "packages")
        for curve in CURVES:
            sizes = sized(curve.sizes, (curve.warm, 2 * curve.warm))
            label = f"{curve.name} against {curve.axis}"
            if not points(curve.path, sizes, curve.warm, results):
                yield Unmeasured(name=label, reason="a point could not be measured")
                continue
            rows = [results[curve.path, size] for size in sizes]
            costs, peaks = [row[curve.figure] for row in rows], [row["memory_mb"] for row in rows]
            memory_exponent = f"{fitted(sizes, peaks).exponent:.2f}" if curve.memory else ""
            print(
                f"| {curve.name} | {curve.axis} | {_listed(sizes)} | {_listed(costs)} {curve.unit} | "
                f"{fitted(sizes, costs).exponent:.2f} | {_listed(peaks) if curve.memory else ''} | {memory_exponent} |",
                flush=True,
            )
            yield growth(label, sizes, costs)
            yield shown(f"{label}: at {sizes[-1]:,}", costs[-1], curve.unit)
            if curve.memory:
                # below some MB the allocator's steps are all there is to see
                yield growth(f"{label}: memory", sizes, [max(peak, 8.0) for peak in peaks])
            curves.append((curve, costs))
    _draw(curves, results)


def _listed(values: tuple[int, ...] | list[float]) -> str:
    return ", ".join(f"{value:,}" if isinstance(value, int) else f"{value:.3g}" for value in values)


def _draw(curves: list[tuple[Curve, list[float]]], results: dict[tuple[str, int], dict[str, Any]]) -> None:
    folder = os.environ.get(PICTURES)
    if not folder or not curves:
        return
    try:
        import matplotlib as mpl
    except ImportError as error:
        print(f"no picture: {error} (pip install 'matplotlib>=3.8')")
        return
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    columns = 4
    lines = -(-len(curves) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(11, 2.3 * lines), squeeze=False)
    for place in axes.flat[len(curves) :]:
        place.set_axis_off()
    for place, (curve, costs) in zip(axes.flat, curves, strict=False):
        sizes = sized(curve.sizes, (curve.warm, 2 * curve.warm))
        _plot(place, sizes, costs, "o-", "#1f5fa8")
        place.set_title(f"{curve.name}: {fitted(sizes, costs).exponent:.2f}", fontsize=8)
        place.set_xlabel(curve.axis, fontsize=7)
        place.set_ylabel("CPU s" if curve.figure == "cpu" else curve.unit, fontsize=7)
        if curve.memory:
            _plot(place.twinx(), sizes, [results[curve.path, size]["memory_mb"] for size in sizes], "s:", "#b5651d")
    figure.suptitle(
        "Cost (blue; its exponent in the title) and peak memory in MB (brown, dotted) against size", fontsize=9
    )
    figure.tight_layout()
    path = Path(folder) / "growth.png"
    figure.savefig(path, dpi=72, pil_kwargs={"optimize": True})
    plt.close(figure)
    size = path.stat().st_size
    print(f"picture: {size / 1000:.0f} kB" + ("" if size <= LARGEST_PICTURE else ", TOO LARGE for the documentation"))


def _plot(place: Any, sizes: tuple[int, ...], values: list[float], style: str, colour: str) -> None:
    """Logarithmic scales that span a factor of thirty at least, so that what hardly grows looks like it."""
    from matplotlib.ticker import NullFormatter

    place.loglog(sizes, values, style, color=colour, markersize=4)
    middle = (min(values) * max(values)) ** 0.5
    span = max(30**0.5, 1.3 * (max(values) / min(values)) ** 0.5)
    place.set_ylim(middle / span, middle * span)
    place.set_xticks(sizes, [_short(size) for size in sizes])
    for axis in (place.xaxis, place.yaxis):
        axis.set_minor_formatter(NullFormatter())
    place.tick_params(labelsize=6, which="both")
    place.tick_params(axis="y", which="both", colors=colour)


def _short(size: int) -> str:
    """As on an axis: 600, 20k, 3M."""
    for unit, letter in ((1_000_000, "M"), (1000, "k")):
        if size >= unit:
            return f"{size / unit:g}{letter}"
    return str(size)
