"""``assay cases``: explanations and their evaluation from tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from assay.cli.new.cases import new
from assay.cli.shared.gate import fail_under_option
from assay.cli.shared.options import json_option, workers_option
from assay.cli.shared.output import chatter_aside, replace_problems, write_json, write_text
from assay.core import InvalidInput, UnknownName

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["app"]

F = TypeVar("F", bound=Callable[..., Any])


@click.group()
def app() -> None:
    """The cases track's own commands."""


app.add_command(new)


def _table_options(function: F) -> F:
    """What both commands ask of tables and classifiers."""
    path = click.Path(path_type=Path)
    for option in (
        click.option("--ignore", multiple=True, metavar="COL", help="A column that is no feature, such as an id."),
        click.option(
            "--classifier",
            default="forest",
            show_default=True,
            metavar="NAME",
            help="Whose predictions: forest, logistic, tree, naive-bayes, or module:Class(parameter=value).",
        ),
        click.option("--label", required=True, metavar="COL", help="The column with the class."),
        click.option("--train", required=True, type=path, metavar="FILE", help="The training cases, CSV or Parquet."),
    ):
        function = option(function)
    return function


@app.command(
    epilog="Example: assay cases explain --train train.csv --label species --query new.csv --show 2 --plot first.png"
)
@_table_options
@click.option("--query", required=True, type=click.Path(path_type=Path), metavar="FILE", help="What to explain.")
@click.option("--predictions", metavar="COL", help="The column of the query file with ready predictions.")
@click.option("--k", default=5, show_default=True, type=click.IntRange(min=1), help="Neighbours per explanation.")
@click.option("--metric", default="auto", show_default=True, help="Distance: auto, euclidean, gower, manhattan, ...")
@click.option("--private", multiple=True, metavar="COL", help="A column whose values are never shown.")
@click.option("--show", default=3, show_default=True, type=click.IntRange(min=0), help="Explanations to print in full.")
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path), metavar="FILE", help="All explanations; - prints."
)
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), metavar="FILE", help="One row per query.")
@click.option("--html", "html_file", type=click.Path(path_type=Path), metavar="FILE", help="The shown ones as a page.")
@click.option("--plot", "plot_file", type=click.Path(path_type=Path), metavar="FILE", help="A picture of the first.")
def explain(
    train: Path,
    label: str,
    query: Path,
    classifier: str,
    predictions: str | None,
    ignore: tuple[str, ...],
    k: int,
    metric: str,
    private: tuple[str, ...],
    show: int,
    json_file: Path | None,
    csv_file: Path | None,
    html_file: Path | None,
    plot_file: Path | None,
) -> None:
    """Explain predictions by their nearest training cases: how far do the cases agree with each prediction?"""
    from assay.cases import CaseExplainer
    from assay.cases.generate.classifiers import make_classifier
    from assay.cases.problem.reading import read_table, split_label
    from assay.cases.problem.training import demand_classes, train_model

    cases = split_label(read_table(train), label, path=train, ignore=ignore)
    assert cases.labels is not None
    given = read_table(query)
    aside = [name for name in (predictions, *ignore) if name is not None and name in given.columns]
    if predictions is not None and predictions not in given.columns:
        raise InvalidInput(f"{query}: there is no column {predictions!r} with predictions.")
    queries = split_label(given, label, path=query, ignore=aside, required=False)
    _demand_columns(list(cases.features.columns), list(queries.features.columns), query)
    features = queries.features[list(cases.features.columns)]
    source: dict[str, Any] = {}
    model = None
    if predictions is not None:
        source["predictions"] = given[predictions].to_numpy()
    else:
        demand_classes(cases.labels, what=f"{train}: label column {label!r}")
        with chatter_aside():
            model = make_classifier(classifier, cases.features)
            train_model(model, cases.features, cases.labels, what=f"classifier {classifier!r}")
        source["model"] = model
    if metric == "auto" and _only_numbers_with_gaps(cases.features, features):
        metric = "nan_euclidean"
        click.echo("Some numbers are missing: distances are taken over what both rows have (nan_euclidean).", err=True)
    with chatter_aside():
        explainer = CaseExplainer(
            cases.features, cases.labels, k=min(k, len(cases.labels)), metric=metric, private=private, model=model
        )
        truth = None if queries.labels is None else queries.labels.to_numpy()
        batch = explainer.explain_batch(features, y=truth, **source)

    def text() -> str:
        return "\n\n".join([batch.summary(), *(explanation.summary() for explanation in batch[:show])])

    if not write_json(json_file, batch.to_records, text=text):
        return
    if csv_file is not None:
        write_text(csv_file, batch.to_frame(full=True).to_csv(index=False))
    if html_file is not None:
        body = "\n".join(explanation._repr_html_() for explanation in batch[: max(show, 1)])
        write_text(
            html_file, f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Explanations</title>{body}</html>'
        )
    if plot_file is not None:
        batch[0].plot().savefig(plot_file, dpi=150, bbox_inches="tight")
        click.echo(f"wrote {plot_file}", err=True)


