"""``assay store``: is a results folder whole, and several of them in one."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.options import json_option, print_json

__all__ = ["store"]


@click.group(help="Check a results folder, bring it up to date, or merge those of several machines.")
def store() -> None:
    """All commands on stores."""


@store.command("check", help="Look at every page, answer, record and score in DIR; exit code 1 when something is off.")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
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
                "troubles": list(report.troubles),
            }
        )
    else:
        click.echo(f"{report.path}: {report.records:,} records, {report.answers:,} answers, {report.cells:,} cells.")
        if report.unfinished:
            click.echo(f"{report.unfinished:,} cells of the latest plans are not done: the same run command does them.")
        for trouble in report.troubles:
            click.echo(f"Wrong: {trouble}")
        click.echo("The store is whole." if report.whole else f"{len(report.troubles)} things are wrong.")
    return 0 if report.whole else EXIT_MISSED


@store.command("upgrade", help="Bring a store that an older Assay wrote up to date; everything in it is kept.")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
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


@store.command("merge", help="Bring the results folders SOURCE... into OUT; records of one cell must agree.")
@click.argument("out", type=click.Path(path_type=Path), metavar="OUT")
@click.argument("sources", type=click.Path(path_type=Path), metavar="SOURCE...", nargs=-1, required=True)
@json_option
def merge(out: Path, sources: tuple[Path, ...], as_json: bool) -> None:
    """Say how many records came."""
    from assay.harness import merge_stores

    new = merge_stores(out, sources)
    if as_json:
        print_json({"out": str(out), "sources": [str(source) for source in sources], "new_records": new})
    else:
        click.echo(f"{new:,} records from {len(sources)} folders are now in {out}.")
