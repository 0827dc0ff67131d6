"""Candidates in locked-down children: what they compute, and what they cannot do."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path

import pandas as pd
import pytest

from assay.insight.subjects.llm.extract import Candidate
from assay.insight.subjects.llm.locked import Attempt, View, attempt

ROWS = pd.DataFrame({"id": [3, 1, 2], "x": [1.5, None, 2.0], "word": ["a", "b", None]}, index=[7, 8, 9])
TABLES = {"calls.csv": pd.DataFrame({"id": [1, 1, 2]})}


def run(code: str, *, seconds: float = 10.0, memory_mb: float = 512, views: int = 1) -> Attempt:
    return attempt(Candidate("f", code, ""), [View(ROWS, TABLES)] * views, seconds=seconds, memory_mb=memory_mb)


@pytest.mark.parametrize(
    ("code", "values"),
    [
        (
            "def f(df, aux_dataframes): return df['id'].map(aux_dataframes['calls.csv'].groupby('id').size())",
            (None, 2, 1),
        ),
        ("def f(row, aux): return len(aux['calls.csv']) * row['id']", (9, 3, 6)),
        ("def f(row): return row['word']", ("a", "b", None)),
        ("def f(df): return df.sort_values('id')['id']", (3, 1, 2)),
        ("def f(df): return np.asarray(df['id']) > 1", (True, False, True)),
        ("def f(df): return df[['id']] * 2", (6, 2, 4)),
        ("import math\ndef f(row): return math.inf if row['id'] == 3 else 1", (float("inf"), 1, 1)),
    ],
)
def test_values_come_back_row_by_row(code: str, values: tuple[object, ...]) -> None:
    found = run(code, views=2)
    assert found.status == "ok", found.message
    for column in found.values:
        assert [None if value != value else value for value in column] == list(values)
    assert len(found.values) == 2


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [
        ("def f(row): return row['nope']", "exception", "KeyError: 'nope'"),
        ("def f(df): return df['id'].head(2)", "exception", "another index than df"),
        ("def f(df): return [1]", "exception", "returned 1 values for 3 rows"),
        ("def f(row): return [1]", "exception", "returned a list"),
        ("def f(row, df_train): return 1", "exception", "df_train is not given"),
        ("def f(row): return row['wrod']", "exception", "Did you mean 'word'? Columns: id, x, word."),
        ("def f(df, aux_dataframes): return aux_dataframes['calls']", "exception", "There are: calls.csv."),
        ("def g(row): return 1", "exception", "KeyError"),
        ("x = 1 / 0\ndef f(row): return 1", "exception", "ZeroDivisionError: division by zero (line 1: x = 1 / 0)"),
        ("def f(row): raise SystemExit(3)", "exception", "SystemExit"),
        ("import os\ndef f(row): os._exit(0)", "crashed", "without a result"),
        ("def f(df): return np.zeros(10**10)", "memory", "more than 512 MB"),
        ("def f(df):\n    while True: pass", "timeout", "within 1 s"),
    ],
)
def test_what_goes_wrong_is_said(code: str, status: str, message: str) -> None:
    found = run(code, seconds=1.0 if status == "timeout" else 10.0)
    assert found.status == status
    assert message in found.message


def test_rows_that_fail_are_missing_and_counted() -> None:
    found = run("def f(row): return 1 / (row['id'] - 1)")
    assert found.status == "ok"
    assert found.rows_failed == (1,)
    assert (found.view, found.row) == (0, 1)
    assert found.values[0][1] is None
    assert "ZeroDivisionError" in found.message


@pytest.mark.parametrize(
    "deed",
    [
        "open('/etc/passwd').read()",
        "open('{folder}/written', 'w')",
        "open('{folder}/secret').read()",
        "__import__('socket').create_connection(('127.0.0.1', 9))",
        "__import__('os').fork()",
        "__import__('os').kill({parent}, 0)",
        "__import__('subprocess').run(['true'])",
    ],
)
def test_a_function_reaches_nothing_outside(tmp_path: Path, deed: str) -> None:
    (tmp_path / "secret").write_text("x")
    code = f"def f(row):\n    {deed.format(folder=tmp_path, parent=os.getpid())}\n    return 1\n"
    found = run(code)
    assert found.status == "exception", found
    assert "PermissionError" in found.message or "not permitted" in found.message or "BlockingIOError" in found.message
    assert not (tmp_path / "written").exists()


def test_the_environment_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CHAT_KEY", "sk-secret")
    found = run("import os\ndef f(row): return str(sorted(os.environ))")
    assert "KEY" not in str(found.values)


def children() -> set[str]:
    """The processes below this one; other tests may have left warm ones."""
    own = f" {os.getpid()} "
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if own in path.read_text().rpartition(")")[2][:40]:
                found.add(path.parent.name)
    return found


def test_edits_and_children_end_with_the_call() -> None:
    before, living = threading.active_count(), children()
    assert (
        run(
            "def f(df, aux_dataframes):\n    aux_dataframes['calls.csv']['id'] = 0\n    df['x'] = 5\n    return df['x']"
        ).status
        == "ok"
    )
    assert TABLES["calls.csv"]["id"].tolist() == [1, 1, 2]
    began = time.monotonic()
    assert run("import time\ndef f(row): time.sleep(60)", seconds=0.5).status == "timeout"
    assert time.monotonic() - began < 5
    assert threading.active_count() == before
    assert children() <= living


def test_a_reply_that_does_not_follow_the_protocol_is_refused() -> None:
    forged = (
        "import os, gc, socket\n"
        "def f(row):\n"
        "    for number in range(3, 64):\n"
        "        try:\n"
        "            os.write(number, (12).to_bytes(8, 'little') + b'{\"status\":1')\n"
        "        except OSError:\n"
        "            continue\n"
        "    os._exit(0)\n"
    )
    assert run(forged).status in ("invalid output", "exception", "crashed")


def test_functions_of_a_row_are_called_for_the_chosen_rows_only() -> None:
    view = View(ROWS, TABLES, frozenset({1}))
    row = attempt(Candidate("f", "def f(row): return row['id']", ""), [view], seconds=10, memory_mb=512)
    whole = attempt(Candidate("f", "def f(df): return df['id']", ""), [view], seconds=10, memory_mb=512)
    assert row.values == ((None, 1, None),)
    assert whole.values == ((3, 1, 2),)


def test_a_function_that_fails_on_every_row_it_is_called_for_has_no_values() -> None:
    cut = View(ROWS, {}, frozenset({2}))
    found = attempt(
        Candidate("f", "def f(row, aux): return 1 / 0", ""), [View(ROWS, TABLES), cut], seconds=9, memory_mb=512
    )
    assert (found.status, found.view, found.row) == ("exception", 0, 0)
    assert "ZeroDivisionError" in found.message


def test_a_failure_tells_in_which_view_it_happened() -> None:
    code = "def f(df, aux): return df['id'].map(aux['calls.csv'].groupby('id').size())"
    found = attempt(Candidate("f", code, ""), [View(ROWS, TABLES), View(ROWS, {})], seconds=9, memory_mb=512)
    assert (found.status, found.view, found.row) == ("exception", 1, None)


def test_the_failing_line_is_counted_as_python_counts() -> None:
    failed = run("MARK = 'a\x0cb'\ndef f(row):\n    return row['gone']\n")
    assert "(line 3: return row['gone'])" in failed.message
