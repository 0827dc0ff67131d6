"""What the cases document says in words: behaviour of the weights, cost, precision, and what agreement is not."""

import ast
import inspect
import textwrap
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.cases import CaseExplainer, compute_correspondence, correspondence
from assay.cases.metrics import euclidean_distance
from assay.cases.neighbors.index import pair_distances


def test_a_nearer_neighbour_always_weighs_more() -> None:
    distances = np.array([0.0, 0.01, 0.3, 1.0, 7.0, 1000.0])
    shares = [compute_correspondence(distances, np.arange(6), label) for label in range(6)]
    assert shares == sorted(shares, reverse=True)
    assert len(set(shares)) == 6


@pytest.mark.parametrize("distance", [0.0, 0.4, 12.0])
def test_an_even_split_is_one_half(distance: float) -> None:
    assert compute_correspondence([distance] * 4, [1, 1, 0, 0], 1) == 0.5


def test_neighbours_can_agree_fully_with_a_wrong_prediction() -> None:
    mislabelled = CaseExplainer([[0.0], [0.1], [0.2], [9.0]], ["b", "b", "b", "a"], k=3)
    explanation = mislabelled.explain_instance([0.1], predicted_class="b", true_class="a")
    assert explanation.correspondence == 1.0
    assert explanation.interpretation == "high"
    assert explanation.is_correct is False


def test_the_cube_emphasises_the_closest_neighbours_more_than_lower_powers() -> None:
    near_and_far = ([[0.0, 1.0, 2.0]], [[1, 0, 0]], [1])
    by_power = [correspondence(*near_and_far, weighting=name)[0] for name in ("uniform", "inverse", "squared", "cubed")]
    assert by_power == sorted(by_power)
    assert by_power[-1] == pytest.approx(1 / (1 + 1 / 8 + 1 / 27))


def test_a_far_neighbour_contributes_less_but_never_nothing() -> None:
    distances = np.logspace(-3, 6, 50)
    shares = correspondence(
        np.column_stack([np.zeros(50), distances]), np.tile([0, 1], (50, 1)), np.ones(50, dtype=int)
    )
    assert (np.diff(shares) < 0).all()
    assert (shares > 0).all()


def test_identical_cases_divide_by_nothing() -> None:
    with np.errstate(all="raise"):
        assert compute_correspondence([0.0, 0.0, 0.0], [1, 1, 0], 1) == pytest.approx(2 / 3)


def test_single_precision_input_is_computed_in_double_precision() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300)).astype(np.float32)
    exact = float(np.sqrt(sum((float(x) - float(y)) ** 2 for x, y in zip(a, b, strict=True))))
    assert euclidean_distance(a, b) == pytest.approx(exact, rel=1e-14)
    assert pair_distances(a[None].astype(np.float64), b[None].astype(np.float64)).dtype == np.float64
    found = CaseExplainer(np.stack([a, b]), [0, 1], k=2, scale=False).explain_instance(a, predicted_class=0)
    assert found.neighbors[1].distance == pytest.approx(exact, rel=1e-14)


def memory(function: Callable[[], object]) -> int:
    """The largest number of bytes held at once; unlike a clock it says the same every time."""
    function()  # what is only made once does not count
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# Without a loop in Python (see the last test), cost is the size of the arrays that numpy works on: ten times the
# neighbours or features must mean ten times the size, where comparing all with all would mean a hundred times.


def test_correspondence_costs_in_proportion_to_the_neighbours() -> None:
    rng = np.random.default_rng(0)

    def cost(k: int) -> int:
        distances, labels = rng.random(k), rng.integers(0, 3, k)
        return memory(lambda: compute_correspondence(distances, labels, 1))

    assert 9 < cost(100_000) / cost(10_000) < 11


def test_a_distance_costs_in_proportion_to_the_features() -> None:
    rng = np.random.default_rng(0)

    def cost(features: int) -> int:
        a, b = rng.random(features), rng.random(features)
        return memory(lambda: euclidean_distance(a, b))

    assert 9 < cost(100_000) / cost(10_000) < 11


@pytest.mark.parametrize("function", [compute_correspondence, correspondence, euclidean_distance, pair_distances])
def test_no_python_loop_runs_over_neighbours_or_features(function: Callable[..., Any]) -> None:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    loops = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)
    assert not [node for node in ast.walk(tree) if isinstance(node, loops)]
