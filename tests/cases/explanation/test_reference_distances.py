from typing import Any

import numpy as np
import pytest

from assay.cases import CaseExplainer
from assay.cases.explanation import reference_distances as reference_module
from assay.cases.explanation.context import ExplainerContext, QueryRows
from assay.cases.explanation.reference_distances import ReferenceDistances

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = np.where(X[:, 0] > 0.8, "rare", "common")
QUERIES = RNG.normal(size=(40, 3))
PREDICTED = RNG.choice(["rare", "common"], size=40)


def scaled(rows: Any) -> Any:
    return (rows - X.mean(axis=0)) / X.std(axis=0)


def everything(queries: Any) -> Any:
    return np.sqrt(((scaled(queries)[:, None] - scaled(X)[None]) ** 2).sum(-1))


def test_it_is_the_context_that_batches_ask() -> None:
    assert isinstance(CaseExplainer(X, Y).reference, ExplainerContext)


def test_the_nearest_unlike_neighbour_is_the_nearest_case_of_another_class() -> None:
    batch = CaseExplainer(X, Y, k=3).explain_batch(QUERIES, predictions=PREDICTED)
    distances = everything(QUERIES)
    expected = [
        min((d, i) for i, d in enumerate(row) if Y[i] != label) for row, label in zip(distances, PREDICTED, strict=True)
    ]
    assert batch.unlike_indices.tolist() == [index for _, index in expected]
    np.testing.assert_allclose(batch.unlike_distances, [distance for distance, _ in expected], rtol=1e-9)


def test_there_is_no_unlike_neighbour_where_there_is_one_class() -> None:
    batch = CaseExplainer(X, np.zeros(200, dtype=int), k=3).explain_batch(QUERIES, predictions=np.zeros(40, dtype=int))
    assert (batch.unlike_indices == -1).all()
    assert np.isnan(batch.unlike_distances).all()


def test_a_class_never_seen_has_its_nearest_neighbour_as_the_unlike_one() -> None:
    explainer = CaseExplainer(X, Y, allow_unseen=True)
    batch = explainer.explain_batch(QUERIES, predictions=["alien"] * 40)
    np.testing.assert_array_equal(batch.unlike_indices, batch.indices[:, 0])
    assert (explainer.reference.prior(QueryRows(QUERIES, batch.predicted, batch.indices, batch.distances)) == 0).all()


def test_an_excluded_case_is_not_the_unlike_neighbour_either() -> None:
    flipped = np.where(Y == "rare", "common", "rare")
    batch = CaseExplainer(X, Y, k=2).explain_training(predictions=flipped)
    distances = everything(X)
    for row, (label, nearest) in enumerate(zip(flipped, batch.unlike_indices, strict=True)):
        expected = min((d, i) for i, d in enumerate(distances[row]) if Y[i] != label and i != row)[1]
        assert nearest == expected
    lonely = CaseExplainer([[0.0], [1.0], [2.0]], ["a", "a", "b"], k=1).explain_training(predictions=["a", "a", "a"])
    assert lonely.unlike_indices.tolist() == [2, 2, -1]


@pytest.mark.parametrize("options", [{"metric": "cosine"}, {"metric": "mahalanobis"}, {"metric": "manhattan"}])
def test_unlike_neighbours_live_in_the_space_of_the_metric(options: dict[str, Any]) -> None:
    explainer = CaseExplainer(X, Y, k=2, **options)
    batch = explainer.explain_batch(QUERIES, predictions=PREDICTED)
    whole = explainer.explain_batch(QUERIES, predictions=PREDICTED, k="all")
    for row in range(40):
        place = int(np.argmax(whole.labels[row] != PREDICTED[row]))
        assert batch.unlike_indices[row] == whole.indices[row, place]
        assert batch.unlike_distances[row] == whole.distances[row, place]


def test_the_percentile_is_the_share_of_cases_that_are_no_farther_from_theirs() -> None:
    batch = CaseExplainer(X, Y, k=4, ood_level=0.9).explain_batch(QUERIES, predictions=PREDICTED)
    own = everything(X)
    np.fill_diagonal(own, np.inf)
    usual = np.sort(own, axis=1)[:, :4].mean(axis=1)
    expected = [(usual <= mean + 1e-12).mean() for mean in np.sort(everything(QUERIES), axis=1)[:, :4].mean(axis=1)]
    np.testing.assert_allclose(batch.distance_percentile, expected, atol=1e-12)
    assert batch.unfamiliar is not None
    np.testing.assert_array_equal(batch.unfamiliar, np.array(expected) > 0.9)


