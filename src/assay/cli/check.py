"""``assay check``: one subject on one small problem, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli.shared.options import json_option, print_json, read_settings, settings_option

__all__ = ["check_command"]

EXIT_FAILED = 1  # the subject does not work

_HELP = """Try SUBJECT on one small problem, and show step by step what happens.

\b
What it was read as, the task it gets, the call and what it printed, its
answer, the evidence and the scores; where it breaks, the reason and what
the track expects there. Exit code 0 when it works, 1 when it does not.

\b
Examples:
  assay check agent.py --track cases
  assay check 'gplearn(population=200)' --track formula
  assay check ./agent.sh --track drift --problem problems/permits
"""


@click.command("check", help=_HELP)
@click.argument("subject")
@click.option("--track", required=True, metavar="NAME", help="Test against this track.")
@click.option(
    "--problem", metavar="DIR|ID", help="Use this problem folder or built-in problem id [the smallest built-in one]."
)
@click.option("--seconds", type=float, default=60.0, show_default=True, help="Limit the wall-clock time.")
@click.option("--memory-mb", type=int, default=2048, show_default=True, help="Limit the memory.")
@click.option(
    "--isolation",
    type=click.Choice(["confined", "container", "none"]),
    default="confined",
    show_default=True,
    help="Isolate the subject this way.",
)
@click.option("--allow-network", "network", is_flag=True, help="Let the subject use the network.")
@click.option("--readable", multiple=True, metavar="PATH", help="Let the subject read this file or folder; repeatable.")
@click.option(
    "--pass-env", multiple=True, metavar="NAME", help="Let the subject see this environment variable; repeatable."
)
@settings_option
@json_option
def check_command(
    subject: str,
    track: str,
    problem: str | None,
    pass_env: tuple[str, ...],
    settings: tuple[str, ...],
    as_json: bool,
    **limits: Any,
) -> int:
    """Try a subject."""
    from assay.api import check

    report = check(
        subject,
        track,
        problem=None if problem is None else Path(problem) if Path(problem).exists() else problem,
        environment=pass_env,
        settings=read_settings(settings),
        **limits,
    )
    if as_json:
        print_json(report.to_json())
    else:
        click.echo(report.text)
    return 0 if report.ok else EXIT_FAILED
