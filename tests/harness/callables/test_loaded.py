from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from assay.harness.callables import SourceUnavailable, capture

Import = Callable[[str], ModuleType]

AGENT = """
import functools
K = 0.1
TABLE = {"a": 1}
CACHE = {"first": 0}
calls = 0
def same(f):
    @functools.wraps(f)
    def wrapper(*values):
        return f(*values)
    return wrapper
@same
def wrapped(task):
    return 1
def solve(task):
    global calls
    calls += 1
    CACHE[task] = K
    return [m > K for m in task]
class Mine:
    def solve(self, task, budget):
        return 3
"""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Import]:
    """Write a module of the user's own and import it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(text: str) -> ModuleType:
        (tmp_path / "editedagent.py").write_text(text)
        return importlib.import_module("editedagent")

    yield write
    sys.modules.pop("editedagent", None)


@pytest.mark.parametrize(
    ("before", "after", "function"),
    [("m > K", "m >= K", "solve"), ("return 3", "return 4", "Mine.solve"), ("return 1\n", "return 2\n", "wrapped")],
)
def test_a_module_that_was_edited_after_its_import_is_refused_until_it_is_reloaded(
    agent: Import, tmp_path: Path, before: str, after: str, function: str
) -> None:
    module = agent(AGENT)
    path = tmp_path / "editedagent.py"
    path.write_text(AGENT.replace(before, after))
    os.utime(path, (1, 1))  # whatever the clock says, its byte code is not that of the file
    message = f"was edited after its import, and '{function}' differs there. Reload it, importlib.reload"
    with pytest.raises(SourceUnavailable, match=message) as error:
        capture(module.solve, tmp_path / "captured", name="solve")
    assert "\n" not in str(error.value)
    assert after in capture(
        importlib.reload(module).solve, tmp_path / "captured", name="solve"
    ).with_name("editedagent.py").read_text()  # fmt: skip


def test_a_value_that_was_changed_after_the_import_is_refused(agent: Import, tmp_path: Path) -> None:
    module = agent(AGENT)
    module.K = 0.9  # type: ignore[attr-defined]
    with pytest.raises(SourceUnavailable, match=r"K was changed after the import.*Pass it as an argument"):
        capture(module.solve, tmp_path / "captured", name="solve")
    module.K = 0.1  # type: ignore[attr-defined]
    module.TABLE["a"] = 2
    with pytest.raises(SourceUnavailable, match="TABLE was changed after the import"):
        capture(module.solve, tmp_path / "captured", name="solve")


def test_what_a_module_changes_itself_and_an_edited_comment_are_no_reason(agent: Import, tmp_path: Path) -> None:
    module = agent(AGENT)
    module.solve((1,))
    (tmp_path / "editedagent.py").write_text(f"# a comment\n{AGENT}\ndef another():\n    return 1\n")
    assert capture(module.solve, tmp_path / "captured", name="solve").exists()
