"""Options of every command that reads a table of the user's: what is said of it wins over what is detected."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from assay.cli.shared.options import read_pairs
from assay.intake.table.options import TableOptions

__all__ = ["table_options"]

F = TypeVar("F", bound=Callable[..., Any])

_COLUMN_HINT = "write it as --column ROLE=NAME, for example --column label=species"


def table_options(function: F) -> F:
    """Add ``--column``, ``--ignore``, ``--time-format``, ``--sep``, ``--encoding`` and ``--timezone``.

    The command gets them as one argument, ``table``, a ``TableOptions`` whose remedies are written as flags.
    """

    @click.option(
        "--column",
        "column_pairs",
        multiple=True,
        metavar="ROLE=NAME",
        help="Assign a role to a column, as in label=species; repeatable.",
    )
    @click.option("--ignore", "ignored", multiple=True, metavar="NAME", help="Leave this column out; repeatable.")
    @click.option("--time-format", metavar="FORMAT", help="Read times written like this, such as '%d.%m.%Y %H:%M'.")
    @click.option("--sep", "separator", metavar="SIGN", help="Split cells at SIGN, such as ';' or tab.")
    @click.option("--encoding", metavar="NAME", help="Read the text in this encoding, such as cp1252.")
    @click.option("--timezone", metavar="ZONE", help="Read times without a zone as local times of ZONE.")
    @functools.wraps(function)
    def command(
        *arguments: Any,
        column_pairs: Sequence[str],
        ignored: Sequence[str],
        time_format: str | None,
        separator: str | None,
        encoding: str | None,
        timezone: str | None,
        **others: Any,
    ) -> Any:
        table = TableOptions(
            columns=read_pairs(
                column_pairs, "--column", "write it as --column ROLE=NAME, for example --column label=species"
            ),
            ignore=tuple(ignored),
            time_format=time_format,
            separator=separator,
            encoding=encoding,
            timezone=timezone,
            syntax="flags",
        )
        return function(*arguments, table=table, **others)

    return command  # type: ignore[return-value]
