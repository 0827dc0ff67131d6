"""The headline: the score of the property that a problem was made for, and the mean over properties."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from assay.core import InvalidInput, Metric, UnknownName
from assay.formula.equivalence.certificate import POSITIVE
from assay.formula.examine.evidence import FormulaEvidence, PartEvidence
from assay.formula.metrics import extrapolation, features, noise, rediscovery
from assay.formula.metrics.accuracy import explained_of_part
from assay.formula.metrics.extrapolation import extrapolation_score
from assay.formula.metrics.reading import beyond, mean_of_defined, on_test, over_parts
from assay.formula.problem.task import OWN

__all__ = ["mean_property_score", "plain_property_score", "property_score"]

# of what the truth explains on test rows; as much as the surrogates of the local-optima problems explain, and more than
# a line in one variable does (docs/decisions)
ENOUGH = 0.9


def property_score(property: str, scores: Mapping[str, float], *, explained: float = 1.0) -> float:
    r"""The score of the property a problem was made for, 0 if the model explains too little; its mean is the headline.

    $$\begin{cases} s_{\mathrm{property}(p)} & \text{explained share} \ge 0.9 \\ 0 & \text{else} \end{cases}$$

    A property is worth nothing in a model that explains less than nine tenths of what the truth explains on the test
    rows (``explained_share``): a constant avoids every feature and keeps its quality in any noise. The track gives a
    formula that was re-discovered a share of 1, whatever its constants leave, and takes the share of a problem about
    noise from the table with the least noise. Without a known truth the score is R² where the model was not fitted,
    and needs no share. Undefined (nan) where the score or the share is.

    Parameters
    ----------
    property : str
        The property that the problem was made for.
    scores : mapping of str to float
        Scores by property.
    explained : float, default 1.0
        The explained share of the model.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Examples
    --------
    >>> property_score("noise", {"rediscovery": 0.4, "noise": 0.95})
    0.95
    >>> property_score("features", {"features": 1.0}, explained=0.6)
    0.0
    """
    score = plain_property_score(property, scores)
    return math.nan if math.isnan(explained) else score if explained >= ENOUGH or math.isnan(score) else 0.0


def plain_property_score(property: str, scores: Mapping[str, float]) -> float:
    r"""The score of the property that a problem was made for, however little the model explains.

    $$s_{\mathrm{property}(p)}$$

    The reading of earlier versions. Undefined (nan) where that score is.

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
    >>> plain_property_score("features", {"features": 1.0, "noise": 0.9})
    1.0
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
    return mean_of_defined([plain_property_score(name, scores) for name in scores])


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


def _plain(evidence: FormulaEvidence) -> float:
    if evidence.property == OWN:
        function = _OWN_TEST if evidence.extrapolation_target is None else _OWN_BEYOND
    else:
        function = _FUNCTIONS[_METRIC_OF[evidence.property]]
    return plain_property_score(evidence.property, {evidence.property: function(evidence)})


def _property_score(evidence: FormulaEvidence) -> float:
    """The plain score of each part's model and its share; levels of noise are scored together."""
    if evidence.property == OWN:
        return _plain(evidence)
    if evidence.property == "noise":
        least = min(evidence.parts, key=lambda part: part.noise)
        return _counted(evidence, _plain(evidence), explained_of_part(evidence, least))
    return over_parts(_part_score)(evidence)


def _part_score(evidence: FormulaEvidence, part: PartEvidence) -> float:
    equivalence = part.model.equivalence
    is_rediscovered = evidence.property == "rediscovery" and equivalence is not None and equivalence.verdict in POSITIVE
    explained = 1.0 if is_rediscovered else explained_of_part(evidence, part)
    return _counted(evidence, _plain(replace(evidence, parts=(part,))), explained)


def _counted(evidence: FormulaEvidence, score: float, explained: float) -> float:
    return property_score(evidence.property, {evidence.property: score}, explained=explained)


METRICS: tuple[Metric[FormulaEvidence], ...] = (
    Metric("property_score", _property_score, property_score, oracle=1.0, version=2),
    Metric("plain_property_score", _plain, plain_property_score, oracle=1.0),
)
