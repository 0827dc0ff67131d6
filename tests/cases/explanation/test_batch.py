import json
import pickle
from collections import Counter
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.cases import CaseExplainer, Explanation, ExplanationBatch, interpret
from assay.cases.explanation.context import Familiarity, QueryRows, Unlike
from assay.cases.explanation.facts import Thresholds

RNG = np.random.default_rng(1)
X, Y = RNG.normal(size=(40, 2)), RNG.integers(0, 2, 40)


class Counting:
    """A context that answers plainly and counts how often, and for how many rows, it was asked."""

    def __init__(self, *, model: bool = True) -> None:
        self.calls: Counter[str] = Counter()
        self.rows: list[int] = []
        self.model = model

    def unlike(self, rows: QueryRows) -> Unlike:
        self._count("unlike", rows)
        return Unlike(
            np.array([int(np.flatnonzero(label != Y)[0]) for label in rows.predicted]), rows.distances[:, -1] + 1
        )

    def familiarity(self, rows: QueryRows) -> Familiarity:
        self._count("familiarity", rows)
        return Familiarity(np.clip(rows.distances[:, 0], 0, 1), rows.distances[:, 0] > 0.2)

    def fidelity(self, rows: QueryRows) -> Any:
        self._count("fidelity", rows)
        return (Y[rows.indices] == rows.predicted[:, None]).mean(axis=1) if self.model else None

    def prior(self, rows: QueryRows) -> Any:
        self._count("prior", rows)
        return np.array([(label == Y).mean() for label in rows.predicted])

    def _count(self, name: str, rows: QueryRows) -> None:
        self.calls[name] += 1
        self.rows.append(len(rows.queries))


def batch(*, known: bool = True, **columns: Any) -> ExplanationBatch:
    explained = CaseExplainer(X, Y, k=3).explain_batch(
        X[:10] + 0.1, predictions=Y[:10], y=1 - Y[:10] if known else None
    )
    return replace(explained, **columns)


def test_indexing_gives_explanations_and_slicing_a_batch() -> None:
    whole = batch()
    assert len(whole) == 10
    assert isinstance(whole[3], Explanation)
    assert whole[-1].to_dict() == whole[9].to_dict()
    part = whole[2:5]
    assert isinstance(part, ExplanationBatch)
    assert [entry.to_dict() for entry in part] == [whole[row].to_dict() for row in (2, 3, 4)]
    assert len(batch(known=False)[1:]) == 9
    with pytest.raises(IndexError):
        whole[10]


def test_columns_and_objects_tell_the_same() -> None:
    edge = float(np.sort(batch().correspondence)[5])
    at_edge = CaseExplainer(X, Y, k=3, thresholds=(edge, edge)).explain_batch(X[:10] + 0.1, predictions=Y[:10])
    assert at_edge.interpretation.tolist() == [entry.interpretation for entry in at_edge]
    assert (at_edge.correspondence == edge).any()
    medium = replace(at_edge, thresholds=Thresholds(1.0, edge))
    assert medium.interpretation.tolist() == [entry.interpretation for entry in medium]
    whole = batch()
    assert whole.interpretation.tolist() == [interpret(float(value)) for value in whole.correspondence]
    assert whole.is_correct is not None
    assert whole.is_correct.tolist() == [entry.is_correct for entry in whole]
    assert [neighbor.index for neighbor in whole[4].neighbors] == whole.indices[4].tolist()
    assert batch(known=False).is_correct is None


def test_late_columns_and_objects_tell_the_same() -> None:
    whole = batch(context=Counting())
    assert whole.fidelity is not None
    assert whole.unfamiliar is not None
    for row, entry in enumerate(whole):
        assert entry.nearest_unlike is not None
        assert entry.nearest_unlike.index == whole.unlike_indices[row]
        assert entry.nearest_unlike.distance == whole.unlike_distances[row]
        assert entry.nearest_unlike.label != entry.predicted_class
        assert entry.prior_lift == whole.prior_lift[row]
        assert entry.fidelity == whole.fidelity[row]
        assert entry.distance_percentile == whole.distance_percentile[row]
        assert entry.unfamiliar == whole.unfamiliar[row]
    expected = whole.correspondence / [(label == Y).mean() for label in whole.predicted]
    np.testing.assert_allclose(whole.prior_lift, expected)


