"""Cases added and removed: the explainer must be what one built of the same cases is."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.cases import CaseExplainer
from assay.core import InvalidInput, UnknownName

RNG = np.random.default_rng(4)
NUMBERS = RNG.normal(size=(60, 4)) * [1, 30, 5, 0.1]
LABELS = RNG.integers(0, 3, 60)
QUERIES = RNG.normal(size=(15, 4)) * [1, 30, 5, 0.1]
MIXED = pd.DataFrame(
    {
        "age": np.where(RNG.random(60) < 0.1, np.nan, RNG.integers(18, 80, 60)),
        "work": RNG.choice(["farm", "city", "sea"], 60),
        "member": RNG.random(60) < 0.5,
    }
)
MIXED.loc[:39, "work"] = MIXED.loc[:39, "work"].replace("sea", "farm")  # a category that comes later
FILES = [f"file {row}" for row in range(60)]


class Threshold:
    """Predicts by the first column, and counts the rows that it is asked about."""

    def __init__(self) -> None:
        self.asked = 0

    def predict(self, X: Any) -> Any:
        self.asked += len(X)
        return (np.asarray(X)[:, 0].astype(float) > 0).astype(int)


def demand_equal(updated: CaseExplainer, expected: CaseExplainer, queries: Any, predicted: Any) -> None:
    one, other = (
        explainer.explain_batch(queries, predictions=predicted).to_frame(full=True) for explainer in (updated, expected)
    )
    pd.testing.assert_frame_equal(one, other, check_exact=True)
    assert updated.describe() == expected.describe()
    own, others = (explainer.explain_training().to_frame(full=True) for explainer in (updated, expected))
    pd.testing.assert_frame_equal(own, others, check_exact=True)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"metric": "manhattan", "scale": "robust", "feature_weights": [1, 2, 0, 1]},
        {"metric": "mahalanobis", "class_weights": "balanced"},
        {"metric": "minkowski", "metric_params": {"p": 3}, "k": "all"},
        {"algorithm": "kd_tree", "scale": "minmax", "class_weights": {1: 2.0}},
        {"metric": "cosine", "private": ["x1"], "units": {"x0": "cm"}},
    ],
)
def test_added_and_removed_cases_give_what_a_rebuild_gives(options: dict[str, Any]) -> None:
    updated = CaseExplainer(NUMBERS[:40], LABELS[:40], **options)
    updated.add(NUMBERS[40:41], LABELS[40:41])
    updated.add(NUMBERS[41:], LABELS[41:])
    demand_equal(updated, CaseExplainer(NUMBERS, LABELS, **options), QUERIES, LABELS[:15])
    gone = [59, 0, 17, 18]
    updated.remove(gone)
    rest = CaseExplainer(np.delete(NUMBERS, gone, axis=0), np.delete(LABELS, gone), **options)
    demand_equal(updated, rest, QUERIES, LABELS[:15])


def test_mixed_cases_with_new_categories_classes_metadata_and_predictions_are_updated(tmp_path: Path) -> None:
    names = np.array(["no", "yes", "perhaps soon"])[np.where(np.arange(60) < 40, LABELS % 2, LABELS)]
    predicted = np.roll(names, 1)
    called: dict[str, Any] = {"class_names": {"no": "rejected"}}
    updated = CaseExplainer(
        MIXED[:40],
        names[:40],
        metadata={"file": FILES[:40]},
        train_predictions=predicted[:40],
        **called,
    )
    updated.add(MIXED[40:], names[40:], metadata={"file": FILES[40:]}, train_predictions=predicted[40:])
    whole = CaseExplainer(
        MIXED,
        names,
        metadata={"file": FILES},
        train_predictions=predicted,
        **called,
    )
    assert whole.cases.encoding == updated.cases.encoding
    demand_equal(updated, whole, MIXED[:15], names[:15])
    assert updated.explain_instance(MIXED.iloc[50], predicted_class="no").neighbors[0].metadata["file"] == FILES[50]
    updated.remove(np.arange(30))
    rest = CaseExplainer(
        MIXED[30:],
        names[30:],
        metadata={"file": FILES[30:]},
        train_predictions=predicted[30:],
        **called,
    )
    demand_equal(updated, rest, MIXED[:15], names[30:45])
    updated.save(tmp_path / "saved.assay")
    demand_equal(CaseExplainer.load(tmp_path / "saved.assay"), rest, MIXED[:15], names[30:45])


def test_the_model_is_asked_about_new_cases_only() -> None:
    model = Threshold()
    explainer = CaseExplainer(NUMBERS[:40], LABELS[:40] % 2, model=model)
    explainer.add(NUMBERS[40:], LABELS[40:] % 2)
    assert model.asked == 60
    assert explainer.train_predictions is not None
    assert explainer.train_predictions.tolist() == Threshold().predict(NUMBERS).tolist()


def test_an_explanation_keeps_the_cases_that_it_was_made_of() -> None:
    explainer = CaseExplainer(NUMBERS, LABELS)
    before = explainer.explain_instance(QUERIES[0], predicted_class=1)
    text = before.summary()
    explainer.remove([neighbor.index for neighbor in before.neighbors])
    assert before.summary() == text
    assert (
        explainer.explain_instance(QUERIES[0], predicted_class=1).neighbors[0].distance > before.neighbors[0].distance
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda e: e.add(NUMBERS[:2, :3], LABELS[:2]), "X: has 3 features, the training cases have 4"),
        (lambda e: e.add(NUMBERS[:2], LABELS[:3]), "y: 3 were given for 2 row"),
        (lambda e: e.add(NUMBERS[:2], ["a", "b"]), "y and training labels"),
        (lambda e: e.add([[np.nan] * 4], [0]), "missing"),
        (lambda e: e.add(NUMBERS[:1], LABELS[:1], train_predictions=[0]), "created without them"),
        (lambda e: e.remove([60]), "case 60 does not exist; there are cases 0 to 59"),
        (lambda e: e.remove([3, 3]), "case 3 is named twice"),
        (lambda e: e.remove([0.5]), "must be row numbers"),
        (lambda e: e.remove(range(60)), "at least one must stay"),
        (lambda e: e.remove(range(57)), "k=5 neighbours were asked of a case base of 3"),
    ],
)
def test_a_change_that_does_not_fit_is_refused_and_leaves_the_explainer_as_it_was(change: Any, message: str) -> None:
    explainer = CaseExplainer(NUMBERS, LABELS)
    with pytest.raises(InvalidInput, match=message):
        change(explainer)
    demand_equal(explainer, CaseExplainer(NUMBERS, LABELS), QUERIES, LABELS[:15])


def test_what_the_explainer_knows_of_its_cases_must_be_known_of_new_ones() -> None:
    explainer = CaseExplainer(NUMBERS, LABELS, train_predictions=LABELS, metadata={"file": FILES})
    with pytest.raises(InvalidInput, match="give it for the new ones"):
        explainer.add(NUMBERS[:1], LABELS[:1])
    with pytest.raises(UnknownName, match="metadata column"):
        explainer.add(NUMBERS[:1], LABELS[:1], metadata={"site": ["A"]}, train_predictions=[0])
    explainer.add(NUMBERS[:1], LABELS[:1], train_predictions=[0])
    assert explainer.cases.metadata["file"][-1] is None


def test_a_model_joins_a_loaded_explainer_and_a_path_is_told_how_to_be_opened(tmp_path: Path) -> None:
    CaseExplainer(NUMBERS, LABELS % 2).save(tmp_path / "saved.assay")
    explainer = CaseExplainer.load(tmp_path / "saved.assay", model=Threshold())
    assert explainer.explain_instance(NUMBERS[0]).fidelity is not None
    with pytest.raises(InvalidInput, match=r"open it first: model=assay\.load_model\('model\.joblib'\)"):
        CaseExplainer(NUMBERS, LABELS, model="model.joblib")
