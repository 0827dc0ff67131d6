"""Recall@k and MRR of 100,000 queries over 100 documents: ours from arrays, pytrec_eval from its dictionaries.

Both get scores and one golden document per query, and give R@1, R@2 and RR of every query. What is compared is the CPU
time of the evaluation itself; building pytrec_eval's dictionaries is shown beside it and not counted.
"""

from __future__ import annotations

import time

import numpy as np

from assay.drift.metrics import golden_ranks, recalls_at_k, reciprocal_ranks
from benchmarks.measure import Rows, Unmeasured, beside, sized

QUERIES, DOCUMENTS = sized(100_000, 2_000), 100
REPEATS = 5


def _ours(scores: np.ndarray, golden: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ranks, tied = golden_ranks(scores, golden)
    return (
        recalls_at_k(ranks, k=1, tied=tied),
        recalls_at_k(ranks, k=2, tied=tied),
        reciprocal_ranks(ranks, tied=tied),
    )


def _theirs(scores: np.ndarray, golden: np.ndarray) -> tuple[float, float, np.ndarray] | None:
    """CPU seconds of the dictionaries and of the evaluation, and the three numbers per query."""
    try:
        import pytrec_eval
    except ImportError as error:
        print(f"pytrec_eval: not measured, it is not installed ({error})")
        return None
    names = [f"d{document}" for document in range(DOCUMENTS)]
    start = time.process_time()
    run = {f"q{query}": dict(zip(names, row, strict=True)) for query, row in enumerate(scores.tolist())}
    judged = {f"q{query}": {names[document]: 1} for query, document in enumerate(golden.tolist())}
    built = time.process_time()
    results = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank", "recall.1,2"}).evaluate(run)
    end = time.process_time()
    columns = ("recall_1", "recall_2", "recip_rank")
    values = np.array([[results[f"q{query}"][name] for name in columns] for query in range(QUERIES)])
    return built - start, end - built, values


def main() -> Rows:
    rng = np.random.default_rng(7)
    scores = rng.random((QUERIES, DOCUMENTS))
    golden = rng.integers(0, DOCUMENTS, QUERIES)
    _ours(scores[:1000], golden[:1000])
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        ours = _ours(scores, golden)
        seconds.append(time.process_time() - start)
    best = min(seconds)
    print(f"{QUERIES} queries x {DOCUMENTS} documents, R@1, R@2 and RR of each, CPU seconds")
    print(f"assay, from arrays           {best:8.3f} (best of {REPEATS}; worst {max(seconds):.3f})")
    theirs = _theirs(scores, golden)
    if theirs is None:
        yield Unmeasured(name="three metrics of every query", reason="pytrec_eval is not here")
        return
    building, evaluating, values = theirs
    print(f"pytrec_eval, evaluation      {evaluating:8.3f} (its dictionaries: {building:.3f} more)")
    print(f"pytrec_eval / assay          {evaluating / best:8.1f} (aim: at least 30)")
    gap = max(float(np.abs(values[:, column] - ours[column]).max()) for column in range(3))
    means = [abs(float(values[:, column].mean() - ours[column].mean())) for column in range(3)]
    print(f"largest difference of a query {gap:.1e}, of a mean {max(means):.1e}")
    yield beside(
        "three metrics of every query: CPU", best, "s", peer="pytrec_eval, evaluation alone", theirs=evaluating
    )
