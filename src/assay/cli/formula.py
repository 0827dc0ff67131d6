"""``assay formula``: is a model the truth, which of several is best, and what do methods find in a table?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from assay.cli.main import EXIT_INPUT
from assay.cli.new.formula import new as new_command
from assay.cli.results.srbench import import_command, published_command
from assay.cli.shared.gate import Gating, gate_options
from assay.cli.shared.options import PATH, json_option, new_folder_option, out_option, print_json, workers_option
from assay.cli.shared.output import new_problems, replace_problems
from assay.cli.shared.table_options import table_options
from assay.cli.shared.table_summary import tell_columns
from assay.core import InvalidInput
from assay.intake.table.options import TableOptions

if TYPE_CHECKING:
    from assay.formula.expression.dialects import DialectName
    from assay.intake.table.reading import TableReading

__all__ = ["app"]

_DIALECTS = ("auto", "plain", "gplearn", "operon", "pysr", "eureqa", "dso", "aifeynman", "latex")
_PRESETS = ("property", "competition-2022", "competition-2023")
_PROPERTIES = ("rediscovery", "local-optima", "features", "extrapolation", "noise")
_DIFFICULTIES = ("easy", "medium", "hard")

_A = {"identifier": "an identifier", "constant": "a constant"}


@click.group()
def app() -> None:
    """The formula track's own commands."""


app.add_command(new_command)
app.add_command(import_command)
app.add_command(published_command)


@app.command(epilog='Example: assay formula equivalent "m*v**2/2" "0.5*v*v*m" --domain "m=1:5,v=0:10"')
@click.argument("truth")
@click.argument("model")
@click.option("--domain", metavar="BOX", help='Compare in this box, as in "x=0:5,y=-1:1" [several boxes are tried].')
@click.option("--names", metavar="A,B,...", help="Name the variables in order, for a model with numbered columns.")
@click.option(
    "--dialect",
    type=click.Choice(_DIALECTS),
    default="auto",
    show_default=True,
    help="Read the model in this notation.",
)
@click.option("--prove", is_flag=True, help="Add a symbolic proof where one is found in time.")
@click.option(
    "--seconds",
    default=5.0,
    show_default=True,
    type=click.FloatRange(min=0.1),
    help="Limit the time of each long step.",
)
@click.option("--seed", default=0, show_default=True, type=int, help="Set the seed of the comparison points.")
@json_option
def equivalent(
    truth: str,
    model: str,
    domain: str | None,
    names: str | None,
    dialect: str,
    prove: bool,
    seconds: float,
    seed: int,
    as_json: bool,
) -> None:
    """Say whether MODEL is TRUTH: identical, up to an offset or a factor, of the same form, or different, and why.

    A model that begins with a minus follows two dashes: assay formula equivalent -- "x" "-x".
    """
    from assay.formula.equivalence.check import equivalent as check
    from assay.formula.equivalence.sampling import parse_domain

    result = check(
        truth,
        model,
        domain=None if domain is None else parse_domain(domain),
        names=None if names is None else [name.strip() for name in names.split(",")],
        dialect=cast("DialectName", dialect),
        seed=seed,
        seconds=seconds,
        symbolic=prove,
    )
    if as_json:
        print_json({"truth": truth, "model": model, **result.to_json()})
    elif result.verdict == "unparsable":
        raise InvalidInput(f"MODEL {model!r}: {' '.join(result.notes)}")
    else:
        click.echo(result.summary())
    if result.verdict == "unparsable":
        click.get_current_context().exit(EXIT_INPUT)


@app.command(epilog="Example: assay formula judge --preset competition-2023 --data validation --models entries")
@click.option("--preset", type=click.Choice(_PRESETS), default="property", show_default=True, help="Apply these rules.")
@click.option(
    "--data", required=True, type=PATH, metavar="DIR", help="Read problem folders, or a CSV file per data set."
)
@click.option(
    "--models",
    required=True,
    type=PATH,
    metavar="DIR",
    help="Read formulas from SUBJECT/DATASET.txt or SUBJECT/REPETITION/DATASET.txt.",
)
@click.option("--target", metavar="COL", help="Name the target column of CSV files [target, y or the last one].")
@json_option
def judge(preset: str, data: Path, models: Path, target: str | None, as_json: bool) -> None:
    """Rank subjects by the formulas they left in text files, one per data set.

    Ranks are dense, a model that is missing or cannot be read is last in everything. `property` and `competition-2022`
    score properties and need problem folders; `competition-2023` asks for accuracy and size only.
    """
    from assay.formula.competition.judging import judge_models

    judgement = judge_models(data, models, preset=preset, target=target)
    if as_json:
        print_json(judgement.to_json())
    else:
        click.echo(judgement.summary())


