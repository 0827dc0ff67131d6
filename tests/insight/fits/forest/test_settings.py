from __future__ import annotations

from typing import Any

import pytest

from assay.core import InvalidInput
from assay.insight.fits.forest.settings import ForestSettings


def test_a_forest_is_by_default_the_usual_one() -> None:
    settings = ForestSettings()
    assert (settings.trees, settings.seed, settings.max_depth) == (100, 42, None)


def test_closeness_is_a_choice() -> None:
    assert ForestSettings(merge_close_values=True).tolerance == 1e-7
    assert ForestSettings(merge_close_values=False).tolerance == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trees": 0}, "at least one tree, got 0"),
        ({"seed": -1}, "between 0 and 2\\*\\*32 - 1, got -1"),
        ({"seed": 2**32}, "between 0 and"),
        ({"max_depth": 0}, "at least 1, or None for no limit, got 0"),
    ],
)
def test_impossible_forests_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ForestSettings(**options)


def test_equal_settings_are_one_key() -> None:
    assert len({ForestSettings(max_depth=3), ForestSettings(max_depth=3), ForestSettings(max_depth=4)}) == 2
