import math

import numpy as np
import pytest

from assay.core import InvalidInput
from assay.formula import parse
from assay.formula.metrics import complexity, depth, prediction_mismatch


def test_mismatch_is_measured_in_deviations_of_the_target() -> None:
    target = [0.0, 2.0, 0.0, 2.0]
    assert prediction_mismatch([1.0, 1.0], [1.5, 0.5], target) == pytest.approx(0.5)
    assert prediction_mismatch([1.0, math.nan], [1.0, math.inf], target) == 0.0  # neither has a value there
    assert prediction_mismatch([math.nan], [1.0], target) == math.inf
    assert prediction_mismatch([1e300, 1e300], [0.0, 0.0], target) == pytest.approx(1e300)
    assert prediction_mismatch([math.nan], [math.nan], target) == 0.0
    with pytest.raises(InvalidInput, match="one length"):
        prediction_mismatch([1.0], [1.0, 2.0], target)


def test_sizes_are_counted_by_hand() -> None:
    tree = parse("a*b + sin(c)/2")  # add(mul(a, b), div(sin(c), 2))
    assert (complexity(tree), depth(tree)) == (8, 4)


@pytest.mark.parametrize("size", [1.0, 1e200, 1e-200])
def test_a_mismatch_does_not_depend_on_the_unit_of_the_target(size: float) -> None:
    target = np.array([0.0, 2.0, 0.0, 2.0]) * size
    assert prediction_mismatch(target + 0.5 * size, target, target) == pytest.approx(0.5)


def test_a_mismatch_of_the_largest_numbers_is_finite_and_a_constant_target_gives_its_size() -> None:
    largest = 1.7e308
    assert prediction_mismatch([largest, -largest], [-largest, largest], [-largest, largest]) == pytest.approx(2.0)
    assert prediction_mismatch([1e-300, 3e-300], [1e-300, 1e-300], [0.0, 2e-300]) == pytest.approx(math.sqrt(2))
    assert prediction_mismatch([0.2] * 3, [0.1] * 3, [0.1] * 3) == pytest.approx(1.0)
