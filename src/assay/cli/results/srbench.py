"""``assay formula import`` and ``published``: SRBench's files as models, and its published results beside one's own."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.options import PATH, folder_argument, json_option, new_folder_option, print_json
from assay.core import InvalidInput
from assay.core.files.drafts import demand_new_folder

__all__ = ["import_command", "published_command"]


@click.command("published", epilog="Example: assay formula published results --table blackbox_results.csv")
@folder_argument
@click.option(
    "--table", required=True, type=PATH, metavar="FILE", help="Read SRBench's blackbox_results.csv or .csv.gz."
)
@click.option(
    "--pair",
    "pairs",
    multiple=True,
    metavar="SUBJECT=ALGORITHM",
    help="Compare a subject with this algorithm; repeatable [those of equal name].",
)
@click.option("--standing", is_flag=True, help="Show the places among all published algorithms instead.")
@json_option
def published_command(folder: Path, table: Path, pairs: tuple[str, ...], standing: bool, as_json: bool) -> None:
    """Show results on PMLB's tables (generate --pmlb) beside those that SRBench published: medians and differences."""
    from assay.cli.shared.summary import chosen
    from assay.formula.competition.published import beside_published, beside_summary, read_published
    from assay.formula.competition.standing import standing_summary, standings

    named = dict(pair.rpartition("=")[::2] for pair in pairs)
    if "" in named:
        raise InvalidInput("--pair takes SUBJECT=ALGORITHM, as in --pair pyoperon=*Operon.")
    theirs = read_published(table)
    rows = beside_published(chosen(folder, "formula").records, theirs, pairs=named)
    if standing:
        places = standings(rows, theirs)
        if as_json:
            print_json([one._asdict() for one in places])
        else:
            click.echo(standing_summary(places))
    elif as_json:
        print_json(
            [{**row._asdict(), "ours": row.ours._asdict(), "published": row.published._asdict()} for row in rows]
        )
    else:
        click.echo(beside_summary(rows))


@click.command("import", epilog="Example: assay formula import results --out models")
@click.argument("results", metavar="DIR", type=PATH)
@new_folder_option
@click.option(
    "--data", type=PATH, metavar="TABLES", help="Read tables or problem folders, to know the order of columns."
)
@click.option("--compare/--no-compare", default=True, show_default=True, help="Judge each model against its truth.")
@json_option
def import_command(results: Path, out: Path, data: Path | None, compare: bool, as_json: bool) -> None:
    """Turn SRBench's result files into folders of models, with its verdicts beside Assay's.

    Each folder ALGORITHM/SEED is a subject of precomputed answers; `assay formula judge --models` reads them all.
    """
    from assay.formula.answer.srbench import import_results

    demand_new_folder(out)
    imported = import_results(results, out, data=data, compare=compare)
    for reason in imported.left_out:
        click.echo(f"Left out: {reason}", err=True)
    if as_json:
        print_json(
            {**imported._asdict(), "folders": [str(path) for path in imported.folders], "table": str(imported.table)}
        )
        return
    click.echo(
        f"{imported.results} results of {len(imported.folders)} algorithms in {out}; the table is {imported.table}."
    )
    if imported.unassessed:
        click.echo(
            f"{imported.unassessed} were never compared with the truth; their verdict by SRBench is empty, not no."
        )
    if imported.unknown:
        remedy = "" if data else " Give their tables with --data."
        click.echo(f"{imported.unknown} have no verdict: which columns they mean cannot be known.{remedy}")
