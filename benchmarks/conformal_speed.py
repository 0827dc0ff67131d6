"""Sets, counts and metrics at memory speed: beside MAPIE 1.6.0, beside a plain copy, and streamed.

Every measurement runs in a process of its own with one thread; time is CPU time, the least of several repeats; memory
is the peak above the idle process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from benchmarks.measure import Rows, Unmeasured, beside, counted, shown, sized
from benchmarks.peers import peer

SAMPLES, CLASSES = sized(1_000_000, 20_000), 100
SETS = sized(50_000, 5_000)

_COMMON = """
import json, resource, sys, time
import numpy as np
from assay.conformal import (calibrate, class_coverage, count_sets, coverage, coverage_gap, efficiency, evaluate_stream,
                             informativeness, size_stratified_coverage)
from assay.conformal.sets import kernels
samples, classes = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(7)
def least(function, repeats):
    times = []
    for _ in range(repeats):
        start = time.process_time()
        value = function()
        times.append(time.process_time() - start)
    return min(times), value
def peak():  # of this program: ru_maxrss also counts the process that started it
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024
def chunk(rows):
    p = rng.random((rows, classes), dtype=np.float32) ** 8
    p /= p.sum(axis=1, keepdims=True)
    return p, np.argmax(p + 0.3 * rng.random((rows, classes), dtype=np.float32), axis=1)
"""

_METRICS = """
p, y = chunk(samples)
sets = p >= np.float32(0.04)
del p
def ours():
    counts = count_sets([sets], [y])
    return coverage(counts), efficiency(counts), size_stratified_coverage(counts), coverage_gap(counts, alpha=0.1)
ours()
mine, values = least(ours, 9)
both = np.concatenate([sets.reshape(-1).view(np.uint64), y.view(np.uint64)])
read, _ = least(both.max, 9)
row = {"ours": mine, "values": values[:3], "read": read}
del both
try:
    from mapie.metrics.classification import (
        classification_coverage_score, classification_mean_width_score, classification_ssc_score)
except ImportError as error:
    row["missing"] = str(error)
else:
    cube = sets[:, :, None]
    def theirs():
        return (float(classification_coverage_score(y, cube)[0]), float(classification_mean_width_score(cube)[0]),
                float(classification_ssc_score(y, cube)[0]))
    row["theirs"], row["their_values"] = least(theirs, 3)
print(json.dumps(row))
"""

_SETS = """
from sklearn.base import BaseEstimator, ClassifierMixin
from mapie.classification import SplitConformalClassifier
class Given(ClassifierMixin, BaseEstimator):  # MAPIE wants a model: this one says what it is given
    classes_ = np.arange(classes)
    def fit(self, X, y=None): return self
    def predict_proba(self, X): return X
    def predict(self, X): return X.argmax(axis=1)
    def __sklearn_is_fitted__(self): return True
def drawn(rows):
    y = rng.integers(0, classes, rows)
    p = np.exp(2 * rng.normal(size=(rows, classes)) + 4 * (np.arange(classes) == y[:, None]))
    return p / p.sum(axis=1, keepdims=True), y
known, labels = drawn(5000)
p, _ = drawn(samples)
row = {}
for score in ("aps", "raps", "top_k"):
    peer = SplitConformalClassifier(Given(), confidence_level=0.9, conformity_score=score, prefit=True)
    peer.conformalize(known, labels)
    found = calibrate([known], [labels], alpha=0.1, score=score)
    found.predict_sets([p])
    row[score] = [least(lambda: found.predict_sets([p]), 9)[0], least(lambda: peer.predict_set(p), 3)[0]]
print(json.dumps(row))
"""

_PIPELINE = """
p, y = chunk(samples)
known, labels = chunk(5000)
found = calibrate([known], [labels], alpha=0.1)
copy = np.zeros_like(p)
pass_over, _ = least(lambda: np.copyto(copy, p), 9)
def ours():
    return count_sets(found.predict_sets([p]), [y])
