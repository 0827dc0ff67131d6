"""``assay store``: check, upgrade and merge results folders, and withdraw records."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.options import PATH, folder_argument, json_option, print_json
from assay.core.display import shell_word

__all__ = ["store"]


@click.group(help="Check a results folder, upgrade it, merge several, or withdraw records.")
def store() -> None:
    """All commands on stores."""


@store.command("check", help="Check every page, answer, record and score in DIR; exit code 1 if something is damaged.")
@folder_argument
@json_option
def check(folder: Path, as_json: bool) -> int:
    """Say what is there and what is wrong."""
    from assay.cli.main import EXIT_MISSED
    from assay.harness import check_store

    report = check_store(folder)
    if as_json:
        print_json(
            {
                "path": str(report.path),
                "whole": report.whole,
                "answers": report.answers,
                "records": report.records,
                "cells": report.cells,
                "unfinished": report.unfinished,
                "lost": report.lost,
                "withdrawals": [withdrawal.to_json() for withdrawal in report.withdrawals],
                "troubles": list(report.troubles),
            }
        )
    else:
        click.echo(f"{report.path}: {report.records:,} records, {report.answers:,} answers, {report.cells:,} cells.")
        if report.unfinished:
            click.echo(
                f"{report.unfinished:,} cells of the latest plans are not done: run the same command to finish them."
            )
        for withdrawal in report.withdrawals:
            click.echo(f"Withdrawal {withdrawal.number}: {withdrawal}")
        for trouble in report.troubles:
            click.echo(f"Wrong: {trouble}")
        click.echo("No errors found." if report.whole else f"{len(report.troubles)} errors found.")
    return 0 if report.whole else EXIT_MISSED


@store.command("upgrade", help="Convert a store written by an older version of Assay; all its content is kept.")
@folder_argument
@json_option
def upgrade(folder: Path, as_json: bool) -> None:
    """Say which version it has now."""
    from assay.harness import upgrade_store

    before, after = upgrade_store(folder)
    if as_json:
        print_json({"folder": str(folder), "from": before, "to": after})
    elif before == after:
        click.echo(f"{folder}: the store is up to date (version {after}).")
    else:
        click.echo(f"{folder}: the store was of version {before} and is of version {after} now.")


@store.command("merge", help="Merge the results folders SOURCE... into OUT; records of the same cell must agree.")
@click.argument("out", type=PATH, metavar="OUT")
@click.argument("sources", type=PATH, metavar="SOURCE...", nargs=-1, required=True)
@json_option
def merge(out: Path, sources: tuple[Path, ...], as_json: bool) -> None:
    """Say how many records came."""
    from assay.harness import merge_stores

    new = merge_stores(out, sources)
    if as_json:
        print_json({"out": str(out), "sources": [str(source) for source in sources], "new_records": new})
    else:
        click.echo(f"{new:,} records from {len(sources)} folders are now in {out}.")


@store.command(
    "withdraw", help="Withdraw the records of a subject in DIR: they no longer count, but they and the reason are kept."
)
@folder_argument
@click.option(
    "--subject", required=True, metavar="NAME", help="Withdraw the records of this subject, named as in the report."
)
@click.option("--track", metavar="NAME", help="Withdraw only records of this track.")
@click.option("--problem", metavar="ID", help="Withdraw only records of this problem.")
@click.option("--seed", type=int, metavar="N", help="Withdraw only records of this seed.")
@click.option("--reason", required=True, metavar="TEXT", help="State the reason; every report shows it.")
@json_option
def withdraw(
    folder: Path, subject: str, track: str | None, problem: str | None, seed: int | None, reason: str, as_json: bool
) -> None:
    """Say how many records no longer count, and how to undo it."""
    from assay.harness import withdraw_records

    withdrawal = withdraw_records(folder, subject, reason=reason, track=track, problem=problem, seed=seed)
    if as_json:
        print_json(withdrawal.to_json())
    else:
        click.echo(f"Withdrawal {withdrawal.number}: {withdrawal}")
        click.echo(
            f"Run them again: --retry-withdrawn. Undo: assay store restore {shell_word(folder)} {withdrawal.number}."
        )


@store.command("restore", help="Undo withdrawal NUMBER in DIR: its records count again.")
@folder_argument
@click.argument("number", type=int, metavar="NUMBER")
@json_option
def restore(folder: Path, number: int, as_json: bool) -> None:
    """Say which records count again."""
    from assay.harness import restore_records

    lifted = restore_records(folder, number)
    if as_json:
        print_json(lifted.to_json())
    else:
        click.echo(f"Withdrawal {lifted.number}: {lifted}")
