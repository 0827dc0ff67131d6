from __future__ import annotations

import numpy as np
import pandas as pd

from assay.insight.problem.task import InsightTask
from assay.insight.search.candidates.gather import gather_candidates
from assay.insight.search.recipes import Aggregate
from assay.insight.search.search_context import make_context


def test_a_window_that_began_earlier_than_the_data_end_is_found_in_its_own_length() -> None:
    rng = np.random.default_rng(2)
    days = rng.integers(0, 500, 6000)
    events = pd.DataFrame(
        {
            "person_id": rng.integers(0, 400, 6000),
            "seen": (pd.Timestamp("2023-01-01") + pd.to_timedelta(days, unit="D")),
        }
    ).astype({"seen": str})
    recent = events["person_id"][days > days.max() - 285].value_counts().reindex(range(400)).fillna(0).to_numpy()
    people = pd.DataFrame({"person_id": range(400), "y": (recent > np.median(recent)).astype(int)})
    task = InsightTask(
        name="t", description="", domain="", target_column="y", problem_type="binary", train=people[:390],
        test=people[390:].drop(columns="y"), tables={"events.csv": events}, time_column=None, table_times={},
    )  # fmt: skip
    pool = gather_candidates(make_context(task, transductive=False, seed=0), most=3000)
    lengths = {recipe.window.high for recipe in pool.recipes if isinstance(recipe, Aggregate)}
    near = [length for length in lengths if length is not None and 270 < length < 300]
    assert near
    counts = [candidate.recipe for candidate in sorted(pool.candidates, key=lambda candidate: -candidate.gain)[:3]]
    assert any(isinstance(recipe, Aggregate) and recipe.window.high in near for recipe in counts)