ours()
mine, counts = least(ours, 9)
print(json.dumps({"copy": pass_over, "ours": mine, "bytes": p.nbytes, "coverage": coverage(counts)}))
"""

_STREAM = """
known, labels = chunk(5000)
found = calibrate([known], [labels], alpha=0.1)
rows = min(100_000, samples // 5)
p, y = chunk(rows)
found.count([p], [y])
idle = peak()
spent = 0.0
def parts():
    for number in range(samples // rows):
        shift = number % classes  # other data in every part, without the cost of drawing them
        yield [np.roll(p, shift, axis=1)], [(y + shift) % classes]
start = time.process_time()
counts = evaluate_stream(found, parts())
spent = time.process_time() - start
sizes = {"part_mb": p.nbytes / 2**20, "whole_mb": samples * classes * 4 / 2**20}
print(json.dumps({"seconds": spent, "memory_mb": peak() - idle, "samples": counts.samples, **sizes}))
"""


def _run(code: str, samples: int, path: str = "") -> dict[str, float] | None:
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _COMMON + code, str(samples), str(CLASSES)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **threads, "PYTHONPATH": path},
    )
    if process.returncode:
        print(f"not measured: {process.stderr.strip().splitlines()[-1]}")
        return None
    seconds: dict[str, float] = json.loads(process.stdout)
    return seconds


def main() -> Rows:
    target = peer("mapie==1.6.0")
    print(f"metrics of {SAMPLES} x {CLASSES} boolean sets (coverage, mean size, size-stratified coverage)")
    row = _run(_METRICS, SAMPLES, str(target or ""))
    if row:
        print(f"  assay, and class-conditional coverage gap besides: {row['ours'] * 1000:.1f} ms")
        if "theirs" in row:
            same = max(abs(a - b) for a, b in zip(row["values"], row["their_values"], strict=True))  # type: ignore[call-overload]
            print(f"  MAPIE 1.6.0: {row['theirs'] * 1000:.0f} ms = {row['theirs'] / row['ours']:.0f} x assay")
            print(f"  largest difference of values: {same:.1e}")
            ours, theirs = 1000 * row["ours"], 1000 * row["theirs"]
            yield beside("metrics of sets: CPU", ours, "ms", peer="MAPIE 1.6.0", theirs=theirs)
        else:
            print(f"  MAPIE 1.6.0: not measured ({row.get('missing')})")
            yield Unmeasured(name="metrics of sets: CPU", reason=f"MAPIE 1.6.0 is not here ({row.get('missing')})")
        print(f"  reading sets and labels once: {row['read'] * 1000:.1f} ms = assay / {row['ours'] / row['read']:.2f}")
        ours, read = 1000 * row["ours"], 1000 * row["read"]
        yield beside("metrics of sets beside a read: CPU", ours, "ms", peer="one read", theirs=read, tolerance=0.5)
    print(f"sets of {SETS} x {CLASSES} probabilities (double precision)")
    by_score = _run(_SETS, SETS, str(target or ""))
    for score, (ours, theirs) in (by_score or {}).items():  # type: ignore[misc]
        print(f"  {score}: {ours * 1000:.1f} ms; MAPIE 1.6.0 {theirs * 1000:.0f} ms = {theirs / ours:.1f} x assay")
        name = f"predicting {score} sets: CPU"
        yield beside(name, 1000 * ours, "ms", peer="MAPIE 1.6.0", theirs=1000 * theirs, tolerance=0.5)
    if not by_score:
        yield Unmeasured(name="predicting", reason="MAPIE 1.6.0 is not here")
    print(f"probabilities {SAMPLES} x {CLASSES} (single precision) -> checked -> thresholded sets -> all counts")
    row = _run(_PIPELINE, SAMPLES)
    if row:
        speed = row["bytes"] / row["copy"] / 1e9
        print(f"  copying the probabilities: {row['copy'] * 1000:.1f} ms ({speed:.1f} GB/s)")
        print(f"  assay: {row['ours'] * 1000:.1f} ms = {row['ours'] / row['copy']:.2f} x the copy")
        ours, copied = 1000 * row["ours"], 1000 * row["copy"]
        yield beside("from probabilities to counts: CPU", ours, "ms", peer="copying them", theirs=copied, tolerance=0.5)
    print(f"{10 * SAMPLES} x {CLASSES} streamed in parts")
    row = _run(_STREAM, 10 * SAMPLES)
    if row:
        print(
            f"  {row['samples']:.0f} samples counted in {row['seconds']:.1f} s, parts included; memory "
            f"above idle {row['memory_mb']:.0f} MB (a part is {row['part_mb']:.0f} MB, the whole would be "
            f"{row['whole_mb']:.0f} MB)"
        )
        yield counted("streamed: memory", row["memory_mb"] / row["part_mb"], "x part")
        yield shown("streamed: CPU, parts included", row["seconds"], "s")
