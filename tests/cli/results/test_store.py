"""``assay store`` as a user runs it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

from assay.core.track import AnyTrack
from assay.harness import RunSpec, run
from assay.report import load


def test_check_and_merge_from_the_command_line(assay: Callable[..., object], tmp_path: Path) -> None:
    for name, seed in (("a", "0"), ("b", "1")):
        assay("run", "cases", "--subject", "oracle", "--seed", seed, "--out", name, "--quiet")
    merged = json.loads(_out(assay("store", "merge", "all", "a", "b", "--json")))
    assert merged["new_records"] > 2
    content = json.loads(_out(assay("store", "check", "all", "--json")))
    assert content["whole"]
    assert content["records"] == merged["new_records"] == content["cells"]
    assert "No errors found." in _out(assay("store", "check", "all"))
    with sqlite3.connect(tmp_path / "all" / "assay.sqlite") as base:
        base.execute("UPDATE records SET checksum = x'00'")
    base.close()
    assert "checksum mismatch" in _out(assay("store", "check", "all", code=1))


def test_withdraw_and_restore_from_the_command_line(
    assay: Callable[..., object], parity: AnyTrack, tmp_path: Path
) -> None:
    run([RunSpec(track="parity", subjects=("oracle", "divide"))], out=tmp_path / "out")
    content = json.loads(_out(assay("store", "withdraw", "out", "--subject", "oracle", "--reason", "leaked", "--json")))
    assert (content["number"], content["reason"], content["records"]) == (1, "leaked", 8)
    assert "Withdrawal 1: 8 records of oracle" in _out(assay("store", "check", "out"))
    assert "leaked" in _out(assay("report", "out"))
    assert "oracle" not in {record.subject for record in load(tmp_path / "out").tracks[0].records}
    assert json.loads(_out(assay("store", "restore", "out", "1", "--json")))["restored"]
    assert len(load(tmp_path / "out").tracks[0].records) == 16


def _out(output: object) -> str:
    return str(getattr(output, "stdout", ""))
