from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.charts import Scale


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(1, 10))
def test_ticks_are_few_and_inside(low: float, span: float, most: int) -> None:
    scale = Scale(low, low + span, 0, 100)
    ticks = scale.ticks(most)
    assert len(ticks) <= most + 1
    assert all(low - 1e-6 * span <= tick <= low + span * (1 + 1e-6) for tick in ticks)
    assert ticks == sorted(set(ticks))


def test_a_scale_without_a_span_has_a_place_and_a_tick() -> None:
    scale = Scale(2, 2, 10, 100)
    assert scale(2) == 10
    assert scale.ticks() == [2]


@pytest.mark.parametrize(("value", "place"), [(1, 0.0), (2, 50.0), (4, 100.0)])
def test_equal_ratios_are_equally_long_on_a_logarithmic_scale(value: float, place: float) -> None:
    assert Scale(1, 4, 0, 100, log=True)(value) == pytest.approx(place)


def test_many_decades_have_one_tick_each() -> None:
    assert Scale(1e-6, 1, 0, 100, log=True).ticks() == pytest.approx([1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0])


@pytest.mark.parametrize("unit", [1e-200, 1e-15, 1e-3, 1.0, 1e12])
def test_ticks_of_small_scales_are_not_all_zero(unit: float) -> None:
    assert Scale(0, unit, 0, 100).ticks() == pytest.approx([0.2 * place * unit for place in range(6)], rel=1e-9, abs=0)
