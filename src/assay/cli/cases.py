"""``assay cases``: explanations and their evaluation from tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.new.cases import new
from assay.cli.shared.gate import Gating, gate_options
from assay.cli.shared.model_options import model_options, open_model_file
from assay.cli.shared.options import (
    PATH,
    json_file_option,
    json_option,
    out_option,
    read_pairs,
    together,
    workers_option,
)
from assay.cli.shared.output import chatter_aside, echo_wrapped, replace_problems, write_json, write_text
from assay.cli.shared.table_options import table_options
from assay.cli.shared.table_summary import tell_columns
from assay.core import InvalidInput, UnknownName
from assay.core.display import counted
from assay.core.errors import suggest
from assay.intake.table.options import TableOptions

if TYPE_CHECKING:
    import pandas as pd

    from assay.harness.models.model_file import ModelFile
    from assay.intake.table.reading import TableReading

__all__ = ["app"]

_CLASSIFIER = "forest"
_NEIGHBOURS = 5


@click.group()
def app() -> None:
    """The cases track's own commands."""


app.add_command(new)


# options of both commands for tables and classifiers
_table_options = together(
    click.option(
        "--train", required=True, type=PATH, metavar="FILE", help="Read the training cases: CSV, Parquet or Excel."
    ),
    click.option("--label", required=True, metavar="COL", help="Name the column with the class."),
    click.option(
        "--classifier",
        metavar="NAME",
        help="Explain the predictions of this classifier: forest (default), logistic, tree, naive-bayes, or "
        "module:Class(parameter=value).",
    ),
    model_options,
    click.option(
        "--keep",
        multiple=True,
        metavar="COL",
        help="Use a column as a feature although it looks like an identifier, a date or a constant.",
    ),
    table_options,
)