@app.command(epilog="Example: assay formula evaluate --csv data.csv --target y --subject polynomial --subject pyoperon")
@click.option(
    "--csv", "path", required=True, type=PATH, metavar="FILE", help="Read a table of numbers: CSV, Parquet or Excel."
)
@click.option("--target", required=True, metavar="COL", help="Name the column that the formula predicts.")
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="SUBJECT",
    help="Compare this method; repeatable [linear, polynomial].",
)
@click.option("--test", type=PATH, metavar="FILE", help="Judge formulas on the rows of this file [held-out rows].")
@click.option(
    "--holdout", default=0.25, show_default=True, type=float, help="Hold out this share of the rows, without --test."
)
@click.option("--box", metavar="BOX", help='Fit inside this box, as in "x=0:5"; rows outside test extrapolation.')
@table_options
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Set the seed of the split and the methods.",
)
@click.option("--seconds", default=60.0, show_default=True, type=float, help="Limit the wall-clock time of one method.")
@out_option("assay-results", "Store results in this folder.")
@workers_option
@gate_options
@json_option
def evaluate(
    path: Path,
    target: str,
    subjects: tuple[str, ...],
    test: Path | None,
    holdout: float,
    box: str | None,
    table: TableOptions,
    seed: int,
    seconds: float,
    out: Path,
    workers: int | None,
    as_json: bool,
    gating: Gating,
) -> int:
    """Find formulas in your own table: accuracy where they were not fitted, size, and extrapolation outside of a box.

    There is no known formula, so nothing is said about re-discovery.
    """
    from assay.cli.shared.summary import run_tables
    from assay.formula import TRACK
    from assay.formula.equivalence.sampling import parse_domain
    from assay.formula.problem.user_table import write_table_problem
    from assay.harness import RunSpec

    names = subjects or ("linear", "polynomial")
    folder = out / "tables" / path.stem
    with replace_problems(folder, TRACK, names, gating) as place:
        bounds = None if box is None else parse_domain(box)
        renamed = write_table_problem(
            place,
            path,
            target=target,
            test=test,
            holdout=holdout,
            box=bounds,
            seed=seed,
            options=table,
            tell=lambda reading: _tell(reading, target, table),
        )
    for old, new in renamed.items():
        click.echo(f"In formulas, {old!r} is called {new}.", err=True)
    spec = RunSpec(track="formula", problems=(str(folder.resolve()),), subjects=names, seeds=(seed,), seconds=seconds)
    return run_tables(spec, out=out, workers=workers, gating=gating, as_json=as_json)


def _tell(reading: TableReading, target: str, options: TableOptions) -> None:
    tell_columns(reading, target=target, role="target", ignored=options.ignore)
    for column in reading.columns:
        if column.role in _A and column.name not in (target, *options.ignore):
            remedy = options.remedy("ignore", column.name)
            message = f"{column.name} is read as {_A[column.role]} ({column.why}); {remedy} leaves it out."
            click.echo(f"Note: {message}", err=True)


@app.command(epilog="Example: assay formula generate --out problems --problems 50 --seed 7 --property noise")
@new_folder_option
@click.option(
    "--problems",
    type=click.IntRange(min=1),
    metavar="N",
    help="Generate this many new problems [write the built-in suite].",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Set the random seed; output is reproducible.",
)
@click.option(
    "--property",
    "properties",
    multiple=True,
    type=click.Choice(_PROPERTIES),
    help="Test this property; repeatable [all].",
)
@click.option(
    "--difficulty",
    "difficulties",
    multiple=True,
    type=click.Choice(_DIFFICULTIES),
    help="Set the difficulty; repeatable [all].",
)
@click.option(
    "--physics", default=0.25, show_default=True, type=float, help="Take this share from classical physics formulas."
)
@click.option("--rows", default=200, show_default=True, type=int, help="Generate this many training rows.")
@click.option(
    "--noise",
    default=0.0,
    show_default=True,
    type=float,
    help="Add noise of this share of the training target's variance.",
)
@click.option(
    "--features",
    default=20,
    show_default=True,
    type=int,
    help="Use this many variables in problems with irrelevant features.",
)
@click.option("--pmlb", type=PATH, metavar="TABLES", help="Use tables of PMLB instead, split and scaled as in SRBench.")
@click.option("--dataset", "datasets", multiple=True, metavar="NAME", help="Use only this table of --pmlb; repeatable.")
@click.option(
    "--splits",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="Make this many splits of each --pmlb table; SRBench has 10.",
)
@click.option(
    "--standardise/--no-standardise",
    default=True,
    show_default=True,
    help="Standardise --pmlb tables by their training rows.",
)
def generate(
    out: Path,
    problems: int | None,
    properties: tuple[str, ...],
    difficulties: tuple[str, ...],
    pmlb: Path | None,
    datasets: tuple[str, ...],
    splits: int,
    standardise: bool,
    **plan: Any,
) -> None:
    """Write problems as folders: the built-in suite, newly generated ones, or tables of PMLB.

    The first two have a known truth. On PMLB's tables accuracy and size are judged, on SRBench's own splits.
    """
    from assay.formula.generate.problems import builtin
    from assay.formula.generate.problems import generate as write
    from assay.formula.problem.pmlb import write_pmlb_problems

    generator_options = _on_command_line("properties", "difficulties", *plan)
    if pmlb is not None:
        if generator_options or problems is not None:
            raise InvalidInput("--pmlb takes --dataset, --splits and --standardise, and no option of made-up problems.")
        with new_problems(out) as place:
            write_pmlb_problems(place, pmlb, datasets=datasets, splits=splits, standardise=standardise)
        return
    if _on_command_line("datasets", "splits", "standardise"):
        raise InvalidInput("--dataset, --splits and --standardise choose among tables: name their folder with --pmlb.")
    if problems is None and generator_options:
        raise InvalidInput("the built-in suite takes no options: say how many problems to make, as in --problems 20.")
    with new_problems(out) as place:
        if problems is None:
            builtin(place)
        else:
            write(
                place,
                problems=problems,
                properties=properties or _PROPERTIES,
                difficulties=difficulties or _DIFFICULTIES,
                **plan,
            )


def _on_command_line(*names: str) -> list[str]:
    """Those options that stand on the command line."""
    context = click.get_current_context()
    return [name for name in names if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE]
