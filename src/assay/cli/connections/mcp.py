"""``assay mcp``: problems for agents that speak the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli.shared.options import PATH, out_option, read_settings, settings_option
from assay.core import MissingExtra

__all__ = ["mcp"]


@click.command(epilog="Example: assay mcp insight=problems formula --out results --name my-agent")
@click.argument("sources", nargs=-1, required=True, metavar="TRACK[=PROBLEMS]...")
@out_option("assay-results", "Store results and submissions in this folder.")
@click.option("--name", default="agent", show_default=True, metavar="NAME", help="Name the agent in tables.")
@click.option(
    "--submissions",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="N",
    help="Accept this many answers per problem; the last one counts.",
)
@click.option(
    "--scores",
    "shown",
    type=click.Choice(["none", "headline", "all"]),
    default="headline",
    show_default=True,
    help="Tell the agent these scores of its own answers.",
)
@settings_option
@click.option("--tasks", type=PATH, metavar="DIR", help="Write task files to this folder [a temporary one].")
def mcp(
    sources: tuple[str, ...],
    out: Path,
    name: str,
    submissions: int,
    shown: Any,
    settings: tuple[str, ...],
    tasks: Path | None,
) -> None:
    """Serve problems to an agent over standard input and output, by the Model Context Protocol.

    TRACK alone offers the built-in problems of a track, TRACK=PROBLEMS a folder of problems or one built-in problem.
    The agent takes tasks, tries feature functions and formulas on training data, and submits answers. They are
    stored in the results folder like those of a folder of precomputed answers.
    """
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise MissingExtra("The MCP server", "mcp", "mcp")
    from assay.connections.mcp import Desk, make_server
    from assay.connections.offers import read_source

    pairs = [read_source(source) for source in sources]
    desk = Desk(pairs, out, name, submissions=submissions, shown=shown, settings=read_settings(settings), tasks=tasks)
    make_server(desk).run("stdio")
