import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from assay.cases.subjects.conformal_knn import credibility

RNG = np.random.default_rng(4)


def data(count: int) -> tuple[np.ndarray, np.ndarray]:
    labels = RNG.integers(0, 3, count)
    return RNG.normal(size=(count, 4)) + labels[:, None], labels


TRAIN, LABELS = data(80)
QUERIES, _ = data(30)
PREDICTED = RNG.integers(0, 3, 30)


def by_hand(k: int) -> list[float]:
    scaler = StandardScaler().fit(TRAIN)
    cases, queries = scaler.transform(TRAIN), scaler.transform(QUERIES)

    def strangeness(x: np.ndarray, label: int, skip: int | None) -> float:
        d = np.linalg.norm(cases - x, axis=1)
        keep = np.arange(len(cases)) != (-1 if skip is None else skip)
        same = np.sort(d[keep & (label == LABELS)])[:k].sum()
        other = np.sort(d[keep & (label != LABELS)])[:k].sum()
        return float(same / (same + other))

    usual = [strangeness(cases[i], LABELS[i], i) for i in range(len(cases))]
    own = [strangeness(q, label, None) for q, label in zip(queries, PREDICTED, strict=True)]
    return [(1 + sum(u >= a - 1e-12 for u in usual)) / (len(usual) + 1) for a in own]


@pytest.mark.parametrize("k", [1, 5])
def test_credibility_equals_the_definition_by_hand(k: int) -> None:
    np.testing.assert_allclose(credibility(TRAIN, LABELS, QUERIES, PREDICTED, k=k), by_hand(k), atol=1e-12)


def test_true_labels_are_about_uniform_and_wrong_ones_are_not_credible() -> None:
    train, labels = data(600)
    queries, truth = data(600)
    right = credibility(train, labels, queries, truth)
    assert abs((right <= 0.2).mean() - 0.2) < 0.06
    assert abs((right <= 0.5).mean() - 0.5) < 0.08
    assert credibility(train, labels, queries, (truth + 1) % 3).mean() < 0.5 * right.mean()


def test_the_edges_have_the_documented_values() -> None:
    x = np.array([[0.0], [1.0], [2.0]])
    assert credibility(x, np.array([0, 0, 0]), x[:1], np.array([0]), k=2).tolist() == [1.0]  # one class: never strange
    unseen = credibility(x, np.array([0, 0, 1]), x[:1], np.array([9]), k=2)
    assert unseen.tolist() == [2 / 4]  # as strange as the only case of its class
    same = credibility(np.zeros((4, 1)), np.array([0, 0, 1, 1]), np.zeros((1, 1)), np.array([1]), k=1)
    assert same.tolist() == [1.0]
