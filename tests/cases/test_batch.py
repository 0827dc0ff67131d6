import numpy as np
import pytest

from assay.cases import CaseExplainer, Explanation, ExplanationBatch, interpret

RNG = np.random.default_rng(1)
X, Y = RNG.normal(size=(40, 2)), RNG.integers(0, 2, 40)


def batch(*, known: bool = True) -> ExplanationBatch:
    return CaseExplainer(X, Y, k=3).explain_batch(X[:10] + 0.1, predictions=Y[:10], y=1 - Y[:10] if known else None)


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
    whole = batch()
    assert whole.interpretation.tolist() == [interpret(float(value)) for value in whole.correspondence]
    assert whole.is_correct is not None
    assert whole.is_correct.tolist() == [entry.is_correct for entry in whole]
    assert [neighbor.index for neighbor in whole[4].neighbors] == whole.indices[4].tolist()
    assert batch(known=False).is_correct is None


def test_a_frame_has_a_row_per_prediction_and_three_columns_per_neighbour() -> None:
    frame = batch().to_frame()
    assert frame.shape == (10, 5 + 9)
    assert list(frame.columns[:5]) == ["predicted", "correspondence", "interpretation", "true", "is_correct"]
    assert frame["neighbor_1"].tolist() == batch().indices[:, 0].tolist()
    assert frame["label_3"].tolist() == batch().labels[:, 2].tolist()
    assert "true" not in batch(known=False).to_frame()
    assert batch()[:0].to_frame().shape == (0, 14)
