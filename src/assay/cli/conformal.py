"""``assay conformal``: sets made anywhere judged, and sets made from probabilities, from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.new.conformal import new
from assay.cli.shared.output import echo_wrapped, write_json, write_text
from assay.cli.shared.table_options import table_options
from assay.core import InvalidInput
from assay.core.checks import is_number
from assay.core.display import counted
from assay.core.files.text import read_json_value
from assay.intake.table.options import TableOptions

if TYPE_CHECKING:
    from assay.conformal.problem.reading import Tables

__all__ = ["app"]

_FILE = click.Path(path_type=Path)


@click.group()
def app() -> None:
    """The conformal track's own commands."""


app.add_command(new)


_task_option = click.option(
    "--task",
    "pairs",
    multiple=True,
    metavar="NAME=TASK",
    help="The task that a file of labels or probabilities calls NAME; may be repeated.",
)


@app.command(epilog="Example: assay conformal evaluate --sets sets.npz --labels labels.npz --alpha 0.1")
@click.option("--sets", "sets_file", required=True, type=_FILE, metavar="FILE", help="npz, Parquet, CSV or JSON.")
@click.option(
    "--labels", "labels_file", required=True, type=_FILE, metavar="FILE", help="The true labels; -1 is missing."
)
@click.option(
    "--probabilities", type=_FILE, metavar="FILE", help="What the classifier said, for accuracies and weights."
)
@click.option("--alpha", type=float, metavar="A", help="The promised coverage is 1 - A.")
@click.option("--classes", metavar="N,N", help="Classes of each task, where sets are lists.")
@click.option(
    "--weights",
    default="classes",
    show_default=True,
    metavar="NAME|FILE",
    help="classes, difficulty, data, confidence, or a JSON file with one number per task.",
)
@_task_option
@table_options
@click.option("--json", "json_file", type=_FILE, metavar="FILE", help="All numbers as JSON; - prints them.")
def evaluate(
    sets_file: Path,
    labels_file: Path,
    probabilities: Path | None,
    alpha: float | None,
    classes: str | None,
    weights: str,
    pairs: tuple[str, ...],
    table: TableOptions,
    json_file: Path | None,
) -> None:
    """Judge prediction sets, whatever made them: coverage, size, decisiveness, each task and all at once."""
    from assay.conformal.examine.evaluation import evaluate_sets, evaluation_text
    from assay.conformal.problem.reading import Tables, in_order, read_labels, read_probabilities, read_sets
    from assay.conformal.sets.checks import as_alpha

    if alpha is not None:
        as_alpha(alpha)
    same = _pairs(pairs)
    predicted = (
        None if probabilities is None else read_probabilities(probabilities, options=table, logits="softmax them first")
    )
    _tell(predicted)
    counts: list[int] | dict[str, int] | None = _counts(classes)
    if counts is None and predicted is not None:
        counts = {same.get(task, task): matrix.shape[1] for task, matrix in predicted.matrices.items()}
    sets, tables = read_sets(sets_file, classes=counts, options=table)
    if predicted is not None and not tables.classes and set(predicted.classes) == set(tables.names):
        tables = Tables(tables.matrices, predicted.classes)
    body = evaluate_sets(
        sets,
        read_labels(labels_file, tables, options=table, pairs=same),
        alpha=alpha,
        weights=_weights(weights),
        probabilities=None
        if predicted is None or probabilities is None
        else in_order(predicted, tables, probabilities, pairs=same),
        names=tables.names,
    )
    write_json(json_file, lambda: body, text=lambda: evaluation_text(body))


@app.command(
    epilog="Example: assay conformal calibrate --probabilities cal.npz --labels y.npz --method joint --out cal.json "
    "--test new.npz --sets sets.npz"
)
@click.option("--probabilities", required=True, type=_FILE, metavar="FILE", help="Of held-out samples.")
@click.option("--labels", "labels_file", required=True, type=_FILE, metavar="FILE", help="Their labels; -1 is missing.")
@click.option("--alpha", default=0.1, show_default=True, type=float, metavar="A", help="Promise a coverage of 1 - A.")
@click.option(
    "--method", default="taskwise", show_default=True, help="taskwise, classwise, joint, joint-combinations, ..."
)
@click.option("--score", default="hinge", show_default=True, help="hinge, margin, pip, aps, raps(penalty=0.1), top_k.")
@click.option("--weights", metavar="FILE", help="JSON with one number per task, for weighted-bonferroni.")
@click.option("--logits", is_flag=True, help="The files hold logits: softmax them.")
@_task_option
@table_options
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0))
@click.option("--out", type=_FILE, metavar="FILE", help="Where to write the calibration, JSON.")
@click.option("--test", "test_file", type=_FILE, metavar="FILE", help="Probabilities of new samples.")
@click.option("--sets", "sets_file", type=_FILE, metavar="FILE", help="Where to write their sets, npz or JSON.")
def calibrate(
    probabilities: Path,
    labels_file: Path,
    alpha: float,
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
    """Find the thresholds under which sets keep a coverage, and make the sets of new samples."""
    from assay.conformal.calibration.calibrate import calibrate as find_thresholds
    from assay.conformal.problem.reading import in_order, read_labels, read_probabilities
    from assay.conformal.problem.sets_files import write_sets

    if (test_file is None) != (sets_file is None):
        raise InvalidInput("--test and --sets belong together: probabilities of new samples in, their sets out.")
    same = _pairs(pairs)
    softmax = None if logits else "give --logits"
    tables = read_probabilities(probabilities, options=table, logits=softmax)
    _tell(tables)
    calibration = find_thresholds(
        list(tables.matrices.values()),
        read_labels(labels_file, tables, options=table, pairs=same),
        alpha=alpha,
        method=method,
        score=score,
        weights=None if weights is None else _weights(weights),
        seed=seed,
        logits=logits,
    )
    chosen = "" if calibration.chosen is None else f", which chose {calibration.chosen}"
    threshold = "threshold" if calibration.model is None else "level"
    click.echo(
        f"{calibration.method}{chosen}: {calibration.guarantee} coverage of {1 - calibration.alpha:g}, "
        f"{counted(calibration.samples, 'sample')}"
    )
    for name, rows in zip(tables.names, calibration.thresholds, strict=True):
        low, high = float(rows[0].min()), float(rows[0].max())
        click.echo(
            f"  {name}: {counted(rows.shape[1], 'class')}, "
            + (f"{threshold} {low:.6g}" if low == high else f"thresholds {low:.6g} to {high:.6g}")
        )
    for note in calibration.notes:
        echo_wrapped(f"Note: {note}", err=True)
    if logits:
        click.echo("Logits were softmaxed, as asked.", err=True)
    if out is not None:
        write_text(out, json.dumps(calibration.to_json(), ensure_ascii=False, allow_nan=False, indent=1))
    if test_file is not None and sets_file is not None:
        new = read_probabilities(test_file, options=table, logits=softmax)
        sets = calibration.predict_sets(in_order(new, tables, test_file, pairs=same), logits=logits)
        write_sets(sets_file, sets, tables.names)
        click.echo(f"wrote {sets_file}", err=True)


def _pairs(texts: tuple[str, ...]) -> dict[str, str]:
    for text in texts:
        if "=" not in text:
            raise InvalidInput(f"--task {text!r}: write NAME=TASK, the name in the file and the task that is meant.")
    return {name: task for name, _, task in (text.partition("=") for text in texts)}


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
