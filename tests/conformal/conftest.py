"""What tests of the conformal track share: the golden data, and small random problems."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.conformal.sets.checks import FloatArray, IntArray


@pytest.fixture(scope="session")
def golden_folder() -> Path:
    """Reference values made by running other people's functions."""
    root = os.environ.get("ASSAY_BENCHMARKS")
    if not root or not (Path(root) / "conformal" / "metrics_golden.json").is_file():
        pytest.skip("ASSAY_BENCHMARKS does not point at the golden data")
    return Path(root) / "conformal"


@pytest.fixture(scope="session")
def metrics_golden(golden_folder: Path) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((golden_folder / "metrics_golden.json").read_text())["cases"]
    return cases


@pytest.fixture(scope="session")
def quantile_golden(golden_folder: Path) -> dict[str, Any]:
    golden: dict[str, Any] = json.loads((golden_folder / "quantile_golden.json").read_text())
    return golden


Sample = Callable[..., tuple[list[FloatArray], list[IntArray]]]


@pytest.fixture(scope="session")
def sample() -> Sample:
    """Random probabilities and labels that follow them; ``grid`` rounds them so that ties occur."""

    def make(samples: int, classes: tuple[int, ...], *, seed: int = 0, grid: int = 0) -> Any:
        rng = np.random.default_rng(seed)
        probabilities, labels = [], []
        for count in classes:
            p = rng.dirichlet(np.full(count, 0.5), size=samples)
            if grid:  # whole numbers over a power of two: sums and differences are exact
                p = np.stack([rng.multinomial(grid, row) for row in p]) / grid
            probabilities.append(p)
            labels.append(np.array([rng.choice(count, p=row) for row in p], dtype=np.int64))
        return probabilities, labels

    return make
