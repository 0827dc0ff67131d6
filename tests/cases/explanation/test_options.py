from typing import Any

import numpy as np
import pytest

from assay.cases import CaseExplainer
from assay.cases.explanation.options import as_share, as_thresholds
from assay.core import InvalidInput


@pytest.mark.parametrize("value", [-0.1, 1.1, "a", None, float("nan"), True])
def test_a_share_lies_between_zero_and_one(value: Any) -> None:
    with pytest.raises(InvalidInput, match="ood_level must be a number between 0 and 1"):
        as_share(value, what="ood_level")


@pytest.mark.parametrize("value", [-1, 0.5, None, True, "1"])
def test_a_seed_is_a_whole_number(value: Any) -> None:
    with pytest.raises(InvalidInput, match="seed must be a whole number"):
        CaseExplainer([[1.0], [2.0]], [0, 1], k=1, seed=value)


def test_what_is_right_comes_back_as_plain_numbers() -> None:
    assert as_share(1, what="x") == 1.0
    assert CaseExplainer([[1.0], [2.0]], [0, 1], k=1, seed=np.int64(7)).seed == 7  # type: ignore[arg-type]
    assert as_thresholds((0.9, 0.5)) == (0.9, 0.5)


@pytest.mark.parametrize("options", [{"ood_level": 2}, {"min_recall": -1}, {"seed": -3}])
def test_the_explainer_checks_them_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(options))):
        CaseExplainer([[1.0], [2.0]], [0, 1], k=1, **options)
