"""``assay conformal``: sets made anywhere judged, and sets made from probabilities, from files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.new.conformal import new
from assay.cli.shared.options import PATH, json_file_option, new_folder_option, read_pairs
from assay.cli.shared.output import echo_wrapped, new_problems, write_json, write_text
from assay.cli.shared.table_options import table_options
from assay.core import InvalidInput, UnknownName
from assay.core.checks import is_number
from assay.core.files.text import read_json_value
from assay.intake.table.options import TableOptions

if TYPE_CHECKING:
    from assay.conformal.problem.reading import Tables

__all__ = ["app"]


@click.group()
def app() -> None:
    """The conformal track's own commands."""


app.add_command(new)


def _one_level(_context: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> float | None:
    """One level; several are refused, where click would silently take the last."""
    levels = [level for text in texts for level in text.split(",")]
    if len(levels) > 1:
        first, second = levels[:2]
        raise InvalidInput(
            f"--alpha {' '.join(texts)}: one level at a time; run once with --alpha {first}, then with {second}."
        )
    if not levels:
        return None
    try:
        return float(levels[0])
    except ValueError:
        raise InvalidInput(f"--alpha {levels[0]}: must be a number between 0 and 1, as in --alpha 0.1.") from None


_BY_GROUP = "mondrian"
_TASK_HINT = "write NAME=TASK, the name in the file and the task that is meant"
_task_option = click.option(
    "--task",
    "pairs",
    multiple=True,
    metavar="NAME=TASK",
    help="Map the NAME used in a file of labels or probabilities to a task; repeatable.",
)


@app.command(epilog="Example: assay conformal evaluate --sets sets.npz --labels labels.npz --alpha 0.1")
@click.option(
    "--sets", "sets_file", type=PATH, metavar="FILE", help="Judge these prediction sets: npz, Parquet, CSV or JSON."
)
@click.option("--labels", "labels_file", type=PATH, metavar="FILE", help="Read the true labels; -1 is missing.")
@click.option(
    "--intervals",
    "intervals_file",
    type=PATH,
    metavar="FILE",
    help="Judge these intervals of numbers: columns price:low and price:high, and the truth in price.",
)
@click.option("--numbers", "numbers_file", type=PATH, metavar="FILE", help="Read the true numbers from another file.")
@click.option(
    "--known",
    "known_file",
    type=PATH,
    metavar="FILE",
    help="Read true numbers of calibration samples, for relative widths.",
)
@click.option(
    "--probabilities",
    type=PATH,
    metavar="FILE",
    help="Read the classifier's probabilities, for accuracies and weights.",
)
@click.option(
    "--alpha", multiple=True, callback=_one_level, metavar="A", help="Test against a promised coverage of 1 - A."
)
@click.option("--classes", metavar="N,N", help="Set the number of classes of each task, if sets are lists.")
@click.option(
    "--weights",
    default="classes",
    show_default=True,
    metavar="NAME|FILE",
    help="Weight tasks by classes, difficulty, data, confidence, or a JSON file with one number per task.",
)
@_task_option
@table_options
@json_file_option("Write all numbers as JSON to FILE; - prints them.")
def evaluate(
    sets_file: Path | None,
    labels_file: Path | None,
    intervals_file: Path | None,
    numbers_file: Path | None,
    known_file: Path | None,
    probabilities: Path | None,
    alpha: float | None,
    classes: str | None,
    weights: str,
    pairs: tuple[str, ...],
    table: TableOptions,
    json_file: Path | None,
) -> None:
    """Judge prediction sets and intervals, whatever made them: coverage, size, width, each task and all at once."""
    import numpy as np

    from assay.conformal.examine.evaluation import evaluate_sets, evaluation_text
    from assay.conformal.examine.interval_evaluation import interval_evaluation_text
    from assay.conformal.metrics.hits import jointly_covered
    from assay.conformal.problem.reading import Tables, in_order, read_probabilities, read_sets
    from assay.conformal.sets.checks import MISSING, as_alpha

    if alpha is not None:
        as_alpha(alpha)
    if (sets_file is None) != (labels_file is None) or (sets_file is None and intervals_file is None):
        raise InvalidInput("give --sets with --labels, or --intervals, or all of them.")
    if known_file is not None and (alpha is None or intervals_file is None):
        raise InvalidInput("--known is for the relative widths of --intervals at a level: give --alpha as well.")
    if sets_file is None or labels_file is None:
        body = _evaluated_intervals(intervals_file, numbers_file, known_file, alpha, table)
        write_json(json_file, lambda: body, text=lambda: interval_evaluation_text(body))
        return
    same = read_pairs(pairs, "--task", _TASK_HINT)
    predicted = (
        None
        if probabilities is None
        else read_probabilities(probabilities, options=table, logits="give the probabilities")
    )
    _tell(predicted)
    counts: list[int] | dict[str, int] | None = _counts(classes)
    if counts is None and predicted is not None:
        counts = {same.get(task, task): matrix.shape[1] for task, matrix in predicted.matrices.items()}
    sets, tables = read_sets(sets_file, classes=counts, options=table)
    if predicted is not None and not tables.classes and set(predicted.classes) == set(tables.names):
        tables = Tables(tables.matrices, predicted.classes)
    labels = _labels(labels_file, tables, table, same)
    body = evaluate_sets(
        sets,
        labels,
        alpha=alpha,
        weights=_weights(weights),
        probabilities=None
        if predicted is None or probabilities is None
        else in_order(predicted, tables, probabilities, pairs=same),
        names=tables.names,
    )
    if intervals_file is None:
        write_json(json_file, lambda: body, text=lambda: evaluation_text(body))
        return
    covered = np.where((np.stack(labels) != MISSING).all(axis=0), jointly_covered(sets, labels), np.nan)
    body["intervals"] = _evaluated_intervals(intervals_file, numbers_file, known_file, alpha, table, beside=covered)

    def text() -> str:
        beside = interval_evaluation_text(body["intervals"])
        return f"{evaluation_text(body)}\n\n{beside}\n(all tasks at once: sets and intervals)"

    write_json(json_file, lambda: body, text=text)


def _evaluated_intervals(
    intervals_file: Path | None,
    numbers_file: Path | None,
    known_file: Path | None,
    alpha: float | None,
    table: TableOptions,
    *,
    beside: Any = None,
) -> dict[str, Any]:
    from assay.conformal.examine.interval_evaluation import evaluate_intervals
    from assay.conformal.problem.user_numbers import read_intervals, read_truth

    assert intervals_file is not None  # by the caller
    intervals, truth = read_intervals(intervals_file, options=table)
    if numbers_file is not None:
        truth = read_truth(numbers_file, [*intervals], options=table)
    for name, own in intervals.items():
        if name not in truth:
            raise InvalidInput(f"{intervals_file}: the truth of {name!r} is missing: give --numbers FILE.")
        if len(truth[name]) != len(own.low) or (beside is not None and len(beside) != len(own.low)):
            there = len(truth[name]) if len(truth[name]) != len(own.low) else len(beside)
            raise InvalidInput(f"{intervals_file}: {len(own.low)} intervals of {name!r} for {there} samples.")
    calibration_truth = None if known_file is None else read_truth(known_file, [*intervals], options=table)
    return evaluate_intervals(intervals, truth, alpha=alpha, known=calibration_truth, beside=beside)


@app.command(epilog="Example: assay conformal generate --out problems --problems 8 --family mixed --family regression")
@new_folder_option
@click.option("--problems", type=int, metavar="N", help="Generate this many new problems [write the built-in ones].")
@click.option(
    "--family",
    "families",
    multiple=True,
    metavar="NAME",
    help="Choose a family: correlated, imbalanced, unequal, shift, independent; with numbers regression, "
    "heteroscedastic, mixed, shifted-numbers; repeatable.",
)
@click.option(
    "--guarantee",
    multiple=True,
    type=click.Choice(["taskwise", "joint"]),
    help="Promise coverage per task or for all tasks at once [both in turn].",
)
@click.option("--seed", type=int, metavar="S", help="Set the random seed; output is reproducible [0].")
@click.option("--calibration", type=int, metavar="N", help="Generate this many calibration samples [500].")
@click.option("--test", type=int, metavar="N", help="Generate this many test samples [1000].")
@click.option("--alpha", type=float, metavar="A", help="Ask for a coverage of 1 - A [0.1].")
def generate(
    out: Path, problems: int | None, families: tuple[str, ...], guarantee: tuple[str, ...], **plan: Any
) -> None:
    """Write problems as folders: newly generated ones, or the built-in ones."""
    from assay.conformal.generate import builtin
    from assay.conformal.generate import generate as generate_problems

    options = {name: value for name, value in plan.items() if value is not None}
    options |= {"families": families} if families else {}
    options |= {"guarantees": guarantee} if guarantee else {}
    if problems is None and options:
        flag = {"families": "family", "guarantees": "guarantee"}.get(next(iter(options)), next(iter(options)))
        raise InvalidInput(f"--{flag} is for fresh problems: say how many with --problems N.")
    with new_problems(out) as place:
        if problems is None:
            builtin(place)
        else:
            generate_problems(place, **{"problems": problems, "seed": 0, **options})


@app.command(
    epilog="Example: assay conformal calibrate --probabilities cal.npz --labels y.npz --method joint --out cal.json "
    "--test new.npz --sets sets.npz"
)
@click.option(
    "--probabilities",
    required=True,
    type=PATH,
    metavar="FILE",
    help="Read predicted probabilities of held-out samples.",
)
@click.option(
    "--labels",
    "labels_file",
    required=True,
    type=PATH,
    metavar="FILE",
    help="Read the labels of the held-out samples; -1 is missing.",
)
@click.option("--alpha", multiple=True, callback=_one_level, metavar="A", help="Promise a coverage of 1 - A [0.1].")
@click.option(
    "--method",
    default="taskwise",
    show_default=True,
    help="Calibrate with this method: taskwise, classwise, joint, joint-combinations, ...",
)
@click.option(
    "--score",
    default="hinge",
    show_default=True,
    help="Use this conformity score: hinge, margin, pip, aps, raps(penalty=0.1), top_k.",
)
@click.option("--weights", metavar="FILE", help="Read one weight per task from JSON, for weighted-bonferroni.")
@click.option("--logits", is_flag=True, help="Apply softmax: the files hold logits.")
@_task_option
@table_options
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Set the random seed.")
@click.option("--out", type=PATH, metavar="FILE", help="Write the calibration to FILE, as JSON.")
@click.option("--test", "test_file", type=PATH, metavar="FILE", help="Read predicted probabilities of new samples.")
@click.option(
    "--sets", "sets_file", type=PATH, metavar="FILE", help="Write the sets of the new samples to FILE, npz or JSON."
)
def calibrate(
    probabilities: Path,
    labels_file: Path,
    alpha: float | None,
    method: str,
    score: str,
    weights: str | None,
    logits: bool,
    pairs: tuple[str, ...],
    table: TableOptions,
    seed: int,
    out: Path | None,
    test_file: Path | None,
    sets_file: Path | None,
) -> None:
    """Calibrate prediction sets to a promised coverage, and write the sets of new samples."""
    alpha = 0.1 if alpha is None else alpha
    from assay.conformal.calibration.calibrate import METHODS
    from assay.conformal.calibration.calibrate import calibrate as find_thresholds
    from assay.conformal.calibration.summary import calibration_text
    from assay.conformal.problem.reading import in_order, read_probabilities
    from assay.conformal.problem.sets_files import write_sets

    if (test_file is None) != (sets_file is None):
        raise InvalidInput("--test and --sets belong together: probabilities of new samples in, their sets out.")
    if method == _BY_GROUP:
        raise InvalidInput(
            f"--method {method}: needs a group per sample, which files here do not have. Calibrate the samples of each "
            "group on their own, or in Python: assay.conformal.calibrate(..., method='mondrian', groups=GROUPS)."
        )
    if method not in METHODS:
        raise UnknownName("calibration method", method, [*METHODS.keys() - {_BY_GROUP}])
    same = read_pairs(pairs, "--task", _TASK_HINT)
    softmax = None if logits else "give --logits"
    tables = read_probabilities(probabilities, options=table, logits=softmax)
    _tell(tables)
    labels = _labels(labels_file, tables, table, same)
    calibration = find_thresholds(
        dict(tables.matrices),
        dict(zip(tables.names, labels, strict=True)),
        alpha=alpha,
        method=method,
        score=score,
        weights=None if weights is None else _weights(weights),
        seed=seed,
        logits=logits,
    )
    calibration = replace(calibration, names=())  # others may name their tasks in another way
    click.echo(calibration_text(calibration, tables.names, labels))
    for note in calibration.notes:
        echo_wrapped(f"Note: {note}", err=True)
    if logits:
        click.echo("Logits were softmaxed, as asked.", err=True)
    if out is not None:
        write_text(out, json.dumps(calibration.to_json(), ensure_ascii=False, allow_nan=False, indent=1))
    if test_file is not None and sets_file is not None:
        new = read_probabilities(test_file, options=table, logits=softmax)
        sets = calibration.predict_sets(in_order(new, tables, test_file, pairs=same), logits=logits)
        write_sets(sets_file, sets, tables.names, tables.classes)
        if sets_file.suffix == ".json" and new.classes != tables.classes:
            order = "; ".join(f"{task}: {', '.join(names)}" for task, names in tables.classes.items())
            echo_wrapped(f"Note: {sets_file} counts classes in the order of {probabilities}: {order}.", err=True)
        click.echo(f"wrote {sets_file}", err=True)


def _labels(path: Path, tables: Tables, table: TableOptions, same: dict[str, str]) -> Any:
    """A label of every sample and task."""
    from assay.conformal.problem.reading import read_labels

    columns = read_labels(path, tables, options=table, pairs=same)
    for (name, matrix), column in zip(tables.matrices.items(), columns, strict=True):
        if len(column) != len(matrix):
            raise InvalidInput(
                f"{path}, task {name!r}: {len(column)} labels were given for {len(matrix)} samples. An empty line does "
                "not count as a row: write -1 where a label is missing."
            )
    return columns


def _tell(tables: Tables | None) -> None:
    for note in tables.notes if tables is not None else ():
        echo_wrapped(f"Note: {note}", err=True)


def _counts(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(f"--classes {text}: must be whole numbers with commas, as in 10,2,2.") from None


def _weights(text: str) -> Any:
    """A weighting by name, or the numbers of a file."""
    from assay.conformal.examine.evaluation import WEIGHTINGS

    path = Path(text)
    if text in WEIGHTINGS or not path.suffix:
        return text
    body = read_json_value(path)
    if not isinstance(body, list) or not all(map(is_number, body)):
        raise InvalidInput(f"{path}: must hold a list with one number per task.")
    return body