def test_a_query_from_another_world_is_unfamiliar_and_a_typical_one_is_not() -> None:
    explainer = CaseExplainer(X, Y)
    far = explainer.explain_batch([[50.0, 0.0, 0.0], [0.0, 0.0, 0.0]], predictions=["common", "common"])
    assert far.unfamiliar is not None
    assert far.unfamiliar.tolist() == [True, False]
    assert far.distance_percentile[0] == 1.0


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "gower"])
def test_the_training_cases_themselves_are_spread_evenly(metric: str) -> None:
    batch = CaseExplainer(X, Y, metric=metric).explain_training()
    assert abs(batch.distance_percentile.mean() - 0.5) < 0.02
    assert batch.unfamiliar is not None
    assert batch.unfamiliar.sum() <= 2


def test_cases_that_are_as_near_as_all_others_have_the_full_percentile_and_are_not_unfamiliar() -> None:
    line = CaseExplainer(np.arange(10.0)[:, None], np.arange(10) % 2, k=1, scale=False)
    training = line.explain_training()
    assert training.distance_percentile.tolist() == [1.0] * 10
    assert training.unfamiliar is not None
    assert not training.unfamiliar.any()
    near, far = line.explain_batch([[0.5], [11.5]], predictions=[0, 0])
    assert (near.distance_percentile, near.unfamiliar) == (0.0, False)
    assert (far.distance_percentile, far.unfamiliar) == (1.0, True)


def test_the_reference_is_a_seeded_sample_asked_once_per_k(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference_module, "_SAMPLE", 50)
    explainer = CaseExplainer(X, Y, seed=5)
    first = explainer.reference.usual_distances(3)
    assert len(first) == 50
    assert explainer.reference.usual_distances(3) is first
    np.testing.assert_array_equal(CaseExplainer(X, Y, seed=5).reference.usual_distances(3), first)
    assert not np.array_equal(CaseExplainer(X, Y, seed=6).reference.usual_distances(3), first)


def test_nothing_is_measured_until_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    methods: list[str] = []
    for name in ("unlike", "familiarity", "fidelity", "prior", "_measure"):
        monkeypatch.setattr(ReferenceDistances, name, lambda *_, _name=name, **__: methods.append(_name))
    batch = CaseExplainer(X, Y, train_predictions=Y).explain_batch(QUERIES, predictions=PREDICTED)
    assert batch[0].correspondence >= 0
    assert methods == []
    assert batch.unfamiliar is None  # asked of what stands in its place here
    assert methods == ["familiarity"]


def test_one_case_alone_is_no_measure_of_what_is_usual() -> None:
    batch = CaseExplainer([[1.0]], ["a"], k=1).explain_batch([[2.0]], predictions=["a"])
    assert np.isnan(batch.distance_percentile).all()
    assert batch.unfamiliar is not None
    assert not batch.unfamiliar.any()
    everyone = CaseExplainer([[1.0], [2.0]], ["a", "b"], k="all").explain_batch([[9.0]], predictions=["a"])
    assert everyone.distance_percentile.tolist() == [1.0]


def test_fidelity_is_the_share_of_neighbours_that_the_model_sees_alike() -> None:
    labels = RNG.choice(["rare", "common"], size=200)
    explainer = CaseExplainer(X, Y, k=6, train_predictions=labels)
    batch = explainer.explain_batch(QUERIES, predictions=PREDICTED)
    expected = [(labels[row] == own).mean() for row, own in zip(batch.indices, PREDICTED, strict=True)]
    assert batch.fidelity is not None
    np.testing.assert_allclose(batch.fidelity, expected)
    assert CaseExplainer(X, Y).explain_batch(QUERIES, predictions=PREDICTED).fidelity is None


def test_prior_lift_is_correspondence_over_the_base_rate() -> None:
    batch = CaseExplainer(X, Y).explain_batch(QUERIES, predictions=PREDICTED)
    shares = np.array([(label == Y).mean() for label in PREDICTED])
    np.testing.assert_allclose(batch.prior_lift, batch.correspondence / shares)
