"""``assay conformal new``: a problem from probabilities and labels, or from classifiers and data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.shared.asking import ask_missing
from assay.cli.shared.new_problem import (
    ask_column,
    keep_option,
    new_options,
    problem_folder,
    read_tags,
    show_new_problem,
)
from assay.cli.shared.output import chatter_aside
from assay.core import InvalidInput

if TYPE_CHECKING:
    from assay.intake.table.options import TableOptions

__all__ = ["new"]

_PATH = click.Path(path_type=Path)


@click.command(epilog="Example: assay conformal new --probabilities probs.npz --labels labels.csv --alpha 0.1")
@click.option(
    "--probabilities",
    multiple=True,
    metavar="FILE",
    help="npz with a matrix per task, or a table with columns task:class; or one table per task, as TASK=FILE.",
)
@click.option("--labels", metavar="FILE", type=_PATH, help="One column per task; not needed where the tables have it.")
@click.option(
    "--test-probabilities", multiple=True, metavar="FILE", help="Of the test samples; by default some are drawn."
)
@click.option("--test-labels", metavar="FILE", type=_PATH, help="Their labels.")
@click.option("--table", "data", type=_PATH, metavar="FILE", help="Features and labels, instead of probabilities.")
@click.option(
    "--label", "labels_of_table", multiple=True, metavar="COL", help="A label column of --table, one per task."
)
@click.option("--classifier", metavar="NAME", help="Trained for each --label: forest, logistic, ..., or module:Class.")
@click.option("--train", default=0.5, show_default=True, type=float, help="The share of --table to train on.")
@click.option("--calibration", default=0.5, show_default=True, type=float, help="The share to calibrate with.")
@click.option("--alpha", default=0.1, show_default=True, type=float, metavar="A", help="Ask for a coverage of 1 - A.")
@click.option("--guarantee", default="taskwise", show_default=True, type=click.Choice(["taskwise", "joint"]))
@click.option("--logits", is_flag=True, help="The files hold logits: softmax them.")
@keep_option
@new_options
def new(
    probabilities: tuple[str, ...],
    labels: Path | None,
    test_probabilities: tuple[str, ...],
    test_labels: Path | None,
    data: Path | None,
    labels_of_table: tuple[str, ...],
    classifier: str | None,
    train: float,
    calibration: float,
    alpha: float,
    guarantee: str,
    logits: bool,
    keep: tuple[str, ...],
    out: Path | None,
    seed: int,
    identity: str | None,
    tags: tuple[str, ...],
    table: TableOptions,
    as_json: bool,
) -> None:
    """Make a problem of your own probabilities and labels of one or several tasks.

    They are split into calibration and test samples; or they come from classifiers that are trained on a table.
    """
    from assay.conformal.problem.user_problem import new_problem

    given: dict[str, Any] = {}
    if data is not None:
        if probabilities:
            raise InvalidInput("--probabilities and --table exclude each other: give the one that you have.")
        folder = problem_folder(out, data)
        given = _classifiers(data, labels_of_table, classifier, keep, table)
    else:
        if classifier is not None:
            raise InvalidInput("--classifier needs the data that it is trained on: give --table FILE and --label COL.")
        if not probabilities:
            probabilities = (ask_missing("--probabilities", "Which file holds the probabilities?"),)
        given = {"probabilities": _files(probabilities), "labels": labels, "label": labels_of_table}
        folder = problem_folder(out, Path(probabilities[0].rpartition("=")[2]))
    with chatter_aside():
        made = new_problem(
            folder,
            **given,
            test_probabilities=_files(test_probabilities),
            test_labels=test_labels,
            train=train,
            calibration=calibration,
            alpha=alpha,
            guarantee=guarantee,
            logits=logits,
            keep=keep,
            seed=seed,
            id=identity,
            tags=read_tags(tags),
            options=table,
        )
    show_new_problem(made, as_json=as_json)


def _files(given: tuple[str, ...]) -> Any:
    """A file of all tasks, or files by task."""
    if not given:
        return None
    if len(given) == 1 and ("=" not in given[0] or Path(given[0]).is_file()):
        return Path(given[0])
    by_task = {}
    for entry in given:
        task, equals, file = entry.partition("=")
        if not equals or not task or not file:
            raise InvalidInput(f"--probabilities {entry}: of several files say whose each is, as in digit={entry}.")
        by_task[task] = Path(file)
    return by_task


def _classifiers(
    data: Path, labels: tuple[str, ...], classifier: str | None, keep: tuple[str, ...], options: TableOptions
) -> dict[str, Any]:
    """The table as it was read, its label columns, and an untrained classifier for its features."""
    from assay.cases.generate.classifiers import CLASSIFIERS, make_classifier
    from assay.intake.new_problem import as_reading, demand_columns

    labels = labels or (ask_column("--label", "which column is a label?", data, options),)
    if classifier is None:
        question = "Which classifier gives the probabilities?"
        classifier = ask_missing("--classifier", question, choices=[*CLASSIFIERS], default="forest")
    reading = as_reading(data, options, label=labels[0])
    demand_columns(reading, (*labels, *keep))
    features = reading.features(label=labels[0], ignore=labels[1:], keep=keep).frame
    return {"table": reading, "label": labels, "classifier": make_classifier(classifier, features)}
