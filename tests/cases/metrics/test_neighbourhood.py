import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import jaccard_score
from sklearn.metrics.pairwise import euclidean_distances

from assay.cases.metrics import (
    class_homogeneity,
    diversity,
    neighbour_recall,
    non_representativeness,
    score_stability,
    stability,
)
from assay.core import InvalidInput

RNG = np.random.default_rng(8)


def rows(queries: int = 20, k: int = 5, cases: int = 12) -> np.ndarray:
    return np.array([RNG.choice(cases, size=k, replace=False) for _ in range(queries)])


def as_masks(neighbors: np.ndarray, cases: int = 12) -> np.ndarray:
    masks = np.zeros((len(neighbors), cases), dtype=bool)
    np.put_along_axis(masks, neighbors, True, axis=1)
    return masks


def test_stability_equals_the_jaccard_score_of_scikit_learn() -> None:
    a, b = rows(), rows(k=4)
    expected = jaccard_score(as_masks(a), as_masks(b), average="samples")
    assert stability(a, b) == pytest.approx(expected, abs=1e-12)
    assert stability(a, a[:, ::-1]) == 1.0
    assert stability([[0, 1]], [[2, 3]]) == 0.0


def test_score_stability_is_the_mean_change() -> None:
    a, b = RNG.random(30), RNG.random(30)
    assert score_stability(a, b) == pytest.approx(sum(abs(x - y) for x, y in zip(a, b, strict=True)) / 30)
    assert math.isnan(score_stability([], []))


def test_diversity_equals_the_mean_over_all_pairs() -> None:
    points = RNG.normal(size=(15, 4, 3))
    tables = np.stack([euclidean_distances(group) for group in points])
    pairs = [np.linalg.norm(g[i] - g[j]) for g in points for i in range(4) for j in range(i)]
    assert diversity(tables) == pytest.approx(np.mean(pairs), abs=1e-9)
    assert math.isnan(diversity(np.zeros((3, 1, 1))))


def test_class_homogeneity_equals_counting_by_hand() -> None:
    labels = RNG.integers(0, 4, size=(25, 6))
    expected = np.mean([Counter(row.tolist()).most_common(1)[0][1] / 6 for row in labels])
    assert class_homogeneity(labels) == pytest.approx(expected, abs=1e-12)
    assert class_homogeneity(labels.astype(str)) == pytest.approx(expected, abs=1e-12)
    assert class_homogeneity([["a"], ["b"]]) == 1.0


def test_non_representativeness_is_the_share_of_other_predictions() -> None:
    predicted, theirs = RNG.integers(0, 3, 10), RNG.integers(0, 3, (10, 4))
    expected = np.mean([[t != p for t in row] for p, row in zip(predicted, theirs, strict=True)])
    assert non_representativeness(predicted, theirs) == pytest.approx(expected)
    with pytest.raises(InvalidInput, match="text with number"):
        non_representativeness(["a"], [[1]])


def test_neighbour_recall_is_the_share_of_the_nearest_that_were_named() -> None:
    named, exact = rows(k=7), rows(k=5)
    hits = (as_masks(named) & as_masks(exact)).sum() / (20 * 5)
    assert neighbour_recall(named, exact) == pytest.approx(hits, abs=1e-12)
    assert neighbour_recall(exact[:, ::-1], exact) == 1.0


@pytest.mark.parametrize("metric", [stability, neighbour_recall])
def test_rows_must_be_case_numbers_of_the_same_queries(metric: Any) -> None:
    assert math.isnan(metric([], []))
    with pytest.raises(InvalidInput, match="has 1 rows"):
        metric([[1]], [[1], [2]])
    with pytest.raises(InvalidInput, match="rows of case numbers"):
        metric([[0.5]], [[1]])
    with pytest.raises(InvalidInput, match="names no case"):
        metric(np.empty((1, 0), dtype=int), [[1]])


@pytest.mark.parametrize(
    ("metric", "arguments", "message"),
    [
        (score_stability, ([1.0], [1.0, 2.0]), "one length"),
        (diversity, (np.zeros((2, 3)),), "k by k table"),
        (non_representativeness, ([0], [[0], [1]]), "give a row each"),
    ],
)
def test_shapes_that_disagree_are_refused(metric: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        metric(*arguments)


def test_without_queries_nothing_is_defined() -> None:
    values = [class_homogeneity([]), diversity([]), non_representativeness([], []), stability([], [])]
    assert all(map(math.isnan, values))
