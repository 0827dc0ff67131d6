"""Agreement with pytrec_eval and ir-measures on runs without ties; with ties they break them in opposite ways."""

import numpy as np
import pytest

from assay.drift.metrics import (
    golden_ranks,
    mean_reciprocal_ranks,
    ndcgs,
    recalls_at_k,
    reciprocal_ranks,
    successes_at_k,
)

QUERIES, DOCUMENTS, KS = 10_000, 20, (1, 2, 5)

pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec-eval-terrier is a development tool")
ir_measures = pytest.importorskip("ir_measures", reason="ir-measures is a development tool")

Run = dict[str, dict[str, float]]
Judged = dict[str, dict[str, int]]


@pytest.fixture(scope="module")
def drawn() -> tuple[np.ndarray, np.ndarray]:
    """Scores without ties, and one to three golden documents per query."""
    rng = np.random.default_rng(20)
    scores = rng.permuted(np.tile(np.arange(DOCUMENTS, dtype=float), (QUERIES, 1)), axis=1)
    golden = rng.permuted(np.tile(np.arange(DOCUMENTS), (QUERIES, 1)), axis=1)[:, :3]
    golden[np.arange(3)[None] >= rng.integers(1, 4, size=QUERIES)[:, None]] = -1
    return scores, golden


@pytest.fixture(scope="module")
def as_dicts(drawn: tuple[np.ndarray, np.ndarray]) -> tuple[Run, Judged]:
    scores, golden = drawn
    run = {f"q{q}": {f"d{d}": float(score) for d, score in enumerate(row)} for q, row in enumerate(scores)}
    judged = {f"q{q}": {f"d{d}": 1 for d in row if d >= 0} for q, row in enumerate(golden)}
    return run, judged


def test_every_query_agrees_with_pytrec_eval(
    drawn: tuple[np.ndarray, np.ndarray], as_dicts: tuple[Run, Judged]
) -> None:
    run, judged = as_dicts
    names = {"recip_rank", "recall.1,2,5", "success.1,2,5", "ndcg", "ndcg_cut.5"}
    theirs = pytrec_eval.RelevanceEvaluator(judged, names).evaluate(run)
    ranks = golden_ranks(*drawn).ranks
    ours = {"recip_rank": reciprocal_ranks(ranks), "ndcg": ndcgs(ranks), "ndcg_cut_5": ndcgs(ranks, k=5)}
    for k in KS:
        ours[f"recall_{k}"] = recalls_at_k(ranks, k=k)
        ours[f"success_{k}"] = successes_at_k(ranks, k=k)
    for name, values in ours.items():
        expected = np.array([theirs[f"q{q}"][name] for q in range(QUERIES)])
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-6, err_msg=name)


def test_every_mean_agrees_with_ir_measures(drawn: tuple[np.ndarray, np.ndarray], as_dicts: tuple[Run, Judged]) -> None:
    from ir_measures import RR, R, Success, nDCG

    run, judged = as_dicts
    theirs = ir_measures.calc_aggregate(
        [RR, nDCG, nDCG @ 5, *(R @ k for k in KS), *(Success @ k for k in KS)], judged, run
    )
    ranks = golden_ranks(*drawn).ranks
    assert mean_reciprocal_ranks(ranks) == pytest.approx(theirs[RR], abs=1e-6)
    assert ndcgs(ranks).mean() == pytest.approx(theirs[nDCG], abs=1e-6)
    assert ndcgs(ranks, k=5).mean() == pytest.approx(theirs[nDCG @ 5], abs=1e-6)
    for k in KS:
        assert recalls_at_k(ranks, k=k).mean() == pytest.approx(theirs[R @ k], abs=1e-6)
        assert successes_at_k(ranks, k=k).mean() == pytest.approx(theirs[Success @ k], abs=1e-6)
