from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

import assay.cases.neighbors.index as index_module
from assay.cases.metrics import euclidean_distance
from assay.cases.neighbors.backends import SinglePrecision
from assay.cases.neighbors.index import Algorithm, CaseIndex, Neighbours, pair_distances
from assay.core import InvalidInput

ALGORITHMS: tuple[Algorithm, ...] = ("auto", "brute", "kd_tree", "ball_tree")


def by_sorting_everything(cases: Any, queries: Any, k: int) -> Neighbours:
    distances = np.array([[euclidean_distance(query, case) for case in cases] for query in queries])
    order = np.array([sorted(range(len(cases)), key=lambda i: (row[i], i))[:k] for row in distances])
    return Neighbours(order, np.take_along_axis(distances, order, axis=1))


def assert_same(nearest: Neighbours, expected: Neighbours) -> None:
    np.testing.assert_array_equal(nearest.indices, expected.indices)
    np.testing.assert_array_equal(nearest.distances, expected.distances)  # to the last bit


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("features", [1, 3, 17])
def test_neighbours_are_those_of_scikit_learn_where_nothing_ties(algorithm: Algorithm, features: int) -> None:
    rng = np.random.default_rng(features)
    cases, queries = rng.normal(size=(700, features)), rng.normal(size=(60, features))
    distances, indices = NearestNeighbors(n_neighbors=6, algorithm="ball_tree").fit(cases).kneighbors(queries)
    nearest = CaseIndex(cases, algorithm=algorithm).query(queries, 6)
    np.testing.assert_array_equal(nearest.indices, indices)
    np.testing.assert_allclose(nearest.distances, distances, rtol=1e-12)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("levels", "k"), [(2, 1), (2, 7), (3, 5), (5, 12)])
def test_ties_go_to_the_smaller_index_whatever_searches(algorithm: Algorithm, levels: int, k: int) -> None:
    rng = np.random.default_rng(levels)
    cases = rng.integers(0, levels, size=(600, 3)).astype(float)
    queries = rng.integers(0, levels, size=(25, 3)).astype(float)
    assert_same(CaseIndex(cases, algorithm=algorithm).query(queries, k), by_sorting_everything(cases, queries, k))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_case_base_of_copies_is_returned_in_its_order(algorithm: Algorithm) -> None:
    nearest = CaseIndex(np.full((500, 2), 0.1), algorithm=algorithm).query([[0.3, 0.1]], 4)
    assert nearest.indices.tolist() == [[0, 1, 2, 3]]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("offset", [1e6, 1.7e9, 1e12])
def test_cases_far_from_the_origin_lose_no_digits(algorithm: Algorithm, offset: float) -> None:
    rng = np.random.default_rng(5)
    cases = offset + rng.integers(0, 40, size=(400, 2)).astype(float)
    queries = offset + rng.integers(0, 40, size=(20, 2)).astype(float)
    assert_same(CaseIndex(cases, algorithm=algorithm).query(queries, 5), by_sorting_everything(cases, queries, 5))


def test_cases_far_from_the_origin_need_no_slow_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    scanned: list[int] = []
    monkeypatch.setattr(CaseIndex, "_scan_into", lambda self, nearest, queries, rows: scanned.extend(rows))
    CaseIndex(1e9 + rng.normal(size=(400, 3))).query(1e9 + rng.normal(size=(20, 3)), 5)
    assert scanned == []


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_outlying_query_still_sees_tiny_differences(algorithm: Algorithm) -> None:
    # seen from afar by |q|² - 2qx + |x|², these cases are all the same
    rng = np.random.default_rng(6)
    cases, query = rng.normal(size=(300, 2)), np.array([[3e7, 4e7]])
    assert_same(CaseIndex(cases, algorithm=algorithm).query(query, 5), by_sorting_everything(cases, query, 5))


@pytest.mark.parametrize("features", [1, 2, 7, 8, 9, 30, 129, 300])
def test_a_distance_does_not_depend_on_what_else_is_computed_beside_it(features: int) -> None:
    rng = np.random.default_rng(features)
    cases, query = rng.normal(size=(50, features)), rng.normal(size=features)
    alone = np.array([euclidean_distance(query, case) for case in cases])
    np.testing.assert_array_equal(pair_distances(query, cases), alone)
    np.testing.assert_array_equal(pair_distances(query[None, None, :], cases[None, 10:20])[0], alone[10:20])


def test_small_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    cases = rng.integers(0, 3, size=(300, 4)).astype(float)
    queries = rng.integers(0, 3, size=(40, 4)).astype(float)
    whole = CaseIndex(cases).query(queries, 3)
    monkeypatch.setattr(index_module, "_BLOCK", 50)
    assert_same(CaseIndex(cases).query(queries, 3), whole)
    assert_same(CaseIndex(cases, algorithm="kd_tree").query(queries, 3), whole)


