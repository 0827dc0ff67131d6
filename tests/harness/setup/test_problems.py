from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.core import InvalidInput, get_track
from assay.harness.setup.problems import demand_distinct, problem_folders, problem_manifest


def test_problems_of_another_track_are_said_to_be_so_with_the_command_that_takes_them(tmp_path: Path) -> None:
    one = tmp_path / "my problems" / "p0"
    one.mkdir(parents=True)
    (one / "problem.json").write_text(json.dumps({"track": "cases"}))
    conformal, insight = get_track("conformal"), get_track("insight")
    assert problem_folders(one.parent, conformal) == (one,)
    words = (
        "a problem of track 'cases', not of 'conformal'. Run it with: assay run cases --problems '.*/my problems/p0'"
    )
    with pytest.raises(InvalidInput, match=words):
        problem_manifest(one, conformal)
    with pytest.raises(InvalidInput, match="these are problems of track 'cases', not of 'insight'. .* assay run cases"):
        problem_folders(one.parent, insight)
    with pytest.raises(InvalidInput, match=r"problem folder not found. Did you mean '.*/my problems/'\?"):
        problem_folders(tmp_path / "my problms", conformal)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match="no problem folder here"):
        problem_folders(tmp_path / "empty", conformal)
    with pytest.raises(InvalidInput, match=r"no problem folder here. .* Did you mean '.*/my problems'\?"):
        problem_folders(tmp_path, conformal)


def test_two_problems_of_one_id_are_named_with_both_folders() -> None:
    demand_distinct([("a", Path("one")), ("b", Path("two"))])
    with pytest.raises(InvalidInput, match="two problems are named 'a': p/one and p/two. Set 'id' in one of the"):
        demand_distinct([("a", Path("p/one")), ("b", Path("p/b")), ("a", Path("p/two"))])
