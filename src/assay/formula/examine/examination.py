"""An answer confronted with the truth: formulas are read, computed and compared again; nothing claimed is believed."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from assay.core import InvalidInput, Problem, Settings, SubjectFailed
from assay.core.display import counted
from assay.formula.answer.answer import CHECKED_ROWS, FormulaAnswer, Model
from assay.formula.equivalence.certificate import POSITIVE, Equivalence, Verdict
from assay.formula.equivalence.check import equivalent
from assay.formula.equivalence.closeness import canonical_closeness
from assay.formula.equivalence.dependence import used_variables
from assay.formula.equivalence.symbolic import Simplified, simplify
from assay.formula.examine.evidence import FormulaEvidence, FrontModel, Judged, PartEvidence
from assay.formula.expression.canonical import canonical
from assay.formula.expression.expression import Expression, to_text
from assay.formula.expression.parser import parse
from assay.formula.expression.program import FloatArray, table_values
from assay.formula.metrics import bounded_r2, prediction_mismatch, r_squared
from assay.formula.problem.task import FormulaTask, FormulaTruth, Part, has_formula

__all__ = ["SETTINGS", "examine", "lacks", "oracle"]

SETTINGS: Settings = {
    "simplification": "sympy",  # or "canonical": one bounded pass that depends on no clock
    "simplify_seconds": 5.0,
    "equivalence_seconds": 5.0,
    "largest_mismatch": 0.01,  # between formula and predict(), in standard deviations of the target; beyond, a failure
}

_LARGEST_FRONT = 50  # models of a Pareto set that are looked at, beside the one the subject stands by
_RELATED = 0.9  # squared correlation with the truth below which a model of the set cannot be it
_LONGEST_QUOTE = 80
_LARGEST_SIMPLIFIED = 300  # nodes; sympy does not finish with more


def examine(problem: Problem[FormulaTask, FormulaTruth], answer: FormulaAnswer, settings: Settings) -> FormulaEvidence:
    """Read, compute and compare every model; an answer that cannot be used is the subject's failure, with a reason."""
    chosen = {**SETTINGS, **settings}
    if chosen["simplification"] not in ("sympy", "canonical"):
        raise InvalidInput(f"setting 'simplification' must be sympy or canonical, got {chosen['simplification']!r}.")
    task, truth = problem.task, problem.truth
    if len(answer.fronts) != len(task.parts):
        raise SubjectFailed(
            "malformed answer",
            f"{counted(len(answer.fronts), 'list')} of models for {counted(len(task.parts), 'training table')}; give "
            "one for each of task.parts, as FormulaAnswer(fronts=[['x'], ['x']]).",
        )
    parts = []
    for place, (part, front) in enumerate(zip(task.parts, answer.fronts, strict=True)):
        where = f"part {place} (noise {part.noise:.0%}): " if len(task.parts) > 1 else ""
        parts.append(_examine_part(task, truth, part, front, chosen, where))
    return FormulaEvidence(
        property=truth.property,
        truth=truth.formula,
        roles=truth.roles,
        test_target=truth.test_target,
        extrapolation_target=truth.extrapolation_target,
        parts=tuple(parts),
        truth_test=_truth_values(task, truth),
    )


def oracle(problem: Problem[FormulaTask, FormulaTruth]) -> FormulaAnswer:
    """The truth as an answer: its formula for every part, with its values on the first training rows."""
    truth, task = problem.truth, problem.task
    if truth.formula is None:
        raise InvalidInput(f"problem {problem.id!r} has no known formula, so there is no oracle; leave it out.")
    tree = parse(truth.formula, names=task.variables, dialect="plain")
    fronts = []
    for part in task.parts:
        values = table_values(tree, task.variables, part.inputs[:CHECKED_ROWS])
        fronts.append((Model(formula=truth.formula, predictions=values),))
    return FormulaAnswer(fronts=tuple(fronts))


def lacks(name: str, folder: Path) -> str:
    """Why the truth cannot answer the problem of a folder; "" where it can."""
    return "" if has_formula(folder) else "has no known formula"


def _truth_values(task: FormulaTask, truth: FormulaTruth) -> FloatArray | None:
    if truth.formula is None:
        return None
    return table_values(parse(truth.formula, names=task.variables, dialect="plain"), task.variables, truth.test_inputs)


def _examine_part(
    task: FormulaTask, truth: FormulaTruth, part: Part, front: tuple[Model, ...], settings: Settings, where: str
) -> PartEvidence:
    first = front[0]
    if first.test_predictions is not None:
        return _by_predictions(truth, part, first.test_predictions, where)
    try:
        tree = parse(first.formula, columns=task.variables)
    except InvalidInput as error:
        raise SubjectFailed("unparsable formula", f"{where}{_quote(first.formula)}: {error}") from None
    test = table_values(tree, task.variables, truth.test_inputs)
    if not np.isfinite(test).any():
        raise SubjectFailed(
            "undefined formula",
            f"{where}{_quote(first.formula)} has no finite real value at any of the {len(test)} test points.",
        )
    fitted = table_values(tree, task.variables, part.inputs)
    _demand_agreement(first, fitted[:CHECKED_ROWS], part, settings, where)
    simple = _simplify(tree, settings)
    equivalence = None if truth.formula is None else _compare(task, truth, tree, simple, settings)
    model = Judged(
        formula=first.formula,
        expression=tree,
        simplified=simple.expression,
        simplification=simple.method if not simple.reason else f"{simple.method}: {simple.reason}",
        used=used_variables(tree, domain=truth.domain, names=task.variables),
        train_r2=r_squared(part.target, fitted) if len(part.target) > 1 else math.nan,
        equivalence=equivalence,
        said=first.predictions,
        computed=None if first.predictions is None else fitted[:CHECKED_ROWS],
    )
    beyond = truth.extrapolation_inputs
    verdict = None if equivalence is None else equivalence.verdict
    return PartEvidence(
        noise=part.noise,
        model=model,
        test=test,
        extrapolation=None if beyond is None else table_values(tree, task.variables, beyond),
        front=(
            FrontModel(first.formula, tree.nodes, bounded_r2(truth.test_target, test), verdict),
            *(_front_model(task, truth, other, settings) for other in front[1 : _LARGEST_FRONT + 1]),
        ),
        target=part.target[:CHECKED_ROWS],
    )


