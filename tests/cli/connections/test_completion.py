"""Completion by the shell: a script that is printed or put in its place, and what it is answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from tests.conftest import Assay

from assay.cli.main import cli

PLACES = {
    "bash": ".local/share/bash-completion/completions/assay",
    "zsh": ".zfunc/_assay",
    "fish": ".config/fish/completions/assay.fish",
}


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_a_script_is_put_where_the_shell_looks(
    shell: str, assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    printed = assay("completion").stdout
    assert "_ASSAY_COMPLETE" in printed
    assert "wrote" in assay("completion", "--install").stderr
    assert (tmp_path / PLACES[shell]).read_text().strip() == printed.strip()


def test_an_unknown_shell_is_told_with_those_that_are_known(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert "'tcsh' is none of bash, zsh, fish" in assay("completion", code=2).stderr


def test_commands_and_options_are_completed() -> None:
    complete = ShellComplete(cli, {}, "assay", "_ASSAY_COMPLETE")
    assert [item.value for item in complete.get_completions([], "har")] == ["harbor"]
    assert [item.value for item in complete.get_completions(["mcp"], "--sub")] == ["--submissions"]