def test_plain_access_asks_the_context_nothing() -> None:
    context = Counting()
    whole = batch(context=context)
    _ = (whole.interpretation, whole.is_correct, len(whole), repr(whole))
    _ = (whole[0], whole[2:5], list(whole), whole[0].differences())
    assert context.calls == {}
    # a band is not written down without its warning, and that is all that is asked for it
    _ = (whole.to_frame(), whole.to_records(), [repr(entry) for entry in whole], whole._repr_html_())
    assert context.calls == {"familiarity": 1}


def test_the_context_is_asked_once_for_the_whole_batch() -> None:
    context = Counting()
    whole = batch(context=context)
    for _ in range(3):
        _ = (whole.unlike_indices, whole.unlike_distances, whole.prior_lift, whole.fidelity)
        _ = (whole.distance_percentile, whole.unfamiliar, whole.to_frame(full=True), whole.overview(), whole.summary())
        _ = [entry.to_dict() for entry in whole]
        _ = (whole[3].summary(), whole[2:4].unlike_indices)
    assert context.calls == {"unlike": 1, "prior": 1, "fidelity": 1, "familiarity": 1}
    assert set(context.rows) == {10}


def test_one_explanation_asks_for_its_own_row_only() -> None:
    context = Counting()
    single = batch(context=context)[4]
    _ = (single.summary(), single.to_dict(), single.cautions(), single.contrast())
    assert context.calls == {"unlike": 1, "prior": 1, "fidelity": 1, "familiarity": 1}
    assert set(context.rows) == {1}


def test_a_loop_asks_for_its_rows_together() -> None:
    context = Counting()
    for entry in batch(context=context):
        _ = entry.nearest_unlike
    assert context.calls == {"unlike": 1}


def test_a_long_loop_asks_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.cases.explanation.batch._TOGETHER", 4)
    context = Counting()
    whole = batch(context=context)
    unlike = [entry.nearest_unlike.index for entry in whole if entry.nearest_unlike is not None]
    assert context.rows == [4, 4, 2]
    assert unlike == whole.unlike_indices.tolist()


def test_a_slice_asks_for_its_own_rows_and_keeps_what_is_known() -> None:
    context = Counting()
    part = batch(context=context)[3:6]
    assert len(part.unlike_indices) == 3
    assert context.rows == [3]
    assert part[1:].unlike_indices.tolist() == part.unlike_indices[1:].tolist()
    assert context.rows == [3]


def test_without_a_context_late_columns_are_undefined() -> None:
    bare = batch(context=None)
    assert bare.unlike_indices.tolist() == [-1] * 10
    assert np.isnan(bare.unlike_distances).all()
    assert np.isnan(bare.prior_lift).all()
    assert np.isnan(bare.distance_percentile).all()
    assert bare.fidelity is None
    assert bare.unfamiliar is None
    first = bare[0]
    assert (first.nearest_unlike, first.fidelity, first.unfamiliar, len(first.contrast())) == (None, None, None, 0)
    assert np.isnan([first.prior_lift, first.distance_percentile]).all()
    assert batch(context=Counting(model=False)).fidelity is None


def test_a_frame_has_a_row_per_prediction_and_three_columns_per_neighbour() -> None:
    frame = batch(probabilities=None).to_frame()
    assert frame.shape == (10, 7 + 9)
    columns = ["predicted", "correspondence", "interpretation", "identical", "unfamiliar", "true", "is_correct"]
    assert list(frame.columns[:7]) == columns
    assert frame["neighbor_1"].tolist() == batch().indices[:, 0].tolist()
    assert frame["label_3"].tolist() == batch().labels[:, 2].tolist()
    assert "true" not in batch(known=False).to_frame()
    assert batch(probabilities=None)[:0].to_frame().shape == (0, 16)


def test_a_full_frame_has_what_costs_time_the_probabilities_and_the_queries() -> None:
    shares = np.column_stack([np.linspace(0, 1, 10), np.linspace(1, 0, 10)])
    whole = batch(context=Counting(), probabilities=shares)
    assert whole.to_frame()["probability_1"].tolist() == shares[:, 1].tolist()
    assert whole[7].probabilities is not None
    assert whole[7].to_dict()["probabilities"] == {"0": shares[7, 0], "1": shares[7, 1]}
    frame = whole[2:].to_frame(full=True)
    assert frame["unlike_index"].tolist() == whole.unlike_indices[2:].tolist()
    assert frame["prior_lift"].tolist() == whole.prior_lift[2:].tolist()
    assert frame["query_x1"].tolist() == whole.queries[2:, 1].tolist()
    assert frame["probability_0"].tolist() == shares[2:, 0].tolist()
    late = {"unlike_distance", "distance_percentile", "fidelity", "unfamiliar"}
    assert late <= set(frame.columns)
    assert not {"fidelity", "unfamiliar"} & set(batch(context=None).to_frame(full=True).columns)


