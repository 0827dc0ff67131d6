"""Explaining a batch by its nearest cases: ours beside case-explainer 0.2.0 and scikit-learn's bare search.

Every method runs in a process of its own with one thread; time is CPU time, memory is the peak above the idle process
before any data was made.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import Measured, Rows, Unmeasured, beside, counted, sized
from benchmarks.peers import peer

K = 5
FEATURES = 30
RUNS = 5

_COMMON = """
import json, resource, sys, time
import numpy as np
import sklearn.neighbors
def peak():  # of this program: ru_maxrss also counts the process that started it
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024
def data(cases, queries, structured):
    rng = np.random.default_rng(7)
    if structured:
        basis = rng.normal(size=(8, {features}))
        centres = rng.normal(scale=4.0, size=(50, 8))
        draw = lambda n: (centres[rng.integers(0, 50, n)] + rng.normal(size=(n, 8))) @ basis
        X, Q = draw(cases), draw(queries)
        X += rng.normal(scale=0.1, size=X.shape); Q += rng.normal(scale=0.1, size=Q.shape)
    else:
        X, Q = rng.normal(size=(cases, {features})), rng.normal(size=(queries, {features}))
    return X, rng.integers(0, 3, cases), Q, rng.integers(0, 3, queries)
cases, queries, structured, out = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "structured", sys.argv[4]
"""

_METHODS = {
    "case-explainer": """
from case_explainer import CaseExplainer
idle = peak()
X, y, Q, p = data(cases, queries, structured)
start = time.process_time()
explainer = CaseExplainer(X, y, k={k}, n_jobs=1)
built = time.process_time()
batch = explainer.explain_batch(Q, predictions=p)
done = time.process_time()
indices = np.array([[n.index for n in e.neighbors] for e in batch])
found = np.array([e.correspondence for e in batch])
extra = {{}}
""",
    "scikit-learn brute": """
from sklearn.neighbors import NearestNeighbors
idle = peak()
X, y, Q, p = data(cases, queries, structured)
mean, std = X.mean(axis=0), X.std(axis=0)
start = time.process_time()
search = NearestNeighbors(algorithm="brute").fit((X - mean) / std)
built = time.process_time()
distances, indices = search.kneighbors((Q - mean) / std, {k})
done = time.process_time()
found = np.zeros(0)
extra = {{}}
""",
    "assay": """
