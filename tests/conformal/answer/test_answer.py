from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.conformal import ConformalAnswer, PredictionSets
from assay.conformal.answer.answer import decode, encode
from assay.core import InvalidInput

SETS = st.lists(st.lists(st.lists(st.integers(0, 30), unique=True, max_size=5), max_size=5), min_size=1, max_size=3)


@given(SETS)
def test_an_answer_comes_back_as_it_was_encoded(sets: list[list[list[int]]]) -> None:
    answer = ConformalAnswer(sets=sets)  # type: ignore[arg-type]
    assert decode(encode(answer)) == answer
    assert encode(decode(encode(answer))) == encode(answer)


def test_an_answer_takes_lists_matrices_and_packed_sets() -> None:
    matrix = np.array([[True, False, True], [False, False, False]])
    packed = PredictionSets.from_matrices([matrix])
    expected = ConformalAnswer(sets=(((0, 2), ()),))
    assert ConformalAnswer(sets=[matrix]) == expected  # type: ignore[arg-type]
    assert ConformalAnswer(sets=packed) == expected  # type: ignore[arg-type]
    assert ConformalAnswer.of(packed) == expected
    assert ConformalAnswer(sets=[[[2, 0], []]]) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"null",
        b"{}",
        b'{"sets": 3}',
        b'{"sets": [3]}',
        b'{"sets": [[3]]}',
        b'{"sets": [[["a"]]]}',
        b'{"sets": [[[true]]]}',
        b'{"sets": [[[0.5]]]}',
        b'{"sets": [[[-1]]]}',
        b'{"sets": [[[1, 1]]]}',
        b'{"sets": [[[99999999999999]]]}',
        b'{"sets": [[[0]]], "more": 1}',
        b"[" * 100_000,
    ],
)
def test_whatever_is_wrong_with_the_bytes_is_invalid_input(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="answer"):
        decode(data)


def test_only_answers_are_encoded_and_only_so_large_ones_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match=r"one boolean matrix \[samples, classes\] per task.*; got dict\.$"):
        encode({"sets": []})  # type: ignore[arg-type]
    monkeypatch.setattr("assay.intake.limits.LARGEST_ANSWER", 10)
    with pytest.raises(InvalidInput, match="more than the 10 allowed"):
        decode(json.dumps({"sets": [[[0]]]}).encode())
