"""What a reader of an explanation must not conclude from it, in sentences."""

from __future__ import annotations

import math

from assay.cases.explanation.facts import ExplanationFacts
from assay.cases.explanation.rendering.wording import one_line

__all__ = ["FAITHFUL", "NEAR_BASE_RATE", "cautions_of"]

NEAR_BASE_RATE = 1.1  # a correspondence up to this many times the base rate says little
_MOST_NAMED = 5
FAITHFUL = 0.5  # below this share of neighbours that the model treats alike, they explain it poorly


def cautions_of(explanation: ExplanationFacts) -> tuple[str, ...]:
    """The two cautions that hold for every explanation, then those that this one calls for."""
    high, medium = explanation.thresholds
    always = (
        "Correspondence measures agreement with these neighbours, not correctness: it can be high for a wrong "
        "prediction when the training data contain systematic errors.",
        f"The thresholds (high from {high:g}, medium from {medium:g}) depend on the domain: find out on data of your "
        "own what they mean there.",
    )
    apt = (_unfamiliar, _absent, _base_rate, _model, _ties, _private)
    return always + tuple(filter(None, (sentence(explanation) for sentence in apt)))


def _unfamiliar(explanation: ExplanationFacts) -> str:
    if not explanation.unfamiliar:
        return ""
    if explanation.outside:
        private = explanation.cases.private
        names = [
            "a private column" if name in private else one_line(name) for name in explanation.outside[:_MOST_NAMED]
        ]
        more = len(explanation.outside) - len(names)
        where = ", ".join([*names, *([f"{more} more"] if more else [])])
        return (
            f"The query is unfamiliar: far outside the training cases in {where}. Out of distribution, even neighbours "
            "that all agree are weak evidence."
        )
    return (
        f"The query is unfamiliar: {explanation.distance_percentile:.1%} of the training cases lie no farther from "
        "their neighbours than it does. Out of distribution, even neighbours that all agree are weak evidence."
    )


def _absent(explanation: ExplanationFacts) -> str:
    if any(explanation.agrees(neighbor) for neighbor in explanation.neighbors):
        return ""
    return f"No neighbour has the predicted class {_predicted(explanation)}: these cases speak against the prediction."


def _base_rate(explanation: ExplanationFacts) -> str:
    lift = explanation.prior_lift
    if math.isnan(lift) or not 0 < lift <= NEAR_BASE_RATE:
        return ""
    base = f"{explanation.correspondence / lift:.1%} of the training cases are {_predicted(explanation)}"
    if lift < 1:
        return f"{base}: these neighbours agree less than cases picked at random would (prior lift {lift:.2f})."
    return (
        f"{base}, and the correspondence is {'hardly' if lift > 1 else 'not'} above that base rate (prior lift "
        f"{lift:.2f}): that this many neighbours agree is normal here and says little."
    )


def _model(explanation: ExplanationFacts) -> str:
    fidelity = explanation.fidelity
    if fidelity is None or math.isnan(fidelity):
        return ""
    labelled = sum(explanation.agrees(neighbor) for neighbor in explanation.neighbors) / len(explanation.neighbors)
    predicted = _predicted(explanation)
    if abs(fidelity - labelled) >= FAITHFUL:
        return (
            f"The model disagrees with the labels of these neighbours: it predicts {predicted} for {fidelity:.0%} of "
            f"them, and {labelled:.0%} are labelled so."
        )
    if fidelity < FAITHFUL:
        return (
            f"The model itself predicts {predicted} for only {fidelity:.0%} of these neighbours (low fidelity): it "
            "does not treat them like the query, so they explain its prediction poorly."
        )
    return ""


def _ties(explanation: ExplanationFacts) -> str:
    """Only what was retrieved is known: a tie is certain when the nearest unlike case lies at the last distance."""
    neighbors, unlike = explanation.neighbors, explanation.nearest_unlike
    if len(neighbors) == len(explanation.cases.y):
        return ""
    last = neighbors[-1].distance
    is_cut_off = unlike is not None and unlike.distance == last and all(n.index != unlike.index for n in neighbors)
    if is_cut_off:
        return (
            f"Cases tie at the last distance ({last:.4g}) and at least one of them is not shown: the order in the "
            "training data decided. Another k may give another picture."
        )
    if len(neighbors) > 1 and neighbors[-2].distance == last:
        return (
            f"Several neighbours tie at the last distance ({last:.4g}): other cases at that distance may be left out, "
            "by their order in the training data."
        )
    return ""


def _private(explanation: ExplanationFacts) -> str:
    hidden = [one_line(name) for name in explanation.cases.feature_names if name in explanation.cases.private]
    return f"Private columns count in the distances but are not shown: {', '.join(hidden)}." if hidden else ""


def _predicted(explanation: ExplanationFacts) -> str:
    return one_line(explanation.cases.titled(explanation.predicted_class))
