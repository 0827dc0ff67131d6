"""What one model is worth on one data set under each set of rules, before it is ranked."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.core import InvalidInput, SubjectFailed
from assay.formula.answer.answer import FormulaAnswer
from assay.formula.competition.data import DataSet
from assay.formula.equivalence.check import equivalent
from assay.formula.equivalence.dependence import used_variables
from assay.formula.equivalence.symbolic import simplify, sympy_nodes, text_nodes
from assay.formula.examine.examination import SETTINGS, examine
from assay.formula.expression.expression import Apply, Expression, Number, Symbol, map_leaves, subtrees
from assay.formula.expression.parser import parse
from assay.formula.expression.program import table_values
from assay.formula.metrics import METRICS, competition_2022_accuracy, competition_2022_simplicity, r_squared

__all__ = ["FAILED", "Values", "competition_2022", "competition_2023", "property_values", "rounded_constants"]

_SIMPLIFY_SECONDS = 10.0
_SAME = frozenset({"identical", "offset", "factor"})
_SMALLEST = 1e-3


class Values(NamedTuple):
    """Higher is better in each; nan where a rule does not ask for it or the model has none."""

    accuracy: float
    simplicity: float
    property: float = math.nan
    trouble: str = ""


FAILED = Values(-math.inf, -math.inf, -math.inf)


def property_values(data: DataSet, answer: FormulaAnswer) -> Values:
    """Assay's own: R² on the test part, nodes of the simplified model, the score of the problem's property."""
    assert data.problem is not None
    try:
        evidence = examine(data.problem, answer, SETTINGS)
    except SubjectFailed as failure:
        return FAILED._replace(trouble=f"{failure.kind}: {failure}")
    scores = {metric.name: float(metric.function(evidence)) for metric in METRICS}
    size = scores["simplified_complexity"]
    trouble = "no formula: predictions have no size" if math.isnan(size) else ""
    return Values(scores["r2"], -size, scores["property_score"], trouble)


def competition_2022(data: DataSet, answer: FormulaAnswer) -> Values:
    """R² to three decimals; minus the logarithm of the simplified size; the property as that competition scored it.

    Re-discovery is 1 for a model that is the truth up to an additive constant or a factor, else 0. Local optima and
    features score the share of unwanted features that the model is free of. Extrapolation and noise are accuracy again.
    """
    tree, trouble = _read(data, answer)
    if tree is None:
        return FAILED._replace(trouble=trouble)
    with np.errstate(all="ignore"):
        error = float(np.mean(np.square(data.target - _predict(tree, data))))
    error = error if math.isfinite(error) else math.inf
    accuracy = competition_2022_accuracy(error, float(np.var(data.target)))
    shown = rounded_constants(simplify(tree, seconds=_SIMPLIFY_SECONDS).expression)
    nodes = sympy_nodes(shown, seconds=_SIMPLIFY_SECONDS) or shown.nodes
    return Values(accuracy, competition_2022_simplicity(nodes), _property_2022(data, tree, accuracy))


def _property_2022(data: DataSet, tree: Expression, accuracy: float) -> float:
    assert data.problem is not None
    truth = data.problem.truth
    if truth.property == "rediscovery" and truth.formula is not None:
        relation = equivalent(truth.formula, tree, domain=truth.domain, names=data.variables)
        return float(relation.verdict in _SAME)
    unwanted = {"local-optima": truth.surrogates, "features": truth.irrelevant}.get(truth.property)
    if unwanted:
        used = used_variables(tree, domain=truth.domain, names=data.variables)
        return (len(unwanted) - len(set(unwanted) & set(used))) / len(unwanted)
    return accuracy


def competition_2023(data: DataSet, answer: FormulaAnswer) -> Values:
    """R², not rounded, and minus the nodes that sympy holds for the model as it was submitted."""
    tree, trouble = _read(data, answer)
    if tree is None:
        return FAILED._replace(trouble=trouble)
    text = answer.fronts[data.part][0].formula
    nodes = None if _is_protected(tree) else text_nodes(text, data.variables, seconds=_SIMPLIFY_SECONDS)
    nodes = nodes or sympy_nodes(tree, seconds=_SIMPLIFY_SECONDS)
    note = "" if nodes is not None else "the size is Assay's own count: sympy knows no protected operation"
    return Values(r_squared(data.target, _predict(tree, data)), -float(nodes or tree.nodes), trouble=note)


def _is_protected(tree: Expression) -> bool:
    """Whether it is in the dialect of a library whose functions are others than sympy's of the same name."""
    return any(isinstance(node, Apply) and node.op.startswith("protected") for node in subtrees(tree))


def _read(data: DataSet, answer: FormulaAnswer) -> tuple[Expression | None, str]:
    if data.part >= len(answer.fronts):
        return None, f"missing answer: {len(answer.fronts)} lists of models, none for part {data.part}"
    formula = answer.fronts[data.part][0].formula
    try:
        return parse(formula, columns=data.variables), ""
    except InvalidInput as error:
        return None, f"unparsable formula: {error}"


def _predict(tree: Expression, data: DataSet) -> np.ndarray:
    return table_values(tree, data.variables, data.inputs)


def rounded_constants(expression: Expression) -> Expression:
    """Decimals to three places; those below a thousandth become 0, as the 2022 rules count sizes.

    >>> from assay.formula.expression.expression import to_text
    >>> to_text(rounded_constants(parse("1.23456*x + 0.0004*y + 2*z")))
    '1.235*x + 0*y + 2*z'
    """

    def rounded(leaf: Number | Symbol) -> Expression:
        if isinstance(leaf, Symbol) or isinstance(leaf.value, int):
            return leaf
        return Number(0) if abs(leaf.value) < _SMALLEST else Number(round(leaf.value, 3))

    return map_leaves(expression, rounded)
