"""The gate goes red when a ratio worsens, and stays green for seconds, better ratios and stated gaps."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from benchmarks.__main__ import main
from benchmarks.gate import REFERENCE, compare, keep, read_reference, worsened
from benchmarks.measure import Row, Unmeasured, beside, counted, shown
from benchmarks.results import Results
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput


def results(*rows: Row, **given: Any) -> Results:
    return Results(rows={"search": list(rows)}, **given)


SPEED = beside("CPU", 0.5, "s", peer="other", theirs=1.0)
RECALL = counted("recall", 0.99, "", better="more", tolerance=0.01)
KEPT = {
    "search: CPU": {"ratio": 0.5, "better": "less"},
    "search: recall": {"ratio": 0.99, "better": "more", "tolerance": 0.01},
}


def test_equal_ratios_pass() -> None:
    found = compare(results(SPEED, RECALL), KEPT)
    assert found.failures == ()
    assert found.compared == 2


def test_a_slower_machine_passes_since_the_peer_is_slower_too() -> None:
    assert compare(results(beside("CPU", 5.0, "s", peer="other", theirs=10.0), RECALL), KEPT).failures == ()


def test_a_worse_ratio_fails_and_is_named() -> None:
    found = compare(results(beside("CPU", 0.7, "s", peer="other", theirs=1.0), RECALL), KEPT)
    assert len(found.failures) == 1
    assert found.failures[0].startswith("search: CPU: 0.7, kept 0.5")


def test_the_tolerance_is_the_one_given() -> None:
    slower = results(beside("CPU", 0.7, "s", peer="other", theirs=1.0), RECALL)
    assert compare(slower, KEPT, tolerance=0.5).failures == ()


def test_a_row_s_own_tolerance_wins() -> None:
    worse = counted("recall", 0.97, "", better="more", tolerance=0.01)
    assert compare(results(SPEED, worse), KEPT, tolerance=0.5).failures[0].startswith("search: recall")


def test_a_better_ratio_passes_and_is_said() -> None:
    found = compare(results(beside("CPU", 0.1, "s", peer="other", theirs=1.0), RECALL), KEPT)
    assert found.failures == ()
    assert found.better[0].startswith("search: CPU")


def test_an_undefined_ratio_fails() -> None:
    assert compare(results(beside("CPU", 0.1, "s", peer="other", theirs=0.0), RECALL), KEPT).failures


def test_a_figure_that_vanished_fails() -> None:
    assert compare(results(RECALL), KEPT).failures == ("search: CPU: gone",)


def test_a_figure_that_is_only_shown_now_fails() -> None:
    assert compare(results(shown("CPU", 0.5, "s"), RECALL), KEPT).failures == ("search: CPU: gone",)


def test_a_figure_without_its_peer_is_said_and_passes() -> None:
    found = compare(results(RECALL, Unmeasured(name="CPU", reason="no peer")), KEPT)
    assert found.failures == ()
    assert found.skipped == ("search: CPU: no peer",)


def test_a_benchmark_that_was_not_run_is_said_and_passes() -> None:
    found = compare(Results(rows={"other": []}), KEPT)
    assert found.failures == ()
    assert len(found.skipped) == 2


def test_a_benchmark_that_broke_fails() -> None:
    assert compare(results(failed={"search": "signal 9"}), KEPT).failures == ("search: broke (signal 9)",)


def test_small_sizes_are_refused() -> None:
    with pytest.raises(InvalidInput, match="quick"):
        compare(results(SPEED, quick=True), KEPT)
    with pytest.raises(InvalidInput, match="quick"):
        keep(results(SPEED, quick=True), Path("nowhere.json"))


@given(st.floats(0.001, 1e6), st.floats(0.0, 1.0), st.sampled_from(["less", "more"]))
def test_a_ratio_is_never_worse_than_itself(ratio: float, tolerance: float, better: str) -> None:
    assert not worsened(ratio, ratio, better=better, tolerance=tolerance)


@given(st.floats(0.001, 1e6), st.floats(0.001, 1e6), st.sampled_from(["less", "more"]))
def test_of_two_ratios_at_most_one_is_worse(first: float, second: float, better: str) -> None:
    ways = [worsened(a, b, better=better, tolerance=0.1) for a, b in ((first, second), (second, first))]
    assert not all(ways)


def test_any_increase_of_a_count_of_zero_is_worse() -> None:
    assert worsened(1, 0, better="less", tolerance=0.25)
    assert not worsened(0, 0, better="less", tolerance=0.25)
    assert worsened(math.nan, 1, better="less", tolerance=0.25)


def test_keeping_replaces_what_was_run_and_leaves_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "reference.json"
    keep(Results(rows={"search": [SPEED, RECALL], "other": [counted("bytes", 10, "")]}), path)
    faster = beside("CPU", 0.25, "s", peer="other", theirs=1.0)
    assert keep(results(faster, Unmeasured(name="recall", reason="no data")), path) == 1
    kept = read_reference(path)
    assert {name: entry["ratio"] for name, entry in kept.items()} == {
        "other: bytes": 10.0,
        "search: CPU": 0.25,
        "search: recall": 0.99,
    }
    assert kept["search: recall"]["tolerance"] == 0.01


def test_the_command_exits_with_1_for_worse_and_0_for_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept, now = tmp_path / "kept.json", tmp_path / "now.json"
    keep(results(SPEED), kept)
    results(SPEED).write(now)
    assert main(["gate", str(now), "--against", str(kept)]) == 0
    results(beside("CPU", 0.9, "s", peer="other", theirs=1.0)).write(now)
    assert main(["gate", str(now), "--against", str(kept)]) == 1
    assert "WORSE: search: CPU" in capsys.readouterr().out
    assert main(["gate", str(now), "--against", str(kept), "--tolerance", "1"]) == 0


def test_a_file_that_is_no_result_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.json"
    path.write_text("{}")
    assert main(["gate", str(path)]) == 2
    assert "not a file that" in capsys.readouterr().err
    path.write_text(json.dumps({"ratios": {"a": 1}}))
    with pytest.raises(InvalidInput, match="not a reference"):
        read_reference(path)


def test_the_reference_in_the_repository_can_be_read() -> None:
    kept = read_reference(REFERENCE)
    assert kept
    assert all(math.isfinite(entry["ratio"]) and entry["better"] in ("less", "more") for entry in kept.values())
