"""``assay import``: results of other tools into a results folder."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.options import json_option, print_json

__all__ = ["import_group"]


@click.group("import", help="Import scores of other benchmarks into a results folder; they are marked as imported.")
def import_group() -> None:
    """All commands that import."""


@import_group.command("scores", epilog="Example: assay import scores table.csv --out imported --name mybench")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("imported"),
    show_default=True,
    metavar="DIR",
    help="Store them in this results folder.",
)
@click.option("--name", default="", metavar="TEXT", help="Name the benchmark [the name of FILE].")
@click.option("--allow-gaps", is_flag=True, help="Accept subjects that lack scores that others have.")
@json_option
def scores(file: Path, out: Path, name: str, allow_gaps: bool, as_json: bool) -> None:
    """Import FILE, CSV or Parquet with a row per score: subject, problem, seed, metric, value, direction (max or min).

    Columns tag.NAME are tags of the problems. The first metric ranks. assay report, compare and export work on DIR.
    FILE may also be an .eval log of Inspect AI, or a folder of such logs.
    """
    from assay.core.files.folders import user_path
    from assay.publish.scores.importing import import_table

    imported = import_table(user_path(file), user_path(out), name=name, allow_gaps=allow_gaps)
    if as_json:
        print_json({**imported._asdict(), "folder": str(imported.folder)})
        return
    gaps = f", {imported.gaps:,} scores missing" if imported.gaps else ""
    click.echo(f"{imported.records:,} records as {imported.track!r} in {imported.folder}{gaps}: assay report {out}")


@import_group.command("inspect", epilog="Example: assay import inspect log.eval formula --out answers")
@click.argument("log", type=click.Path(path_type=Path), metavar="LOG")
@click.argument("sources", nargs=-1, required=True, metavar="TRACK[=PROBLEMS]...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("answers"),
    show_default=True,
    metavar="DIR",
    help="Where the folders of answers are made.",
)
@json_option
def inspect(log: Path, sources: tuple[str, ...], out: Path, as_json: bool) -> None:
    """Write the answers in LOG, an .eval log of Inspect AI, as folders of precomputed answers, one per track and epoch.

    TRACK alone means the built-in problems of a track, TRACK=PROBLEMS a folder of problems or one built-in problem.
    """
    from assay.connections.inspect import read_answers
    from assay.connections.offers import read_source

    folders = read_answers(log, [read_source(source) for source in sources], out)
    if as_json:
        print_json([{**entry._asdict(), "folder": str(entry.folder)} for entry in folders])
        return
    for entry in folders:
        missing = f", {entry.missing} missing" if entry.missing else ""
        click.echo(f"{entry.answers} answers{missing}: assay run {entry.track} --subject {entry.folder} --out results")
