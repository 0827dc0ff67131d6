"""Answers confronted with truths: what is found out, and what becomes of bad ones."""

from __future__ import annotations

import importlib
import json
import math
import time
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from assay.core import InvalidInput, Problem, SubjectFailed, plain
from assay.formula import TRACK, FormulaAnswer, FormulaTask, FormulaTruth, Model, load
from assay.formula.problem.task import Part
from assay.formula.problem.user_table import write_table_problem

FormulaProblem = Problem[FormulaTask, FormulaTruth]
QUICK = {**TRACK.settings, "simplification": "canonical"}


def problem(formula: str | None = "x**2 + 3*w", **changes: Any) -> FormulaProblem:
    rng = np.random.default_rng(3)
    inputs, test = rng.uniform(1, 3, size=(150, 3)), rng.uniform(1, 3, size=(60, 3))
    target = inputs[:, 0] ** 2 + 3 * inputs[:, 1]
    truth: dict[str, Any] = {
        "formula": formula,
        "property": "rediscovery",
        "domain": dict.fromkeys(("x", "w", "u"), (1.0, 3.0)),
        "test_inputs": test,
        "test_target": test[:, 0] ** 2 + 3 * test[:, 1],
        "roles": {"x": "relevant", "w": "relevant", "u": "irrelevant"},
        **changes,
    }
    task = FormulaTask(
        name="p", variables=("x", "w", "u"), target="y", parts=(Part(noise=0.0, inputs=inputs, target=target),)
    )
    return Problem(id="p", digest="d", task=task, truth=FormulaTruth(**truth))


def scores(judged_problem: FormulaProblem, *models: Model | str, settings: Any = QUICK) -> dict[str, float]:
    evidence = TRACK.examine(judged_problem, FormulaAnswer.of(*models), settings)
    assert plain(TRACK.details(evidence)) is not None
    return {metric.name: metric.function(evidence) for metric in TRACK.metrics}


def failure(judged_problem: FormulaProblem, *models: Model | str, settings: Any = QUICK) -> SubjectFailed:
    with pytest.raises(SubjectFailed) as caught:
        TRACK.examine(judged_problem, FormulaAnswer.of(*models), settings)
    return caught.value


def test_a_found_formula_scores_one_and_its_size_is_counted() -> None:
    result = scores(problem(), "x*x + w*3")
    assert (result["rediscovery"], result["solved"], result["undecided"]) == (1.0, 1.0, 0.0)
    assert (result["complexity"], result["depth"]) == (7.0, 3.0)
    assert result["rediscovery_clean"] == 1.0
    assert math.isnan(result["rediscovery_noisy"])
    assert result["relevant_share"] == 1.0


def test_another_formula_is_close_at_most() -> None:
    result = scores(problem(), "x**2 + 2*w + u")
    assert 0 < result["rediscovery"] < 1
    assert result["solved"] == 0.0
    assert result["irrelevant_avoided"] == 0.0
    assert result["relevant_share"] == pytest.approx(2 / 3)
    assert 0 < result["behavioural_distance"] < 1


def test_columns_may_be_counted_and_dead_variables_are_not_used() -> None:
    assert scores(problem(), "add(mul(X0, X0), mul(3, X1))")["solved"] == 1.0
    assert scores(problem(), "x**2 + 3*w + u - u")["irrelevant_avoided"] == 1.0


def test_a_constant_model_avoids_nothing() -> None:
    result = scores(problem(), "9.1")
    assert result["irrelevant_avoided"] == 0.0
    assert math.isnan(result["relevant_share"])


def test_sympy_simplifies_in_a_bounded_time_and_says_so() -> None:
    model = "(x**2 + 3*w)*(sin(u)**2 + cos(u)**2)"
    evidence = TRACK.examine(problem(), FormulaAnswer.of(model), TRACK.settings)
    (part,) = evidence.parts
    assert part.model.simplification == "sympy"
    assert part.model.simplified is not None
    assert part.model.expression is not None
    assert part.model.simplified.nodes <= 7 < part.model.expression.nodes
    slow = TRACK.examine(problem(), FormulaAnswer.of(model + " + tan(x)"), {**TRACK.settings, "simplify_seconds": 1e-4})
    assert slow.parts[0].model.simplification.startswith("canonical: no reply within")
    assert "sympy did not finish" in str(TRACK.details(slow)["parts"])


def test_a_long_model_is_not_given_to_sympy() -> None:
    model = " + ".join(f"{k}.5*sin({k}*x)" for k in range(1, 70))
    evidence = TRACK.examine(problem(), FormulaAnswer.of(model), TRACK.settings)
    assert evidence.parts[0].model.simplification == "canonical: more than 300 nodes"


def test_an_unknown_way_to_simplify_is_refused() -> None:
    with pytest.raises(InvalidInput, match="must be sympy or canonical"):
        TRACK.examine(problem(), FormulaAnswer.of("x"), {**TRACK.settings, "simplification": "magic"})


