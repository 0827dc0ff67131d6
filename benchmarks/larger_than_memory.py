"""Work larger than the memory it may have: streamed prediction sets, and a run of many insight problems.

The sets come from a file several times as large as the address space that the process is allowed, and their counts
must be those of a plain computation made while the file was written. The run has a limit on the data of every process;
the peak over all its processes is taken after half of the problems and at the end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.large_problems import write_problems
from benchmarks.measure import Rows, beside, counted, folder_bytes, shown, sized

STREAM_LIMIT_MB = 640  # address space of the process that evaluates
RUN_LIMIT_MB = 700  # data of each process of the run
SAMPLES, CLASSES, PART = sized(10_000_000, 200_000), 100, sized(100_000, 20_000)
PROBLEMS = sized(300, 12)
ROWS = sized(8_000, 1_000)
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

# one row is its probabilities and its label, so that a part is one read; written beside a plain count
_WRITE = """
import json, sys
import numpy as np
from pathlib import Path
from assay.conformal import calibrate
folder, samples, classes, part = Path(sys.argv[1]), *map(int, sys.argv[2:5])
rng = np.random.default_rng(11)
def draw(rows):
    p = rng.random((rows, classes), dtype=np.float32) ** 8
    p /= p.sum(axis=1, keepdims=True)
    return p, np.argmax(p + 0.3 * rng.random((rows, classes), dtype=np.float32), axis=1).astype(np.int64)