def _by_predictions(truth: FormulaTruth, part: Part, predicted: FloatArray, where: str) -> PartEvidence:
    """A model without a formula, where no law is asked for: what it predicts of the test rows is all there is."""
    if truth.formula is not None:
        raise SubjectFailed("no formula", f"{where}only predictions were given, and the problem asks for a formula.")
    rows = len(truth.test_target)
    if len(predicted) != rows:
        raise SubjectFailed("wrong length", f"{where}{len(predicted)} test predictions for {rows} test rows.")
    if not np.isfinite(predicted).any():
        raise SubjectFailed("undefined formula", f"{where}no test prediction is a finite number.")
    unknown = Judged(
        formula="", expression=None, simplified=None, simplification="", used=(), train_r2=math.nan, equivalence=None
    )
    return PartEvidence(
        noise=part.noise,
        model=unknown,
        test=predicted,
        extrapolation=None,
        front=(),
        target=part.target[:CHECKED_ROWS],
    )


def _quote(formula: str) -> str:
    return repr(formula if len(formula) <= _LONGEST_QUOTE else f"{formula[:_LONGEST_QUOTE]}...")


def _demand_agreement(model: Model, computed: FloatArray, part: Part, settings: Settings, where: str) -> None:
    """Predictions of the right length that are those of the formula."""
    predictions, rows = model.predictions, len(computed)
    if predictions is None:
        return
    if len(predictions) != rows:
        raise SubjectFailed("wrong length", f"{where}{len(predictions)} predictions for {rows} training rows.")
    apart = prediction_mismatch(predictions, computed, part.target[:CHECKED_ROWS])
    if apart > float(settings["largest_mismatch"]):
        raise SubjectFailed(
            "formula disagrees with predict()",
            f"{where}the values of {_quote(model.formula)} differ from the subject's own predictions by {apart:.3g} "
            f"standard deviations of the target on {rows} training rows; {settings['largest_mismatch']} are allowed.",
        )


def _simplify(tree: Expression, settings: Settings) -> Simplified:
    method, seconds = str(settings["simplification"]), float(settings["simplify_seconds"])
    return _simplified(tree, to_text(tree), method, seconds)


@lru_cache(maxsize=256)
def _simplified(tree: Expression, text: str, method: str, seconds: float) -> Simplified:
    """The text tells 2 from 2.0: equal as numbers, and so as trees, but not to sympy."""
    if method == "canonical":
        return Simplified(canonical(tree), "canonical")
    if tree.nodes > _LARGEST_SIMPLIFIED:
        return Simplified(canonical(tree), "canonical", f"more than {_LARGEST_SIMPLIFIED} nodes")
    simplified = simplify(tree, seconds=seconds)
    # what sympy writes out may be larger than what was given
    return simplified if simplified.expression.nodes <= tree.nodes else simplified._replace(expression=tree)


def _compare(
    task: FormulaTask, truth: FormulaTruth, model: Expression, simplified: Simplified, settings: Settings
) -> Equivalence:
    """The verdict on the problem's own domain, with the closeness of the simplified trees."""
    assert truth.formula is not None
    tree = parse(truth.formula, names=task.variables, dialect="plain")
    result = equivalent(
        tree,
        model,
        domain=truth.domain,
        names=task.variables,
        seconds=float(settings["equivalence_seconds"]),
    )
    if result.verdict in POSITIVE or settings["simplification"] == "canonical":
        return result
    simple = _simplify(tree, settings)
    notes = result.notes
    if simple.method != "sympy" or simplified.method != "sympy":
        notes = (*notes, "the closeness uses canonical forms where sympy did not finish")
    return replace(result, closeness=canonical_closeness(simple.expression, simplified.expression), notes=notes)


def _front_model(task: FormulaTask, truth: FormulaTruth, other: Model, settings: Settings) -> FrontModel:
    try:
        tree = parse(other.formula, columns=task.variables)
    except InvalidInput as error:
        return FrontModel(other.formula[:_LONGEST_QUOTE], 0, math.nan, None, str(error))
    test = table_values(tree, task.variables, truth.test_inputs)
    if not np.isfinite(test).any():
        return FrontModel(other.formula, tree.nodes, math.nan, None, "no finite real value at any test point")
    verdict: Verdict | None = None
    if truth.formula is not None and not _is_related(truth.test_target, test):
        verdict = "different"
    elif truth.formula is not None:
        seconds = float(settings["equivalence_seconds"])
        result = equivalent(truth.formula, tree, domain=truth.domain, names=task.variables, seconds=seconds)
        verdict = result.verdict
    return FrontModel(other.formula, tree.nodes, bounded_r2(truth.test_target, test), verdict)


def _is_related(target: FloatArray, values: FloatArray) -> bool:
    """Whether a shift and a scale could carry one to the other; what has no value everywhere is looked at closely."""
    if not np.isfinite(values).all() or np.ptp(target) == 0:
        return True
    with np.errstate(all="ignore"):
        a, b = target - target.mean(), values - values.mean()
        size = float(a @ a) * float(b @ b)
        return not (0 < size < math.inf) or float(a @ b) ** 2 > _RELATED * size
