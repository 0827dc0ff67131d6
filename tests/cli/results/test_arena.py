"""The arena on the command line: what is printed, and the exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.core import Record
from assay.publish.arena.revealing import Replay, Round
from assay.stats import memorisation_gaps


def record(base: str, drawn: str, score: float) -> Record:
    return Record(
        key="", answer_key="", track="formula", problem=f"{base}{drawn}", problem_digest="", subject="mine",
        subject_digest="", seed=0, status="ok", scores={"r2": score}, tags={"base": base, "drawn": drawn},
    )  # fmt: skip


@pytest.fixture
def ended(tmp_path: Path) -> Round:
    """A finished round of one subject."""
    scores = {"a": (1.0, 0.5), "b": (0.9, 0.5), "c": (1.0, 0.4)}
    records = [
        record(base, sample, score)
        for base, both in scores.items()
        for sample, score in zip(("public", "fresh"), both, strict=True)
    ]
    gaps = tuple(("solved-laws", gap) for gap in memorisation_gaps(records, "r2"))
    return Round(folder=tmp_path, results=tmp_path / "results", seed="ab" * 32, gaps=gaps, records=tuple(records))


def test_commit_and_enter_print_what_is_to_be_published(assay: Any, tmp_path: Path) -> None:
    result = assay("arena", "commit", "round", "--family", "solved-laws", "--problems", "2")
    digest = json.loads((tmp_path / "round" / "commitment.json").read_text())["commitment"]
    assert f"Commitment {digest}" in result.stdout
    assert "keep round/seed.secret" in result.stdout
    secret = (tmp_path / "round" / "seed.secret").read_text().strip()
    assert secret not in result.stdout
    entered = assay("arena", "enter", "round", "linear", "--json")
    body = json.loads(entered.stdout)
    assert body["name"] == "linear"
    assert body["entries"] == json.loads((tmp_path / "round" / "entries.json").read_text())["digest"]


def test_reveal_and_gap_show_who_remembers(assay: Any, ended: Round, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.publish.arena.revealing.reveal", lambda folder, **how: ended)
    monkeypatch.setattr("assay.publish.arena.revealing.round_of", lambda folder, **how: ended)
    shown = assay("arena", "reveal", "round").stdout
    assert f"Seed {'ab' * 32}" in shown
    assert "mine  fresh 0.467  public 0.967  gap +0.500" in shown
    assert "memory" in shown
    (row,) = json.loads(assay("arena", "gap", "round", "--json").stdout)
    assert row["family"] == "solved-laws"
    assert row["gap"]["low"] > 0


@pytest.mark.parametrize(("differences", "code", "verdict"), [((), 0, "EQUAL"), (("x: y",), 1, "DIFFERENT")])
def test_a_replay_ends_with_1_where_something_differs(
    assay: Any,
    ended: Round,
    monkeypatch: pytest.MonkeyPatch,
    differences: tuple[str, ...],
    code: int,
    verdict: str,
) -> None:
    result = Replay(round=ended, problems=6, compared=6, differences=differences, notes=())
    monkeypatch.setattr("assay.publish.arena.revealing.replay", lambda folder, out, **how: result)
    shown = assay("arena", "replay", "round", "--out", "again", code=code).stdout
    assert f"{verdict}: 6 problems drawn from the seeds, 6 records compared." in shown
    assert json.loads(assay("arena", "replay", "round", "--out", "b", "--json", code=code).stdout)["equal"] is not bool(
        code
    )


def test_a_gap_of_too_few_pairs_has_no_interval(assay: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = [record(base, drawn, 0.5) for base in ("a", "b") for drawn in ("public", "fresh")]
    gaps = tuple(("solved-laws", gap) for gap in memorisation_gaps(records, "r2"))
    few = Round(folder=tmp_path, results=tmp_path, seed="ab", gaps=gaps, records=tuple(records))
    monkeypatch.setattr("assay.publish.arena.revealing.round_of", lambda folder, **how: few)
    shown = assay("arena", "gap", "round").stdout
    assert "gap 0.000 (too few pairs for an interval)" in shown
    assert "nan" not in shown
