from __future__ import annotations

import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from assay.core import Json, Record
from assay.report import TrackResults
from assay.report.tables.truths import LONGEST, details_in_lines, truths


def test_a_detail_named_truth_is_the_truth(toy: TrackResults) -> None:
    records = tuple(replace(record, details={"truth": f"y = {record.problem}"}) for record in toy.records)
    assert truths(replace(toy, records=records))["iris"] == "y = iris"
    assert truths(toy) == {}


def test_a_tracks_own_words_win_and_their_failure_spoils_nothing(
    toy: TrackResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tell(record: Record) -> str:
        if record.problem == "wine":
            raise KeyError("no words")
        return f"about {record.problem}\x00"

    monkeypatch.setitem(sys.modules, "toy_panels", SimpleNamespace(truth=tell))
    found = truths(replace(toy, track=replace(toy.track, panels="toy_panels:panels")))
    assert found["iris"] == "about iris\\x00"
    assert found["wine"] == "could not be told: KeyError"


def test_details_are_flat_short_lines(toy_record: Record) -> None:
    details: dict[str, Json] = {
        "a": {"b": 0.123456, "c": None},
        "long": list(range(9)),
        "few": [1, 2],
        "ok": True,
        "truth": "hidden",
    }
    assert details_in_lines(replace(toy_record, details=details)).splitlines() == [
        "a.b: 0.123",
        "a.c: none",
        "long: 9 entries",
        "few: 1, 2",
        "ok: yes",
    ]
    many: dict[str, Json] = {f"key {number}": "x" * 100 for number in range(50)}
    assert len(details_in_lines(replace(toy_record, details=many))) == LONGEST
