"""``assay completion``: commands and options completed by the shell."""

from __future__ import annotations

import os
from pathlib import Path

import click

from assay.core import InvalidInput

__all__ = ["completion"]

_PLACES = {  # where each shell looks by itself, below the home folder; zsh only in folders that are on its fpath
    "bash": (".local/share/bash-completion/completions/assay", "It works in new shells that have bash-completion."),
    "zsh": (".zfunc/_assay", "It works where ~/.zshrc has: fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": (".config/fish/completions/assay.fish", "It works in new shells."),
}


@click.command(epilog="Example: assay completion --install")
@click.argument("shell", required=False, type=click.Choice(list(_PLACES)))
@click.option("--install", is_flag=True, help="Install it where the shell looks for it, instead of printing it.")
def completion(shell: str | None, install: bool) -> None:
    """Print or install completion of commands and options for SHELL [the one in use]."""
    from click.shell_completion import get_completion_class

    from assay.cli.main import cli

    name = shell or Path(os.environ.get("SHELL", "")).name
    if name not in _PLACES:
        raise InvalidInput(f"the shell {name!r} is none of {', '.join(_PLACES)}. Name one: assay completion bash")
    completer = get_completion_class(name)
    assert completer is not None
    script = completer(cli, {}, "assay", "_ASSAY_COMPLETE").source()
    if not install:
        click.echo(script)
        return
    place, remark = _PLACES[name]
    path = Path.home() / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
    click.echo(f"wrote {path}. {remark}", err=True)
