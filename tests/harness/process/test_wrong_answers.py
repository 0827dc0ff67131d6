"""What a subject returned that is no answer: the failure says what came, and what the track expects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.core import AnyTrack, SubjectFailed, get_track
from assay.harness.process.subject_server import MAX_ERROR, _encode

TRACKS = ("cases", "conformal", "drift", "formula", "insight")
NAN = float("nan")


def failure(track: AnyTrack, answer: object) -> str:
    with pytest.raises(SubjectFailed) as raised:
        _encode(track, answer)
    assert raised.value.kind == "malformed answer"
    return str(raised.value)


@pytest.mark.parametrize("track", TRACKS)
@pytest.mark.parametrize(
    ("answer", "came"),
    [
        (None, "None"),
        ({"a": None}, "a dict of 1 entry: {'a': None}"),
        ([None], "a list of 1 entry: [None]"),
        ([{"a": 1}], "a list of 1 entry: [{'a': 1}]"),
        (NAN, "nan"),
        (np.full((2, 2), NAN), "a float64 array [2, 2]: nan, nan, nan, nan"),
        (object(), "an object"),
        ((number for number in "ab"), "a generator"),
    ],
)
def test_what_was_returned_and_what_is_expected_is_told(track: str, answer: Any, came: str) -> None:
    loaded = get_track(track)
    message = failure(loaded, answer)
    assert message.startswith(f"solve returned {came}")
    assert loaded.contract is not None
    assert message.endswith(f"An answer of the {track} track is {loaded.contract.expected(track).partition(' is ')[2]}")
    assert "cannot be encoded" not in message
    assert len(message) <= MAX_ERROR, "nothing of it is cut off"


@pytest.mark.parametrize(
    ("track", "answer", "fault"),
    [
        ("cases", "text", ""),
        ("cases", [0.5, NAN], "scores[1] is nan; every score must be a finite number"),
        ("cases", ["a"], "scores must be a list of numbers, one per query; got <U1 of shape (1,)"),
        ("conformal", "text", ""),
        ("conformal", [[0, 1]], "task 0, sample 0 must be a list of class numbers, got int"),
        ("drift", "text", ""),
        ("drift", {"d1": "rule.txt"}, "drift 'd1': must have a list of document names, the likeliest cause first"),
        ("formula", [], ""),
        ("formula", 0.5, ""),
        ("insight", "text", ""),
    ],
)
def test_the_fault_is_named_where_it_is_in_a_part(track: str, answer: Any, fault: str) -> None:
    message = failure(get_track(track), answer)
    assert message.startswith("solve returned ")
    assert fault in message
    assert f"An answer of the {track} track is " in message


def test_a_track_without_a_contract_says_what_its_encoding_says(parity: AnyTrack) -> None:
    assert failure(parity, 5) == "solve returned 5: it cannot be encoded (TypeError: 'int' object is not iterable)."
