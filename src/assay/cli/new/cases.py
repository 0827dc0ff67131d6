"""``assay cases new``: a problem from a table with a label, and a classifier or its predictions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.shared.asking import ask_missing
from assay.cli.shared.model_options import model_options, open_model_file
from assay.cli.shared.new_problem import ask_column, keep_option, new_options, problem_folder, show_new_problem
from assay.cli.shared.options import PATH
from assay.cli.shared.output import chatter_aside

if TYPE_CHECKING:
    from assay.intake.table.options import TableOptions

__all__ = ["new"]


@click.command(epilog="Example: assay cases new patients.csv --label outcome --classifier forest --folds 5")
@click.argument("path", metavar="FILE", type=PATH)
@click.option("--label", metavar="COL", help="Name the column with the true class.")
@click.option(
    "--classifier",
    metavar="NAME",
    help="Judge the predictions of this classifier: forest, logistic, tree, naive-bayes, or "
    "module:Class(parameter=value).",
)
@model_options
@click.option("--predictions", metavar="COL", help="Take predicted classes from this column, instead of --classifier.")
@click.option(
    "--probabilities",
    multiple=True,
    metavar="COL",
    help="Take the predicted probability of a class from this column, with --predictions: CLASS=COL, "
    "or a COL that ends with the class; repeatable.",
)
@click.option(
    "--query", type=PATH, metavar="FILE", help="Predict the rows of this file; FILE then holds the training cases."
)
@click.option(
    "--folds", type=click.IntRange(min=2), metavar="N", help="Make N problems, one per cross-validation fold."
)
@click.option(
    "--holdout",
    default=0.3,
    show_default=True,
    type=float,
    help="Predict this share of the rows, without --query and --folds.",
)
@keep_option
@new_options
def new(
    path: Path,
    label: str | None,
    classifier: str | None,
    model_file: Path | None,
    trust_model: bool,
    model_classes: str | None,
    predictions: str | None,
    probabilities: tuple[str, ...],
    query: Path | None,
    folds: int | None,
    holdout: float,
    keep: tuple[str, ...],
    out: Path | None,
    seed: int,
    identity: str | None,
    tags: dict[str, str | float],
    table: TableOptions,
    as_json: bool,
) -> None:
    """Make a problem from your own table: FILE is CSV, Parquet or Excel, with a column for the true class.

    Which predictions of a classifier are wrong? The classifier is trained here, or its predictions are in the table.
    """
    from assay.cases.generate.classifiers import CLASSIFIERS
    from assay.cases.problem.user_problem import new_problem
    from assay.intake.new_problem import demand_columns
    from assay.intake.table.read import read_user_table

    folder = problem_folder(out, path)
    label = label or ask_column("--label", "which column is the true class?", path, table)
    model = open_model_file(model_file, trust_model, model_classes, classifier=classifier, predictions=predictions)
    if classifier is None and predictions is None and model is None:
        demand_columns(read_user_table(path, table), [label, *keep])  # first what is wrong, then what is missing
        question = "Whose predictions are to be judged?"
        classifier = ask_missing("--classifier", question, choices=[*CLASSIFIERS], default="forest")
    with chatter_aside():
        problem = new_problem(
            folder,
            path,
            label=label,
            classifier=classifier if model is None else model,
            fit=model is None,
            predictions=predictions,
            probabilities=probabilities,
            query=query,
            folds=folds,
            holdout=holdout,
            keep=keep,
            seed=seed,
            id=identity,
            tags=tags,
            options=table,
        )
    show_new_problem(problem, as_json=as_json)
