"""What a subject's process says of itself is taken as a claim: names are checked, files are read by the examiner."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.harness import RunSpec, Store, run
from assay.harness.process import observation
from assay.harness.process.observation import ABSENT, WRITTEN, loaded_software, observed_files, relayed_software

Spec = Callable[..., RunSpec]
Write = Callable[[str, str], str]


def test_only_files_inside_the_folder_are_digested(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "sub").mkdir(parents=True)
    (home / "a.txt").write_text("a")
    (tmp_path / "secret.txt").write_text("s")
    (home / "out.txt").symlink_to(tmp_path / "secret.txt")
    (home / "around").symlink_to(tmp_path)
    os.mkfifo(home / "pipe")
    claimed = [
        *("a.txt", "sub/../a.txt", "../secret.txt", str(tmp_path / "secret.txt"), "out.txt", "around/secret.txt"),
        *("pipe", "sub", "gone.txt", "", "\0", "a\n", 7, None, ["a.txt"], "x" * 5000),
    ]
    names = {name: False for name in claimed if not isinstance(name, list)}
    content = hashlib.sha256(b"a").hexdigest()
    assert observed_files(names, str(home)) == {"a.txt": content, "gone.txt": ABSENT}
    assert observed_files({"a.txt": "yes", "../b": True, "b": True}, str(home)) == {"a.txt": content, "b": WRITTEN}
    for nonsense in (None, "a.txt", ["a.txt"], 5):
        assert observed_files(nonsense, str(home)) == {}
    assert observed_files({"a.txt": False}, "") == {}


def test_very_many_and_very_large_files_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(300):
        (tmp_path / f"{number}").write_text("xx")
    names = {str(number): False for number in range(300)}
    assert len(observed_files(names, str(tmp_path))) == observation.MOST_FILES
    monkeypatch.setattr(observation, "MOST_BYTES", 5)
    assert set(observed_files(names, str(tmp_path))) == {"0", "1"}


def test_versions_are_names_and_versions_and_nothing_else() -> None:
    hostile = {"numpy": "2.0", "<b>": "1", "x": "a b", "y": 1, 3: "1", "z" * 50: "1", "_private": "1", "v": "1" * 99}
    assert relayed_software(hostile) == {"numpy": "2.0"}
    assert relayed_software([("numpy", "2.0")]) == {}
    assert len(relayed_software({f"n{number}": "1" for number in range(500)})) == 100
    assert {"python", "assay", "pytest"} <= set(loaded_software())


LOADS = """
import sys, types
sys.modules["loaded"] = types.ModuleType("loaded")
sys.modules["loaded"].__version__ = "7.1"
sys.modules["told"] = types.ModuleType("told")
sys.modules["told"].__version__ = __import__("os").environ["KEY"]
def solve(task, budget):
    return tuple(n % 2 == 0 for n in task.numbers)
"""


def test_a_record_names_the_versions_that_its_subject_loaded_once_for_all(
    spec: Spec, subject_file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "secret-key-1234567890")
    subject = subject_file("loads.py", LOADS)
    result = run([spec(subject, "oracle", environment=("KEY",))], out=tmp_path / "out")
    by_subject = {record.subject: record.software for record in result.records}
    assert by_subject["loads"]["loaded"] == "7.1"
    assert {"python", "assay"} <= set(by_subject["oracle"])
    assert "loaded" not in by_subject["oracle"]
    with Store(tmp_path / "out", read_only=True) as store:
        with store.snapshot() as connection:
            (rows,) = connection.execute("SELECT count(*) FROM mappings").fetchone()
            texts = [body for (body,) in connection.execute("SELECT body FROM mappings")]
        assert store.answer(result.records[0].answer_key).software["loaded"] == "7.1"
    assert rows <= 6
    assert not any("secret-key" in text for text in texts)


BREAKS = """
import sys
class Broken(dict):
    def items(self): raise RuntimeError("no")
def solve(task, budget):
    sys.modules = Broken(sys.modules)
    sys.addaudithook(lambda event, values: None)
    return tuple(n % 2 == 0 for n in task.numbers)
"""


def test_a_subject_that_spoils_what_is_looked_at_still_answers(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    result = run([spec(subject_file("breaks.py", BREAKS))], out=tmp_path / "out")
    assert [record.status for record in result.records] == ["ok", "ok"]
