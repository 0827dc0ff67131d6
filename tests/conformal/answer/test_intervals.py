"""Intervals as part of an answer: every form in which they are given, and bytes that nobody vouched for."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest

from assay.conformal import ConformalAnswer
from assay.conformal.answer.answer import decode, encode
from assay.conformal.regions import Intervals, Values, calibrate_regions
from assay.core import InvalidInput

LOW, HIGH = np.array([1.0, -inf]), np.array([2.5, 4.0])


@pytest.mark.parametrize(
    "intervals",
    [
        Intervals(LOW, HIGH),
        np.stack([LOW, HIGH], axis=1),
        [[1, 2.5], [-inf, 4]],
        {"low": [1, None], "high": [2.5, 4]},
        {"low": LOW, "high": HIGH},
    ],
)
def test_all_forms_are_the_same_answer_and_come_back(intervals: Any) -> None:
    answer = ConformalAnswer(sets=(((0,), (1,)),), intervals={"price": intervals})
    assert answer.intervals == {"price": {"low": (1.0, -inf), "high": (2.5, 4.0)}}
    data = encode(answer)
    assert data == b'{"sets":[[[0],[1]]],"intervals":{"price":{"low":[1.0,null],"high":[2.5,4.0]}}}'
    assert decode(data) == answer
    assert encode(decode(data)) == data


def test_intervals_stand_alone_and_beside_combinations() -> None:
    alone = ConformalAnswer(intervals={"price": Intervals(LOW, HIGH)})
    assert decode(encode(alone)) == alone
    assert encode({"price": Intervals(LOW, HIGH)}) == encode(alone)
    beside = ConformalAnswer(combinations=(((0, 1),), ((1, 1),)), intervals={"price": Intervals(LOW, HIGH)})
    assert decode(encode(beside)) == beside
    assert repr(beside) == (
        "ConformalAnswer(2 samples, 2 tasks, mean size 1.00, intervals of price (1 of 2 unbounded))"
    )


def test_regions_are_an_answer() -> None:
    calibration = calibrate_regions({"price": Values([1.0, 2.0, 3.0])}, {"price": [2.0, 2.0, 5.0]}, alpha=0.25)
    regions = calibration.predict({"price": Values([4.0])})
    assert decode(encode(regions)) == ConformalAnswer(intervals=regions.intervals)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"intervals": []}', "by the names of the tasks"),
        (b'{"intervals": {"p": {"low": [1]}}}', 'must be {"low"'),
        (b'{"intervals": {"p": {"low": [1], "high": [1, 2]}}}', "1 lower and 2 upper"),
        (b'{"intervals": {"p": {"low": [NaN], "high": [1]}}}', "nan is no low bound"),
        (b'{"intervals": {"p": {"low": [Infinity], "high": [1]}}}', "inf is no low bound"),
        (b'{"intervals": {"p": {"low": [0], "high": [-Infinity]}}}', "-inf is no high bound"),
        (b'{"intervals": {"p": {"low": [1' + b"0" * 400 + b'], "high": [1]}}}', "inf is no low bound"),
        (b'{"intervals": {"p": {"low": [true], "high": [1]}}}', "must be a number or null"),
        (b'{"intervals": {"p": {"low": ["1"], "high": [1]}}}', "must be a number or null"),
        (b'{"intervals": {"p": {"low": 1, "high": [1]}}}', "list of one number per sample"),
        (b'{"intervals": {"p": [[1, 2], [1]]}}', "give Intervals"),
        (b'{"intervals": {"p": {"low": [[1]], "high": [1]}}}', "must be a number or null"),
        (b'{"sets": [], "combinations": [], "intervals": {}}', "and nothing else"),
        (b'{"interval": {}}', "and nothing else"),
        (b"{}", "and nothing else"),
    ],
)
def test_bytes_that_are_no_intervals_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        decode(data)


def test_a_bound_beyond_floats_is_infinite_where_that_is_no_bound() -> None:
    data = b'{"intervals": {"p": {"low": [-1' + b"0" * 400 + b'], "high": [1' + b"0" * 400 + b"]}}}"
    assert decode(data).intervals == {"p": {"low": (-inf,), "high": (inf,)}}


def test_an_answer_made_again_of_its_parts_is_the_same() -> None:
    answer = ConformalAnswer(intervals={"price": [[0, 1], [5, 6]]})
    assert replace(answer, sets=()) == answer  # also where there are as many samples as bounds
