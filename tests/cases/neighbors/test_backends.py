from typing import Any

import numpy as np
import pytest

from assay.cases.neighbors.backends import BruteForce, Tree
from assay.cases.neighbors.distance import CHEBYSHEV, EUCLIDEAN, MANHATTAN

RNG = np.random.default_rng(0)


def backends(cases: Any, metric: Any) -> list[Any]:
    return [BruteForce(cases, metric), Tree(cases, metric), Tree(cases, metric, kind="ball_tree")]


@pytest.mark.parametrize("distance", [EUCLIDEAN, MANHATTAN, CHEBYSHEV], ids=lambda distance: distance.name)
def test_candidates_are_the_nearest_and_a_clear_gap_is_certain(distance: Any) -> None:
    cases, queries = RNG.normal(size=(300, 3)), RNG.normal(size=(20, 3))
    exact = np.sort(distance.matrix(queries, cases), axis=1)
    for backend in backends(cases, distance.fast.metric):
        found = backend.search(queries, 9)
        np.testing.assert_allclose(found.distances, exact[:, :9], rtol=1e-9)
        assert backend.certain(queries, exact[:, 4], found.distances).all()


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_a_tie_at_the_boundary_is_never_certain(metric: Any) -> None:
    cases = np.repeat([[0.0, 0.0], [1.0, 0.0]], 20, axis=0)
    query = np.array([[0.0, 0.0]])
    for backend in backends(cases, metric):
        found = backend.search(query, 25)
        assert not backend.certain(query, np.array([1.0]), found.distances).any()
        assert backend.certain(query, np.array([0.0]), found.distances).all()
