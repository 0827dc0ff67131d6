"""An edited subject is another subject, whatever was edited; a folder that is resumed says which and why."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.harness import RunResult, RunSpec, Store, check_store, merge_stores, run
from assay.harness.store.schema import STORE_NAME

Spec = Callable[..., RunSpec]
Run = Callable[..., RunResult]

# what it reads cannot be found in its source
READER = """
import importlib, os
from pathlib import Path
HERE = Path(__file__).parent
def solve(task, budget):
    word = (HERE / ("wor" + "ds.txt")).read_text()
    module = importlib.import_module("plug" + "in")
    with open(HERE / ("no" + "tes.txt"), "w") as notes:
        notes.write("written, not read")
    return tuple(word == "yes" and module.even(n) for n in task.numbers)
"""


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    (tmp_path / "agent.py").write_text(READER)
    (tmp_path / "words.txt").write_text("yes")
    (tmp_path / "plugin.py").write_text("def even(n): return n % 2 == 0\n")
    return tmp_path


@pytest.fixture
def go(spec: Spec, tmp_path: Path) -> Run:
    def start(*subjects: str, out: str = "out", **options: object) -> RunResult:
        return run([spec(*(subjects or ("agent.py",)), **options)], out=tmp_path / out)

    return start


def test_a_file_seen_at_run_time_counts_from_then_on_and_an_edit_can_be_taken_back(reader: Path, go: Run) -> None:
    first = go()
    assert (first.solved, first.solved_again) == (2, ())
    assert [record.scores["accuracy"] for record in first.records] == [1.0, 1.0]
    assert go().solved == 0
    (reader / "notes.txt").write_text("edited, but it was only ever written")
    assert go().solved == 0
    (reader / "words.txt").write_text("no")
    edited = go()
    assert (edited.solved, edited.solved_again) == (2, ("agent is solved again: words.txt changed",))
    assert edited.records[0].scores["accuracy"] < 1.0
    assert go().solved == 0
    (reader / "words.txt").write_text("yes")
    back = go()
    assert (back.solved, back.solved_again) == (0, ())
    assert [record.key for record in back.records] == [record.key for record in first.records]


def test_a_file_that_the_subject_itself_writes_does_not_count(reader: Path, go: Run) -> None:
    (reader / "agent.py").write_text(READER + "LOG = open(HERE / 'log.txt', 'a').write('x')\n")
    go()
    assert (reader / "log.txt").exists()
    assert go().solved == 0
    (reader / "words.txt").write_text("no")
    assert go().solved_again == ("agent is solved again: words.txt changed",)


def test_a_module_imported_by_a_computed_name_counts(reader: Path, go: Run) -> None:
    go()
    go()  # now from its byte code
    (reader / "plugin.py").write_text("def even(n): return True\n")
    assert go().solved_again == ("agent is solved again: plugin.py changed",)
    (reader / "plugin.py").unlink()
    assert go().solved == 2


def test_what_a_confined_subject_may_read_of_its_folder_is_seen_too(reader: Path, go: Run) -> None:
    code = 'def solve(task, budget):\n    open(budget and "{}")\n    return tuple(n % 2 == 0 for n in task.numbers)\n'
    (reader / "agent.py").write_text(code.format(reader / "words.txt"))
    options = {"isolation": "confined", "readable": ("words.txt",)}
    assert [record.status for record in go(**options).records] == ["ok", "ok"]
    (reader / "words.txt").write_text("other")
    assert go(**options).solved_again == ("agent is solved again: words.txt changed",)


def test_edited_source_named_data_and_other_libraries_are_reasons(reader: Path, go: Run) -> None:
    (reader / "agent.py").write_text("import helper\nDATA = 'data/table.csv'\n" + READER)
    (reader / "helper.py").write_text("x = 1\n")
    (reader / "data").mkdir()
    (reader / "data" / "table.csv").write_text("1")
    go()
    for name in ("data/table.csv", "helper.py"):
        (reader / name).write_text("x = 2")
        assert go().solved_again == (f"agent is solved again: {name} changed",)
    (reader / "agent.py").write_text("import numpy\n" + (reader / "agent.py").read_text())
    (line,) = go().solved_again
    assert line == "agent is solved again: agent.py changed, numpy is new"


def test_another_version_of_a_library_is_named(reader: Path, go: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (reader / "agent.py").write_text("import numpy\n" + READER)
    monkeypatch.setattr("assay.core.files.libraries.version", lambda name: "1.0")
    go()
    monkeypatch.setattr("assay.core.files.libraries.version", lambda name: "1.1")
    assert go().solved_again == ("agent is solved again: numpy 1.0 -> 1.1",)


def test_a_subject_without_answers_here_is_not_said_to_be_solved_again(reader: Path, go: Run) -> None:
    go("divide")
    result = go("divide", "agent.py", "oracle")
    assert (result.solved, result.solved_again) == (4, ())


def test_a_folder_from_before_says_that_digests_covered_less(reader: Path, go: Run) -> None:
    go()
    with sqlite3.connect(reader / "out" / STORE_NAME) as base:
        base.execute("DROP TABLE subjects")
        base.execute("DROP TABLE mappings")
        base.execute("DELETE FROM ledger WHERE name = 'subjects'")
        base.execute("UPDATE records SET body = json_remove(body, '$.software')")
        base.execute("PRAGMA user_version = 3")
    base.close()
    (reader / "agent.py").write_text(READER + "# edited\n")
    (line,) = go().solved_again
    assert line.startswith("agent is solved again: this folder was written by Assay before 0.2, whose digests")


def test_the_notice_comes_before_the_work(reader: Path, go: Run, caplog: pytest.LogCaptureFixture) -> None:
    go()
    (reader / "words.txt").write_text("no")
    with caplog.at_level("INFO", logger="assay"):
        go()
    assert "agent is solved again: words.txt changed" in caplog.messages


def test_merged_stores_must_have_read_the_same_files(reader: Path, go: Run) -> None:
    go(out="one")
    (reader / "words.txt").write_text("no")
    go(out="two")
    with pytest.raises(InvalidInput, match=r"the subject agent read another words\.txt there"):
        merge_stores(reader / "both", [reader / "one", reader / "two"])
    (reader / "words.txt").write_text("yes")
    go(out="three", seeds=(1,))
    merge_stores(reader / "both", [reader / "one", reader / "three"])
    assert check_store(reader / "both").whole
    with Store(reader / "both", read_only=True) as store:
        (subject,) = store.subjects("agent")
    assert set(subject.files) == {"words.txt", "plugin.py", "notes.txt"}
    (reader / "words.txt").write_text("no")
    assert go(out="both").solved_again == ("agent is solved again: words.txt changed",)


def test_damage_to_what_is_known_of_subjects_is_found(reader: Path, go: Run) -> None:
    go()
    with sqlite3.connect(reader / "out" / STORE_NAME) as base:
        base.execute("UPDATE subjects SET body = replace(body, 'words.txt', 'other.txt')")
    base.close()
    assert any("the subject agent: checksum mismatch" in text for text in check_store(reader / "out").troubles)
    with pytest.raises(InvalidInput, match="damaged"):
        go()
    with sqlite3.connect(reader / "out" / STORE_NAME) as base:
        base.execute("DELETE FROM subjects")
    base.close()
    with pytest.raises(InvalidInput, match="of 1 subjects that were written 0 are there"):
        go()


BESIDE = """
from pathlib import Path
def solve(task, budget):
    return tuple(n % int((Path(__file__).parent / "data" / "number.txt").read_text()) == 0 for n in task.numbers)
