from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from assay.conformal import coverage
from assay.conformal.metrics import worst_slab_coverage
from assay.core import InvalidInput


def planted(seed: int, *, inside: float, outside: float) -> tuple[list[Any], list[Any], Any]:
    """Two tasks; where the first feature is below -1 (a sixth of the samples) they are covered less often."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(4000, 2))
    hits = rng.uniform(size=4000) < np.where(x[:, 0] < -1, inside, outside)
    return [np.stack([h, ~h], axis=1) for h in (hits, np.ones(4000, dtype=bool))], [np.zeros(4000, dtype=int)] * 2, x


def test_a_planted_slab_is_found() -> None:
    sets, labels, x = planted(0, inside=0.5, outside=0.95)
    assert coverage(sets, labels, overall="joint") > 0.85
    assert worst_slab_coverage(sets, labels, x) == pytest.approx(0.5, abs=0.12)
    assert worst_slab_coverage(sets, labels, x * [100, 1] + 7) == pytest.approx(0.5, abs=0.12)  # units do not matter


def test_where_nothing_is_planted_the_worst_slab_looks_ordinary() -> None:
    coverages = [
        worst_slab_coverage(*planted(seed, inside=0.9, outside=0.9), directions=50, seed=seed) for seed in range(8)
    ]
    assert np.mean(coverages) == pytest.approx(0.9, abs=0.02)  # judged where it was found, it would be near 0.8


def test_the_seed_decides_and_missing_labels_are_left_out() -> None:
    sets, labels, x = planted(1, inside=0.5, outside=0.95)
    assert worst_slab_coverage(sets, labels, x, seed=3) == worst_slab_coverage(sets, labels, x, seed=3)
    gaps = [np.where(x[:, 0] < -1, -1, labels[0]), labels[1]]
    assert worst_slab_coverage(sets, gaps, x) > 0.85


def test_too_few_samples_are_undefined_and_bad_input_is_named() -> None:
    sets, labels, x = planted(2, inside=0.5, outside=0.95)
    assert math.isnan(worst_slab_coverage([s[:30] for s in sets], [y[:30] for y in labels], x[:30]))
    for change, message in (
        ({"share": 0.0}, "share"),
        ({"directions": 0}, "directions"),
        ({"features": x[:5]}, "features"),
        ({"features": np.full((4000, 2), np.nan)}, "finite"),
    ):
        arguments: dict[str, Any] = {"features": x, **change}
        with pytest.raises(InvalidInput, match=message):
            worst_slab_coverage(sets, labels, **arguments)
