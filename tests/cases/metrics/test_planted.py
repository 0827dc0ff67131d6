import math
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from assay.cases.metrics import label_noise_auroc, ood_auroc
from assay.core import InvalidInput


@pytest.mark.parametrize("metric", [ood_auroc, label_noise_auroc])
def test_planted_things_are_found_as_scikit_learn_says(metric: Any) -> None:
    rng = np.random.default_rng(1)
    planted = rng.random(150) < 0.2
    values = (rng.normal(size=150) + planted).round(1)
    assert metric(values, planted) == pytest.approx(roc_auc_score(planted, values), abs=1e-12)
    assert metric(planted, planted) == 1.0
    assert metric(~planted, planted) == 0.0
    assert metric(np.ones(150), planted) == 0.5


@pytest.mark.parametrize("metric", [ood_auroc, label_noise_auroc])
def test_without_anything_planted_or_with_everything_it_is_undefined(metric: Any) -> None:
    assert math.isnan(metric([1.0, 2.0], [False, False]))
    assert math.isnan(metric([1.0, 2.0], [True, True]))
    with pytest.raises(InvalidInput, match="planted must be two lists of one length"):
        metric([1.0], [True, False])
    with pytest.raises(InvalidInput, match="planted: must say True or False for each entry"):
        metric([1.0], [2])