def test_records_are_the_rows_of_the_frame_as_strict_json() -> None:
    for whole in (batch(context=Counting()), batch(known=False, context=None)):
        for full in (False, True):
            records, frame = whole.to_records(full=full), whole.to_frame(full=full)
            assert json.loads(json.dumps(records, allow_nan=False)) == records
            assert list(records[0]) == list(frame.columns)
            assert [record["neighbor_2"] for record in records] == frame["neighbor_2"].tolist()
    assert batch(context=None).to_records(full=True)[0]["prior_lift"] is None
    assert batch()[:0].to_records() == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(st.characters()), min_size=2, max_size=2, unique=True), st.text(st.characters()))
def test_any_names_give_strict_json(features: list[str], name: str) -> None:
    explainer = CaseExplainer(X, Y, k=2, feature_names=features, class_names={0: name})
    explained = replace(explainer.explain_batch(X[:2], predictions=Y[:2]), context=Counting())
    for body in (explained[0].to_dict(), explained.to_records(full=True)):
        assert json.loads(json.dumps(body, allow_nan=False)) == body
    assert list(explained[0].to_dict()["query"]) == features  # type: ignore[arg-type]


def test_an_overview_counts_bands_truth_and_the_unfamiliar() -> None:
    truth = np.where(np.arange(10) < 7, Y[:10], 1 - Y[:10])
    whole = batch(true=truth, context=Counting())
    overview = whole.overview()
    words = [interpret(float(value)) for value in whole.correspondence]
    assert overview[:4] == (10, words.count("high"), words.count("medium"), words.count("low"))
    assert (overview.right, overview.wrong) == (7, 3)
    assert overview.mean_correspondence == pytest.approx(whole.correspondence.mean())
    assert overview.mean_correspondence_right == pytest.approx(whole.correspondence[:7].mean())
    assert overview.mean_correspondence_wrong == pytest.approx(whole.correspondence[7:].mean())
    assert overview.unfamiliar == (whole.distances[:, 0] > 0.2).sum()
    assert f"right 7, mean correspondence {overview.mean_correspondence_right:.1%}" in whole.summary()
    unknown = batch(known=False, context=None).overview()
    assert (unknown.right, unknown.wrong, unknown.unfamiliar) == (None, None, None)
    assert np.isnan([unknown.mean_correspondence_right, unknown.mean_correspondence_wrong]).all()
    assert batch()[:0].summary() == "No predictions."


def test_a_repr_is_short_and_says_what_the_batch_is() -> None:
    assert repr(batch()) == "ExplanationBatch(10 predictions, k=3, truth known)"
    assert repr(batch(known=False)) == "ExplanationBatch(10 predictions, k=3, truth unknown)"


def test_a_copy_of_a_batch_knows_what_the_batch_knows() -> None:
    context = Counting()
    whole = batch(context=context)
    _ = whole.unlike_indices
    again = copy(whole)
    assert again.unlike_indices is whole.unlike_indices
    assert replace(whole, predicted=1 - whole.predicted).unlike_indices.tolist() != whole.unlike_indices.tolist()
    assert context.calls == {"unlike": 2}


def test_a_batch_can_be_pickled_with_what_it_knows() -> None:
    whole = CaseExplainer(X, Y, k=3).explain_batch(X[:10] + 0.1, predictions=Y[:10])
    _ = whole.unlike_indices
    again: ExplanationBatch = pickle.loads(pickle.dumps(whole))
    assert again.unlike_indices.tolist() == whole.unlike_indices.tolist()
    assert again[3].to_dict() == whole[3].to_dict()


@pytest.mark.parametrize("metric", ["nan_euclidean", "gower"])
def test_a_query_with_a_missing_value_equals_only_a_case_that_misses_it_too(metric: Any) -> None:
    cases = [[1.5, 10.0], [2.5, 20.0], [np.nan, 30.0], [3.5, 40.0]]
    explainer = CaseExplainer(cases, [0, 1, 0, 1], k=2, metric=metric)
    made_of = [[np.nan, 20.0], [np.nan, 30.0], [2.5, 20.0], [3.0, 20.0]]
    explained = explainer.explain_batch(made_of, predictions=[1, 0, 1, 1])
    assert explained.identical is not None
    assert explained.identical.tolist() == [False, True, True, False]
    assert [each.neighbors[0].distance for each in explained[:3]] == [0.0, 0.0, 0.0]
    assert ["identical to the query" in each.summary() for each in explained[:3]] == [False, True, True]