"""


@pytest.mark.parametrize("readable", ["mine/data/number.txt", "mine"])
def test_a_readable_file_beside_the_subject_is_where_the_subject_looks_for_it_and_counts(
    tmp_path: Path, go: Run, readable: str
) -> None:
    (tmp_path / "mine" / "data").mkdir(parents=True)
    (tmp_path / "mine" / "agent.py").write_text(BESIDE)
    number = tmp_path / "mine" / "data" / "number.txt"
    number.write_text("2")
    options = {"isolation": "confined", "readable": (readable,)}
    first = go("mine/agent.py", **options)
    assert [record.scores["accuracy"] for record in first.records] == [1.0, 1.0], first.records[0].error
    assert go("mine/agent.py", **options).solved == 0
    number.write_text("3")
    assert go("mine/agent.py", **options).solved == 2
    assert number.exists()


ELSEWHERE = "def solve(task, budget):\n    return tuple(n % int(open({!r}).read()) == 0 for n in task.numbers)\n"


@pytest.mark.parametrize("readable", ["data/number.txt", "data"])
def test_a_readable_file_elsewhere_counts(tmp_path: Path, go: Run, readable: str) -> None:
    number = tmp_path / "data" / "number.txt"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "agent.py").write_text(ELSEWHERE.format(str(number)))
    number.parent.mkdir()
    number.write_text("2")
    refused = go("mine/agent.py", isolation="confined")
    assert refused.records[0].status == "failed"
    options = {"isolation": "confined", "readable": (readable,)}
    allowed = go("mine/agent.py", **options)
    assert (allowed.solved, allowed.solved_again) == (2, (f"agent is solved again: {readable} is new",))
    assert [record.scores["accuracy"] for record in allowed.records] == [1.0, 1.0], allowed.records[0].error
    (tmp_path / "data" / "other.txt").write_text("not read")
    assert go("mine/agent.py", **options).solved == 0
    number.write_text("3")
    edited = go("mine/agent.py", **options)
    assert edited.solved == 2
    assert "number.txt changed" in edited.solved_again[0]
    again = go("mine/agent.py", isolation="confined")
    assert [record.key for record in again.records] == [record.key for record in refused.records]
    assert again.solved == 0
