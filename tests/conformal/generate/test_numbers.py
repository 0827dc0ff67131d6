"""Generated problems with numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.conformal import generate, load
from assay.conformal.generate import FAMILIES
from assay.conformal.generate.numbers import NUMBER_FAMILIES, draw_numbers
from assay.core import InvalidInput, find_problems


def test_problems_with_numbers_are_seeded_and_run_through_the_families(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        generate(tmp_path / name, problems=7, seed=seed, families=[*NUMBER_FAMILIES], calibration=60, test=20)
    digests = {name: [load(path).digest for path in find_problems(tmp_path / name)] for name in "abc"}
    assert digests["a"] == digests["b"]
    assert not {*digests["a"]} & {*digests["c"]}
    tags = [load(path).tags for path in find_problems(tmp_path / "a")]
    assert {(tag["family"], tag["kind"]) for tag in tags} == {
        ("regression", "numbers"),
        ("heteroscedastic", "numbers"),
        ("mixed", "mixed"),
        ("shifted-numbers", "numbers"),
    }
    with pytest.raises(InvalidInput, match="shifted-numbers has no joint problems"):
        generate(tmp_path / "d", problems=1, seed=1, families=["shifted-numbers"], guarantees=["joint"])


def test_families_of_numbers_are_what_they_are_called() -> None:
    plain, uneven = draw_numbers("regression", 4000, seed=0), draw_numbers("heteroscedastic", 4000, seed=0)
    assert [*plain.predictions["price"].parts] == ["predicted"]
    residual = np.abs(uneven.truth["price"] - uneven.predictions["price"].predicted)
    assert np.corrcoef(residual, uneven.predictions["price"].scale)[0, 1] > 0.4
    shifted = draw_numbers("shifted-numbers", 4000, seed=0, hard=0.5)
    wrong = np.abs(shifted.truth["price"] - shifted.predictions["price"].predicted)
    assert wrong[shifted.groups == 1].mean() > 1.5 * wrong[shifted.groups == 0].mean()
    both = draw_numbers("mixed", 4000, seed=0)
    missed = both.probabilities[0].argmax(axis=1) != both.labels[0]
    error = np.abs(both.truth["price"] - both.predictions["price"].predicted) / both.predictions["price"].scale
    assert error[missed].mean() > 1.1 * error[~missed].mean()  # hard samples are hard for all tasks


def test_no_family_of_numbers_is_among_those_of_the_built_in_problems(tmp_path: Path) -> None:
    assert not {*FAMILIES} & {*NUMBER_FAMILIES}
    generate(tmp_path, problems=7, seed=1, calibration=20, test=10)  # as the built-in problems are generated
    assert not any(load(path).task.numbers for path in find_problems(tmp_path))
