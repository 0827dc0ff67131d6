"""What else is said of a model: how far its values are, how large it is, and whether it is what it claims to be."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput, Metric, UnknownName
from assay.formula.equivalence.certificate import VERDICTS, Verdict
from assay.formula.equivalence.comparison import unit_of
from assay.formula.examine.evidence import FormulaEvidence, Judged, PartEvidence
from assay.formula.expression.expression import Expression
from assay.formula.metrics.accuracy import nmse
from assay.formula.metrics.reading import by_verdict, floor_where, has_truth, on_test, over_parts

__all__ = ["behavioural_distance", "complexity", "depth", "prediction_mismatch", "undecided"]


def behavioural_distance(truth: npt.ArrayLike, model: npt.ArrayLike) -> float:
    r"""Root mean square of the difference in standard deviations of the truth, at most 1.

    $$\min\left(1,\; \frac{\sqrt{\frac{1}{n} \sum_i (t_i - m_i)^2}}{\mathrm{sd}(t)}\right)$$

    1 where the model has no value.

    Parameters
    ----------
    truth : array-like of shape (n,)
        The values of the truth.
    model : array-like of shape (n,)
        The values of the model at the same points.

    Returns
    -------
    float
        A number from 0 to 1.

    Examples
    --------
    >>> behavioural_distance([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), behavioural_distance([1.0, 2.0, 3.0], [9.0, 9.0, 9.0])
    (0.0, 1.0)
    """
    share = nmse(truth, model)
    return share if math.isnan(share) else min(1.0, math.sqrt(share))


def complexity(expression: Expression) -> int:
    r"""The nodes of the tree: operations, variables and numbers; a sum or product of several terms is one operation.

    $$|f| = 1 + \sum_{a \in \mathrm{args}(f)} |a|$$

    Parameters
    ----------
    expression : Expression
        The formula as a tree.

    Returns
    -------
    int
        The number of nodes, at least 1.

    Examples
    --------
    >>> from assay.formula.expression.parser import parse
    >>> complexity(parse("2*x + y")), complexity(parse("x"))
    (5, 1)
    """
    return expression.nodes


def depth(expression: Expression) -> int:
    r"""The longest way from the root of the tree to a leaf, in nodes.

    $$d(f) = 1 + \max_{a \in \mathrm{args}(f)} d(a)$$

    Parameters
    ----------
    expression : Expression
        The formula as a tree.

    Returns
    -------
    int
        The number of levels, at least 1.

    Examples
    --------
    >>> from assay.formula.expression.parser import parse
    >>> depth(parse("2*x + y"))
    3
    """
    return expression.depth


def undecided(verdict: Verdict) -> float:
    r"""1 where the comparison with the truth reached its limits, else 0; the mean over problems is the undecided rate.

    $$[v = \text{undecided}]$$

    Parameters
    ----------
    verdict : str
        A verdict of ``equivalent``.

    Returns
    -------
    float
        1.0 or 0.0.

    Examples
    --------
    >>> undecided("undecided"), undecided("different")
    (1.0, 0.0)
    """
    if verdict not in VERDICTS:
        raise UnknownName("verdict", verdict, VERDICTS)
    return float(verdict == "undecided")


def prediction_mismatch(said: npt.ArrayLike, computed: npt.ArrayLike, target: npt.ArrayLike) -> float:
    r"""How far the subject's own predictions lie from the values of its formula, in standard deviations of the target.

    $$\frac{\sqrt{\frac{1}{n} \sum_i (p_i - f(x_i))^2}}{\mathrm{sd}(y)}$$

    over the n rows on which both have a value: 0 without any, and infinite where only one of the two has a value. For
    a target that does not vary the scale is its size, for one of zeros 1.

    Parameters
    ----------
    said : array-like of shape (n,)
        What the subject's own ``predict`` says.
    computed : array-like of shape (n,)
        The values of its formula on the same rows.
    target : array-like
        The training targets, for the scale.

    Returns
    -------
    float
        At least 0; may be infinite.

    Examples
    --------
    >>> prediction_mismatch([1.0, 2.0], [1.0, 2.0], [0.0, 5.0])
    0.0
    >>> prediction_mismatch([1.0, 2.0], [1.0, float("nan")], [0.0, 5.0])
    inf
    """
    p, f, y = (np.asarray(values, dtype=np.float64) for values in (said, computed, target))
    if p.ndim != 1 or p.shape != f.shape or not len(p):
        raise InvalidInput(f"said and computed must be two lists of one length, got shapes {p.shape} and {f.shape}.")
    here, there = np.isfinite(p), np.isfinite(f)
    if (here != there).any():
        return math.inf
    if not here.any():
        return 0.0
    size = max(unit_of(p[here]), unit_of(f[here]))
    apart = p[here] / size - f[here] / size  # scaled first: large differences overflow
    largest = float(np.max(np.abs(apart)))
    if largest == 0.0:
        return 0.0
    unit = unit_of(y)
    varies = len(y) > 0 and y.min() < y.max()
    spread = float(np.std(y / unit)) * unit if varies else float(np.max(np.abs(y), initial=0.0)) or 1.0
    # scaled again: so are their squares, which underflow where the differences are small
    return largest * float(np.sqrt(np.mean(np.square(apart / largest)))) * (size / spread)


def _mismatch(evidence: FormulaEvidence, part: PartEvidence) -> float:
    if part.model.said is None or part.model.computed is None:
        return math.nan
    return prediction_mismatch(part.model.said, part.model.computed, part.target)


def _of_tree(
    name: str, measure: Callable[[Expression], float], tree_of: Callable[[Judged], Expression | None]
) -> Metric[FormulaEvidence]:
    """A measure of one of the model's trees, undefined without a formula."""

    def of_part(evidence: FormulaEvidence, part: PartEvidence) -> float:
        tree = tree_of(part.model)
        return math.nan if tree is None else measure(tree)

    return Metric(name, over_parts(of_part), measure, goal="min", floor=math.nan)


METRICS: tuple[Metric[FormulaEvidence], ...] = (
    Metric(
        "behavioural_distance",
        over_parts(on_test(behavioural_distance)),
        behavioural_distance,
        goal="min",
        floor=1.0,
        oracle=0.0,
        tolerance=1e-6,
    ),
    _of_tree("complexity", complexity, lambda model: model.expression),
    _of_tree("simplified_complexity", complexity, lambda model: model.simplified),
    _of_tree("depth", depth, lambda model: model.expression),
    Metric(
        "undecided",
        over_parts(by_verdict(undecided)),
        undecided,
        goal="min",
        floor=floor_where(0.0, has_truth),
        oracle=0.0,
        flag="undecided",
    ),
    Metric("prediction_mismatch", over_parts(_mismatch), prediction_mismatch, goal="min", floor=math.nan),
)
