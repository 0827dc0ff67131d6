import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from assay.cases.metrics import (
    auroc,
    compute_correspondence,
    correspondence,
    euclidean_distance,
    interpret,
    mean_correspondence_correct,
    mean_correspondence_wrong,
)
from assay.cases.metrics.agreement import WEIGHTINGS
from assay.core import InvalidInput, UnknownName

EXACT: dict[str, Any] = {"rel": 0, "abs": 1e-12}

neighbourhoods = st.integers(1, 8).flatmap(
    lambda k: st.tuples(
        st.lists(st.floats(0, 1e6), min_size=k, max_size=k),
        st.lists(st.integers(0, 2), min_size=k, max_size=k),
        st.integers(0, 2),
    )
)
weights_of_classes = st.fixed_dictionaries({label: st.floats(0, 1e6) for label in range(3)})


def by_the_formula(distances: list[float], labels: list[Any], predicted: object, weights: dict[int, float]) -> float:
    per_class: dict[object, float] = {}
    for distance, label in zip(distances, labels, strict=True):
        per_class[label] = per_class.get(label, 0.0) + weights.get(label, 1.0) / (distance + 1) ** 3
    total = sum(per_class.values())
    return per_class.get(predicted, 0.0) / total if total else 0.0


def test_the_documents_first_example_is_86_85_percent_by_its_own_formula() -> None:
    value = compute_correspondence(
        neighbor_distances=np.array([0.1, 0.2, 0.3, 0.5, 0.8]),
        neighbor_labels=np.array([1, 1, 1, 0, 1]),
        predicted_class=1,
    )
    assert isinstance(value, float)
    assert value == pytest.approx(0.8684851118815099, **EXACT)
    assert f"{value:.2%}" == "86.85%"


def test_the_documents_other_examples_come_out_by_the_formula() -> None:
    distances = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    assert compute_correspondence(distances, np.array([1] * 5), predicted_class=1) == 1.0
    assert compute_correspondence(distances, np.array([0] * 5), predicted_class=1) == 0.0
    mixed = np.array([1, 1, 1, 0, 0])
    assert compute_correspondence(distances, mixed, predicted_class=1) == pytest.approx(0.7298644968438894, **EXACT)
    close = compute_correspondence(np.array([0.1, 0.2, 0.3, 1.0, 1.5]), mixed, predicted_class=1)
    far = compute_correspondence(np.array([1.0, 1.5, 2.0, 0.1, 0.2]), mixed, predicted_class=1)
    assert close == pytest.approx(0.9042642738945812, **EXACT)
    assert far == pytest.approx(0.14526283348373878, **EXACT)


def test_the_documents_class_weights_lift_the_minority_from_54_38_to_78_15_percent() -> None:
    distances, labels = np.array([0.1, 0.2, 0.3, 0.4, 0.5]), np.array([1, 1, 0, 0, 0])
    plain = compute_correspondence(distances, labels, predicted_class=1)
    weighted = compute_correspondence(distances, labels, predicted_class=1, class_weights={0: 1.0, 1: 3.0})
    assert plain == pytest.approx(0.5437719240759803, **EXACT)
    assert weighted == pytest.approx(0.781452218918465, **EXACT)


def test_the_documents_distance_is_0_866() -> None:
    distance = euclidean_distance(np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.5, 3.5]))
    assert distance == pytest.approx(0.8660254037844386, **EXACT)
    assert euclidean_distance(a=[0, 0], b=[3, 4]) == 5.0


@given(neighbourhoods, weights_of_classes)
@settings(max_examples=100, deadline=None)
def test_correspondence_equals_a_plain_loop_over_the_formula(
    case: tuple[list[float], list[int], int], weights: dict[int, float]
) -> None:
    distances, labels, predicted = case
    value = compute_correspondence(distances, labels, predicted, weights)
    assert 0.0 <= value <= 1.0
    assert value == pytest.approx(by_the_formula(distances, labels, predicted, weights), rel=1e-9, abs=1e-12)


