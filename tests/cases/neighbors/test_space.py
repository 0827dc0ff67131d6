from typing import Any

import numpy as np
import pytest
from sklearn.metrics.pairwise import nan_euclidean_distances
from sklearn.neighbors import NearestNeighbors

from assay.cases import CaseExplainer, CaseIndex
from assay.cases.neighbors.space import METRICS, fit_space
from assay.core import InvalidInput, UnknownName

RNG = np.random.default_rng(0)
CASES = RNG.normal(size=(120, 4)) + 0.3
QUERIES = RNG.normal(size=(15, 4)) + 0.3
COVARIANCE = np.cov(CASES, rowvar=False)
VARIANCES = CASES.var(axis=0, ddof=1)
WEIGHTS = np.array([0.5, 2.0, 1.0, 3.0])


def explained(metric: Any, params: dict[str, Any] | None = None, **options: Any) -> Any:
    explainer = CaseExplainer(
        CASES, np.arange(120) % 2, k=6, metric=metric, metric_params=params, scale=False, **options
    )
    return explainer.explain_batch(QUERIES, predictions=np.zeros(15, dtype=int))


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("euclidean", None),
        ("l2", None),
        ("manhattan", None),
        ("l1", None),
        ("cityblock", None),
        ("chebyshev", None),
        ("minkowski", {"p": 1}),
        ("minkowski", {"p": 2}),
        ("minkowski", {"p": 3}),
        ("minkowski", {"p": 1.5}),
        ("minkowski", {"p": 3, "w": WEIGHTS}),
        ("cosine", None),
        ("correlation", None),
        ("mahalanobis", {"VI": np.linalg.inv(COVARIANCE)}),
        ("seuclidean", {"V": VARIANCES}),
        ("sqeuclidean", None),
        ("braycurtis", None),
        ("canberra", None),
        ("hamming", None),
        ("nan_euclidean", None),
    ],
)
def test_a_metric_means_what_scikit_learn_means_by_it(metric: str, params: dict[str, Any] | None) -> None:
    others = {name: value for name, value in (params or {}).items() if name != "p"}
    p = (params or {}).get("p", 2)
    search = NearestNeighbors(n_neighbors=6, algorithm="brute", metric=metric, p=p, metric_params=others or None)
    distances, indices = search.fit(CASES).kneighbors(QUERIES)
    batch = explained(metric, params)
    np.testing.assert_allclose(batch.distances, distances, rtol=1e-9, atol=1e-12)
    if metric != "hamming":  # there everything ties
        np.testing.assert_array_equal(batch.indices, indices)


@pytest.mark.parametrize("metric", ["dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"])
def test_metrics_of_truth_values_ask_only_whether_a_value_is_zero(metric: str) -> None:
    rng = np.random.default_rng(3)
    cases, queries = rng.integers(0, 2, (60, 7)), rng.integers(0, 2, (9, 7))
    cases[:, 0] = queries[:, 0] = 1  # some of these are undefined between rows of zeros
    search = NearestNeighbors(n_neighbors=4, algorithm="brute", metric=metric).fit(cases.astype(bool))
    expected = search.kneighbors(queries.astype(bool))[0]
    explainer = CaseExplainer(cases * 5.0, np.arange(60) % 2, k=4, metric=metric)
    batch = explainer.explain_batch(queries * 5.0, predictions=np.zeros(9, dtype=int))
    np.testing.assert_allclose(batch.distances, expected, atol=1e-12)
    assert explainer.describe()["scale"] == "none"


def test_haversine_measures_angles_between_places() -> None:
    rng = np.random.default_rng(4)
    places = rng.uniform(-1.4, 1.4, size=(50, 2))
    search = NearestNeighbors(n_neighbors=3, algorithm="brute", metric="haversine").fit(places)
    distances, indices = search.kneighbors(places + 0.01)
    batch = CaseExplainer(places, np.arange(50) % 2, k=3, metric="haversine").explain_batch(
        places + 0.01, predictions=np.zeros(50, dtype=int)
    )
    np.testing.assert_array_equal(batch.indices, indices)
    np.testing.assert_allclose(batch.distances, distances, rtol=1e-9)
    with pytest.raises(InvalidInput, match="haversine' needs latitude and longitude; there are 4 features"):
        CaseExplainer(CASES, np.arange(120) % 2, metric="haversine")


