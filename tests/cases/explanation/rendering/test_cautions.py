from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assay.cases import CaseExplainer, Explanation
from assay.cases.explanation.context import Familiarity, Unlike
from assay.cases.explanation.rendering.cautions import cautions_of

ALWAYS = 2


def explanation(
    *,
    labels: tuple[int, ...] = (0, 0, 1, 1),
    values: tuple[float, ...] = (0.0, 1.0, 2.5, 9.0),
    k: int = 2,
    unlike: tuple[int, float] = (2, 2.4),
    unfamiliar: bool = False,
    fidelity: float | None = None,
    prior: float = 0.25,
) -> Explanation:
    """A query at 0.1 with the prediction 0 ("calm"), and a context that says what it is told to say."""
    explainer = CaseExplainer(np.array(values)[:, None], labels, k=k, scale=False, class_names={0: "calm"})
    context: Any = SimpleNamespace(
        unlike=lambda *_, **__: Unlike(np.array([unlike[0]]), np.array([unlike[1]])),
        familiarity=lambda *_: Familiarity(np.array([0.993]), np.array([unfamiliar])),
        fidelity=lambda *_: None if fidelity is None else np.array([fidelity]),
        prior=lambda *_: np.array([prior]),
    )
    return replace(explainer.explain_batch([[0.1]], predictions=[0]), context=context)[0]


def apt(**options: Any) -> tuple[str, ...]:
    return cautions_of(explanation(**options))[ALWAYS:]


def test_every_explanation_says_what_the_number_is_not_and_that_thresholds_depend_on_the_domain() -> None:
    agreement, thresholds = cautions_of(explanation())
    assert "agreement with these neighbours, not correctness" in agreement
    assert "high for a wrong prediction when the training data contain systematic errors" in agreement
    assert "(high from 0.85, medium from 0.7) depend on the domain" in thresholds
    bare = CaseExplainer([[0.0], [1.0], [2.0]], [0, 0, 1], k=2).explain_instance([0.0], predicted_class=0)
    assert replace(bare, lazy=None).cautions() == (agreement, thresholds)


def test_an_unfamiliar_query_is_called_out_of_distribution() -> None:
    (sentence,) = apt(unfamiliar=True)
    assert "unfamiliar" in sentence
    assert "99.3% of the training cases lie no farther from their neighbours than it does" in sentence
    assert "Out of distribution" in sentence


def test_a_predicted_class_without_a_neighbour_is_named() -> None:
    (sentence,) = apt(labels=(1, 1, 0, 0), unlike=(0, 0.1))
    assert sentence == "No neighbour has the predicted class calm (0): these cases speak against the prediction."


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        (
            0.95,
            "95.0% of the training cases are calm (0), and the correspondence is hardly above that base rate (prior",
        ),
        (
            1.0,
            "is not above that base rate (prior lift 1.00): that this many neighbours agree is normal here",
        ),
        (0.9, None),
    ],
)
def test_agreement_near_the_base_rate_says_little(prior: float, words: str | None) -> None:
    cautions = apt(prior=prior)
    assert (len(cautions) == 1 and words in cautions[0]) if words else not cautions


def test_less_agreement_than_chance_is_told_as_that() -> None:
    (sentence,) = apt(labels=(0, 1, 1, 1), unlike=(1, 0.9), prior=0.9)
    assert (
        "90.0% of the training cases are calm (0): these neighbours agree less than cases picked at random" in sentence
    )


def test_a_model_that_disagrees_with_the_labels_is_told_in_shares() -> None:
    (sentence,) = apt(fidelity=0.0)
    assert "The model disagrees with the labels of these neighbours: it predicts calm (0) for 0%" in sentence
    assert "100% are labelled so" in sentence
    assert apt(fidelity=0.51) == ()
    assert (
        "it predicts calm (0) for 100% of them, and 50% are labelled so"
        in apt(labels=(0, 1, 1, 1), unlike=(1, 0.9), fidelity=1.0)[0]
    )


def test_neighbours_that_the_model_treats_otherwise_explain_it_poorly() -> None:
    (sentence,) = apt(labels=(0, 1, 1, 1), unlike=(1, 0.9), fidelity=0.4)
    assert "predicts calm (0) for only 40% of these neighbours (low fidelity)" in sentence
    assert apt(fidelity=float("nan")) == ()
    assert apt(labels=(0, 1, 1, 1), unlike=(1, 0.9), fidelity=0.5) == ()


def test_ties_at_the_last_distance_are_told_as_certain_or_possible() -> None:
    query_at = 0.1
    tied = (0.0, query_at - 0.5, query_at + 0.5, 9.0)
    (certain,) = apt(values=tied, unlike=(2, 0.5))
    assert "Cases tie at the last distance (0.5) and at least one of them is not shown" in certain
    (possible,) = apt(values=(-0.9, 1.1, 5.0, 9.0), labels=(0, 0, 1, 1), unlike=(2, 4.9))
    assert "Several neighbours tie at the last distance (1): other cases at that distance may be left out" in possible
    # with every case shown there is none that could be left out
    assert apt(values=(0.0, 0.1, query_at - 5.0, query_at + 5.0), k=4, unlike=(2, 5.0)) == ()
    assert apt(values=tied, k=3, unlike=(2, 0.5)) != ()
    assert apt(k=1, unlike=(2, 2.4)) == ()


def test_what_is_private_is_said_to_count_nevertheless() -> None:
    explainer = CaseExplainer(
        [[0.0, 1.0], [1.0, 1.0]],
        [0, 1],
        k=1,
        feature_names=["age", "size"],
        private=["age", "id"],
        metadata={"id": [1, 2]},
    )
    shown = explainer.explain_instance([0.0, 1.0], predicted_class=0)
    assert "Private columns count in the distances but are not shown: age." in shown.cautions()
    assert "not shown: age." in shown.summary()


def test_names_in_sentences_stay_on_one_line() -> None:
    shown = CaseExplainer([[0.0], [1.0]], [0, 1], k=1, class_names={1: "a\nb"}).explain_instance(
        [0.0], predicted_class=1
    )
    assert any("predicted class a\\nb" in sentence for sentence in shown.cautions())
