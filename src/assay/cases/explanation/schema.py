"""JSON schemas (draft 2020-12) of what explanations export."""

from __future__ import annotations

from typing import Any

from assay.core import Json

__all__ = ["explanation_schema", "records_schema"]

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_LABEL = {"type": ["string", "integer", "boolean"]}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_VALUE = {"type": ["number", "string", "boolean", "null"], "description": "null: missing; a private one is masked"}
_NUMBER_OR_NULL = {"type": ["number", "null"]}
_BAND = {"enum": ["high", "medium", "low"]}
_DISTANCE = {"type": ["number", "string"], "description": '"inf" where no feature is common'}
_UNFAMILIAR = {"type": ["boolean", "null"], "description": "true: a warning that belongs beside the interpretation"}


def _closed(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        **more,
    }


def explanation_schema() -> dict[str, Json]:
    """The schema of ``Explanation.to_dict()``."""
    values = {"type": "object", "additionalProperties": _VALUE}
    neighbor = {
        "index": {"type": "integer", "minimum": 0},
        "distance": _DISTANCE,
        "label": _LABEL,
        "label_name": {"type": "string"},
        "agrees": {"type": "boolean"},
        "features": values,
        "metadata": {"type": "object"},
    }
    difference = {
        "feature": {"type": "string"},
        "query": _VALUE,
        "case": _VALUE,
        "difference": {**_NUMBER_OR_NULL, "description": "query minus case in the units of the distance"},
        "kind": {"enum": ["number", "category", "private"]},
        "unit": {"type": ["string", "null"]},
        "differs": {"type": ["boolean", "null"]},
    }
    contrast = {"type": "array", "items": {"$ref": "#/$defs/difference"}}
    properties = {
        "predicted_class": _LABEL,
        "predicted_class_name": {"type": "string"},
        "true_class": {"type": [*_LABEL["type"], "null"]},
        "true_class_name": {"type": ["string", "null"]},
        "is_correct": {"type": ["boolean", "null"]},
        "correspondence": _SHARE,
        "interpretation": _BAND,
        "unfamiliar": _UNFAMILIAR,
        "thresholds": _closed({"high": _SHARE, "medium": _SHARE}),
        "query": values,
        "neighbors": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/neighbor"}},
        "nearest_unlike": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/unlike"}]},
        "probabilities": {"type": ["object", "null"], "additionalProperties": _SHARE},
        "prior_lift": _NUMBER_OR_NULL,
        "fidelity": _NUMBER_OR_NULL,
        "distance_percentile": _NUMBER_OR_NULL,
        "outside": {"type": "array", "items": {"type": "string"}},
        "units": {"type": "object", "additionalProperties": {"type": "string"}},
        "cautions": {"type": "array", "minItems": 2, "items": {"type": "string"}},
    }
    definitions = {
        "neighbor": _closed(neighbor),
        "unlike": _closed({**neighbor, "contrast": contrast}),
        "difference": _closed(difference),
    }
    return {"$schema": _DRAFT, "title": "Assay explanation", **_closed(properties), "$defs": definitions}


def records_schema() -> dict[str, Json]:
    """The schema of ``ExplanationBatch.to_records()`` and of ``assay cases explain --json``."""
    properties = {
        "predicted": _LABEL,
        "correspondence": _SHARE,
        "interpretation": _BAND,
        "identifier": {"type": ["string", "number", "boolean", "null"], "description": "the query's, where it has one"},
        "detector": {**_SHARE, "description": "the probability that the prediction is right, by the default detector"},
        "identical": {"type": "boolean", "description": "a training case has the same values: the model has seen it"},
        "unfamiliar": _UNFAMILIAR,
        "true": _LABEL,
        "is_correct": {"type": "boolean"},
        "unlike_index": {"type": "integer", "minimum": -1},
        "unlike_distance": {"type": ["number", "string", "null"]},
        "prior_lift": _NUMBER_OR_NULL,
        "distance_percentile": _NUMBER_OR_NULL,
        "fidelity": _NUMBER_OR_NULL,
    }
    patterns = {
        "^neighbor_[1-9][0-9]*$": {"type": "integer", "minimum": 0},
        "^distance_[1-9][0-9]*$": _DISTANCE,
        "^label_[1-9][0-9]*$": _LABEL,
        "^probability_": _SHARE,
        "^query_": _VALUE,
    }
    row: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "required": ["predicted", "correspondence", "interpretation", "neighbor_1", "distance_1", "label_1"],
        "additionalProperties": False,
    }
    return {"$schema": _DRAFT, "title": "Assay explanations, one row per prediction", "type": "array", "items": row}
