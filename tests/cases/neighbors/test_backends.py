from typing import Any

import numpy as np
import pytest

from assay.cases.neighbors.backends import BruteForce, SinglePrecision, Tree
from assay.cases.neighbors.distance import CHEBYSHEV, EUCLIDEAN, MANHATTAN

RNG = np.random.default_rng(0)


def backends(cases: Any, metric: Any) -> list[Any]:
    return [BruteForce(cases, metric), Tree(cases, metric), Tree(cases, metric, kind="ball_tree")]


@pytest.mark.parametrize("distance", [EUCLIDEAN, MANHATTAN, CHEBYSHEV], ids=lambda distance: distance.name)
def test_candidates_are_the_nearest_and_a_clear_gap_is_certain(distance: Any) -> None:
    cases, queries = RNG.normal(size=(300, 3)), RNG.normal(size=(20, 3))
    exact = np.sort(distance.matrix(queries, cases), axis=1)
    for backend in backends(cases, distance.fast.metric):
        candidates = backend.search(queries, 9)
        np.testing.assert_allclose(candidates.distances, exact[:, :9], rtol=1e-9)
        assert backend.certain(queries, exact[:, 4], candidates.distances).all()


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_a_tie_at_the_boundary_is_never_certain(metric: Any) -> None:
    cases = np.repeat([[0.0, 0.0], [1.0, 0.0]], 20, axis=0)
    query = np.array([[0.0, 0.0]])
    for backend in backends(cases, metric):
        candidates = backend.search(query, 25)
        assert not backend.certain(query, np.array([1.0]), candidates.distances).any()
        assert backend.certain(query, np.array([0.0]), candidates.distances).all()


def shifted(kind: str) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    cases, queries = rng.normal(size=(2500, 6)), rng.normal(size=(1300, 6))
    if kind == "in order of place":
        return cases[np.argsort(cases[:, 0])], queries
    factor = {"plain": 1.0, "far": 1.0, "tiny": 1e-20, "huge": 1e17, "too huge": 1e19, "too tiny": 1e-30}[kind]
    move = 1e5 if kind == "far" else 0.0
    return cases * factor + move, queries * factor + move


@pytest.mark.parametrize("kind", ["plain", "in order of place", "far", "huge"])
def test_single_precision_finds_the_nearest_and_is_certain_of_them(kind: str) -> None:
    cases, queries = shifted(kind)
    exact = np.sort(EUCLIDEAN.matrix(queries, cases), axis=1)
    backend = SinglePrecision(cases)
    candidates = backend.search(queries, 9)
    among = np.sort(EUCLIDEAN.fast.pairs(queries[:, None, :], cases[candidates.indices]), axis=1)  # type: ignore[union-attr]
    certain = backend.certain(queries, exact[:, 4], candidates.distances)
    assert certain.mean() > 0.99
    np.testing.assert_array_equal(among[certain, :5], exact[certain, :5])


@pytest.mark.parametrize("kind", ["tiny", "too tiny", "too huge"])
def test_single_precision_is_never_certain_of_what_it_cannot_hold(kind: str) -> None:
    cases, queries = shifted(kind)
    backend = SinglePrecision(cases)
    candidates = backend.search(queries, 9)
    last = np.sort(EUCLIDEAN.matrix(queries, cases), axis=1)[:, 4]
    assert not backend.certain(queries, last, candidates.distances).any()


@pytest.mark.parametrize("spread", [1e-4, 0.1, 0.3])
def test_single_precision_is_not_certain_where_its_digits_do_not_tell(spread: float) -> None:
    rng = np.random.default_rng(4)
    cases = 100.0 + spread * rng.normal(size=(1500, 3))
    cases[:750] *= -1.0  # so that the centre is not near
    backend = SinglePrecision(cases)
    candidates = backend.search(cases, 6)
    exact = np.sort(EUCLIDEAN.matrix(cases, cases), axis=1)[:, :5]
    among = np.sort(EUCLIDEAN.fast.pairs(cases[:, None, :], cases[candidates.indices]), axis=1)  # type: ignore[union-attr]
    wrong = (among[:, :5] != exact).any(axis=1)
    assert wrong.any()
    assert not (backend.certain(cases, among[:, 4], candidates.distances) & wrong).any()
