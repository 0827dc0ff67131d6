from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from assay.cases.neighbors.distance import (
    BRAYCURTIS,
    CHEBYSHEV,
    EUCLIDEAN,
    HAVERSINE,
    MANHATTAN,
    by_name,
    minkowski,
    nan_euclidean,
)

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(7, 5)), RNG.normal(size=(90, 5))


@pytest.mark.parametrize(
    ("distance", "name", "params"),
    [
        (EUCLIDEAN, "euclidean", {}),
        (MANHATTAN, "cityblock", {}),
        (CHEBYSHEV, "chebyshev", {}),
        (minkowski(3.5), "minkowski", {"p": 3.5}),
        (by_name("canberra", {}, boolean=False), "canberra", {}),
    ],
)
def test_distances_are_those_of_scipy(distance: Any, name: str, params: dict[str, Any]) -> None:
    np.testing.assert_allclose(distance.matrix(A, B), cdist(A, B, name, **params), rtol=1e-12)


@pytest.mark.parametrize(
    "distance",
    [EUCLIDEAN, MANHATTAN, CHEBYSHEV, BRAYCURTIS, HAVERSINE, minkowski(3.0), nan_euclidean(np.ones(5))],
    ids=lambda distance: distance.name,
)
def test_a_pair_does_not_depend_on_what_is_computed_beside_it(distance: Any) -> None:
    whole = distance.matrix(A, B)
    np.testing.assert_array_equal(distance.matrix(A[2:4], B[10:30]), whole[2:4, 10:30])
    np.testing.assert_array_equal(distance.matrix(A[2:3], B[11:12]), whole[2:3, 11:12])
    if distance.fast is not None:
        np.testing.assert_array_equal(distance.fast.pairs(A[:, None, :], B[None, 3:9]), whole[:, 3:9])


def test_high_powers_do_not_overflow() -> None:
    far = np.array([[1e100, 0.0]])
    assert minkowski(50.0).matrix(far, np.zeros((1, 2))).tolist() == [[1e100]]
    assert minkowski(3.0).matrix(np.zeros((1, 2)), np.zeros((1, 2))).tolist() == [[0.0]]


def test_rows_of_zeros_have_no_distance_by_bray_and_curtis() -> None:
    assert BRAYCURTIS.matrix(np.zeros((1, 2)), np.array([[0.0, 0.0], [1.0, 0.0]])).tolist() == [[0.0, 1.0]]
