"""A command group that imports a command's module only when that command is called."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import click

from assay.core.errors import UnknownName
from assay.core.registry import is_track, track_names

__all__ = ["Entry", "LazyGroup"]


class Entry(NamedTuple):
    """Where a command lives, and its line in the help."""

    target: str
    summary: str


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Search for no garbage meanwhile, nor later in what was made: what imports make stays."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collects:
            gc.enable()


class LazyGroup(click.Group):
    """Commands by address, and one group per installed track; listing them imports nothing."""

    def __init__(self, *arguments: Any, entries: Mapping[str, Entry], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in their order, then the tracks."""
        return [*self._entries, *(name for name in track_names() if name not in self._entries)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command now."""
        with _without_collecting():
            if cmd_name in self._entries:
                module, _, attribute = self._entries[cmd_name].target.partition(":")
                command = getattr(importlib.import_module(module), attribute)
                assert isinstance(command, click.Command)
                return command
            if is_track(cmd_name):
                from assay.cli.shared.track import track_group

                return track_group(cmd_name)
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As in click, but an unknown command is answered with a suggestion."""
        exists = not args or args[0].startswith("-") or args[0] in self._entries or is_track(args[0])
        if not exists:
            raise UnknownName("command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from their summaries alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self._entries.items()])
        tracks = [(name, f"work with the {name} track") for name in track_names() if name not in self._entries]
        if tracks:
            with formatter.section("Tracks"):
                formatter.write_dl(tracks)
