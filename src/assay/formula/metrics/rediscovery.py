"""Whether the formula was found, how large it is, and the mean of the properties."""

from __future__ import annotations

import math
from collections.abc import Mapping

from assay.core import InvalidInput, UnknownName
from assay.formula.equivalence.certificate import POSITIVE, VERDICTS, Verdict
from assay.formula.expression.expression import Expression

__all__ = ["complexity", "depth", "mean_property_score", "rediscovery_score"]

_ALMOST = 0.99


def rediscovery_score(verdict: Verdict, closeness: float = 0.0) -> float:
    r"""1 for a formula that was found, up to constants; else how close its tree comes, at most 0.99.

    $$\begin{cases} 1 & \text{identical, offset, factor, affine, form} \\
    \min(0.99, \text{closeness}) & \text{else} \end{cases}$$

    An undecided verdict counts by its closeness; its rate is published beside the score.

    >>> rediscovery_score("form"), rediscovery_score("different", 0.75), rediscovery_score("undecided", 1.0)
    (1.0, 0.75, 0.99)
    """
    if verdict not in VERDICTS:
        raise UnknownName("verdict", verdict, VERDICTS)
    if not 0 <= closeness <= 1:
        raise InvalidInput(f"closeness lies in [0, 1], got {closeness}.")
    return 1.0 if verdict in POSITIVE else min(_ALMOST, closeness)


def complexity(expression: Expression) -> int:
    r"""The nodes of the tree: operations, variables and numbers; a sum or product of several terms is one operation.

    $$|f| = 1 + \sum_{a \in \mathrm{args}(f)} |a|$$

    >>> from assay.formula.expression.parser import parse
    >>> complexity(parse("2*x + y")), complexity(parse("x"))
    (5, 1)
    """
    return expression.nodes


def depth(expression: Expression) -> int:
    r"""The longest way from the root of the tree to a leaf, in nodes.

    $$d(f) = 1 + \max_{a \in \mathrm{args}(f)} d(a)$$

    >>> from assay.formula.expression.parser import parse
    >>> depth(parse("2*x + y"))
    3
    """
    return expression.depth


def mean_property_score(scores: Mapping[str, float]) -> float:
    r"""Mean of the property scores that are defined; undefined (nan) when none is.

    $$\frac{1}{|D|} \sum_{p \in D} s_p$$

    >>> mean_property_score({"rediscovery": 1.0, "extrapolation": 0.5, "noise": float("nan")})
    0.75
    """
    for name, score in scores.items():
        if not (math.isnan(score) or 0 <= score <= 1):
            raise InvalidInput(f"the score of {name!r} must lie in [0, 1], got {score}.")
    defined = [score for score in scores.values() if not math.isnan(score)]
    return sum(defined) / len(defined) if defined else math.nan
