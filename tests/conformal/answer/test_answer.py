from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.conformal import CombinationSets, ConformalAnswer, PredictionSets
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
        encode({"sets": []})
    monkeypatch.setattr("assay.intake.limits.LARGEST_ANSWER", 10)
    with pytest.raises(InvalidInput, match="more than the 10 allowed"):
        decode(json.dumps({"sets": [[[0]]]}).encode())


def test_combinations_come_back_from_their_bytes_lists_and_products_alike() -> None:
    sets = CombinationSets.from_labels([[[2, 0], [0, 1]], {"product": [[0, 1], [1]]}, []], classes=(3, 2))
    data = encode(sets)
    assert data == b'{"combinations":[[[0,1],[2,0]],{"product":[[0,1],[1]]},[]]}'
    answer = decode(data)
    assert answer == ConformalAnswer.of(sets) == ConformalAnswer(combinations=sets)  # type: ignore[arg-type]
    assert answer.combinations is not None
    assert CombinationSets.from_labels(answer.combinations, classes=(3, 2)) == sets
    assert repr(answer) == "ConformalAnswer(3 samples, 2 tasks, mean size 1.33)"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"combinations": 3}', "combinations"),
        (b'{"combinations": [3]}', "sample 0: must be a list of combinations"),
        (b'{"combinations": [[[true, 0]]]}', "whole numbers"),
        (b'{"combinations": [{"box": []}]}', "product"),
        (b'{"sets": [], "combinations": []}', "nothing else"),
    ],
)
def test_bad_combinations_are_refused(body: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        decode(body)
