import builtins
from typing import Any

import numpy as np
import pytest

from assay.cases import CaseExplainer, CaseIndex
from assay.core import InvalidInput, MissingExtra

RNG = np.random.default_rng(0)


def clustered(count: int) -> Any:
    centres = np.random.default_rng(1).normal(size=(20, 6)) * 5
    return centres[RNG.integers(20, size=count)] + RNG.normal(size=(count, 6))


def without_faiss(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **named: Any) -> Any:
        if name == "faiss":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", refuse)


def test_without_the_extra_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    without_faiss(monkeypatch)
    with pytest.raises(MissingExtra, match=r"Approximate search needs faiss-cpu.*pip install 'faiss-cpu>=1.8'"):
        CaseIndex(np.eye(3), algorithm="faiss")


class TestWithFaiss:
    @pytest.fixture(autouse=True)
    def _faiss(self) -> None:
        pytest.importorskip("faiss")

    def test_the_recall_is_measured_and_true(self) -> None:
        cases, queries = clustered(8000), clustered(300)
        exact = CaseIndex(cases, algorithm="brute").query(queries, 5)
        index = CaseIndex(cases, algorithm="faiss")
        assert index.algorithm == "faiss"
        assert index.recall is not None
        assert index.recall >= 0.99
        nearest = index.query(queries, 5)
        shared = [
            len(set(a) & set(b)) / 5 for a, b in zip(nearest.indices.tolist(), exact.indices.tolist(), strict=True)
        ]
        assert np.mean(shared) >= 0.98  # a sample measured it, these are other queries
        # what is found is ordered and measured exactly
        again = np.sqrt(((queries[:, None] - cases[nearest.indices]) ** 2).sum(-1))
        np.testing.assert_allclose(nearest.distances, again, rtol=1e-12)
        assert (np.diff(nearest.distances, axis=1) >= 0).all()

    def test_a_lower_demand_looks_into_fewer_cells(self) -> None:
        cases = RNG.normal(size=(6000, 12))
        modest, strict = (CaseIndex(cases, algorithm="faiss", min_recall=level) for level in (0.3, 0.999))
        assert modest._faiss is not None
        assert strict._faiss is not None
        assert modest._faiss.probes < strict._faiss.probes
        assert modest.recall is not None
        assert strict.recall is not None
        assert 0.3 <= modest.recall < 0.999 <= strict.recall

    def test_more_neighbours_than_were_measured_are_measured_anew(self) -> None:
        index = CaseIndex(RNG.normal(size=(5000, 12)), algorithm="faiss", min_recall=0.9, recall_k=1)
        first = index._recall_k
        index.query(RNG.normal(size=(3, 12)), 20)
        assert (first, index._recall_k) == (1, 20)
        assert index.recall is not None
        assert index.recall >= 0.9

    def test_a_recall_that_cannot_be_reached_is_an_error_with_the_ways_out(self) -> None:
        # two far clusters, and inside them differences that float32 does not see
        side = np.repeat([-1e6, 1e6], 200)[:, None]
        cases = side + RNG.normal(size=(400, 3)) * 1e-3
        with pytest.raises(InvalidInput, match=r"finds 0\.\d+ of the true neighbours.*min_recall=0.99.*exact search"):
            CaseIndex(cases, algorithm="faiss")
        low = CaseIndex(cases, algorithm="faiss", min_recall=0.0)
        assert low.recall is not None
        assert low.recall < 0.99

    def test_ties_among_the_found_go_to_the_smaller_index(self) -> None:
        cases = np.repeat(np.arange(50.0), 4)[:, None] * np.ones((1, 3))
        exact = CaseIndex(cases, algorithm="brute").query(cases[:20], 4)
        nearest = CaseIndex(cases, algorithm="faiss").query(cases[:20], 4)
        np.testing.assert_array_equal(nearest.indices, exact.indices)

    def test_a_query_that_float32_cannot_hold_is_searched_exactly(self) -> None:
        cases = clustered(500)
        far = np.full((1, 6), 1e20)
        exact = CaseIndex(cases, algorithm="brute").query(far, 3)
        np.testing.assert_array_equal(CaseIndex(cases, algorithm="faiss").query(far, 3).indices, exact.indices)
        with pytest.raises(InvalidInput, match="float32 and cannot hold 1"):
            CaseIndex(cases * 1e20, algorithm="faiss")

    @pytest.mark.parametrize("count", [1, 2, 5])
    def test_tiny_case_bases_are_searched_whole(self, count: int) -> None:
        cases = np.arange(float(count))[:, None]
        nearest = CaseIndex(cases, algorithm="faiss").query([[0.2]], "all")
        assert nearest.indices.tolist() == [list(range(count))]

    def test_the_same_seed_gives_the_same_neighbours(self) -> None:
        cases, queries = RNG.normal(size=(4000, 8)), RNG.normal(size=(50, 8))
        first, second = (
            CaseIndex(cases, algorithm="faiss", min_recall=0.5, seed=3).query(queries, 5) for _ in range(2)
        )
        np.testing.assert_array_equal(first.indices, second.indices)

    def test_the_explainer_tells_the_recall_and_excludes_cases_as_always(self) -> None:
        cases = clustered(3000)
        explainer = CaseExplainer(cases, np.arange(3000) % 3, k=4, algorithm="faiss")
        description = explainer.describe()
        assert description["algorithm"] == "faiss"
        assert description["recall"] == explainer.index.recall
        assert description["min_recall"] == 0.99
        batch = explainer.explain_batch(cases[:50], predictions=np.arange(50) % 3, exclude=np.arange(50))
        assert not (batch.indices == np.arange(50)[:, None]).any()
        assert CaseExplainer(cases, np.arange(3000) % 3, metric="cosine", algorithm="faiss").index.recall is not None
        with pytest.raises(InvalidInput, match="min_recall must be a number between 0 and 1, got 2"):
            CaseExplainer(cases, np.arange(3000) % 3, algorithm="faiss", min_recall=2)