@app.command(
    epilog="Example: assay cases explain --train train.csv --label species --query new.csv --show 2 --plot first.png"
)
@_table_options
@click.option("--query", required=True, type=PATH, metavar="FILE", help="Explain the rows of this file.")
@click.option("--predictions", metavar="COL", help="Take predictions from this column of the query file.")
@click.option(
    "--k", type=click.IntRange(min=1), metavar="N", help="Use N neighbours per explanation [5, or all if fewer]."
)
@click.option(
    "--metric",
    default="auto",
    show_default=True,
    help="Measure distance this way: auto, euclidean, gower, manhattan, ...",
)
@click.option(
    "--score",
    type=click.Choice(["correspondence", "detector"]),
    default="correspondence",
    show_default=True,
    help="Rate trust by the agreement of the neighbours, or by the detector's probability that the prediction is "
    "right, which takes some seconds.",
)
@click.option(
    "--id",
    "identifier",
    metavar="COL",
    help="Name queries by this column [an identifier that is not a feature].",
)
@click.option("--private", multiple=True, metavar="COL", help="Never show the values of this column; repeatable.")
@click.option(
    "--show", default=3, show_default=True, type=click.IntRange(min=0), help="Print this many explanations in full."
)
@json_file_option("Write all explanations as JSON to FILE; - prints them.")
@click.option("--csv", "csv_file", type=PATH, metavar="FILE", help="Write one row per query to FILE.")
@click.option(
    "--html",
    "html_file",
    type=PATH,
    metavar="FILE",
    help="Write a page, least trusted first: --show in full, the others as compact cards, 200 at most.",
)
@click.option(
    "--class-name",
    "class_names",
    multiple=True,
    metavar="CLASS=NAME",
    help="Show a name beside a class that is a number.",
)
@click.option("--unit", "units", multiple=True, metavar="COL=UNIT", help="Show the unit of a column beside its values.")
@click.option("--plot", "plot_file", type=PATH, metavar="FILE", help="Draw the first explanation to FILE.")
def explain(
    train: Path,
    label: str,
    query: Path,
    classifier: str | None,
    model_file: Path | None,
    trust_model: bool,
    model_classes: str | None,
    predictions: str | None,
    table: TableOptions,
    keep: tuple[str, ...],
    k: int | None,
    metric: str,
    score: str,
    identifier: str | None,
    private: tuple[str, ...],
    show: int,
    json_file: Path | None,
    csv_file: Path | None,
    html_file: Path | None,
    class_names: tuple[str, ...],
    units: tuple[str, ...],
    plot_file: Path | None,
) -> None:
    """Explain predictions by their nearest training cases: how far do the cases agree with each prediction?"""
    from assay.cases import CaseExplainer
    from assay.cases.generate.classifiers import make_classifier
    from assay.cases.neighbors.checks import as_labels, demand_same_kind
    from assay.cases.problem.reading import split_label
    from assay.cases.problem.training import train_model
    from assay.cases.subjects.detector import fit_detector

    fitted = open_model_file(model_file, trust_model, model_classes, classifier=classifier, predictions=predictions)
    training, reading, dropped = _training_table(train, table, label=label, keep=keep, predictions=predictions)
    cases = split_label(training, label, path=train)
    assert cases.labels is not None
    if k is not None and k > len(training):
        raise InvalidInput(f"--k {k}: {train} has {counted(len(training), 'case')}. Give --k {len(training)} at most.")
    query_frame = _query_table(query, table, like=reading, training=training)
    if predictions is not None and predictions not in query_frame.columns:
        raise InvalidInput(f"{query}: there is no column {predictions!r} with predictions.")
    aside = [] if predictions is None else [predictions]
    queries = split_label(query_frame, label, path=query, ignore=aside, required=False)
    _demand_columns(list(cases.features.columns), list(queries.features.columns), query)
    features = queries.features[list(cases.features.columns)]
    identifier = _identifier(identifier, query_frame, dropped, private=private, path=query)
    source: dict[str, Any] = {}
    model: Any = fitted
    if predictions is not None:
        source["predictions"] = as_labels(query_frame[predictions], what=f"{query}: column {predictions!r}")
        where = f"column {predictions!r} of {query} and the labels of {train}"
        demand_same_kind(source["predictions"], as_labels(cases.labels, what=label), what=where)
    elif fitted is not None:
        source["model"] = fitted
    else:
        classifier = classifier or _CLASSIFIER
        with chatter_aside():
            model = make_classifier(classifier, cases.features)
            train_model(model, cases.features, cases.labels, what=f"classifier {classifier!r}")
        source["model"] = model
    if metric == "auto" and _only_numbers_with_gaps(cases.features, features):
        metric = "nan_euclidean"
        click.echo("Some numbers are missing: distances are taken over what both rows have (nan_euclidean).", err=True)
    with chatter_aside():
        explainer = CaseExplainer(
            cases.features,
            cases.labels,
            k=k or min(_NEIGHBOURS, len(cases.labels)),
            metric=metric,
            private=private,
            class_names=_names_of_classes(class_names, cases.labels),
            units=read_pairs(units, "--unit", "give COL=UNIT"),
            model=model,
        )
        truth = None if queries.labels is None else queries.labels.to_numpy()
        batch = explainer.explain_batch(features, y=truth, **source)
        if score == "detector":
            detected = fit_detector(cases.features, cases.labels).scores(features, batch.predicted)
            batch = replace(batch, detector=detected.probability)
    if identifier is not None:
        batch = replace(batch, identifiers=query_frame[identifier].to_numpy())

    def text() -> str:
        shown = (f"{batch.heading(row)}\n{each.summary()}" for row, each in enumerate(batch[:show]))
        return "\n\n".join([batch.summary(), *shown])

    if not write_json(json_file, batch.to_records, text=text):
        for sentence in batch.overview().warnings:
            echo_wrapped(f"Warning: {sentence}", err=True)
        return
    if csv_file is not None:
        write_text(csv_file, batch.to_frame(full=True).to_csv(index=False))
    if html_file is not None:
        write_text(html_file, batch.to_html(full=show))
    if plot_file is not None:
        batch[0].plot().savefig(plot_file, dpi=150, bbox_inches="tight")
        click.echo(f"wrote {plot_file}", err=True)


