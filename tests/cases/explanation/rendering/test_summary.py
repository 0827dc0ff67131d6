import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from assay.cases import CaseExplainer, Explanation
from assay.cases.explanation.context import Familiarity, Unlike
from assay.cases.explanation.rendering.summary import Overview, side_notes, summarise_overview

X = np.array([[0.0, 10.0], [1.0, 10.0], [2.0, 30.0], [8.0, 30.0]])


def explanation(*, unlike: tuple[int, float] = (2, 2.1), **columns: Any) -> Explanation:
    explainer = CaseExplainer(
        X, [0, 0, 1, 1], k=2, feature_names=["size", "age"], class_names=["small", "quite big"], thresholds=(0.9, 0.5)
    )
    context: Any = SimpleNamespace(
        unlike=lambda *_, **__: Unlike(np.array([unlike[0]]), np.array([unlike[1]])),
        familiarity=lambda *_: Familiarity(np.array([0.42]), np.array([False])),
        fidelity=lambda *_: np.array([1.0]),
        prior=lambda *_: np.array([0.5]),
    )
    batch = explainer.explain_batch([[1.0, 11.0]], predictions=[0])
    return replace(batch, context=context, **columns)[0]


def test_a_summary_reads_from_the_prediction_to_the_cautions() -> None:
    shown = explanation()
    lines = shown.summary().splitlines()
    assert lines[0] == "Prediction: small (0)"
    assert lines[1] == "Correspondence: 100.0% (high); 2 of the 2 nearest of 4 training cases agree."
    assert lines[2] == "Also: prior lift 2.00, fidelity 100%, distance percentile 42.0."
    assert lines[3] == "Nearest cases:"
    assert lines[4].startswith("  1. small (0)  agrees   distance ")
    assert lines[4].endswith("(case 1)")
    assert lines[6] == "Largest differences to the nearest case: age 11 against 10."
    assert lines[7] == "Nearest unlike neighbour: quite big (1), distance 2.1  (case 2)"
    contrast = shown.contrast()
    assert lines[8] == f"  age   11 against 30  ({contrast[0].scaled:+.3g} scaled)"
    assert lines[9] == f"  size  1 against 2    ({contrast[1].scaled:+.3g} scaled)"
    assert lines[10] == "Cautions:"
    assert lines[11:] == [f"  - {sentence}" for sentence in shown.cautions()]


def test_neighbours_stand_in_an_aligned_table() -> None:
    rng = np.random.default_rng(0)
    names = ["a", "a longer name", "mid name"]
    explainer = CaseExplainer(rng.normal(size=(60, 2)), np.arange(60) % 3, k=12, class_names=names)
    lines = explainer.explain_instance([5.0, 0.1], predicted_class=0).summary().splitlines()
    table = [line for line in lines if "distance" in line and "(case " in line and ". " in line[:6]]
    assert len(table) == 12
    assert len({line.index("  distance ") for line in table}) == 1
    assert len({line.index("(case ") for line in table}) == 1
    assert {line.index(". ") for line in table} == {4}


def test_differences_are_not_told_twice_when_the_nearest_case_is_the_unlike_one() -> None:
    text = explanation(unlike=(1, 0.2)).summary()
    assert "Largest differences to the nearest case" not in text
    assert "Nearest unlike neighbour: small (0), distance 0.2  (case 1)" in text


def test_three_features_that_separate_are_told_and_no_more() -> None:
    rng = np.random.default_rng(4)
    explainer = CaseExplainer(rng.normal(size=(30, 6)), np.arange(30) % 2, k=2)
    shown = explainer.explain_instance(rng.normal(size=6), predicted_class=0)
    features = [line.split()[0] for line in shown.summary().splitlines() if line.endswith(" scaled)")]
    assert features == [row.name for row in shown.contrast().rows[:3]]


def test_without_a_context_the_summary_leaves_out_what_is_not_known() -> None:
    text = replace(explanation(), lazy=None).summary()
    assert "Also:" not in text
    assert "Nearest unlike" not in text
    assert "Cautions:" in text