from assay.cases import CaseExplainer
idle = peak()
X, y, Q, p = data(cases, queries, structured)
start = time.process_time()
explainer = CaseExplainer(X, y, k={k}, algorithm={algorithm!r})
built = time.process_time()
batch = explainer.explain_batch(Q, predictions=p)
done = time.process_time()
indices, found = batch.indices, batch.correspondence
extra = {{"algorithm": explainer.index.algorithm, "recall": getattr(explainer.index, "recall", None)}}
""",
}

_REPORT = """
np.savez(out, indices=indices, found=found)
row = {{"build": built - start, "explain": done - built, "memory_mb": peak() - idle, "data_mb": X.nbytes / 2**20}}
print(json.dumps({{**row, **extra}}))
"""

Row = dict[str, float]


def _run(
    method: str, *, cases: int, queries: int, shape: str, folder: Path, path: str = "", algorithm: str = "auto"
) -> tuple[Row, dict[str, np.ndarray]] | None:
    code = (_COMMON + _METHODS[method] + _REPORT).format(k=K, features=FEATURES, algorithm=algorithm)
    out = folder / f"{method}-{algorithm}.npz"
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(cases), str(queries), shape, str(out)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **threads, "PYTHONPATH": path},
    )
    if process.returncode:
        print(f"{method} ({algorithm}): not measured: {process.stderr.strip().splitlines()[-1]}")
        return None
    with np.load(out) as stored:
        return json.loads(process.stdout), dict(stored)


def _line(name: str, row: Row) -> None:
    recall = f", recall {row['recall']:.4f}" if row.get("recall") else ""
    print(
        f"{name:28} build {row['build']:8.2f} s   explain {row['explain']:8.2f} s   "
        f"memory above idle {row['memory_mb']:7.0f} MB = {row['memory_mb'] / row['data_mb']:.2f} x data{recall}"
    )


def _side_by_side(folder: Path) -> Rows:
    cases, queries = sized(100_000, 2_000), sized(1_000, 100)
    print(f"{cases} cases x {FEATURES} features, {queries} queries, k={K}, one thread, CPU seconds")
    size = {"cases": cases, "queries": queries, "shape": "gaussian", "folder": folder}
    target = peer("case-explainer==0.2.0")
    theirs = _run("case-explainer", path=str(target), **size) if target else None  # type: ignore[arg-type]
    bare, ours, ratios = None, None, []
    for _ in range(sized(RUNS, 1)):  # in turn, so that a slow minute of the machine meets both
        bare = _run("scikit-learn brute", **size)  # type: ignore[arg-type]
        ours = _run("assay", **size)  # type: ignore[arg-type]
        if bare and ours:
            ratios.append(ours[0]["explain"] / bare[0]["explain"])
    for name, result in (("case-explainer 0.2.0", theirs), ("scikit-learn, search only", bare), ("assay", ours)):
        if result:
            _line(name, result[0])
    if ours:
        yield _memory("a batch: memory", ours[0])
    if ours and bare:
        print(f"assay / scikit-learn's bare search, runs in turn: {', '.join(f'{ratio:.2f}' for ratio in ratios)}")
        print(f"  same neighbours: {np.array_equal(ours[1]['indices'], bare[1]['indices'])}")
        spent = bare[0]["explain"]
        yield beside("a batch: CPU", ours[0]["explain"], "s", peer="scikit-learn's bare search", theirs=spent)
        yield counted("a batch: the largest share of the bare search's CPU", max(ratios), "", tolerance=0.3)
    if not theirs:
        yield Unmeasured(name="a batch: CPU beside case-explainer", reason="the peer is not here")
    if ours and theirs:
        difference = np.abs(ours[1]["found"] - theirs[1]["found"]).max()
        print(f"case-explainer / assay: {theirs[0]['explain'] / ours[0]['explain']:.1f}")
        print(f"  same neighbours: {np.array_equal(ours[1]['indices'], theirs[1]['indices'])}")
        print(f"  largest difference of correspondence: {difference:.1e}")
        name, spent = "a batch: CPU beside case-explainer", theirs[0]["explain"]
        yield beside(name, ours[0]["explain"], "s", peer="case-explainer 0.2.0", theirs=spent)


def _memory(name: str, row: Row) -> Measured:
    return counted(name, row["memory_mb"] / row["data_mb"], "x data")


def _a_million(folder: Path) -> Rows:
    cases, queries = sized(1_000_000, 20_000), sized(1_000, 100)
    print(f"{cases} cases x {FEATURES} features (50 clusters, 8 latent dimensions), {queries} queries, k={K}")
    size = {"cases": cases, "queries": queries, "shape": "structured", "folder": folder}
    exact = _run("assay", **size)  # type: ignore[arg-type]
    fast = _run("assay", algorithm="faiss", **size)  # type: ignore[arg-type]
    if exact:
        _line("assay, exact", exact[0])
        yield _memory("a million cases, exact: memory", exact[0])
    if fast:
        _line("assay, faiss", fast[0])
    else:
        yield Unmeasured(name="a million cases, faiss", reason="faiss is not here")
    if exact and fast:
        same = (fast[1]["indices"][:, :, None] == exact[1]["indices"][:, None, :]).any(axis=2).mean()
        print(
            f"  recall on the queries themselves: {same:.4f}; exact / faiss time: "
            f"{exact[0]['explain'] / fast[0]['explain']:.1f}; largest difference of correspondence: "
            f"{np.abs(fast[1]['found'] - exact[1]['found']).max():.3f}"
        )
        yield counted("a million cases, faiss: recall", float(same), "", better="more", tolerance=0.01)
        name, spent = "a million cases, faiss: CPU of the queries", exact[0]["explain"]
        yield beside(name, fast[0]["explain"], "s", peer="exact", theirs=spent, tolerance=0.5)


def main() -> Rows:
    with tempfile.TemporaryDirectory() as name:
        yield from _side_by_side(Path(name))
        yield from _a_million(Path(name))
