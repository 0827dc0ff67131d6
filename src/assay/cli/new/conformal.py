"""``assay conformal new``: a problem from predictions and truths, or from classifiers and data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.shared.asking import ask_missing
from assay.cli.shared.new_problem import ask_column, keep_option, new_options, problem_folder, show_new_problem
from assay.cli.shared.options import PATH
from assay.cli.shared.output import chatter_aside
from assay.core import InvalidInput

if TYPE_CHECKING:
    from assay.intake.table.options import TableOptions

__all__ = ["new"]


@click.command(epilog="Example: assay conformal new --probabilities probs.npz --labels labels.csv --alpha 0.1")
@click.option(
    "--probabilities",
    multiple=True,
    metavar="FILE",
    help="Read predicted probabilities: npz with a matrix per task, a table with columns "
    "task:class, or one table per task, as TASK=FILE.",
)
@click.option(
    "--labels", metavar="FILE", type=PATH, help="Read labels, one column per task; not needed if the tables have them."
)
@click.option(
    "--test-probabilities",
    multiple=True,
    metavar="FILE",
    help="Read probabilities of the test samples [a random part].",
)
@click.option("--test-labels", metavar="FILE", type=PATH, help="Read labels of the test samples.")
@click.option(
    "--numbers",
    metavar="FILE",
    type=PATH,
    help="Read tasks that predict numbers: columns price (the truth) and "
    "price:predicted, price:scale, price:low, price:high.",
)
@click.option("--test-numbers", metavar="FILE", type=PATH, help="Read the same columns for the test samples.")
@click.option("--table", "data", type=PATH, metavar="FILE", help="Read features and labels, instead of probabilities.")
@click.option(
    "--label",
    "labels_of_table",
    multiple=True,
    metavar="COL",
    help="Name a label column of --table, one per task; repeatable.",
)
@click.option(
    "--classifier",
    metavar="NAME",
    help="Train this classifier for each --label: forest, logistic, ..., or module:Class.",
)
@click.option(
    "--model",
    "model_files",
    multiple=True,
    metavar="FILE",
    help="Use a fitted classifier instead: .joblib, .pkl, .skops or .onnx; LABEL=FILE for each of several --label.",
)
@click.option("--trust-model", is_flag=True, help="Let joblib, pickle or skops files run their code, confined.")
@click.option("--train", default=0.5, show_default=True, type=float, help="Train on this share of --table.")
@click.option(
    "--calibration", default=0.5, show_default=True, type=float, help="Calibrate with this share of the other rows."
)
@click.option("--alpha", default=0.1, show_default=True, type=float, metavar="A", help="Ask for a coverage of 1 - A.")
@click.option(
    "--guarantee",
    default="taskwise",
    show_default=True,
    type=click.Choice(["taskwise", "joint"]),
    help="Ask for coverage per task, or for all tasks of a sample at once.",
)
@click.option("--logits", is_flag=True, help="Apply softmax: the files hold logits.")
@keep_option
@new_options
def new(
    probabilities: tuple[str, ...],
    labels: Path | None,
    test_probabilities: tuple[str, ...],
    test_labels: Path | None,
    numbers: Path | None,
    test_numbers: Path | None,
    data: Path | None,
    labels_of_table: tuple[str, ...],
    classifier: str | None,
    model_files: tuple[str, ...],
    trust_model: bool,
    train: float,
    calibration: float,
    alpha: float,
    guarantee: str,
    logits: bool,
    keep: tuple[str, ...],
    out: Path | None,
    seed: int,
    identity: str | None,
    tags: dict[str, str | float],
    table: TableOptions,
    as_json: bool,
) -> None:
    """Make a problem from your own predictions and true values of one or several tasks.

    They are split into calibration and test samples; or they come from classifiers that are trained on a table.
    """
    from assay.conformal.problem.user_problem import new_problem

    material: dict[str, Any] = {}
    if data is not None:
        if probabilities:
            raise InvalidInput("--probabilities and --table exclude each other: give the one that you have.")
        folder = problem_folder(out, data)
        labels_of_table = labels_of_table or (ask_column("--label", "which column is a label?", data, table),)
        if model_files:
            if classifier is not None:
                raise InvalidInput("--model and --classifier both say whose probabilities: give one of them.")
            models = _models(model_files, labels_of_table, trust_model)
            material = {"table": data, "label": labels_of_table, "classifier": models, "fit": False}
        else:
            material = _classifier(data, labels_of_table, classifier, keep, table)
    else:
        if classifier is not None or model_files:
            flag = "--model" if model_files else "--classifier"
            raise InvalidInput(f"{flag} needs the data to predict: give --table FILE and --label COL.")
        if not probabilities and numbers is None:
            probabilities = (ask_missing("--probabilities", "Which file holds the probabilities?"),)
        material = {"probabilities": _files(probabilities), "labels": labels, "label": labels_of_table}
        source = numbers if numbers is not None and not probabilities else Path(probabilities[0].rpartition("=")[2])
        folder = problem_folder(out, source)
    with chatter_aside():
        problem = new_problem(
            folder,
            **material,
            test_probabilities=_files(test_probabilities),
            test_labels=test_labels,
            numbers=numbers,
            test_numbers=test_numbers,
            train=train,
            calibration=calibration,
            alpha=alpha,
            guarantee=guarantee,
            logits=logits,
            keep=keep,
            seed=seed,
            id=identity,
            tags=tags,
            options=table,
        )
    show_new_problem(problem, as_json=as_json)


def _files(entries: tuple[str, ...]) -> Any:
    """A file of all tasks, or files by task."""
    if not entries:
        return None
    if len(entries) == 1 and ("=" not in entries[0] or Path(entries[0]).is_file()):
        return Path(entries[0])
    by_task = {}
    for entry in entries:
        task, equals, file = entry.partition("=")
        if not equals or not task or not file:
            raise InvalidInput(f"--probabilities {entry}: of several files say whose each is, as in digit={entry}.")
        by_task[task] = Path(file)
    return by_task


def _models(files: tuple[str, ...], labels: tuple[str, ...], trust: bool) -> list[Any]:
    """A fitted classifier for each label column, in their order."""
    from assay.cli.shared.model_options import open_model_file

    if len(files) == len(labels) == 1 and "=" not in files[0]:
        return [open_model_file(Path(files[0]), trust, None)]
    by_label = {}
    for entry in files:
        label, equals, file = entry.partition("=")
        if not equals or label not in labels:
            raise InvalidInput(f"--model {entry}: say for which label it is, as in --model {labels[0]}={entry}.")
        by_label[label] = Path(file)
    if missing := [label for label in labels if label not in by_label]:
        raise InvalidInput(f"--label {missing[0]} has no model: give --model {missing[0]}=FILE.")
    return [open_model_file(by_label[label], trust, None) for label in labels]


def _classifier(
    data: Path, labels: tuple[str, ...], classifier: str | None, keep: tuple[str, ...], options: TableOptions
) -> dict[str, Any]:
    """The table as it was read, its label columns, and an untrained classifier for its features."""
    from assay.cases.generate.classifiers import CLASSIFIERS, make_classifier
    from assay.intake.new_problem import as_reading, demand_columns

    if classifier is None:
        question = "Which classifier gives the probabilities?"
        classifier = ask_missing("--classifier", question, choices=[*CLASSIFIERS], default="forest")
    reading = as_reading(data, options, label=labels[0])
    demand_columns(reading, (*labels, *keep))
    features = reading.features(label=labels[0], ignore=labels[1:], keep=keep).frame
    return {"table": reading, "label": labels, "classifier": make_classifier(classifier, features)}