@app.command(epilog="Example: assay cases schema > explanations.schema.json")
def schema() -> None:
    """Print the JSON schema of what ``assay cases explain --json`` writes."""
    import json

    from assay.cases import ExplanationBatch

    click.echo(json.dumps(ExplanationBatch.schema(), indent=2))


@app.command(epilog="Example: assay cases evaluate --train data.csv --label species --folds 10 --out study")
@_table_options
@click.option("--query", type=PATH, metavar="FILE", help="Judge on these held-out rows with labels.")
@click.option(
    "--folds",
    default=6,
    show_default=True,
    type=click.IntRange(min=2),
    help="Cross-validate with this many folds, without --query.",
)
@click.option("--subject", "subjects", multiple=True, metavar="SUBJECT", help="Compare this score; repeatable [all].")
@out_option("assay-results", "Store results in this folder.")
@workers_option
@gate_options
@json_option
def evaluate(
    train: Path,
    label: str,
    query: Path | None,
    classifier: str | None,
    model_file: Path | None,
    trust_model: bool,
    model_classes: str | None,
    table: TableOptions,
    keep: tuple[str, ...],
    folds: int,
    subjects: tuple[str, ...],
    out: Path,
    workers: int | None,
    as_json: bool,
    gating: Gating,
) -> int:
    """Find the score that best tells a classifier's wrong predictions on your data from its right ones."""
    from assay.cases import TRACK
    from assay.cases.problem.reading import split_label
    from assay.cli.shared.summary import run_tables
    from assay.harness import RunSpec

    fitted = open_model_file(model_file, trust_model, model_classes, classifier=classifier)
    if fitted is not None and query is None:
        raise InvalidInput("--model: a fitted model is judged on rows that it has not seen: give them, --query FILE.")
    cases, reading, _ = _training_table(train, table, label=label, keep=keep)
    labels = split_label(cases, label, path=train).labels  # says what is wrong with them
    if query is None:
        parts = _folds(cases, labels, folds, train)
    else:
        rows = _query_table(query, table, like=reading, training=cases)
        parts = {train.stem: (cases, rows[[name for name in rows.columns if name in cases.columns]])}
    names = subjects or (*TRACK.subjects, "oracle")
    folder = out / "tables" / train.stem
    with replace_problems(folder, TRACK, names, gating) as place:
        for name, (training, test_rows) in parts.items():
            with chatter_aside():
                _write_problem(place / name, training, test_rows, label=label, classifier=classifier, fitted=fitted)
    spec = RunSpec(track="cases", problems=(str(folder.resolve()),), subjects=names)
    return run_tables(spec, out=out, workers=workers, gating=gating, as_json=as_json)


def _training_table(
    path: Path, options: TableOptions, *, label: str, keep: tuple[str, ...], predictions: str | None = None
) -> tuple[pd.DataFrame, TableReading, dict[str, str]]:
    """Label and features, how they were read, and the columns left out with their reasons; prints all of that."""
    from assay.cases.problem.reading import omitted_columns
    from assay.intake.table.read import read_user_table
    from assay.intake.user_frame import read_user_frame

    try:
        table = read_user_frame(path, replace(options, columns={**options.columns, "label": label}))
    except InvalidInput:
        names = [column.name for column in read_user_table(path, options).columns]
        if label not in names:
            raise InvalidInput(f"{path}: {UnknownName('label column', label, names)}") from None
        raise
    aside = [] if predictions not in table.frame.columns else [str(predictions)]  # they are those of the queries
    dropped = omitted_columns(table.reading, keep=(label, *keep, *aside))
    tell_columns(table.reading, target=label, left_out=dropped, ignored=aside)
    return table.frame.drop(columns=[*dropped, *aside]), table.reading, dropped