@pytest.mark.parametrize(
    ("metric", "definition"),
    [
        ("euclidean", lambda a, b: np.sqrt((WEIGHTS * (a - b) ** 2).sum(-1))),
        ("sqeuclidean", lambda a, b: (WEIGHTS * (a - b) ** 2).sum(-1)),
        ("manhattan", lambda a, b: (WEIGHTS * np.abs(a - b)).sum(-1)),
        ("chebyshev", lambda a, b: (WEIGHTS * np.abs(a - b)).max(-1)),
        ("minkowski", lambda a, b: np.sqrt((WEIGHTS * (a - b) ** 2).sum(-1))),
        ("nan_euclidean", lambda a, b: np.sqrt((WEIGHTS * (a - b) ** 2).sum(-1))),
    ],
)
def test_feature_weights_weigh_the_differences(metric: str, definition: Any) -> None:
    everything = definition(QUERIES[:, None], CASES[None])
    for weights in (WEIGHTS, dict(zip(["x0", "x1", "x2", "x3"], WEIGHTS, strict=True))):
        batch = explained(metric, feature_weights=weights)
        np.testing.assert_allclose(batch.distances, np.sort(everything, axis=1)[:, :6], rtol=1e-9)
        np.testing.assert_array_equal(batch.indices, np.argsort(everything, axis=1)[:, :6])


def test_feature_weights_apply_in_the_scaled_space_and_zero_takes_a_feature_out() -> None:
    weights = {"x1": 4.0, "x2": 0.0}
    batch = CaseExplainer(CASES, np.arange(120) % 2, k=6, feature_weights=weights).explain_batch(
        QUERIES, predictions=np.zeros(15, dtype=int)
    )
    mean, spread = CASES.mean(axis=0), CASES.std(axis=0)
    a, b = (QUERIES - mean) / spread, (CASES - mean) / spread
    expected = np.sqrt((np.array([1.0, 4.0, 0.0, 1.0]) * (a[:, None] - b[None]) ** 2).sum(-1))
    np.testing.assert_allclose(batch.distances, np.sort(expected, axis=1)[:, :6], rtol=1e-9)
    changed = batch[0].differences()
    assert next(entry for entry in changed if entry.name == "x2").scaled == 0.0


def test_missing_numbers_are_compared_as_scikit_learn_does() -> None:
    rng = np.random.default_rng(5)
    cases, queries = rng.normal(size=(70, 5)), rng.normal(size=(12, 5))
    cases[rng.random(cases.shape) < 0.2] = np.nan
    queries[rng.random(queries.shape) < 0.2] = np.nan
    explainer = CaseExplainer(cases, np.arange(70) % 2, k=5, scale=False, metric="nan_euclidean")
    batch = explainer.explain_batch(queries, predictions=np.zeros(12, dtype=int))
    expected = nan_euclidean_distances(queries, cases)
    np.testing.assert_allclose(batch.distances, np.sort(expected, axis=1)[:, :5], rtol=1e-9)
    standardised = CaseExplainer(cases, np.arange(70) % 2, k=5, metric="nan_euclidean")
    scaled = standardised.explain_batch(queries, predictions=np.zeros(12, dtype=int))
    mean, spread = np.nanmean(cases, axis=0), np.nanstd(cases, axis=0)
    again = nan_euclidean_distances((queries - mean) / spread, (cases - mean) / spread)
    np.testing.assert_allclose(scaled.distances, np.sort(again, axis=1)[:, :5], rtol=1e-9)


def test_rows_that_share_no_feature_are_no_neighbours() -> None:
    explainer = CaseExplainer([[1.0, np.nan], [2.0, np.nan], [np.nan, 1.0]], [0, 1, 1], k=2, metric="nan_euclidean")
    assert explainer.explain_instance([1.0, None], predicted_class=0).neighbors[0].index == 0
    with pytest.raises(InvalidInput, match="row 0 has no feature in common with some of its 3 nearest cases"):
        explainer.explain_instance([1.0, np.nan], predicted_class=0, k=3)


