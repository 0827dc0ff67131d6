"""Units reduce a problem, and mistakes in them are told."""

from __future__ import annotations

import numpy as np
import pytest

from assay.core import InvalidInput
from assay.core.arrays import FloatArray
from assay.formula import discover, equivalent
from assay.formula.discovery.forms.units import dimension
from assay.formula.equivalence.certificate import POSITIVE

UNITS = ("kg", "m/s", "m", "m")
BOX = {f"x{place}": (1.0, 3.0) for place in range(4)}


@pytest.fixture
def rows() -> FloatArray:
    return np.random.default_rng(0).uniform(1, 3, (80, 4))


def _law(rows: FloatArray) -> FloatArray:
    clean = rows[:, 0] * rows[:, 1] ** 2 * np.sin(rows[:, 2] / rows[:, 3])
    noisy: FloatArray = clean + 0.01 * clean.std() * np.random.default_rng(1).standard_normal(len(clean))
    return noisy


def test_a_law_is_found_in_groups_without_a_unit(rows: FloatArray) -> None:
    model = discover(seconds=60, stages=("units",), units=UNITS, target_unit="J").fit(rows, _law(rows))
    assert equivalent("x0*x1**2*sin(x2/x3)", model.formula_, domain=BOX).verdict in POSITIVE
    assert "by units" in model.explanation_.stage


def test_units_that_no_product_can_have_are_told_and_left_aside(rows: FloatArray) -> None:
    model = discover(seconds=60, stages=("power", "units"), units=UNITS, target_unit="K").fit(rows, rows[:, 0] ** 2)
    assert model.formula_ == "x0**2"
    assert any(note.startswith("units were not used") for note in model.explanation_.notes)


@pytest.mark.parametrize(
    ("units", "target", "message"),
    [
        (None, "J", "give both units"),
        (("kg",), "J", "1 units for 4 columns"),
        (("kg", "m + s", "m", "m"), "J", "write a product of powers"),
    ],
)
def test_mistakes_in_units_are_named(
    units: tuple[str, ...] | None, target: str, message: str, rows: FloatArray
) -> None:
    with pytest.raises(InvalidInput, match=message):
        discover(units=units, target_unit=target).fit(rows, rows[:, 0])


def test_derived_units_are_those_of_physics() -> None:
    assert dimension("V*A") == dimension("W") == dimension("J/s")
    assert dimension("C/V") == dimension("F")
    assert dimension("V/A") == dimension("ohm")
    assert dimension("N/m**2") == dimension("Pa")
    assert dimension("sqrt_unit") == {"sqrt_unit": 1}


def test_an_exponent_without_a_value_is_told() -> None:
    with pytest.raises(InvalidInput, match="write a product of powers"):
        dimension("m**(1/0)")
