"""Questions on a terminal for missing options; scripts get an error that names the flag."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from assay.core import InvalidInput
from assay.core.display import shell_word
from assay.core.errors import suggest

__all__ = ["ask", "ask_missing", "can_ask"]

_SHOWN = 20  # choices that are listed


def can_ask() -> bool:
    """Whether a user can answer: a terminal for question and answer, no ``--json``, no continuous integration."""
    context = click.get_current_context(silent=True)
    as_json = context is not None and bool(context.params.get("as_json"))
    streams = (sys.stdin, sys.stderr)
    return not as_json and not os.environ.get("CI") and all(one is not None and one.isatty() for one in streams)


def ask(question: str, *, choices: Sequence[str] | None = None, default: str | None = None) -> str:
    """Ask on the terminal until the answer is one of the choices; Ctrl-C ends the command.

    Only where :func:`can_ask` says so.
    """
    if choices:
        more = ", ..." if len(choices) > _SHOWN else ""
        question = f"{question} ({', '.join(choices[:_SHOWN])}{more})"
    while True:
        answer = str(click.prompt(question, default=default, err=True)).strip()
        if not choices or answer in choices:
            return answer
        click.echo(f"{answer!r} is none of them. {suggest(answer, choices)}", err=True)


def ask_missing(
    flag: str, question: str, *, choices: Sequence[str] = (), default: str | None = None, kind: str = "choices"
) -> str:
    """What a flag was not given for: asked for on a terminal, else refused with an example of the user's own.

    >>> ask_missing("--target", "Which column is the target?", choices=["mass", "energy"], kind="columns")
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: Which column is the target? Give it as --target energy (columns: mass, energy).
    """
    if can_ask():
        return ask(question, choices=choices, default=default)
    example = default or (choices[-1] if choices else flag.strip("-").upper())
    listed = f" ({kind}: {', '.join(choices[:_SHOWN])}{', ...' if len(choices) > _SHOWN else ''})" if choices else ""
    raise InvalidInput(f"{question} Give it as {flag} {shell_word(example)}{listed}.")