def test_long_tables_are_computed_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    judged_problem = problem()
    whole = [part.test for part in TRACK.examine(judged_problem, FormulaAnswer.of("sin(x)*w + 2"), QUICK).parts]
    monkeypatch.setattr(importlib.import_module("assay.formula.expression.program"), "_BLOCK", 50)
    blocks = [part.test for part in TRACK.examine(judged_problem, FormulaAnswer.of("sin(x)*w + 2"), QUICK).parts]
    assert np.array_equal(whole, blocks)
    assert scores(judged_problem, "x**2 + 3*w")["r2"] == 1.0


# bad input


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("x +", "ends where a value is expected"),
        ("x + (w", "never closed"),
        ("__import__('os').system('true')", "formula"),
        ("foo(x)", "No function named 'foo'"),
        ("x + speed", "No variable named 'speed'"),
        ("x7 + x8", "only 3 variables"),
    ],
)
def test_an_unparsable_string_or_unknown_variable_is_a_failure_with_its_reason(formula: str, reason: str) -> None:
    result = failure(problem(), formula)
    assert result.kind == "unparsable formula"
    assert reason in str(result)


@pytest.mark.parametrize("formula", ["x/(w - w)", "nan", "log(-x)", "sqrt(-1 - x**2)", "1/0", "zoo*x", "I*x"])
def test_a_model_without_a_value_anywhere_is_a_failure_with_its_reason(formula: str) -> None:
    result = failure(problem(), formula)
    assert result.kind == "undefined formula"
    assert "no finite real value at any of the 60 test points" in str(result)


def test_a_model_without_a_value_at_some_points_is_undefined_there_and_gets_the_lowest_quality() -> None:
    result = scores(problem(), "x**2 + 3*w + 0*sqrt(x - 2)")
    assert (result["r2"], result["nmse"], result["accurate"], result["solved"]) == (-1.0, 2.0, 0.0, 0.0)


@pytest.mark.parametrize("size", [20_000, 1_000_000])
def test_a_million_nodes_are_a_failure_at_once(size: int) -> None:
    started = time.process_time()
    result = failure(problem(), "+".join(["x"] * size))
    assert result.kind == "unparsable formula"
    assert time.process_time() - started < 5


def test_predictions_of_the_wrong_length_are_a_failure() -> None:
    result = failure(problem(), Model(formula="x", predictions=np.zeros(7)))
    assert (result.kind, str(result)) == ("wrong length", "7 predictions for 100 training rows.")


def test_a_formula_that_disagrees_with_predict_is_a_failure_unless_the_limit_is_lifted() -> None:
    judged_problem = problem()
    right = judged_problem.task.parts[0].target[:100]
    model = Model(formula="x**2 + 3*w", predictions=right + 1.0)
    result = failure(judged_problem, model)
    assert result.kind == "formula disagrees with predict()"
    assert "standard deviations of the target" in str(result)
    lifted = scores(judged_problem, model, settings={**QUICK, "largest_mismatch": 1e9})
    assert lifted["prediction_mismatch"] == pytest.approx(1.0 / np.std(right))
    assert lifted["solved"] == 1.0
    assert scores(judged_problem, Model(formula="x**2 + 3*w", predictions=right))["prediction_mismatch"] < 1e-12


def test_predictions_that_have_no_value_where_the_formula_has_one_disagree() -> None:
    result = failure(problem(), Model(formula="x", predictions=np.full(100, np.nan)))
    assert result.kind == "formula disagrees with predict()"


def test_one_list_of_models_is_needed_for_every_training_table() -> None:
    with pytest.raises(SubjectFailed, match="2 lists of models for 1 training table"):
        TRACK.examine(problem(), FormulaAnswer(fronts=(("x",), ("x",))), QUICK)  # type: ignore[arg-type]


# several models


def test_a_pareto_set_is_judged_beside_the_model_the_subject_stands_by() -> None:
    judged_problem = problem()
    evidence = TRACK.examine(judged_problem, FormulaAnswer.of("x**2", "x**2 + 3*w", "x +", "1/(x - x)", "5*w"), QUICK)
    result = {metric.name: metric.function(evidence) for metric in TRACK.metrics}
    assert (result["solved"], result["solved_in_front"]) == (0.0, 1.0)
    described: Any = TRACK.details(evidence)
    (part,) = described["parts"]
    assert [entry["formula"] for entry in part["front"]] == ["x**2", "x**2 + 3*w", "5*w"]
    assert [entry["verdict"] for entry in part["front"]] == ["different", "identical", "different"]
    assert len(part["left_out"]) == 2
    assert {entry["formula"]: entry["best"] for entry in part["front"]}["x**2 + 3*w"] is True


def test_a_single_broken_model_of_a_pareto_set_harms_nothing() -> None:
    assert scores(problem(), "x**2 + 3*w", "nonsense(")["solved"] == 1.0


