"""What the ``new`` commands share: their common options, and what they print."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.shared.asking import ask_missing
from assay.cli.shared.options import PATH, json_option, print_json, together
from assay.cli.shared.output import echo_wrapped
from assay.cli.shared.table_options import table_options
from assay.core import InvalidInput
from assay.core.display import counted

if TYPE_CHECKING:
    from assay.intake.new_problem import NewProblem
    from assay.intake.table.options import TableOptions

__all__ = ["ask_column", "keep_option", "new_options", "problem_folder", "read_tags", "show_new_problem"]

new_options = together(
    click.option(
        "--out",
        type=PATH,
        metavar="DIR",
        help="Write the problem to this folder, new or empty [problems/NAME, after the file].",
    ),
    click.option(
        "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Set the seed of random splits."
    ),
    click.option("--id", "identity", metavar="ID", help="Set the problem's id [the folder's name]."),
    click.option(
        "--tag",
        "tags",
        multiple=True,
        callback=lambda _context, _option, pairs: read_tags(pairs),
        metavar="NAME=VALUE",
        help="Add a tag for grouped statistics; repeatable.",
    ),
    table_options,
    json_option,
)
keep_option = click.option(
    "--keep", multiple=True, metavar="COL", help="Use this identifier, time, constant or free text as a feature."
)


def problem_folder(out: Path | None, source: Path) -> Path:
    """Where to write, refused at once where something is already."""
    from assay.core.files.drafts import demand_new_folder

    if out is not None:
        demand_new_folder(out)
        return out
    folder = Path("problems") / source.stem
    if not folder.exists():
        return folder
    free = next(f"{folder}-{number}" for number in count(2) if not Path(f"{folder}-{number}").exists())
    raise InvalidInput(f"{folder}: already exists. Give another folder, as in --out {shlex.quote(free)}.")


def ask_column(flag: str, question: str, path: Path, options: TableOptions) -> str:
    """The column that a flag was not given for, of those that the table has; ``--column label=`` says it as well."""
    from assay.intake.table.read import read_user_table

    if "label" in options.columns:
        return options.columns["label"]
    names = [column.name for column in read_user_table(path, options).columns]
    return ask_missing(flag, f"{path}: {question}", choices=names, kind="columns")


def read_tags(pairs: Sequence[str]) -> dict[str, str | float]:
    """``name=value`` pairs; what reads as a number is one.

    >>> read_tags(["plant=north", "year=2024"])
    {'plant': 'north', 'year': 2024.0}
    """
    tags: dict[str, str | float] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise InvalidInput(f"--tag {pair}: write it as --tag NAME=VALUE.")
        try:
            tags[name.strip()] = float(value)
        except ValueError:
            tags[name.strip()] = value
    return tags


def show_new_problem(problem: NewProblem, *, as_json: bool) -> None:
    """Print how every column was read, what was written, warnings, and what to type next."""
    if as_json:
        print_json(
            {
                "track": problem.track,
                "folder": str(problem.folder),
                "problems": list(problem.problems),
                "facts": dict(problem.facts),
                "oracle": dict(problem.oracle),
                "warnings": list(problem.warnings),
                "notes": list(problem.notes),
                "tables": [table.to_json() for table in problem.tables],
                "next": list(problem.commands),
            }
        )
        return
    width = shutil.get_terminal_size().columns
    for table in problem.tables:
        click.echo(f"{table.text(width)}\n")
    click.echo(f"wrote {counted(len(problem.problems), 'problem')} to {problem.folder}")
    indent = max(map(len, problem.facts)) + 4
    for name, value in problem.facts.items():
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        echo_wrapped(text, first=f"  {name}".ljust(indent), rest=" " * indent)
    if problem.oracle:
        perfect = all(score in (0.0, 1.0) for score in problem.oracle.values())
        scores = "gets a perfect score" if perfect else f"scores {min(problem.oracle.values()):.3f}"
        echo_wrapped(f"Checked: the truth itself (subject oracle) {scores}.")
    for note in problem.notes:
        echo_wrapped(f"Note: {note}")
    for warning in problem.warnings:
        echo_wrapped(f"Warning: {warning}")
    from assay.cli.shared.story import command_lines  # brings the harness and the report, which most commands can spare

    click.echo("Next:")
    for command in problem.commands:
        for line in command_lines(command, width - 2):
            click.echo(f"  {line}")
