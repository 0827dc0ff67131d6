from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.insight.leakage import known_labels
from assay.insight.leakage.perturbations import Scenario


@pytest.mark.parametrize("dtype", ["int8", "uint8", "Int8", "int64", "uint64", "float32", "str"])
def test_unknown_ids_occur_nowhere_and_are_all_different_in_any_type(dtype: Any) -> None:
    ids = pd.Series(np.arange(100), name="id").astype(dtype)
    frame = ids.to_frame()
    scenario = Scenario(rows=frame, train=frame, tables={}, order=np.arange(100))
    strange = known_labels._with_unknown_ids(scenario, "id").rows["id"]
    assert not strange.isin(ids).any()
    assert strange.is_unique
