"""``assay report``: tables and files from a results folder."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from assay.cli.shared.gate import Gating, gate_options
from assay.cli.shared.options import (
    PATH,
    cluster_option,
    folder_argument,
    json_option,
    metric_option,
    print_json,
    together,
    track_option,
)
from assay.core import InvalidInput

__all__ = ["report"]

_file_options = together(
    *(
        click.option(f"--{name}", type=PATH, metavar="FILE", help=f"Write {name} to FILE.")
        for name in ("html", "csv", "parquet")
    ),
    click.option("--json-file", type=PATH, metavar="FILE", help="Write json, with comparisons, to FILE."),
)


@click.command(epilog="Example: assay report results --html report.html --csv scores.csv")
@folder_argument
@track_option
@metric_option("Show only this metric, or add an aggregate of your own as FILE.py:NAME; repeatable.")
@cluster_option
@click.option("--every-metric", is_flag=True, help="Show all metrics.")
@click.option(
    "--by",
    "tags",
    multiple=True,
    metavar="TAG",
    help="Show the headline metric for each value of this tag; repeatable.",
)
@click.option("--problems", "by_problem", is_flag=True, help="Also show every problem.")
@click.option("--means", "only_means", is_flag=True, help="Show only means, fast: no intervals, ranks or files.")
@_file_options
@click.option("--no-truth", is_flag=True, help="Leave hidden truths, and anything that reveals them, out of --html.")
@click.option("--title", default="", metavar="TEXT", help="Head the page of --html with TEXT.")
@click.option("--author", default="", metavar="NAME", help="Name the author on the page of --html.")
@click.option(
    "--notes",
    type=PATH,
    metavar="FILE.md",
    help="Add a text in Markdown to the first page of --html: the question, the design, what follows.",
)
@gate_options
@json_option
def report(
    folder: Path,
    track_name: str | None,
    metrics: tuple[str, ...],
    clusters: tuple[str, ...],
    every_metric: bool,
    tags: tuple[str, ...],
    by_problem: bool,
    only_means: bool,
    html: Path | None,
    csv: Path | None,
    parquet: Path | None,
    json_file: Path | None,
    no_truth: bool,
    title: str,
    author: str,
    notes: Path | None,
    as_json: bool,
    gating: Gating,
) -> int:
    """Show the leaderboards of DIR, and write them where asked: the latest run of each track.

    DIR may also be a zip file that assay export wrote.
    """
    from assay.cli.main import EXIT_MISSED
    from assay.cli.shared.story import failures_json
    from assay.cli.shared.summary import chosen, demand_tags, show_means, show_results
    from assay.report import (
        Results,
        contests_of,
        json_report,
        with_metrics,
        write_csv,
        write_html,
        write_json,
        write_parquet,
    )
    from assay.report.page.study import Study, read_notes

    for flag, value in {"--no-truth": no_truth, "--title": title, "--author": author, "--notes": notes}.items():
        if value and html is None:
            raise InvalidInput(f"{flag} is about the page: add --html FILE.")
    study = Study(title=title, author=author, notes="" if notes is None else read_notes(notes))
    results, names = with_metrics(chosen(folder, track_name, clusters), metrics)
    gating.check(contests_of(results))
    if only_means:
        show_means(results, names or None, as_json=as_json)
        return 0 if gating.judge(results) else EXIT_MISSED
    demand_tags(results, tags)
    writers: dict[Callable[[Results, Path], None], Path | None] = {
        partial(write_html, truth=not no_truth, study=study): html,
        write_csv: csv,
        write_parquet: parquet,
        write_json: json_file,
    }
    if as_json:
        print_json({**json_report(results, by=tags), "failures": failures_json(results)})
    else:
        show_results(results, metrics=names or None, tags=tags, by_problem=by_problem, every_metric=every_metric)
    for write, path in writers.items():
        if path is not None:
            write(results, path)
            click.echo(f"wrote {path}", err=True)
    return 0 if gating.judge(results) else EXIT_MISSED