def test_zero_rows_have_cosine_distance_one_as_in_scikit_learn() -> None:
    cases = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [-1.0, 0.0]])
    queries = np.array([[0.0, 0.0], [3.0, 0.0]])
    search = NearestNeighbors(n_neighbors=4, algorithm="brute", metric="cosine").fit(cases)
    explainer = CaseExplainer(cases, [0, 1, 0, 1], k=4, metric="cosine", scale=False)
    batch = explainer.explain_batch(queries, predictions=[0, 1])
    np.testing.assert_allclose(batch.distances, search.kneighbors(queries)[0], atol=1e-12)
    assert batch.indices[0].tolist() == [0, 1, 2, 3]  # all at distance 1: by index


def test_mahalanobis_takes_the_training_covariance_by_default_and_survives_a_singular_one() -> None:
    explicit = explained("mahalanobis", {"VI": np.linalg.inv(COVARIANCE)})
    np.testing.assert_allclose(explained("mahalanobis").distances, explicit.distances, rtol=1e-8)
    np.testing.assert_allclose(explained("mahalanobis", {"V": COVARIANCE}).distances, explicit.distances, rtol=1e-8)
    copied = np.column_stack([CASES, CASES[:, 0]])
    explainer = CaseExplainer(copied, np.arange(120) % 2, k=6, metric="mahalanobis", scale=False)
    batch = explainer.explain_batch(np.column_stack([QUERIES, QUERIES[:, 0]]), predictions=np.zeros(15, dtype=int))
    np.testing.assert_allclose(batch.distances, explicit.distances, rtol=1e-6)


def test_a_function_is_asked_for_every_pair_with_its_parameters() -> None:
    def stretched(a: Any, b: Any, *, power: float) -> float:
        return float((np.abs(a - b) ** power).sum())

    batch = explained(stretched, {"power": 1.0})
    np.testing.assert_allclose(batch.distances, explained("manhattan").distances, rtol=1e-12)
    assert CaseExplainer(CASES, np.arange(120) % 2, metric=stretched, metric_params={"power": 1}).describe()[
        "metric"
    ] == ("stretched")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a, b: float("nan"), "gives the distance nan"),
        (lambda a, b: -1.0, "gives the distance -1.0"),
        (lambda a, b: "far", "must give a number, got 'far'"),
        (lambda a, b: None, "gives the distance nan|must give a number"),
    ],
)
def test_a_function_that_gives_no_distance_is_refused(function: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        explained(function)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "euclidian"}, "No metric named 'euclidian'. Did you mean 'euclidean'"),
        ({"metric": 5}, "No metric named '5'"),
        ({"metric": "precomputed"}, "No metric named 'precomputed'"),
        ({"metric_params": {"p": 3}, "metric": "euclidean"}, "metric 'euclidean' takes none, got 'p'"),
        ({"metric_params": {"q": 3}, "metric": "minkowski"}, "No parameter of metric 'minkowski' named 'q'"),
        ({"metric_params": {"p": 0}, "metric": "minkowski"}, "p must be a number above 0, got 0"),
        ({"metric_params": {"p": "x"}, "metric": "minkowski"}, "p must be a number above 0, got 'x'"),
        ({"metric_params": {"w": [1]}, "metric": "minkowski"}, "w must be 4 numbers"),
        ({"metric_params": {"w": [1.0] * 4}, "metric": "minkowski", "feature_weights": [1.0] * 4}, "give one of them"),
        ({"metric_params": {"VI": np.eye(3)}, "metric": "mahalanobis"}, r"VI must be finite numbers of shape \(4, 4\)"),
        ({"metric_params": {"VI": np.eye(4), "V": np.eye(4)}, "metric": "mahalanobis"}, "not both"),
        ({"metric_params": {"VI": -np.eye(4)}, "metric": "mahalanobis"}, "VI must have no negative eigenvalue"),
        ({"metric_params": {"V": np.triu(np.ones((4, 4)))}, "metric": "mahalanobis"}, "V must be symmetric"),
        ({"metric_params": {"V": "x"}, "metric": "mahalanobis"}, "V must be numbers"),
        ({"metric_params": {"V": np.zeros(4)}, "metric": "seuclidean"}, "variances V must be above 0, got 0.0"),
        ({"metric": "canberra", "feature_weights": [1.0] * 4}, "metric 'canberra' does not take any"),
        ({"metric": np.dot, "feature_weights": [1.0] * 4}, "feature_weights: metric 'callable' does not take any"),
        ({"feature_weights": {"x9": 1.0}}, "No feature named 'x9'"),
        ({"feature_weights": [1.0]}, r"for each of the 4 features, got shape \(1,\)"),
        ({"feature_weights": [1.0, -1.0, 1.0, 1.0]}, "the weight of 'x1' must be finite and not negative, got -1.0"),
        ({"feature_weights": [1.0, np.inf, 1.0, 1.0]}, "got inf"),
        ({"feature_weights": [0.0] * 4}, "all are 0"),
        ({"feature_weights": ["a"] * 4}, "must be numbers"),
        ({"scale": "log"}, "No scale named 'log'"),
        ({"scale": None}, "No scale named 'None'"),
        ({"categorical": ["x9"]}, "No feature named 'x9'"),
        ({"categorical": "x0"}, "must be a list of features, got the text 'x0'"),
        ({"categorical": [9]}, "no column 9"),
        ({"categorical": [0], "metric": "euclidean"}, "metric 'euclidean' compares numbers only; use metric='gower'"),
    ],
)
def test_a_space_that_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        CaseExplainer(CASES, np.arange(120) % 2, **{"feature_names": ["x0", "x1", "x2", "x3"], **options})


