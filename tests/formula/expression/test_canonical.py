"""The canonical form has the formula's values, also where its numbers leave the range of doubles."""

from __future__ import annotations

import numpy as np
import pytest

from assay.formula import compute, parse, to_text
from assay.formula.expression.canonical import canonical
from assay.formula.expression.expression import symbols_of


@pytest.mark.parametrize("behind", ["0.5*x", "x"])
def test_whole_numbers_that_no_double_holds_are_left_as_they_are(behind: str) -> None:
    text = "*".join(["999999999999999"] * 25) + f"*{behind}"
    assert canonical(parse(text)).nodes == parse(text).nodes


@pytest.mark.parametrize("text", ["1e200*x/(1e-200*y)", "1e200*x*y*1e200", "1e308*x + 1e308*x + 1e308*y"])
def test_numbers_whose_product_or_sum_overflows_do_not_hide_the_variables(text: str) -> None:
    form = canonical(parse(text))
    assert "inf" not in to_text(form)
    assert set(symbols_of(form)) == {"x", "y"}


def test_a_sum_and_a_product_within_doubles_are_still_folded() -> None:
    assert to_text(canonical(parse("1e200*x*1e100 + 2*1e300*x"))) == "3e+300*x"
    x = np.array([1.5, 2.5])
    np.testing.assert_array_equal(compute(canonical(parse("0*1e300*1e300*x + x")), {"x": x}), x)
