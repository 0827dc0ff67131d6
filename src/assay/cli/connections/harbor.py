"""``assay harbor``: problems as task folders for agents that work in a terminal."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from assay.cli.shared.options import json_option, out_option, print_json, read_settings, settings_option

__all__ = ["harbor"]


@click.command(epilog="Example: assay harbor formula insight=problems --out tasks")
@click.argument("sources", nargs=-1, required=True, metavar="TRACK[=PROBLEMS]...")
@out_option("harbor-tasks", "Write the task folders to this folder.", "--out", "-o")
@click.option(
    "--organisation",
    default="assay",
    show_default=True,
    metavar="NAME",
    help="Begin task names with this organisation.",
)
@settings_option
@click.option(
    "--package", metavar="REQUIREMENT", help="Install this package in the verifier's image [this version of Assay]."
)
@json_option
def harbor(
    sources: tuple[str, ...],
    out: Path,
    organisation: str,
    settings: tuple[str, ...],
    package: str | None,
    as_json: bool,
) -> None:
    """Write problems as task folders of Harbor: instruction, environment, verifier and the truth as the solution.

    TRACK alone means the built-in problems of a track, TRACK=PROBLEMS a folder of problems or one built-in problem.
    The reward is (score - floor) / (oracle - floor), clipped to 0..1.
    """
    from assay.connections.harbor import export_tasks
    from assay.connections.offers import read_source

    pairs = [read_source(source) for source in sources]
    chosen = {"package": package} if package else {}
    tasks = export_tasks(pairs, out, organisation=organisation, settings=read_settings(settings), **chosen)
    if as_json:
        print_json([{**asdict(task), "folder": str(task.folder)} for task in tasks])
        return
    for task in tasks:
        click.echo(f"{task.folder}  {task.problem}: {task.metric} from {task.floor:.3g} to {task.oracle:.3g}")