def test_a_model_of_a_pareto_set_is_found_behind_any_shift_and_scale() -> None:
    judged_problem = problem()
    assert scores(judged_problem, "u", "7 - 2*(x**2 + 3*w)")["solved_in_front"] == 1.0
    assert scores(judged_problem, "u", "x**2 + 3*w + sqrt(x - 2)*0")["solved_in_front"] == 0.0
    assert scores(judged_problem, "u", "u", "9")["solved_in_front"] == 0.0


def test_only_the_first_fifty_models_of_a_pareto_set_are_looked_at() -> None:
    many = [f"{k}.5*u" for k in range(50)]
    assert scores(problem(), "u", *many[:49], "x**2 + 3*w")["solved_in_front"] == 1.0
    assert scores(problem(), "u", *many, "x**2 + 3*w")["solved_in_front"] == 0.0


def test_a_record_says_what_a_protected_formula_is_and_what_it_does() -> None:
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.uniform(1, 2, 80), rng.uniform(-1, 1, 80), rng.uniform(1, 2, 80)])
    rows[::20, 1] = 1e-5  # where gplearn's division gives 1
    box = {"x": (1.0, 2.0), "w": (-1.0, 1.0), "u": (1.0, 2.0)}
    judged_problem = problem("x/w", domain=box, test_inputs=rows, test_target=rows[:, 0] / rows[:, 1])
    evidence = TRACK.examine(judged_problem, FormulaAnswer.of("div(x, w)"), TRACK.settings)
    (part,) = cast(list[dict[str, Any]], TRACK.details(evidence)["parts"])
    assert part["verdict"] == "identical"
    assert part["test_r2"] < 0.1
    assert any("as a program it parts from the truth" in note for note in part["notes"])
    assert part["simplification"] == "canonical: sympy has no protected_div"
    assert "KeyError" not in json.dumps(part)


# data of one's own


def test_own_data_are_judged_by_accuracy_complexity_and_extrapolation_only(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [f"{x!r},{x * x!r}" for x in rng.uniform(0, 4, size=80).tolist()]
    (tmp_path / "own.csv").write_text("\n".join(["x,y", *rows]))
    write_table_problem(tmp_path / "p", tmp_path / "own.csv", target="y", box={"x": (0.0, 3.0)})
    judged_problem = load(tmp_path / "p")
    result = scores(judged_problem, "x**2")
    defined = {name for name, value in result.items() if not math.isnan(value)}
    assert defined == {
        "property_score", "plain_property_score", "r2", "nmse", "accurate", "extrapolation", "extrapolation_r2",
        "behavioural_distance", "complexity", "simplified_complexity", "depth",
    }  # fmt: skip
    assert result["extrapolation"] == result["property_score"] == 1.0
    assert scores(judged_problem, "9*x**2")["extrapolation_r2"] == -1.0
    with pytest.raises(InvalidInput, match="no known formula"):
        TRACK.oracle(judged_problem)


def test_failed_subjects_get_floors_where_the_score_exists(tmp_path: Path) -> None:
    judged_problem = problem()
    floors = {metric.name: metric.floor_for(judged_problem) for metric in TRACK.metrics}
    assert floors["property_score"] == floors["rediscovery"] == floors["irrelevant_avoided"] == 0.0
    assert floors["r2"] == -1.0
    for name in ("extrapolation", "noise_robustness", "surrogates_avoided", "rediscovery_noisy", "complexity"):
        assert math.isnan(floors[name]), name


def test_a_model_without_a_formula_is_judged_by_its_predictions_alone() -> None:
    own = problem(None, property="own", roles={})
    near = own.truth.test_target + 0.01
    result = scores(own, Model(test_predictions=near))
    assert result["r2"] == pytest.approx(1.0, abs=1e-3)
    assert result["property_score"] == pytest.approx(result["r2"])
    defined = {name for name, value in result.items() if not math.isnan(value)}
    assert not defined & {"complexity", "simplified_complexity", "depth", "rediscovery", "irrelevant_avoided"}


def test_predictions_answer_no_problem_that_asks_for_a_law() -> None:
    own_problem = problem()
    assert failure(own_problem, Model(test_predictions=own_problem.truth.test_target)).kind == "no formula"
    own = problem(None, property="own", roles={})
    assert failure(own, Model(test_predictions=np.ones(1))).kind == "wrong length"
    assert "finite" in str(failure(own, Model(test_predictions=np.full(60, np.nan))))


def test_a_size_does_not_depend_on_what_was_examined_before() -> None:
    whole, decimal = "x**2*w + sqrt(x)**2", "x**2.0*w + sqrt(x)**2.0"  # equal as trees, but not to sympy
    result = [
        scores(problem(), text, settings=TRACK.settings)["simplified_complexity"] for text in (whole, decimal, whole)
    ]
    assert result == [7.0, 9.0, 7.0]
