from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.formula.answer.answer import (
    CHECKED_ROWS,
    LONGEST_FORMULA,
    FormulaAnswer,
    Model,
    decode,
    encode,
)
from assay.intake import limits

TEXTS = st.text(min_size=1, max_size=30).filter(lambda text: bool(text.strip()))
MODELS = st.builds(
    Model, formula=TEXTS, predictions=st.none() | st.lists(st.floats(), min_size=1, max_size=5).map(np.array)
)
FRONTS = st.lists(st.lists(MODELS, min_size=1, max_size=4), min_size=1, max_size=4)


@given(FRONTS)
def test_answers_come_back_as_they_were(fronts: list[list[Model]]) -> None:
    answer = FormulaAnswer(fronts=tuple(map(tuple, fronts)))
    assert decode(encode(answer)) == answer
    assert encode(decode(encode(answer))) == encode(answer)


def test_predictions_that_are_no_numbers_are_null() -> None:
    answer = FormulaAnswer.of(Model(formula="x", predictions=np.array([1.0, math.inf, math.nan])))
    assert json.loads(encode(answer)) == {"parts": [[{"formula": "x", "predictions": [1.0, None, None]}]]}


def test_a_list_of_models_is_short_for_one_part() -> None:
    assert decode(b'{"models": ["x", {"formula": "y"}]}') == FormulaAnswer.of("x", "y")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[", "not valid JSON"),
        (b"\xff", "not UTF-8 text"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[]", "must be an object"),
        (b"{}", "must hold either 'parts' or 'models'"),
        (b'{"part": [["x"]]}', "Did you mean 'parts'"),
        (b'{"parts": [["x"]], "models": ["x"]}', "either"),
        (b'{"parts": "x"}', "one list of models per part"),
        (b'{"parts": ["x"]}', "one list of models per part"),
        (b'{"parts": []}', "one list of models per part"),
        (b'{"parts": [[]]}', "part 0 has no model"),
        (b'{"models": [1]}', "a model must be a text"),
        (b'{"models": [""]}', "must be the text of a formula"),
        (b'{"models": [{"formula": 3}]}', "must be the text of a formula"),
        (b'{"models": [{"formula": "x", "name": "y"}]}', "an object with 'formula'"),
        (b'{"models": [{"formula": "x", "predictions": 1}]}', "must be a list of numbers"),
        (b'{"models": [{"formula": "x", "predictions": [true]}]}', "must be a list of numbers"),
        (b'{"models": [{"formula": "x", "predictions": [NaN]}]}', "NaN is not allowed"),
        (b'{"models": [{"formula": "x", "predictions": [1' + b"0" * 400 + b"]}]}", "too large"),
    ],
)
def test_malformed_bytes_are_refused_with_the_reason(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        decode(data)


def test_sizes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LARGEST_ANSWER", 10)
    with pytest.raises(InvalidInput, match="11 bytes are more than the 10 allowed"):
        decode(b" " * 11)
    with pytest.raises(InvalidInput, match="characters"):
        Model(formula="x" * (LONGEST_FORMULA + 1))
    with pytest.raises(InvalidInput, match=f"first {CHECKED_ROWS} training rows"):
        Model(formula="x", predictions=np.zeros(CHECKED_ROWS + 1))
    with pytest.raises(InvalidInput, match="1001 models"):
        FormulaAnswer.of(*["x"] * 1001)
    with pytest.raises(InvalidInput, match="one list of models per part"):
        FormulaAnswer(fronts=(("x",),) * 21)  # type: ignore[arg-type]


def test_predictions_must_be_one_list_of_numbers() -> None:
    with pytest.raises(InvalidInput, match="shape"):
        Model(formula="x", predictions=np.zeros((2, 2)))
    with pytest.raises(InvalidInput, match="must be a list of numbers"):
        Model(formula="x", predictions=["one"])  # type: ignore[arg-type]


def test_only_answers_are_encoded() -> None:
    with pytest.raises(InvalidInput, match="must be the text of a formula, as .* or a FormulaAnswer; got dict"):
        encode({"formula": "x"})  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="got a list of int and str"):
        encode(["x", 1])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="part 0 must be a list of models"):
        FormulaAnswer(fronts=("x",))  # type: ignore[arg-type]


def test_a_formula_alone_is_an_answer() -> None:
    assert decode(encode("x + 1")) == FormulaAnswer.of("x + 1")
    assert decode(encode(["x", Model(formula="y")])) == FormulaAnswer.of("x", "y")


def test_a_model_without_a_formula_holds_test_predictions_and_nothing_else() -> None:
    answer = FormulaAnswer.of(Model(test_predictions=np.array([1.5, math.inf, -2.0])))
    back = decode(encode(answer))
    assert back == answer
    assert back.fronts[0][0].formula == ""
    assert encode(answer) == b'{"parts":[[{"test_predictions":[1.5,null,-2.0]}]]}'
    assert answer != FormulaAnswer.of(Model(test_predictions=np.array([1.5, 0.0, -2.0])))
    with pytest.raises(InvalidInput, match="leave one of both out"):
        Model(formula="x", test_predictions=np.ones(1))
    for wrong in ({"test_predictions": "1"}, {"test_predictions": [1], "formula": "x"}):
        with pytest.raises(InvalidInput):
            decode(json.dumps({"models": [wrong]}).encode())
