from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assay.core import Budget, InvalidInput, get_track
from assay.formula import new_problem
from assay.harness.plan import answer_key, prepare, record_key
from assay.harness.spec import RunSpec

ANSWER = "92f9347392d5a3b6a447677cfc2f919c4c34545e7a2b7d6d5825d1e987e8a1f0"

# as they were before metrics could come from outside: a changed key would score everything again
KEYS = {
    "cases": "3ba071be12141040049c43c0dcb455414a80c311fa4a00100a55ab748789a59f",
    "conformal": "2e142fcdc828e76f4b01c7d26f791e33b7505e10f437ba30abad8331dd2068bc",
    "drift": "6ed23ee5f8d389797aad29287608dddb3131f8254407a385aacbf866a4f78ec1",
    "formula": "5b181299aa5cc66435a3f158bd077e5a82f4336b751d32040869521fc2ba68a0",
    "insight": "56ae3405537365e1ba48e38ba5682810d607010e5895c8bf5027b6247d55ae7b",
}


def test_the_key_of_an_answer_is_what_it_always_was() -> None:
    assert answer_key("cases", "p" * 64, "vote", "s" * 64, Budget(seed=3, seconds=20, memory_mb=1024)) == ANSWER


@pytest.mark.parametrize("name", KEYS)
def test_without_metrics_from_outside_the_key_of_a_record_is_what_it_always_was(name: str) -> None:
    track = get_track(name)
    assert record_key(ANSWER, track.versions(), track.settings) == KEYS[name]
    assert record_key(ANSWER, track.versions(), track.settings, track.sources()) == KEYS[name]


def test_the_source_of_a_metric_from_outside_is_part_of_the_key() -> None:
    keys = {
        record_key(ANSWER, {"examine": 1, "mine": 1}, {}, sources) for sources in ({}, {"mine": "a"}, {"mine": "b"})
    }
    assert len(keys) == 3


@pytest.fixture
def without_law(tmp_path: Path) -> RunSpec:
    """A law that is known, and two tables without one."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"m": rng.uniform(1, 5, 40), "v": rng.uniform(1, 5, 40)}).eval("E = m*v")
    for name, truth in (("law", "m*v"), ("none", None), ("other", None)):
        new_problem(tmp_path / name, table, target="E", truth=truth)
    folders = tuple(str(tmp_path / name) for name in ("law", "none", "other"))
    return RunSpec(track="formula", problems=folders, subjects=("linear", "oracle"))


def test_the_oracle_is_refused_before_anything_runs_where_a_problem_has_no_truth_for_it(without_law: RunSpec) -> None:
    fault = r"subject 'oracle': answers with the truth, and problem 'none' has no known formula \(and 1 more\)"
    with pytest.raises(InvalidInput, match=f"nothing was run:\n  {fault}. Leave out"):
        prepare(without_law)
    with pytest.raises(InvalidInput, match=f"^{fault}"):
        prepare(replace(without_law, subjects=("oracle",)), keep_going=True)
    assert prepare(replace(without_law, problems=without_law.problems[:1])).left_out == ()


def test_the_oracle_is_left_out_where_that_is_wanted(without_law: RunSpec) -> None:
    prepared = prepare(without_law, keep_going=True)
    assert [subject.name for subject in prepared.subjects] == ["linear"]
    assert "no known formula" in prepared.left_out[0]