def test_an_unlike_case_that_equals_the_query_is_said_to_be_inseparable() -> None:
    explainer = CaseExplainer([[0.0], [0.0], [1.0]], [0, 1, 1], k=1)
    context: Any = SimpleNamespace(
        unlike=lambda *_, **__: Unlike(np.array([1]), np.array([0.0])),
        familiarity=lambda *_: Familiarity(np.array([0.9]), np.array([True])),
        fidelity=lambda *_: None,
        prior=lambda *_: np.array([0.0]),
    )
    shown = replace(explainer.explain_batch([[0.0]], predictions=[0]), context=context)[0]
    assert "The nearest case is identical to the query." in shown.summary()
    assert "No feature that can be shown separates it from the query." in shown.summary()
    assert side_notes(shown) == (("distance percentile", "90.0 (unfamiliar)"),)


def test_what_only_private_columns_tell_apart_is_said_to_be_so() -> None:
    explainer = CaseExplainer(X, [0, 0, 1, 1], k=1, feature_names=["size", "age"], private=["age"])
    text = explainer.explain_instance([1.0, 11.0], predicted_class=0).summary()
    assert "The nearest case differs from the query only in what is private or missing." in text


def test_categories_that_differ_and_metadata_are_told() -> None:
    train = np.array([["red", 1.0], ["red", 2.0], ["blue", 9.0]], dtype=object)
    about = {name: [f"{name}{row}" for row in range(3)] for name in ("a", "b", "c", "d")}
    explainer = CaseExplainer(train, [0, 0, 1], k=2, feature_names=["colour", "size"], metadata=about)
    lines = explainer.explain_instance(["green", 1.5], predicted_class=0).summary().splitlines()
    assert "  colour  green against blue  (differs)" in lines
    assert any("(case 0: a a0, b b0, c c0, …)" in line for line in lines)
    assert "Largest differences to the nearest case: colour green against red; size 1.5 against 1." in lines


def test_the_models_probability_of_the_predicted_class_is_told() -> None:
    shown = explanation(probabilities=np.array([[0.83, 0.17]]))
    assert ("probability", "83.0%") in side_notes(shown)
    assert "Also: probability 83.0%, prior lift" in shown.summary()


def test_hostile_names_do_not_break_the_lines_of_a_summary() -> None:
    explainer = CaseExplainer(X, [0, 0, 1, 1], k=1, feature_names=["a\nb", "\x1b[2J"], class_names=["x\ny", "z"])
    text = explainer.explain_instance([1.0, 11.0], predicted_class=0, true_class=1).summary()
    assert "Prediction: x\\ny (0), wrong: the true class is z (1)" in text
    assert "\\x1b[2J 11 against 10" in text
    assert "\x1b" not in text


def test_an_overview_in_words_counts_bands_truth_and_the_unfamiliar() -> None:
    overview = Overview(10, 6, 3, 1, 0.9, 8, 2, 0.95, 0.7, 1)
    assert summarise_overview(overview).splitlines() == [
        "10 predictions, mean correspondence 90.0%",
        "  high 6, medium 3, low 1",
        "  right 8, mean correspondence 95.0%",
        "  wrong 2, mean correspondence 70.0%",
        "  unfamiliar (out of distribution) 1",
        "Correspondence measures agreement with neighbours, not correctness; thresholds depend on the domain.",
    ]
    bare = overview._replace(right=None, wrong=None, unfamiliar=None)
    assert len(summarise_overview(bare).splitlines()) == 3
    assert "wrong 0\n" in summarise_overview(overview._replace(wrong=0, mean_correspondence_wrong=math.nan))
    assert summarise_overview(overview._replace(predictions=0)) == "No predictions."


def test_a_score_that_wrong_predictions_reach_too_is_warned_about() -> None:
    overview = Overview(40, 30, 5, 5, 0.76, 33, 7, 0.754, 0.769, 1)
    assert "high, medium and low say nothing about being right" in summarise_overview(overview)
    assert "Warning" not in summarise_overview(overview._replace(mean_correspondence_wrong=0.7))
    fine = overview._replace(mean_correspondence_wrong=0.7)
    assert "Warning" not in summarise_overview(fine._replace(identical=3))
    assert "4 of 40 queries are training rows" in summarise_overview(fine._replace(identical=4))
