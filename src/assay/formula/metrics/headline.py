"""The headline: the score of the property that a problem was made for, and the mean over properties."""

from __future__ import annotations

import math
from collections.abc import Mapping

from assay.core import InvalidInput, Metric, UnknownName
from assay.formula.examine.evidence import FormulaEvidence
from assay.formula.metrics import extrapolation, features, noise, rediscovery
from assay.formula.metrics.extrapolation import extrapolation_score
from assay.formula.metrics.reading import beyond, on_test, over_parts
from assay.formula.problem.task import OWN

__all__ = ["mean_property_score", "property_score"]


def property_score(property: str, scores: Mapping[str, float]) -> float:
    r"""The score of the property that a problem was made for, in [0, 1]; their mean is the headline.

    $$s_{\mathrm{property}(p)}$$

    Undefined (nan) where that score is.

    Parameters
    ----------
    property : str
        The property that the problem was made for.
    scores : mapping of str to float
        Scores by property.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Examples
    --------
    >>> property_score("noise", {"rediscovery": 0.4, "noise": 0.9})
    0.9
    """
    if property not in scores:
        raise UnknownName("property", property, scores)
    score = scores[property]
    if not (math.isnan(score) or 0 <= score <= 1):
        raise InvalidInput(f"the score of {property!r} must lie in [0, 1], got {score}.")
    return score


def mean_property_score(scores: Mapping[str, float]) -> float:
    r"""Mean of the property scores that are defined; undefined (nan) when none is.

    $$\frac{1}{|D|} \sum_{p \in D} s_p$$

    Parameters
    ----------
    scores : mapping of str to float
        Scores by property.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Examples
    --------
    >>> mean_property_score({"rediscovery": 1.0, "extrapolation": 0.5, "noise": float("nan")})
    0.75
    """
    for name, score in scores.items():
        if not (math.isnan(score) or 0 <= score <= 1):
            raise InvalidInput(f"the score of {name!r} must lie in [0, 1], got {score}.")
    defined = [score for score in scores.values() if not math.isnan(score)]
    return sum(defined) / len(defined) if defined else math.nan


# data of one's own has no truth: what can be judged is how the model does where it was not fitted
_OWN_BEYOND, _OWN_TEST = over_parts(beyond(extrapolation_score)), over_parts(on_test(extrapolation_score))

_METRIC_OF = {
    "rediscovery": "rediscovery",
    "local-optima": "surrogates_avoided",
    "features": "irrelevant_avoided",
    "extrapolation": "extrapolation",
    "noise": "noise_robustness",
}
_FUNCTIONS = {
    metric.name: metric.function
    for module in (rediscovery, features, extrapolation, noise)
    for metric in module.METRICS
}


def _property_score(evidence: FormulaEvidence) -> float:
    if evidence.property == OWN:
        function = _OWN_TEST if evidence.extrapolation_target is None else _OWN_BEYOND
    else:
        function = _FUNCTIONS[_METRIC_OF[evidence.property]]
    return property_score(evidence.property, {evidence.property: function(evidence)})


METRICS: tuple[Metric[FormulaEvidence], ...] = (Metric("property_score", _property_score, property_score, oracle=1.0),)
