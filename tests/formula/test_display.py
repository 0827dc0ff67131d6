"""Formulas, equivalences, answers and judgements as a terminal and a notebook show them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.display import HOSTILE, check_display

from assay.formula import FormulaAnswer, FormulaTask, FormulaTruth, Judgement, Model, equivalent, parse
from assay.formula.competition.judging import Entry
from assay.formula.expression.expression import Number, Symbol, add
from assay.formula.problem.task import Part


def test_a_formula_is_text_in_a_terminal_and_typeset_in_a_notebook() -> None:
    tree = parse("2.5*x1**2/y")
    assert repr(tree) == "Apply(2.5*x1**2/y, 7 nodes)"
    assert "<mfrac>" in check_display(tree)
    assert (repr(Number(2)), repr(Symbol("x"))) == ("Number(2)", "Symbol(x)")


def test_a_huge_formula_shows_its_beginning_and_its_size() -> None:
    tree = add(*(Symbol(f"x{number}") for number in range(9000)))
    check_display(tree, says="(9001 nodes)")
    assert repr(tree).endswith("…, 9001 nodes)")


def test_a_variable_with_a_hostile_name_is_harmless() -> None:
    check_display(add(Symbol(HOSTILE), Number(1)))


@pytest.mark.parametrize(
    ("truth", "model", "says"),
    [
        ("k*x", "0.5*k*x + 3", "up to a constant factor and an additive constant"),
        ("x + y", "x - y", "the model is another function"),
        ("exp(-x**2/2)", "exp(-0.503*x**2)", "constant -0.503 -> -0.5"),
        ("x", "x +" + HOSTILE, "the model cannot be read"),
    ],
)
def test_an_equivalence_says_verdict_and_grounds_beside_both_formulas(truth: str, model: str, says: str) -> None:
    equivalence = equivalent(truth, model)
    html = check_display(equivalence, says=says)
    assert html.count("<math") == (2 if equivalence.model is not None else 1)
    assert equivalence.verdict in repr(equivalence)


def test_the_formulas_of_an_equivalence_count_for_nothing_in_comparisons_and_files() -> None:
    one, two = equivalent("x", "2*x"), equivalent("y", "2*y", domain={"y": (1, 5)})
    assert one.truth != two.truth
    assert "truth" not in one.to_json()
    assert not {field for field in ("truth", "model") if field in one.to_json()}


def test_answers_and_models_show_their_formulas() -> None:
    answer = FormulaAnswer(fronts=[["x**2", HOSTILE], ["y" * 3000]])  # type: ignore[arg-type]  # texts become models
    assert "<msup>" in check_display(answer, says="3 models for 2 parts")
    assert repr(answer).startswith("FormulaAnswer('x**2', 'yyy")
    check_display(Model(formula=HOSTILE, predictions=np.ones(3)))
    assert repr(Model(formula="x", predictions=np.ones(3))) == "Model('x', 3 predictions)"


def test_a_task_and_its_truth_show_their_sizes() -> None:
    part = Part(noise=0.1, inputs=np.ones((50, 20)), target=np.ones(50))
    names = (*(f"x{number}" for number in range(19)), HOSTILE)
    task = FormulaTask(name=HOSTILE, variables=names, target=HOSTILE, parts=(part, part))
    check_display(task, says="100 training rows in 2 tables")
    assert "from 20 variables" in repr(task)
    roles = dict.fromkeys(names, "irrelevant")
    truth = FormulaTruth(
        formula="x1**2",
        property="features",
        domain={},
        test_inputs=part.inputs,
        test_target=part.target,
        roles=roles,  # type: ignore[arg-type]
    )
    assert "<msubsup>" in check_display(truth, says="features")


def test_a_judgement_lists_the_scores_best_first() -> None:
    entries = tuple(Entry("square", name, {"accuracy": 1.0}, {"accuracy": 1}, "") for name in ("ann", HOSTILE))
    judgement = Judgement(preset="property", scores={"ann": 2.0, HOSTILE: 1.0}, entries=entries)
    check_display(judgement, says="2 subjects, 1 data set; first ann 2.0000")
