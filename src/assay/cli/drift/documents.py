"""``assay drift evaluate`` and ``assay drift explain``: drifts and the documents that may tell their causes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from assay.cli.shared.options import json_option, print_json
from assay.cli.shared.output import echo_wrapped
from assay.cli.shared.table_options import table_options
from assay.core import InvalidInput, plain
from assay.intake.table.options import TableOptions

if TYPE_CHECKING:
    from assay.drift.documents.document import Corpus
    from assay.drift.documents.folder import Progress
    from assay.drift.logs.event_log import Order

__all__ = ["evaluate", "explain", "order_option"]

F = TypeVar("F", bound=Callable[..., Any])

LOGS = Path("data/event_logs")
SINGLE = Path("data/drift_outputs")

_PATH = click.Path(path_type=Path)

order_option = click.option(
    "--order",
    default="start",
    show_default=True,
    type=click.Choice(["start", "end", "event", "file"]),
    help="Order cases by their first, last or middle event, or as in the file.",
)


def _document_options(function: F) -> F:
    """Where the documents are, and how event logs that are tables are written."""
    for option in (
        table_options,
        click.option("--index", type=_PATH, metavar="DIR", help="Cache extracted texts in this folder."),
        click.option(
            "--glossary", type=_PATH, metavar="FILE", help="Read a glossary: CSV with the columns term and definition."
        ),
        click.option(
            "--match-last-number",
            is_flag=True,
            help="Find change points in the windows by the last number of the case id.",
        ),
    ):
        function = option(function)
    return function


@click.command(epilog="Example: assay drift evaluate --documents documents --out results -k 1 -k 2 -k 5")
@click.option(
    "--logs", default=LOGS, show_default=True, type=_PATH, metavar="DIR", help="Read test sets from this folder."
)
@click.option(
    "--documents", type=_PATH, metavar="DIR", help="Read documents from this folder; problem folders bring their own."
)
@click.option("-k", "ks", multiple=True, type=click.IntRange(min=1), help="Compute Recall@k; repeatable [1, 2 and 5].")
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="SUBJECT",
    help="Evaluate this subject: a name, or your .py file, program or folder of answers [explainer].",
)
@click.option(
    "--run", "runs", multiple=True, type=_PATH, metavar="FILE", help="Evaluate a precomputed ranking: a TREC run file."
)
@click.option(
    "--out",
    required=True,
    type=_PATH,
    metavar="DIR",
    help="Write master_eval_report.csv and the summary to this folder.",
)
@click.option(
    "--count-from", default=1, show_default=True, type=click.IntRange(0, 1), help="Number drifts in ids from 0 or 1."
)
@click.option("--results", type=_PATH, metavar="DIR", help="Keep the records of the run in this results folder.")
@_document_options
@json_option
def evaluate(
    logs: Path,
    documents: Path | None,
    ks: tuple[int, ...],
    subjects: tuple[str, ...],
    runs: tuple[Path, ...],
    out: Path,
    count_from: int,
    results: Path | None,
    table: TableOptions,
    index: Path | None,
    glossary: Path | None,
    match_last_number: bool,
    as_json: bool,
) -> int:
    """Evaluate an explainer on all test sets, against random and date-only baselines: Recall@k and MRR."""
    from assay.cli.drift_evaluation import name_of, solve_all
    from assay.cli.main import EXIT_INPUT
    from assay.drift.answer.trec import read_run
    from assay.drift.examine.evaluation import Replies, assess, demand_ks, demand_own_names, with_baselines
    from assay.drift.examine.master_report import MASTER_REPORT, summary_lines, summary_text, write_evaluation
    from assay.drift.explanation.explain_log import figures_text
    from assay.drift.problem.testsets import find_test_sets, read_test_sets

    chosen = demand_ks(ks or (1, 2, 5))
    names = {name_of(text): text for text in with_baselines(subjects or (() if runs else ("explainer",)))}
    demand_own_names((path.stem for path in runs), names)
    rankings = {path.stem: read_run(path) for path in runs}
    folders = find_test_sets(logs)
    with tempfile.TemporaryDirectory(prefix="assay-drift-") as scratch:
        texts = index or Path(scratch) / "texts"
        with _progress(quiet=as_json) as progress:
            corpus = None if documents is None else _corpus(documents, texts, progress)
            material = read_test_sets(
                folders,
                corpus=corpus,
                glossary=_glossary(glossary),
                options=table,
                matching="last-number" if match_last_number else "exact",
                count_from=count_from,
            )
        solved = solve_all(
            material,
            folders=folders,
            documents=documents,
            texts=texts,
            subjects=names,
            scratch=Path(scratch),
            out=results or Path(scratch) / "results",
            quiet=as_json,
        )
    replies: dict[tuple[str, str], Replies] = {}
    for test_set in material.sets:
        replies |= {(test_set, name): ranking.replies for name, ranking in rankings.items()}
        replies |= {(test_set, name): solved[test_set, name] for name in names}
    evaluation = assess(material, replies, ks=chosen)
    write_evaluation(evaluation, out)
    if as_json:
        print_json([{**line._asdict(), "value": plain(line.value._asdict())} for line in summary_lines(evaluation)])
    else:
        click.echo(summary_text(evaluation))
        means = {metric: evaluation.mean(metric).value for metric in evaluation.metrics}
        click.echo(f"{evaluation.subject}: {figures_text(means, evaluation.ks)}")
    for note in (note for loaded in material.sets.values() for note in loaded.notes if note.endswith("is left out.")):
        echo_wrapped(f"Warning: {note}", err=True)
    click.echo(f"wrote {out / MASTER_REPORT}, summary.csv, summary.md, golden.qrels and runs", err=True)
    return EXIT_INPUT if evaluation.broken else 0


@click.command(
    epilog="Example: assay drift explain --log outputs/permits --documents documents --drift 1 --out why.html"
)
@click.option(
    "--log",
    default=SINGLE,
    show_default=True,
    type=_PATH,
    metavar="PATH",
    help="Read a detector's folder, or an event log whose drifts are then detected.",
)
@click.option("--documents", required=True, type=_PATH, metavar="DIR", help="Search these documents for causes.")
@click.option("--drift", "number", type=click.IntRange(min=1), metavar="N", help="Explain only the Nth drift.")
@click.option("--gold", "gold", multiple=True, metavar="NAME", help="Evaluate against this true cause.")
@click.option("-k", "ks", multiple=True, type=click.IntRange(min=1), help="Compute Recall@k; repeatable [1 and 2].")
@click.option(
    "--causes", default=3, show_default=True, type=click.IntRange(min=1), help="Show this many causes per drift."
)
@click.option("--out", type=_PATH, metavar="FILE", help="Write the explanations to FILE: .md, .html or .docx.")
@click.option(
    "--eval-out",
    type=_PATH,
    metavar="DIR",
    help="Write single_eval_report.csv to this folder, if the true cause is known.",
)
@click.option("--dense", is_flag=True, help="Add an offline embedding (extra 'dense').")
@click.option("--chat-url", metavar="URL", help="Re-rank with an OpenAI-compatible endpoint; key in ASSAY_CHAT_KEY.")
@click.option("--chat-model", metavar="NAME", help="Use this model of the endpoint.")
@order_option
@_document_options
@json_option
def explain(
    log: Path,
    documents: Path,
    number: int | None,
    gold: tuple[str, ...],
    ks: tuple[int, ...],
    causes: int,
    out: Path | None,
    eval_out: Path | None,
    dense: bool,
    chat_url: str | None,
    chat_model: str | None,
    order: Order,
    table: TableOptions,
    index: Path | None,
    glossary: Path | None,
    match_last_number: bool,
    as_json: bool,
) -> None:
    """Explain the drifts of one event log from documents: ranked causes with verbatim quotes."""
    if (chat_url is None) != (chat_model is None):
        raise InvalidInput("--chat-url and --chat-model belong together: give both or none.")
    from assay.drift.explanation.explain_log import (
        evaluation_text,
        explain_one_log,
        explanation_text,
        export_all,
        to_json,
    )
    from assay.drift.subjects import Explainer

    with _progress(quiet=as_json) as progress:
        corpus = _corpus(documents, index, progress)
        single_run = explain_one_log(
            log,
            corpus,
            number=number,
            gold=gold,
            causes=causes,
            subject=Explainer(dense=dense, chat_url=chat_url, chat_model=chat_model),
            glossary=_glossary(glossary),
            options=table,
            order=order,
            matching="last-number" if match_last_number else "exact",
            progress=progress,
        )
    for note in single_run.notes:
        echo_wrapped(f"Note: {note}", err=True)
    chosen = ks or (1, 2)
    if as_json:
        print_json(to_json(single_run, chosen))
    else:
        for explained in single_run.explained:
            click.echo(explanation_text(explained, width=shutil.get_terminal_size().columns) + "\n")
        for link in single_run.links:
            click.echo(f"{link.first} and {link.second}: {link.reason}")
        if evaluation := evaluation_text(single_run, chosen):
            click.echo(evaluation)
    if out is not None:
        export_all(single_run, out, documents=documents)
        click.echo(f"wrote {out}", err=True)
    if eval_out is not None:
        from assay.drift.examine.single_report import write_single_report

        path = write_single_report(eval_out, single_run.explained, ks=chosen)
        click.echo(f"wrote {path}", err=True)


def _corpus(folder: Path, index: Path | None, progress: Progress) -> Corpus:
    from assay.drift.documents.folder import read_corpus

    corpus = read_corpus(folder, index=index, progress=progress)
    for trouble in corpus.troubles:
        click.echo(f"Note: not read: {trouble.message}", err=True)
    return corpus


def _glossary(path: Path | None) -> dict[str, str] | None:
    from assay.drift.problem.task import read_glossary

    return None if path is None else read_glossary(path)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Progress]:
    """Progress on standard error, where that is a terminal: how many are done of how many, and what comes now."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}")
    with Bar(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task("", total=None)
        yield lambda completed, total, what: bar.update(task, completed=completed, total=total, description=what)
