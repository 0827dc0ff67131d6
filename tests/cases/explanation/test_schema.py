import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.cases import CaseExplainer, Explanation, ExplanationBatch
from assay.cases.neighbors.checks import Label

RNG = np.random.default_rng(1)
MIXED = pd.DataFrame(
    {
        "age": np.where(np.arange(40) % 9 == 0, np.nan, RNG.integers(18, 80, 40)),
        "work": RNG.choice(["farm", "city"], 40),
        "secret": RNG.normal(size=40),
    }
)


def mixed(**more: Any) -> ExplanationBatch:
    labels = np.arange(40) % 2
    explainer = CaseExplainer(
        MIXED, labels, k=3, private=["secret"], units={"age": "years"}, metadata={"when": [None, "a", 3, True] * 10}
    )
    shares = np.full((40, 2), 0.5)
    return explainer.explain_batch(MIXED, predictions=labels, probabilities=shares, **more)


def numbers(labels: list[Label]) -> ExplanationBatch:
    X = RNG.normal(size=(len(labels), 2))
    return CaseExplainer(X, labels, k=2, train_predictions=labels).explain_batch(X * 100, predictions=labels, y=labels)


BATCHES = {
    "mixed": mixed(),
    "with truth": mixed(y=np.zeros(40, dtype=int)),
    "texts": numbers(["a", "b", "a", "b"]),
    "flags": numbers([True, False, True, False]),
    "one class": numbers(["a"] * 4),
}


def faults(value: Any, schema: Any, root: Any, at: str = "$") -> Iterator[str]:
    """A validator of the few words of JSON schema that are used, written from the standard's definitions."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    known = {"$schema", "$defs", "title", "description", "type", "enum", "minimum", "maximum", "properties", "required"}
    known |= {"additionalProperties", "patternProperties", "items", "minItems", "oneOf"}
    assert set(schema) <= known, set(schema) - known
    if "oneOf" in schema and sum(not list(faults(value, one, root, at)) for one in schema["oneOf"]) != 1:
        yield f"{at}: not exactly one of the alternatives"
    types = schema.get("type", [])
    kinds = {str: ["string"], bool: ["boolean"], int: ["integer", "number"], float: ["number"], type(None): ["null"]}
    kinds |= {dict: ["object"], list: ["array"]}
    if types and not set(kinds[type(value)]) & set([types] if isinstance(types, str) else types):
        yield f"{at}: {value!r} is no {types}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is not in {schema['enum']}"
    if isinstance(value, int | float) and not schema.get("minimum", -math.inf) <= value <= schema.get(
        "maximum", math.inf
    ):
        yield f"{at}: {value!r} is out of range"
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            yield f"{at}: too short"
        for place, entry in enumerate(value):
            yield from faults(entry, schema.get("items", {}), root, f"{at}[{place}]")
    if isinstance(value, dict):
        yield from (f"{at}: lacks {name}" for name in schema.get("required", []) if name not in value)
        yield from _faults_of_members(value, schema, root, at)


def _faults_of_members(value: dict[str, Any], schema: Any, root: Any, at: str) -> Iterator[str]:
    import re

    for name, entry in value.items():
        fitting = [schema["properties"][name]] if name in schema.get("properties", {}) else []
        fitting += [one for pattern, one in schema.get("patternProperties", {}).items() if re.search(pattern, name)]
        if not fitting:
            rest = schema.get("additionalProperties", {})
            fitting = [{} if rest is True else rest] if rest is not False else []
            if rest is False:
                yield f"{at}: {name} is unknown"
        for one in fitting:
            yield from faults(entry, one, root, f"{at}.{name}")


@pytest.mark.parametrize("name", BATCHES)
def test_what_is_exported_fits_its_schema(name: str) -> None:
    batch = BATCHES[name]
    for entry in batch:
        body = json.loads(json.dumps(entry.to_dict(), allow_nan=False))
        assert list(faults(body, Explanation.schema(), Explanation.schema())) == []
    for full in (False, True):
        rows = json.loads(json.dumps(batch.to_records(full=full), allow_nan=False))
        assert list(faults(rows, ExplanationBatch.schema(), ExplanationBatch.schema())) == []


def broken(body: Any) -> Iterator[Any]:
    yield {**body, "interpretation": "great"}
    yield {**body, "correspondence": 1.5}
    yield {**body, "more": 1}
    yield {name: value for name, value in body.items() if name != "unfamiliar"}
    yield {**body, "neighbors": []}
    yield {**body, "nearest_unlike": {**body["nearest_unlike"], "contrast": [{"feature": "age"}]}}


def test_the_schema_refuses_what_is_broken() -> None:
    body: Any = BATCHES["mixed"][0].to_dict()
    schema = Explanation.schema()
    assert all(list(faults(other, schema, schema)) for other in broken(body))
    rows: Any = BATCHES["mixed"].to_records()
    assert list(faults([{**rows[0], "neighbor_x": 1}], ExplanationBatch.schema(), ExplanationBatch.schema()))


def test_an_independent_validator_agrees() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for schema in (Explanation.schema(), ExplanationBatch.schema()):
        jsonschema.Draft202012Validator.check_schema(schema)
    of_one = jsonschema.Draft202012Validator(Explanation.schema())
    of_many = jsonschema.Draft202012Validator(ExplanationBatch.schema())
    for batch in BATCHES.values():
        assert all(of_one.is_valid(entry.to_dict()) for entry in batch)
        assert of_many.is_valid(batch.to_records(full=True))
    assert not any(of_one.is_valid(other) for other in broken(BATCHES["mixed"][0].to_dict()))
