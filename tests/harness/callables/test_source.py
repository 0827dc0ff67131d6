from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from tests.harness.callables.conftest import Recapture
from traitlets.config import Config

from assay.harness.callables import SourceUnavailable, capture


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A notebook's kernel without its process."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    main = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    make: Any = InteractiveShell
    return make(user_module=main, user_ns=vars(main), config=Config({"HistoryManager": {"enabled": False}}))


def test_functions_of_timed_cells_are_found(shell: Any, recapture: Recapture) -> None:
    shell.run_cell("%%time\n\nK = 2\ndef timed(task):\n    return K * task\nclass Mine:\n    k = 3\n", silent=True)
    shell.run_cell("%%time\nK = 2\ndef timed(task):\n    return K + task\n", silent=True)
    shell.run_cell("%time brief = lambda task: task - 1", silent=True)
    names = shell.user_ns
    assert recapture(names["timed"])(5) == 7
    assert recapture(names["brief"])(5) == 4
    assert recapture(names["Mine"]).k == 3


def test_a_timed_function_whose_cell_holds_magics_is_refused(shell: Any, tmp_path: Path) -> None:
    shell.run_cell("%%time\n%pwd\ndef timed(task):\n    return task\n", silent=True)
    with pytest.raises(SourceUnavailable, match="a magic compiled it.*Move it into a cell without %%magic"):
        capture(shell.user_ns["timed"], tmp_path, name="timed")


def test_a_shell_command_inside_a_function_is_refused(shell: Any, tmp_path: Path) -> None:
    shell.run_cell("def listed(task):\n    names = !ls\n    return names\n", silent=True)
    with pytest.raises(SourceUnavailable, match="listed uses 'get_ipython': shell commands and magics"):
        capture(shell.user_ns["listed"], tmp_path, name="listed")
