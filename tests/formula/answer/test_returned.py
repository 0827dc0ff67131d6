from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

from assay.core import InvalidInput
from assay.formula import FormulaAnswer
from assay.formula.answer.returned import encode_returned

X0, X1 = sympy.symbols("x0 x1")


@pytest.mark.parametrize(
    "answer", [X0 + 1, "x0 + 1", np.str_("x0 + 1"), FormulaAnswer.of("x0 + 1"), [X0 + 1], ("x0 + 1",)]
)
def test_a_text_an_expression_and_an_answer_are_the_same(answer: Any) -> None:
    assert encode_returned(answer) == b'{"parts":[["x0 + 1"]]}'


@pytest.mark.parametrize(
    ("answer", "came"),
    [
        (None, "None"),
        ({"formula": "x0", "score": 1}, "a dict with the keys 'formula', 'score'"),
        (float("nan"), "float"),
        (np.zeros(3), "ndarray"),
        (lambda x: x, "a function, from which no formula can be read"),
        (np.poly1d([1, 2]), "a poly1d, from which no formula can be read"),
    ],
)
def test_what_is_no_formula_is_told_with_what_is_wanted(answer: Any, came: str) -> None:
    with pytest.raises(InvalidInput, match=rf"answer: must be the text of a formula, as 'x0 \* x1'.*; got {came}"):
        encode_returned(answer)


def test_a_list_with_something_else_is_told() -> None:
    with pytest.raises(InvalidInput, match="a list of int and str"):
        encode_returned([X0, 1])
