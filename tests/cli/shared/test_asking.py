"""Questions are asked where somebody sits at a terminal, and nowhere else."""

from __future__ import annotations

import sys
from io import StringIO

import click
import pytest
from tests.terminal import at_a_terminal

from assay.cli.shared.asking import ask, ask_missing, can_ask
from assay.core import InvalidInput


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
