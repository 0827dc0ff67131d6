"""The default detector on many cases: exact on 100,000, with approximate search on a million, beside a bare search.

Every method runs in a process of its own with one thread; time is CPU time, memory is the peak above the idle process
before any data was made. The peer is scikit-learn's brute-force search for the ten nearest cases of the same queries.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import Rows, Unmeasured, beside, counted, shown, sized

_COMMON = """
import json, sys, time
import numpy as np
import sklearn.neighbors
from assay.cases import default_detector_scores
from assay.cases.subjects.posterior import fit_posterior
def peak():  # of this program: ru_maxrss also counts the process that started it
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024
cases, queries, structured, out = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "structured", sys.argv[4]
idle = peak()
rng = np.random.default_rng(7)
basis, centres = rng.normal(size=(8, 30)), rng.normal(scale=4.0, size=(50, 8))
def draw(n):
    if structured:
        place = rng.integers(0, 50, n)
        X = (centres[place] + rng.normal(size=(n, 8))) @ basis
        X += rng.normal(scale=0.1, size=X.shape)
        right = place % 3
    else:
        X = rng.normal(size=(n, 30))
        right = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 0.5)
    return X, np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), right)
X, y = draw(cases)
Q, truth = draw(queries)
P = rng.dirichlet(np.ones(3), queries)
P[np.arange(queries), np.where(rng.random(queries) < 0.2, rng.integers(0, 3, queries), truth)] += 1.0
P /= P.sum(axis=1, keepdims=True)
predicted = P.argmax(axis=1)
start = time.process_time()
"""

_DETECTOR = """
posterior = fit_posterior(X, y, algorithm={algorithm!r})
fitted = time.process_time()
found = default_detector_scores(X, y, Q, predicted, P, posterior=posterior).probability
done = time.process_time()
extra = {{"recall": posterior.recall}}
"""

_METHODS = {
    "exact": _DETECTOR.format(algorithm="auto"),
    "faiss": _DETECTOR.format(algorithm="faiss"),
    "scikit-learn brute": """
mean, std = X.mean(axis=0), X.std(axis=0)
search = sklearn.neighbors.NearestNeighbors(algorithm="brute").fit((X - mean) / std)
fitted = time.process_time()
found = search.kneighbors((Q - mean) / std, 10)[0]
done = time.process_time()
extra = {}
""",
}

_REPORT = """
np.save(out, found)
row = {"fit": fitted - start, "score": done - fitted, "memory_mb": peak() - idle, "data_mb": X.nbytes / 2**20}
print(json.dumps({**row, **extra}))
"""

Row = dict[str, float]


def _run(method: str, *, cases: int, queries: int, shape: str, folder: Path) -> tuple[Row, np.ndarray] | None:
    out = folder / f"{method}.npy"
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    code = _COMMON + _METHODS[method] + _REPORT
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(cases), str(queries), shape, str(out)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **threads},
    )
    if process.returncode:
        print(f"{method}: not measured: {process.stderr.strip().splitlines()[-1]}")
        return None
    row: Row = json.loads(process.stdout)
    recall = f", recall {row['recall']:.4f}" if row.get("recall") else ""
    print(
        f"  {method:20} fit {row['fit']:7.2f} s   score {row['score']:7.2f} s   memory above idle "
        f"{row['memory_mb']:6.0f} MB = {row['memory_mb'] / row['data_mb']:.2f} x data{recall}"
    )
    return row, np.load(out)


def _hundred_thousand(folder: Path) -> Rows:
    cases, queries = sized(100_000, 4_000), sized(10_000, 300)
    for shape in ("gaussian", "structured"):
        print(f"{cases} x 30 cases ({shape}), 3 classes, {queries} queries, one thread, CPU seconds")
        size = {"cases": cases, "queries": queries, "shape": shape, "folder": folder}
        ours, bare = _run("exact", **size), _run("scikit-learn brute", **size)  # type: ignore[arg-type]
        if ours and bare:
            spent = ours[0]["fit"] + ours[0]["score"]
            name = f"detector on 100,000 x 30, {shape}: CPU of fit and scores"
            peer = "scikit-learn's bare search of ten"
            yield beside(name, spent, "s", peer=peer, theirs=bare[0]["score"])


def _a_million(folder: Path) -> Rows:
    cases, queries = sized(1_000_000, 60_000), sized(10_000, 300)
    print(f"{cases} x 30 cases (50 clusters, 8 latent dimensions), 3 classes, {queries} queries")
    size = {"cases": cases, "queries": queries, "shape": "structured", "folder": folder}
    exact, fast = _run("exact", **size), _run("faiss", **size)  # type: ignore[arg-type]
    if exact:
        yield counted("detector on a million, exact: memory", exact[0]["memory_mb"] / exact[0]["data_mb"], "x data")
    if not fast:
        yield Unmeasured(name="detector on a million, faiss", reason="faiss is not here")
    if exact and fast:
        gap = np.abs(exact[1] - fast[1])
        print(f"  difference of the scores: mean {gap.mean():.5f}, largest {gap.max():.3f}")
        name, peer = "detector on a million, faiss: CPU", "exact"
        yield beside(f"{name} of the scores", fast[0]["score"], "s", peer=peer, theirs=exact[0]["score"], tolerance=0.5)
        yield shown(f"{name} of the fit", fast[0]["fit"], "s")
        yield counted("detector on a million, faiss: memory", fast[0]["memory_mb"] / fast[0]["data_mb"], "x data")
        yield counted("detector on a million, faiss: recall", fast[0]["recall"], "", better="more", tolerance=0.01)
        yield shown("detector on a million, faiss: mean difference of the scores", float(gap.mean()), "")


def main() -> Rows:
    with tempfile.TemporaryDirectory() as name:
        yield from _hundred_thousand(Path(name))
        yield from _a_million(Path(name))