def test_undefined_distances_of_a_named_metric_are_an_error_not_a_neighbour() -> None:
    explainer = CaseExplainer([[0.0, 0.0], [1.0, 1.0]], [0, 1], k=1, metric="dice")
    with pytest.raises(InvalidInput, match="'dice': gives the distance nan"):
        explainer.explain_instance([0.0, 0.0], predicted_class=0)


def test_every_name_is_one_that_scikit_learn_knows_or_our_own() -> None:
    from sklearn.neighbors import VALID_METRICS

    theirs = {name for names in VALID_METRICS.values() for name in names}
    assert METRICS - theirs == {"auto", "gower"}
    assert theirs - METRICS <= {"precomputed", "pyfunc", "sokalmichener"}
    with pytest.raises(UnknownName):
        fit_space(CASES, metric="gowe")


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize(
    "metric",
    ["euclidean", "manhattan", "chebyshev", "cosine", "correlation", "sqeuclidean", "mahalanobis", "seuclidean"],
)
def test_all_exact_searches_agree_on_ties_for_every_metric_they_know(algorithm: Any, metric: str) -> None:
    grid = np.random.default_rng(6).integers(0, 3, size=(600, 3)).astype(float)
    space = fit_space(grid, metric=metric, scale="none")
    cases, queries = space.cases(grid), space.queries(grid[:40] + 0.0)
    whole = space.distance.matrix(queries, cases)
    order = np.argsort(whole, axis=1, kind="stable")[:, :7]
    nearest = CaseIndex(cases, algorithm=algorithm, distance=space.distance).query(queries, 7)
    np.testing.assert_array_equal(nearest.indices, order)
    shown = space.distance.shown or (lambda distances: distances)
    np.testing.assert_array_equal(nearest.distances, shown(np.take_along_axis(whole, order, axis=1)))


@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree", "faiss"])
@pytest.mark.parametrize("metric", ["gower", "nan_euclidean", "canberra", "haversine"])
def test_a_search_that_cannot_follow_the_metric_is_refused(algorithm: Any, metric: str) -> None:
    with pytest.raises(InvalidInput, match=f"algorithm '{algorithm}' cannot search by metric '{metric}'"):
        CaseExplainer(CASES[:, :2], np.arange(120) % 2, metric=metric, algorithm=algorithm)
