"""Questions are asked where somebody sits at a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import click
import pytest

from assay.cli.shared.asking import ask, ask_missing, can_ask
from assay.core import InvalidInput


class Terminal:
    """A pseudo-terminal in the place of standard input and standard error; ``type`` types, ``shown`` reads."""

    def __init__(self) -> None:
        self.outside, self.inside = pty.openpty()

    def type(self, text: str) -> None:
        os.write(self.outside, text.encode())

    def shown(self) -> str:
        pieces = []
        while select.select([self.outside], [], [], 0.2)[0]:
            pieces.append(os.read(self.outside, 65536))
        return b"".join(pieces).decode().replace("\r\n", "\n")


@contextmanager
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Within a test only: between set-up and call pytest takes the streams back."""
    terminal = Terminal()
    with (
        os.fdopen(terminal.inside, "r", closefd=False) as stdin,
        os.fdopen(terminal.inside, "w", closefd=False) as stderr,
        monkeypatch.context() as patch,
    ):
        patch.setattr(sys, "stdin", stdin)
        patch.setattr(sys, "stderr", stderr)
        patch.delenv("CI", raising=False)
        yield terminal
    os.close(terminal.inside)
    os.close(terminal.outside)


def test_a_question_on_a_terminal_is_answered_there_and_nothing_goes_to_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with at_a_terminal(monkeypatch) as terminal:
        terminal.type("enery\nenergy\n")
        assert ask_missing("--target", "Which column?", choices=["mass", "energy"]) == "energy"
        shown = terminal.shown()
    assert "Which column? (mass, energy)" in shown
    assert "'enery' is none of them. Did you mean 'energy'?" in shown
    assert capsys.readouterr().out == ""


def test_return_alone_takes_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    with at_a_terminal(monkeypatch) as terminal:
        terminal.type("\n")
        assert ask("Whose predictions?", choices=["forest", "tree"], default="forest") == "forest"


@pytest.mark.parametrize("reason", ["no terminal for the answer", "no terminal for the question", "CI", "--json"])
def test_scripts_are_not_asked_but_told_the_flag_with_an_example_of_their_own(
    monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    context = click.Context(click.Command("new"))
    with at_a_terminal(monkeypatch), monkeypatch.context() as patch, context:
        assert can_ask()
        if reason == "no terminal for the answer":
            patch.setattr(sys, "stdin", StringIO("energy\n"))
        elif reason == "no terminal for the question":
            patch.setattr(sys, "stderr", StringIO())
        elif reason == "CI":
            patch.setenv("CI", "true")
        else:
            context.params["as_json"] = True
        with pytest.raises(InvalidInput) as caught:
            ask_missing("--target", "Which column is the target?", choices=["mass", "net energy"], kind="columns")
    expected = "Which column is the target? Give it as --target 'net energy' (columns: mass, net energy)."
    assert str(caught.value) == expected


def test_the_end_of_input_at_a_question_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    with at_a_terminal(monkeypatch) as terminal:
        terminal.type("\x04")  # the end of input, as Ctrl-D gives it
        with pytest.raises(click.Abort):
            ask("Which column?")