def _identifier(
    chosen: str | None, queries: pd.DataFrame, dropped: dict[str, str], *, private: tuple[str, ...], path: Path
) -> str | None:
    """The column that names a query: the chosen one, else the first identifier that is no feature and not private."""
    names_there = [str(name) for name in queries.columns]
    if chosen is None:
        names = (name for name, reason in dropped.items() if reason.startswith("identifier") and name in names_there)
        return next((name for name in names if name not in private), None)
    if chosen not in names_there:
        raise InvalidInput(f"{path}: --id: {UnknownName('column', chosen, names_there)}")
    if chosen in private:
        raise InvalidInput(f"--id {chosen}: the column is --private, so its values are not shown. Give one of the two.")
    return chosen


def _query_table(path: Path, options: TableOptions, *, like: TableReading, training: pd.DataFrame) -> pd.DataFrame:
    """The rows to explain, in the format of the training table, which decides about the columns."""
    from assay.cases.problem.reading import demand_same_types
    from assay.intake.user_frame import read_user_frame

    frame = read_user_frame(path, replace(options, columns={}, ignore=(), time_format=None), like=like).frame
    demand_same_types(frame, training, source=str(path), like=like.source)
    return frame


def _folds(
    table: pd.DataFrame, labels: pd.Series[Any] | None, folds: int, path: Path
) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    from sklearn.model_selection import StratifiedKFold

    assert labels is not None
    rarest = labels.value_counts().min()
    if rarest < folds:
        name = labels.value_counts().idxmin()
        raise InvalidInput(
            f"{path}: class {name!r} has {counted(rarest, 'row')}, too few for {counted(folds, 'fold')}."
        )
    split = StratifiedKFold(folds, shuffle=True, random_state=0).split(table, labels)
    return {
        f"{path.stem}-fold-{number}": (table.iloc[train], table.iloc[test])
        for number, (train, test) in enumerate(split, start=1)
    }


def _write_problem(
    folder: Path,
    cases: pd.DataFrame,
    test_rows: pd.DataFrame,
    *,
    label: str,
    classifier: str | None,
    fitted: ModelFile | None,
) -> None:
    """The same table gives the same bytes, so the records of an unchanged problem are found again."""
    from assay.cases.generate.classifiers import make_classifier
    from assay.cases.problem.from_table import write_problem_from_frames

    classifier = classifier or _CLASSIFIER
    model = fitted or make_classifier(classifier, cases.drop(columns=label))
    tags: dict[str, str | float] = {"classifier": fitted.kind if fitted else classifier, "origin": "table"}
    write_problem_from_frames(folder, cases, test_rows, label=label, model=model, fit=fitted is None, tags=tags)


def _names_of_classes(texts: tuple[str, ...], labels: pd.Series[Any]) -> dict[Any, str] | None:
    """Names by class, the class written as in the table."""
    classes = {str(label): label for label in labels.unique().tolist()}
    named = read_pairs(texts, "--class-name", "give CLASS=NAME")
    for label in named:
        if label not in classes:
            raise InvalidInput(f"--class-name: {UnknownName('class', label, classes)}")
    return {classes[label]: name for label, name in named.items()} or None


def _only_numbers_with_gaps(*tables: pd.DataFrame) -> bool:
    numbers = all(len(table.select_dtypes("number").columns) == len(table.columns) for table in tables)
    return numbers and any(bool(table.isna().to_numpy().any()) for table in tables)


def _demand_columns(needed: list[str], present: list[str], path: Path) -> None:
    missing = [name for name in needed if name not in present]
    if missing:
        lacking = f"{', '.join(map(repr, missing[:5]))}{' and more' * (len(missing) > 5)}"
        raise InvalidInput(
            f"{path}: the training table has {lacking}, which is missing here. {suggest(missing[0], present)}"
        )
