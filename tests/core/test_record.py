from __future__ import annotations

import json
import math
from dataclasses import fields, replace

import numpy as np
import pytest

from assay.core import InvalidInput, Record, plain
from assay.core.record import VOLATILE


def record(**changes: object) -> Record:
    base = Record(
        key="k",
        answer_key="a",
        track="t",
        problem="p",
        problem_digest="pd",
        subject="s",
        subject_digest="sd",
        seed=1,
        status="ok",
        scores={"m": 0.1 + 0.2, "u": math.nan, "i": math.inf},
        details={"list": [1, 2.5], "text": "ü"},
        tags={"noise": 0.05},
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def test_a_record_survives_strict_json() -> None:
    text = json.dumps(record().to_json(), allow_nan=False)
    again = Record.from_json(json.loads(text))
    assert again.content() == record().content()
    assert again.scores["m"] == 0.1 + 0.2
    assert math.isnan(again.scores["u"])
    assert again.scores["i"] == math.inf


CHANGES = {
    "key": "x", "answer_key": "x", "track": "x", "problem": "x", "problem_digest": "x", "subject": "x",
    "subject_digest": "x", "seed": 9, "status": "failed", "scores": {"m": 1.0}, "details": {"x": 1}, "error": "x",
    "error_kind": "x", "isolation": "x", "tags": {"x": 1.0}, "settings": {"x": 1}, "versions": {"x": 1},
    "budget": {"x": 1}, "seconds": 9.0, "cost": {"x": 9.0}, "created": "x", "host": "x", "schema": 9,
    "software": {"numpy": "2"}, "withdrawn": True, "imported": "elsewhere",
}  # fmt: skip


@pytest.mark.parametrize("name", [field.name for field in fields(Record)])
def test_records_are_equal_when_all_but_times_costs_and_host_are(name: str) -> None:
    changed = record(**{name: CHANGES[name]})
    assert (changed.content() == record().content()) == (name in VOLATILE)


def test_a_record_of_the_first_release_is_read_and_equals_the_same_one_of_today() -> None:
    body = record().to_json()
    for name in ("software", "withdrawn", "imported"):
        del body[name]
    old = Record.from_json({**body, "schema": 1})
    assert (old.schema, dict(old.software), old.withdrawn, old.imported) == (1, {}, False, "")
    assert old.content() == record(software={"numpy": "2"}).content()


@pytest.mark.parametrize("damage", [{"software": ["x"]}, {"software": {"x": 1}}, {"withdrawn": 1}, {"imported": None}])
def test_new_fields_of_the_wrong_type_are_refused(damage: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="record: damaged"):
        Record.from_json({**record().to_json(), **damage})


def test_numpy_values_become_plain_ones() -> None:
    assert plain({"a": np.float64(0.5), "b": np.arange(3), "c": np.bool_(True), "d": {3, 1}}) == {
        "a": 0.5,
        "b": [0, 1, 2],
        "c": True,
        "d": [1, 3],
    }


def test_what_json_cannot_hold_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="object cannot be written into a record"):
        plain({"a": object()})


@pytest.mark.parametrize(
    "change",
    [
        {"scores": 3},
        {"scores": {"a": "x"}},
        {"scores": {"a": 10**400}},
        {"tags": [1]},
        {"details": None},
    ],
)
def test_what_no_record_can_have_written_is_refused(change: dict[str, object]) -> None:
    body = {**record().to_json(), **change}
    with pytest.raises(InvalidInput, match="record: damaged"):
        Record.from_json(body)


@pytest.mark.parametrize("body", [3.5, [], {}, {"scores": {}}])
def test_what_is_no_record_at_all_is_refused(body: object) -> None:
    with pytest.raises(InvalidInput, match="record: damaged"):
        Record.from_json(body)  # type: ignore[arg-type]