@given(neighbourhoods, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_the_order_of_neighbours_does_not_matter(case: tuple[list[float], list[int], int], random: Any) -> None:
    distances, labels, predicted = case
    order = list(range(len(labels)))
    random.shuffle(order)
    shuffled = compute_correspondence([distances[i] for i in order], [labels[i] for i in order], predicted)
    assert shuffled == pytest.approx(compute_correspondence(distances, labels, predicted), **EXACT)


@given(neighbourhoods, st.floats(1e-6, 1e6))
@settings(max_examples=50, deadline=None)
def test_equal_positive_class_weights_change_nothing(case: tuple[list[float], list[int], int], weight: float) -> None:
    distances, labels, predicted = case
    weighted = compute_correspondence(distances, labels, predicted, dict.fromkeys(range(3), weight))
    assert weighted == pytest.approx(compute_correspondence(distances, labels, predicted), **EXACT)


@pytest.mark.parametrize("distance", [0.0, 1e-300, 3.0, 1e149])
def test_one_neighbour_gives_exactly_one_or_zero_at_any_distance(distance: float) -> None:
    assert compute_correspondence([distance], ["a"], "a") == 1.0
    assert compute_correspondence([distance], ["a"], "b") == 0.0


def test_class_weights_of_any_size_keep_the_range_and_zero_takes_all_weight_away() -> None:
    assert compute_correspondence([0.0, 0.0], [0, 1], 1, {0: 1e308, 1: 1e308}) == 0.5
    assert compute_correspondence([0.0, 1.0], [0, 1], 1, {0: 0.0, 1: 0.0}) == 0.0
    assert compute_correspondence([0.0, 1.0], [0, 1], 1, {0: 0.0}) == 1.0


@pytest.mark.parametrize("weighting", sorted(WEIGHTINGS))
def test_many_rows_at_once_equal_the_rows_one_by_one(weighting: str) -> None:
    rng = np.random.default_rng(1)
    distances, labels, predicted = rng.gamma(2, size=(40, 6)), rng.integers(0, 3, (40, 6)), rng.integers(0, 4, 40)
    together = correspondence(distances, labels, predicted, weighting=weighting)
    power = {"cubed": 3, "squared": 2, "inverse": 1, "uniform": 0}[weighting]
    weights = 1.0 / (distances + 1.0) ** power
    expected = [w[y == p].sum() / w.sum() for w, y, p in zip(weights, labels, predicted, strict=True)]
    assert together == pytest.approx(np.array(expected), **EXACT)
    by_function = correspondence(distances, labels, predicted, weighting=lambda d: 1.0 / (d + 1.0) ** power)
    assert together == pytest.approx(by_function, **EXACT)


def test_texts_and_booleans_are_labels_too() -> None:
    assert correspondence([[0.0, 0.0]], [["cat", "a longer name"]], ["cat"]).tolist() == [0.5]
    assert compute_correspondence([0.0, 0.0], [True, False], True) == 0.5
    assert compute_correspondence([0.0, 0.0], [1.0, 0.0], 1) == 0.5
    assert correspondence(np.empty((0, 3)), np.empty((0, 3), dtype=int), np.empty(0, dtype=int)).shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.1, -0.2], [0, 1], 1), "got -0.2"),
        (([0.1, math.nan], [0, 1], 1), "got nan"),
        (([0.1, math.inf], [0, 1], 1), "got inf"),
        (([0.1], [0, 1], 1), r"two lists of one length, got shapes \(1,\) and \(2,\)"),
        (([], [], 1), "no neighbours"),
        (([0.1, 0.2], [0, 1], "1"), "'1' is compared with 0, text with number"),
        (([0.1, 0.2], ["0", 1], 1), "mixes texts and numbers"),
        (([0.1, 0.2], [0, None], 1), "None is not a label"),
        (([0.1, 0.2], [0, 0.5], 1), "0.5 is not a class label"),
        ((["a", "b"], [0, 1], 1), "must be numbers"),
        (([0.1, 0.2], [0, 1], 1, {0: -1.0}), r"class_weights\[0\] must be finite and not negative, got -1.0"),
        (([0.1, 0.2], [0, 1], 1, {1: math.inf}), "got inf"),
        (([0.1, 0.2], [0, 1], 1, {1: "heavy"}), "must be numbers"),
        (([0.1, 0.2], [0, 1], 1, {"1": 2.0}), "text with number"),
        (([0.1, 0.2], [0, 1], 1, "balanced"), "Only CaseExplainer knows"),
    ],
)
def test_bad_neighbours_are_refused_with_the_value_named(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        compute_correspondence(*arguments)


@pytest.mark.parametrize(
    ("weighting", "message"),
    [
        ("cubd", "Did you mean 'cubed'"),
        (7, "No weighting named '7'"),
        (lambda d: -d, "finite and not negative"),
        (lambda d: d.sum(), "one weight per distance"),
    ],
)
def test_bad_weightings_are_refused(weighting: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        correspondence([[1.0, 2.0]], [[0, 1]], [0], weighting=weighting)


def test_rows_that_disagree_are_refused() -> None:
    with pytest.raises(InvalidInput, match="one class per row"):
        correspondence([[1.0, 2.0]], [[0, 1]], [0, 1])
    with pytest.raises(InvalidInput, match="differ in length"):
        correspondence([[1.0, 2.0], [1.0]], [[0, 1], [1, 1]], [0, 1])
    with pytest.raises(InvalidInput, match="differ in length"):
        correspondence([[1.0, 2.0], [1.0, 1.0]], [[0, 1], [1]], [0, 1])


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [([1, 2], [1], "equal length"), ([math.nan], [1], "finite"), (["x"], [1], "numbers"), ([[1]], [[1]], "two cases")],
)
def test_bad_cases_have_no_distance(a: Any, b: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        euclidean_distance(a, b)


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=60))
@settings(max_examples=100, deadline=None)
def test_auroc_equals_scikit_learn_with_ties(pairs: list[tuple[int, bool]]) -> None:
    scores, wrong = np.array([pair[0] / 3 for pair in pairs]), np.array([pair[1] for pair in pairs])
    if wrong.all() or not wrong.any():
        assert math.isnan(auroc(scores, wrong))
    else:
        assert auroc(scores, wrong) == pytest.approx(roc_auc_score(~wrong, scores), **EXACT)