@app.command(epilog="Example: assay cases evaluate --train data.csv --label species --folds 5 --out study")
@_table_options
@click.option("--query", type=click.Path(path_type=Path), metavar="FILE", help="Held-out rows with labels.")
@click.option("--folds", default=5, show_default=True, type=click.IntRange(min=2), help="Parts, without --query.")
@click.option("--subject", "subjects", multiple=True, metavar="SUBJECT", help="Scores to compare; all by default.")
@click.option("--out", default=Path("assay-results"), show_default=True, type=click.Path(path_type=Path), metavar="DIR")
@workers_option
@fail_under_option
@json_option
def evaluate(
    train: Path,
    label: str,
    query: Path | None,
    classifier: str,
    ignore: tuple[str, ...],
    folds: int,
    subjects: tuple[str, ...],
    out: Path,
    workers: int | None,
    fail_under: str | None,
    as_json: bool,
) -> int:
    """Find the score that best tells a classifier's wrong predictions on your data from its right ones."""
    from assay.api.progress import BarProgress
    from assay.api.running import run_specs
    from assay.cases import TRACK
    from assay.cases.problem.reading import read_table
    from assay.cli.shared.summary import conclude
    from assay.harness import RunSpec

    table = _without(read_table(train), ignore, train)
    if query is None:
        parts = _folds(table, label, folds, train)
    else:
        parts = {train.stem: (table, _without(read_table(query), ignore, query))}
    names = subjects or (*TRACK.subjects, "oracle")
    folder = out / "tables" / train.stem
    with replace_problems(folder, TRACK, names) as place:
        for name, (cases, held_out) in parts.items():
            with chatter_aside():
                _write_problem(place / name, cases, held_out, label=label, classifier=classifier)
    spec = RunSpec(track="cases", problems=(str(folder.resolve()),), subjects=names)
    results = run_specs([spec], out=out, workers=workers, progress=False if as_json else BarProgress())
    return conclude(results, fail_under=fail_under, as_json=as_json, quiet=False)


def _without(table: pd.DataFrame, ignore: tuple[str, ...], path: Path) -> pd.DataFrame:
    missing = [name for name in ignore if name not in table.columns]
    if missing:
        raise InvalidInput(f"{path}: {UnknownName('column', missing[0], [str(name) for name in table.columns])}")
    return table.drop(columns=list(ignore))


def _folds(table: pd.DataFrame, label: str, folds: int, path: Path) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    from sklearn.model_selection import StratifiedKFold

    from assay.cases.problem.reading import split_label
    from assay.cases.problem.training import demand_classes

    labels = split_label(table, label, path=path).labels
    assert labels is not None
    demand_classes(labels, what=f"{path}: label column {label!r}")
    rarest = labels.value_counts().min()
    if rarest < folds:
        name = labels.value_counts().idxmin()
        raise InvalidInput(f"{path}: class {name!r} has {rarest} rows, too few for {folds} folds.")
    split = StratifiedKFold(folds, shuffle=True, random_state=0).split(table, labels)
    return {
        f"{path.stem}-fold-{number}": (table.iloc[train], table.iloc[test])
        for number, (train, test) in enumerate(split, start=1)
    }


def _write_problem(folder: Path, cases: pd.DataFrame, held_out: pd.DataFrame, *, label: str, classifier: str) -> None:
    """The same table gives the same bytes, so the records of an unchanged problem are found again."""
    from assay.cases.problem.from_table import write_problem_from_frames
    from assay.cases.generate.classifiers import make_classifier

    if label not in cases.columns:
        raise InvalidInput(f"train: {UnknownName('label column', label, [str(name) for name in cases.columns])}")
    model = make_classifier(classifier, cases.drop(columns=label))
    tags: dict[str, str | float] = {"classifier": classifier, "origin": "table"}
    write_problem_from_frames(folder, cases, held_out, label=label, model=model, tags=tags)


def _only_numbers_with_gaps(*tables: pd.DataFrame) -> bool:
    numbers = all(len(table.select_dtypes("number").columns) == len(table.columns) for table in tables)
    return numbers and any(bool(table.isna().to_numpy().any()) for table in tables)


def _demand_columns(wanted: list[str], present: list[str], path: Path) -> None:
    missing = [name for name in wanted if name not in present]
    if missing:
        raise InvalidInput(f"{path}: the training columns {', '.join(map(repr, missing[:5]))} are missing here.")
