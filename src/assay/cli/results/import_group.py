"""``assay import``: results of other tools into a results folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.shared.options import PATH, json_option, out_option, print_json, together
from assay.cli.shared.table_options import table_options
from assay.core.display import shell_word

if TYPE_CHECKING:
    from assay.intake.table.options import TableOptions
    from assay.publish.scores.importing import Imported

__all__ = ["import_group"]


@click.group("import", help="Import scores of other benchmarks into a results folder; they are marked as imported.")
def import_group() -> None:
    """All commands that import."""


_options = together(
    out_option("imported", "Store them in this results folder."),
    click.option("--name", default="", metavar="TEXT", help="Name the benchmark [the name of the file]."),
    click.option("--allow-gaps", is_flag=True, help="Accept subjects that lack scores that others have."),
    json_option,
)


@import_group.command("scores", epilog="Example: assay import scores table.csv --out imported --name mybench")
@click.argument("file", type=PATH, metavar="FILE")
@_options
@table_options
def scores(file: Path, out: Path, name: str, allow_gaps: bool, as_json: bool, table: TableOptions) -> None:
    """Import FILE, CSV or Parquet with a row per score: subject, problem, seed, metric, value, direction (max or min).

    Columns tag.NAME are tags of the problems. The first metric ranks. assay report, compare and export work on DIR.
    FILE may also be an .eval log of Inspect AI, or a folder of such logs.
    """
    from assay.publish.scores.importing import import_table

    imported = import_table(file, out, name=name, allow_gaps=allow_gaps, options=table)
    _tell(imported, out, as_json=as_json)


def _foreign(kind: str, summary: str, example: str) -> click.Command:
    """A command for the files of one benchmark."""

    @click.argument("path", type=PATH, metavar="PATH")
    @_options
    def command(path: Path, out: Path, name: str, allow_gaps: bool, as_json: bool) -> None:
        from assay.publish.scores.foreign import import_lm_eval, import_srbench

        read = import_srbench if kind == "srbench" else import_lm_eval
        _tell(read(path, out, name=name, allow_gaps=allow_gaps), out, as_json=as_json)

    return click.command(kind, help=summary, epilog=f"Example: {example}")(command)


def _tell(imported: Imported, out: Path, *, as_json: bool) -> None:
    if as_json:
        print_json({**imported._asdict(), "folder": str(imported.folder)})
        return
    gaps = f", {imported.gaps:,} scores missing" if imported.gaps else ""
    click.echo(
        f"{imported.records:,} records as {imported.track!r} in {imported.folder}{gaps}: assay report {shell_word(out)}"
    )


@import_group.command("inspect", epilog="Example: assay import inspect log.eval formula --out answers")
@click.argument("log", type=PATH, metavar="LOG")
@click.argument("sources", nargs=-1, required=True, metavar="TRACK[=PROBLEMS]...")
@out_option("answers", "Write the folders of answers to this folder.")
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
        click.echo(
            f"{entry.answers} answers{missing}: "
            f"assay run {entry.track} --subject {shell_word(entry.folder)} --out results"
        )


import_group.add_command(
    _foreign(
        "srbench",
        "Import SRBench's results: a published table (blackbox_results.csv), or a folder of its JSON result files.",
        "assay import srbench blackbox_results.csv.gz --allow-gaps",
    )
)
import_group.add_command(
    _foreign(
        "lm-eval",
        "Import samples of lm-evaluation-harness (--log_samples): a folder with one folder per model, or a JSONL file.",
        "assay import lm-eval output",
    )
)
