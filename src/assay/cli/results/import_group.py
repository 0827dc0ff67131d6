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
    """
    from assay.core.files.folders import user_path
    from assay.publish.scores.importing import import_table

    imported = import_table(user_path(file), user_path(out), name=name, allow_gaps=allow_gaps)
    if as_json:
        print_json({**imported._asdict(), "folder": str(imported.folder)})
        return
    gaps = f", {imported.gaps:,} scores missing" if imported.gaps else ""
    click.echo(f"{imported.records:,} records as {imported.track!r} in {imported.folder}{gaps}: assay report {out}")