calibration = calibrate([(sample := draw(5000))[0]], [sample[1]], alpha=0.1)
calibration.save(folder / "calibration.json")
threshold = calibration.thresholds[0][0]
plain = {"samples": 0, "hits": 0, "sizes": [0] * (classes + 1)}
p, y = draw(part)
with (folder / "probabilities").open("wb") as out, (folder / "labels").open("wb") as known:
    for number in range(samples // part):
        # other data in every part, without the cost of drawing them
        shift = number % classes
        now, labels = np.ascontiguousarray(np.roll(p, shift, axis=1)), (y + shift + (number // classes)) % classes
        inside = 1.0 - now.astype(np.float64) <= threshold
        plain["samples"] += part
        plain["hits"] += int(inside[np.arange(part), labels].sum())
        counts = np.bincount(inside.sum(axis=1), minlength=classes + 1)
        plain["sizes"] = (np.asarray(plain["sizes"]) + counts).tolist()
        now.tofile(out)
        labels.tofile(known)
print("RESULT" + json.dumps(plain))
"""

_STREAM = """
import json, resource, sys, time
limit = int(sys.argv[5]) << 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
import numpy as np
from pathlib import Path
from assay.conformal import Calibration, coverage, evaluate_stream
folder, samples, classes, part = Path(sys.argv[1]), *map(int, sys.argv[2:5])
calibration = Calibration.load(folder / "calibration.json")
def parts():
    with (folder / "probabilities").open("rb") as values, (folder / "labels").open("rb") as known:
        for _ in range(samples // part):
            p = np.fromfile(values, dtype=np.float32, count=part * classes).reshape(part, classes)
            yield [p], [np.fromfile(known, dtype=np.int64, count=part)]
start = time.process_time()
counts = evaluate_stream(calibration, parts())
seconds = time.process_time() - start
try:  # the limit is real: the file as a whole does not fit
    np.fromfile(folder / "probabilities", dtype=np.float32)
    whole = "fits"
except MemoryError:
    whole = "MemoryError"
peak = [int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")][0] / 1024
task = counts.tasks[0]
body = {"samples": counts.samples, "hits": task.hits, "sizes": task.sizes.tolist()}
print("RESULT" + json.dumps({"counts": body, "seconds": seconds, "peak_mb": peak, "whole": whole}))
"""

_RUN = """
import json, os, resource, sys, time
from pathlib import Path
limit = int(sys.argv[3]) << 20
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
from assay.harness import NoProgress, RunSpec, run
from benchmarks.memory import TreeWatch, peak_mb
settings = {"trust_columns": True, "check_leakage": "never", "N_RF_ESTIMATORS": 3, "MAX_DEPTH": 3}
spec = RunSpec(track="insight", subjects=("base-columns",), problems=(sys.argv[1],), settings=settings)
class Halfway(NoProgress):
    done = total = half = 0
    def start(self, total, done):
        self.total = total
    def advance(self, cell, status):
        self.done += 1
        if self.done == self.total // 2:
            self.half = watch.total_mb
halfway = Halfway()
with TreeWatch(os.getpid()) as watch:
    result = run([spec], out=Path(sys.argv[2]), workers=2, progress=halfway)
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print("RESULT" + json.dumps({
    "solved": result.solved, "failed": sum(record.status != "ok" for record in result.records),
    "lost": len(result.lost), "half_mb": halfway.half, "peak_mb": watch.total_mb, "largest_mb": watch.largest_mb,
    "driver_mb": peak_mb(), "cpu": sum(entry.ru_utime + entry.ru_stime for entry in used)}))
"""


def _start(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)]
    variables = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables)


def _result(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, errors = process.communicate()
    if process.returncode or "RESULT" not in out:
        raise SystemExit(f"the measurement failed:\n{out[-2000:]}\n{errors[-2000:]}")
    body: dict[str, Any] = json.loads(out.rpartition("RESULT")[2])
    return body


def _streamed(folder: Path) -> Rows:
    sizes = (folder, SAMPLES, CLASSES, PART)
    plain = _result(_start(_WRITE, *sizes))
    file_mb = folder_bytes(folder) / 2**20
    figures = _result(_start(_STREAM, *sizes, STREAM_LIMIT_MB))
    same = figures["counts"] == plain
    print(
        f"prediction sets of {SAMPLES:,} x {CLASSES}, {file_mb:,.0f} MB of file, {STREAM_LIMIT_MB} MB of address space "
        f"allowed ({file_mb / STREAM_LIMIT_MB:.1f} times less): peak {figures['peak_mb']:.0f} MB, "
        f"{figures['seconds']:.1f} s CPU; counts {'equal to' if same else 'DIFFER from'} those of a plain computation; "
        f"the file at once: {figures['whole']}",
        flush=True,
    )
    yield shown("streamed sets: file", file_mb, "MB")
    yield counted("streamed sets: peak memory", figures["peak_mb"] / file_mb, "x file")
    yield counted("streamed sets: counts that differ from a plain computation", float(not same), "")


def _problems(folder: Path) -> Rows:
    problems = folder / "problems"
    write_problems(problems, PROBLEMS, rows=ROWS)
    data_mb = folder_bytes(problems) / 2**20
    facts = _result(_start(_RUN, problems, folder / "out", RUN_LIMIT_MB))
    peak, half = facts["peak_mb"], facts["half_mb"]
    print(
        f"{PROBLEMS} insight problems, {data_mb:,.0f} MB in all, two workers, at most {RUN_LIMIT_MB} MB of data per "
        f"process: solved {facts['solved']}, failed {facts['failed']}, lost {facts['lost']}; peak over all processes "
        f"{peak:.0f} MB = {peak / data_mb:.2f} x the problems, {half:.0f} MB after half of them; largest process "
        f"{facts['largest_mb']:.0f} MB, driver {facts['driver_mb']:.0f} MB; {facts['cpu'] / PROBLEMS:.2f} s CPU each",
        flush=True,
    )
    unsolved = PROBLEMS - facts["solved"] + facts["failed"] + facts["lost"]
    yield counted("many problems: cells not solved", unsolved, "")
    yield shown("many problems: data", data_mb, "MB")
    yield shown("many problems: peak over all processes", peak, "MB")
    yield counted("many problems: peak over all processes beside the data", peak / data_mb, "x data")
    yield beside("many problems: peak of all", peak, "MB", peer="of the first half", theirs=half, tolerance=0.15)


def main() -> Rows:
    with tempfile.TemporaryDirectory() as name:
        yield from _streamed(Path(name))
    with tempfile.TemporaryDirectory() as name:
        yield from _problems(Path(name))