@pytest.mark.parametrize("grid", [2.0, 1000.0])
def test_a_batch_in_single_precision_has_the_same_neighbours(monkeypatch: pytest.MonkeyPatch, grid: float) -> None:
    rng = np.random.default_rng(11)
    cases, queries = (np.round(rng.normal(size=(rows, 4)) * grid) / grid for rows in (2500, 300))
    by_double = CaseIndex(cases, algorithm="brute").query(queries, 6)
    searched: list[int] = []
    real = SinglePrecision.search

    def counted_search(self: Any, moved: Any, width: int) -> Any:
        searched.append(len(moved))
        return real(self, moved, width)

    monkeypatch.setattr(index_module, "_SINGLE_CASES", 2000)
    monkeypatch.setattr(index_module, "_SINGLE_BATCH", 150)
    monkeypatch.setattr(SinglePrecision, "search", counted_search)
    assert_same(CaseIndex(cases, algorithm="brute").query(queries, 6), by_double)
    # where most neighbours tie it is given up after the first batch
    assert searched == ([150] if grid == 2.0 else [150, 150])


def test_all_cases_can_be_asked_for() -> None:
    nearest = CaseIndex([[3.0], [1.0], [2.0]]).query([[0.0], [9.0]], "all")
    assert nearest.indices.tolist() == [[1, 2, 0], [0, 2, 1]]
    assert nearest.distances.tolist() == [[1.0, 2.0, 3.0], [6.0, 7.0, 8.0]]


def test_no_queries_give_no_rows() -> None:
    nearest = CaseIndex([[3.0], [1.0]]).query(np.empty((0, 1)), 2)
    assert nearest.indices.shape == nearest.distances.shape == (0, 2)


def test_a_tree_is_tried_once_on_real_queries_and_the_timings_are_kept() -> None:
    rng = np.random.default_rng(8)
    cases, queries = rng.normal(size=(4000, 2)), rng.normal(size=(1200, 2))
    index = CaseIndex(cases)
    first = index.query(queries, 5)
    assert (index.probe, index.algorithm) == (None, "brute")  # too few queries yet to pay for a tree
    second = index.query(queries, 5)
    assert index.probe is not None
    assert index.probe.choice == index.algorithm
    assert index.probe.queries == 128
    assert min(index.probe.brute, index.probe.kd_tree, index.probe.build) > 0
    faster = "kd_tree" if index.probe.kd_tree < index.probe.brute else "brute"
    assert index.probe.choice == faster
    probe = index.probe
    assert_same(index.query(queries, 5), first)
    assert_same(second, first)
    assert index.probe is probe


@pytest.mark.parametrize(("rows", "features", "algorithm"), [(500, 2, "auto"), (3000, 13, "auto"), (3000, 2, "brute")])
def test_no_tree_is_tried_where_it_cannot_pay_or_was_not_wanted(rows: int, features: int, algorithm: Any) -> None:
    rng = np.random.default_rng(9)
    index = CaseIndex(rng.normal(size=(rows, features)), algorithm=algorithm)
    index.query(rng.normal(size=(2500, features)), 1)
    assert index.probe is None
    assert index.algorithm == "brute"


@pytest.mark.parametrize(
    ("cases", "queries", "k", "message"),
    [
        ([[1.0]], [[1.0, 2.0]], 1, "have 2 features, the cases have 1"),
        ([[1.0]], [[1.0]], 2, "k=2 neighbours were asked of a case base of 1"),
        (np.empty((0, 2)), [[1.0]], 1, "empty"),
        ([[1.0]], [[np.nan]], 1, "nan"),
    ],
)
def test_what_cannot_be_searched_is_refused(cases: Any, queries: Any, k: int, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        CaseIndex(cases).query(queries, k)


def test_an_unknown_algorithm_is_refused_with_a_suggestion() -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'kd_tree'"):
        CaseIndex([[1.0]], algorithm="kdtree")  # type: ignore[arg-type]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_excluded_case_is_never_found_and_its_duplicates_are(algorithm: Algorithm) -> None:
    rng = np.random.default_rng(10)
    cases = rng.integers(0, 3, size=(300, 2)).astype(float)
    left_out = np.where(np.arange(300) % 3 == 0, -1, np.arange(300))
    nearest = CaseIndex(cases, algorithm=algorithm).query(cases, 4, exclude=left_out)
    for row in range(300):
        others = [i for i in range(300) if i != left_out[row]]
        expected = by_sorting_everything(cases[others], cases[row : row + 1], 4)
        assert nearest.indices[row].tolist() == [others[i] for i in expected.indices[0]]
        assert nearest.distances[row].tolist() == expected.distances[0].tolist()


def test_all_cases_but_the_excluded_one_can_be_asked_for() -> None:
    index = CaseIndex([[0.0], [1.0], [2.0]])
    assert index.query([[0.0], [9.0]], "all", exclude=[0, -1]).indices.tolist() == [[1, 2], [2, 1]]
    assert index.query([[0.0]], 3, exclude=[-1]).indices.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("exclude", "k", "message"),
    [
        ([3], 1, "case 3 does not exist; there are cases 0 to 2"),
        ([-2], 1, "case -2 does not exist"),
        ([0, 1], 1, r"has shape \(2,\) for 1 row\(s\)"),
        ([0.5], 1, "must be row numbers"),
        ([True], 1, "must be row numbers"),
        ([0], 3, "k=3 neighbours were asked of 2 cases besides the excluded one"),
        ([0], 4, "k=4 neighbours"),
    ],
)
def test_an_exclusion_that_cannot_be_is_refused(exclude: Any, k: int, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        CaseIndex([[0.0], [1.0], [2.0]]).query([[0.0]], k, exclude=exclude)


def test_a_single_case_cannot_be_excluded() -> None:
    with pytest.raises(InvalidInput, match="a single case"):
        CaseIndex([[0.0]]).query([[0.0]], 1, exclude=[0])