def test_auroc_is_that_of_scikit_learn_on_many_scores_and_takes_infinities_as_extremes() -> None:
    rng = np.random.default_rng(2)
    scores, wrong = rng.normal(size=20_000), rng.random(20_000) < 0.1
    assert auroc(scores, wrong) == pytest.approx(roc_auc_score(~wrong, scores), **EXACT)
    assert auroc([math.inf, 0.0, -math.inf], [0, 1, 1]) == 1.0
    assert math.isnan(auroc([], []))


def test_means_of_correspondence_part_right_from_wrong() -> None:
    values, wrong = np.array([0.9, 0.7, 0.1, 0.3]), np.array([False, False, True, True])
    assert mean_correspondence_correct(values, wrong) == pytest.approx(0.8)
    assert mean_correspondence_wrong(values, wrong) == pytest.approx(0.2)
    assert math.isnan(mean_correspondence_correct([], []))
    assert math.isnan(mean_correspondence_wrong([], []))


@pytest.mark.parametrize("metric", [auroc, mean_correspondence_correct, mean_correspondence_wrong])
def test_scores_that_cannot_be_judged_are_refused(metric: Any) -> None:
    with pytest.raises(InvalidInput, match="one length"):
        metric([1.0], [True, False])
    with pytest.raises(InvalidInput, match="entry 1 is nan"):
        metric([1.0, math.nan], [True, False])
    with pytest.raises(InvalidInput, match="True or False"):
        metric([1.0, 2.0], [2, 0])


def test_thresholds_put_a_word_on_a_correspondence_and_refuse_nonsense() -> None:
    assert [interpret(value) for value in (1.0, 0.85, 0.8499, 0.70, 0.6999, 0.0)] == [
        "high", "high", "medium", "medium", "low", "low",
    ]  # fmt: skip
    with pytest.raises(InvalidInput, match="between 0 and 1, got 1.2"):
        interpret(1.2)
    with pytest.raises(InvalidInput, match="between 0 and 1, got nan"):
        interpret(math.nan)
    with pytest.raises(InvalidInput, match="medium <= high"):
        interpret(0.5, high=0.2, medium=0.4)


def test_an_unknown_weighting_is_an_unknown_name() -> None:
    with pytest.raises(UnknownName):
        correspondence([[1.0]], [[0]], [0], weighting="exponential")


NEIGHBORS = [(3, 0.1, 1), (7, 0.2, 0)]


@pytest.mark.parametrize(
    ("args", "keywords"),
    [
        ((NEIGHBORS, 1), {}),
        ((NEIGHBORS,), {"predicted_class": 1}),
        ((NEIGHBORS, 1, True), {}),
        ((), {"neighbors": NEIGHBORS, "predicted_class": 1}),
        ((NEIGHBORS, 1), {"distance_weighted": False}),
    ],
)
def test_the_published_packages_call_of_correspondence_gets_a_hint(args: Any, keywords: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"\[n\[1\] for n in neighbors\], \[n\[2\] for n in neighbors\]") as caught:
        compute_correspondence(*args, **keywords)
    assert ("weighting='uniform'" in str(caught.value)) == ("distance_weighted" in keywords)
    with pytest.raises(InvalidInput, match="there is no argument 'weights'"):
        compute_correspondence([0.1], [1], 1, weights={})


def test_distances_neither_overflow_nor_vanish() -> None:
    assert euclidean_distance([3e300, 0.0], [0.0, 4e300]) == pytest.approx(5e300)
    assert euclidean_distance([3e-300, 0.0], [0.0, 4e-300]) == pytest.approx(5e-300)
