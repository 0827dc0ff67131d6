from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.api import problems, score, subjects, tracks
from assay.api.scoring import Score
from assay.core import Aggregate, AnyTrack, InvalidInput, Metric


def share_claimed(evidence: Any) -> float:
    return float(sum(evidence.claimed) / len(evidence.claimed))


def test_one_answer_is_scored_against_one_problem(parity: AnyTrack) -> None:
    problem = problems("parity")[0]
    answer = tuple(number % 2 == 0 for number in problem.task.numbers)
    result = score(problem, answer, metrics=[share_claimed, Metric("two", lambda evidence: 2.0)])
    assert result == {"accuracy": 1.0, "share_claimed": 0.5, "two": 2.0}
    assert result.headline == next(iter(result)) == "accuracy"
    assert repr(result).splitlines()[:2] == ["parity: numbers-0", "accuracy ↑         1.000"]
    assert "<td>accuracy ↑</td><td>1.000</td>" in result._repr_html_()


def test_a_score_shows_what_the_examination_remarks_on(parity: AnyTrack) -> None:
    notes = ["column 'b' is not scored, its function failed (SyntaxError)", "<b>\x1b[2J" + "x" * 900, "three", "four"]
    result = Score(parity, "numbers-0", {"accuracy": 0.25}, {"notes": notes})
    content = repr(result).splitlines()
    assert content[2] == "Note: column 'b' is not scored, its function failed (SyntaxError)"
    assert content[4:] == ["Note: three", "1 more in score.details['notes']"]
    assert max(map(len, content)) < 220
    assert "\x1b" not in repr(result) + result._repr_html_()
    assert "its function failed (SyntaxError)" in result._repr_html_()
    assert "<b>" not in result._repr_html_()
    for odd in ({}, {"notes": "text"}, {"notes": [1, None]}, {"notes": {"a": "b"}}):
        assert repr(Score(parity, "numbers-0", {"accuracy": 0.25}, odd)).splitlines()[2:] == []


def test_a_malformed_answer_and_a_problem_without_a_track_are_the_users_mistakes(parity: AnyTrack) -> None:
    problem = problems("parity")[0]
    with pytest.raises(
        InvalidInput, match="answer to problem 'numbers-0': malformed answer: 1 claims for 12 numbers\\.$"
    ):
        score(problem, (True,))
    with pytest.raises(InvalidInput, match="answer: a int cannot be read as one: 'int' object is not iterable"):
        score(problem, 5)
    with pytest.raises(InvalidInput, match=r"does not name its track. Take it from assay.problems\(TRACK"):
        score(replace(problem, track=""), (True,))
    with pytest.raises(InvalidInput, match=r"the problem is a str. Give one of assay.problems\(TRACK\)"):
        score("numbers-0", (True,))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="an Aggregate needs the records of a whole run"):
        score(problem, (True,), metrics=Aggregate("most", lambda records: {}))


def test_metrics_may_come_in_any_collection_as_for_a_run(parity: AnyTrack, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def always(evidence):\n    return 1.0\n")
    problem = problems("parity")[0]
    answer = tuple(number % 2 == 0 for number in problem.task.numbers)
    for options in ({f"{path}:always"}, frozenset([f"{path}:always"]), (name for name in [f"{path}:always"])):
        assert score(problem, answer, metrics=options)["always"] == 1.0


def raises(evidence: Any) -> float:
    raise KeyError("no")


def test_a_broken_metric_and_a_mistyped_name_are_named(parity: AnyTrack) -> None:
    problem = problems("parity")[0]
    answer = tuple(number % 2 == 0 for number in problem.task.numbers)
    with pytest.raises(
        InvalidInput, match=r"metric 'raises' of .*test_scoring.py: raised KeyError: 'no' \(test_scoring"
    ):
        score(problem, answer, metrics=[raises])
    with pytest.raises(InvalidInput, match="metric 'text' of .*: gives str instead of a number"):
        score(problem, answer, metrics=[Metric("text", lambda evidence: "x")])  # type: ignore[arg-type,return-value]
    result = score(problem, answer)
    with pytest.raises(KeyError, match="score: no metric named 'acuracy'. Did you mean 'accuracy'"):
        result["acuracy"]
    assert result.get("acuracy") is None
    with pytest.raises(InvalidInput, match=r"for 12 numbers\.$"):
        score(problem, (True,))


def test_what_there_is_shows_itself_and_is_a_list_of_names(parity: AnyTrack) -> None:
    assert "parity" in tracks()
    assert tracks()[0] == "cases"
    assert list(subjects("parity")) == [*parity.subjects, *parity.privileged, "oracle"]
    assert "parity   " in repr(tracks())
    assert "Divides every number, and so is right" in repr(subjects("parity"))
    assert "<td>divide</td>" in subjects("parity")._repr_html_()
    problem_set = problems("parity")
    assert (len(problem_set), problem_set.ids[1]) == (8, "numbers-1")
    assert (problem_set[1].id, problem_set[1].track) == ("numbers-1", "parity")
    assert "numbers-2  start=14" in repr(problem_set)
    assert repr(problem_set[:1]).splitlines()[-1] == "1 problem of track parity"
    assert "<td>numbers-7</td>" in problem_set._repr_html_()
