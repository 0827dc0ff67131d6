"""What a record keeps of the evidence for reports: models beside the truth, per part."""

from __future__ import annotations

from assay.core import Json
from assay.formula.equivalence.certificate import in_json
from assay.formula.examine.evidence import FormulaEvidence, PartEvidence
from assay.formula.expression.expression import to_text
from assay.formula.metrics import pareto_front, r_squared

__all__ = ["describe"]

_LONGEST = 2000  # characters of a formula
_MOST_MODELS = 50
_MOST_CONSTANTS = 20


def describe(evidence: FormulaEvidence) -> dict[str, Json]:
    """The formula and its verdict, raw qualities, variables used and the Pareto front, for every part."""
    return {
        "property": evidence.property,
        "truth": evidence.truth,
        "parts": [_describe_part(evidence, part) for part in evidence.parts],
    }


def _describe_part(evidence: FormulaEvidence, part: PartEvidence) -> dict[str, Json]:
    model = part.model
    usable = [entry for entry in part.front if not entry.trouble][:_MOST_MODELS]
    best = {usable[place].formula for place in pareto_front([m.r2 for m in usable], [m.nodes for m in usable])}
    details: dict[str, Json] = {
        "noise": part.noise,
        "formula": model.formula[:_LONGEST] or None,
        "simplified": None if model.simplified is None else to_text(model.simplified)[:_LONGEST],
        "simplification": model.simplification,
        "used": list(model.used),
        "nodes": None if model.expression is None else model.expression.nodes,
        "train_r2": _plain(model.train_r2),
        "test_r2": _plain(r_squared(evidence.test_target, part.test)),
        "front": [
            {
                "formula": entry.formula[:_LONGEST],
                "nodes": entry.nodes,
                "r2": entry.r2,
                "verdict": entry.verdict,
                "best": entry.formula in best,
            }
            for entry in usable
        ],
        "left_out": [f"{entry.formula[:80]}: {entry.trouble}" for entry in part.front if entry.trouble][:10],
    }
    if evidence.extrapolation_target is not None and part.extrapolation is not None:
        details["extrapolation_r2"] = _plain(r_squared(evidence.extrapolation_target, part.extrapolation))
    if model.equivalence is not None:
        behind = model.equivalence.certificate
        details["verdict"] = model.equivalence.verdict
        details["closeness"] = model.equivalence.closeness
        details["notes"] = list(model.equivalence.notes)
        details["certificate"] = {
            "box": behind.box,
            "points": behind.points,
            "digits": behind.digits,
            "residual": behind.residual,
            "offset": in_json(behind.offset),
            "factor": in_json(behind.factor),
            "constants": [constant._asdict() for constant in behind.constants[:_MOST_CONSTANTS]],
        }
    return details


def _plain(value: float) -> float | None:
    return value if abs(value) < float("inf") else None
