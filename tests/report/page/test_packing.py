"""The cells inside the offline file: all while they fit, then a sample, then the starts of answers; never too much."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from assay.report import Results, TrackResults
from assay.report.page import packing
from assay.report.page.packing import packed_cells, stored_answers


def unpacked(text: str) -> list[list[Any]]:
    found: list[list[Any]] = json.loads(zlib.decompress(base64.b64decode(text)))
    return found


def pack(results: Results, **options: Any) -> dict[str, list[list[Any]]]:
    toy: TrackResults = results.track("toy")
    problems = sorted({record.problem for record in toy.records})
    subjects = sorted({record.subject for record in toy.records})
    with stored_answers(results.folder) as answers:
        packed = packed_cells(toy, toy.records, problems, subjects, answers, **options)
    return {problem: unpacked(text) if text else [] for problem, text in zip(problems, packed, strict=True)}


def test_every_record_is_there_in_full_while_there_is_room(results: Results) -> None:
    found = pack(results)
    subjects = sorted({record.subject for record in results.track("toy").records})
    places = {
        (problem, subjects[place], seed) for problem, cells in found.items() for place, seed, whole, _ in cells if whole
    }
    assert places == {(record.problem, record.subject, record.seed) for record in results.track("toy").records}
    failed = next(text for place, seed, _, text in found["wine"] if (subjects[place], seed) == ("vote", 1))
    assert "gave up\non &lt;row&gt; 3" in failed


def test_of_too_many_the_first_seeds_are_in_full_and_of_others_the_start(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "WHOLE", 6)
    found = pack(results)
    whole = [(problem, seed) for problem, cells in found.items() for _, seed, is_whole, _ in cells if is_whole]
    assert 0 < len(whole) <= 6
    assert {seed for _, seed in whole} == {0}
    assert all(
        text in ("answer", "") or text.startswith("failed: gave up")
        for cells in found.values()
        for *_, w, text in cells
        if not w
    )


def test_the_budget_is_kept(results: Results) -> None:
    toy = results.track("toy")
    problems = sorted({record.problem for record in toy.records})
    subjects = sorted({record.subject for record in toy.records})
    with stored_answers(results.folder) as answers:
        packed = packed_cells(toy, toy.records, problems, subjects, answers, budget=5000)
    assert 0 < sum(map(len, packed)) < 5000 + 500  # starts of answers are small
    assert sum(bool(whole) for text in packed if text for *_, whole, _ in unpacked(text)) < len(toy.records)


def test_without_a_store_there_are_cells_and_no_answers(results: Results, tmp_path: Any) -> None:
    with stored_answers(tmp_path) as answers:
        assert answers(results.track("toy").records[0]) is None


def test_a_hidden_truth_is_in_no_packed_cell(make_results: Callable[..., Results]) -> None:
    rows = [
        (
            "iris",
            "oracle",
            0,
            1.0,
            1.0,
            {"isolation": "examiner", "details": {"truth": "the secret", "note": "secret"}},
        ),
        ("iris", "vote", 0, 0.5, 1.0, {"details": {"truth": "the secret", "note": "a secret note"}}),
    ]
    results = make_results(rows)
    for whole in (400, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(packing, "WHOLE", whole)
            (oracle, vote), (hidden_oracle, hidden_vote) = (
                pack(results, truth=truth)["iris"] for truth in (True, False)
            )
        assert "secret" not in hidden_oracle[3] + hidden_vote[3]
        assert hidden_oracle[3] == "" or "Hidden: this subject was given the truth." in hidden_oracle[3]
        if oracle[2]:
            assert "the secret" in oracle[3]
            assert "a secret note" in vote[3]
        assert "answer" in hidden_vote[3]
