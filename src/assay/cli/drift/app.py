"""The commands of ``assay drift``; here those that need no documents."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.drift.documents import evaluate, explain, order_option
from assay.cli.new.drift import new
from assay.cli.shared.options import json_option, print_json
from assay.cli.shared.output import echo_wrapped, new_problems, write_text
from assay.cli.shared.table_options import table_options
from assay.core import InvalidInput, plain
from assay.core.display import counted
from assay.intake.table.options import TableOptions

if TYPE_CHECKING:
    from assay.drift.detection.features import Perspective
    from assay.drift.logs.event_log import EventLog, Order

__all__ = ["app"]

_PATH = click.Path(path_type=Path)
_TYPES = ("sudden", "gradual", "incremental", "recurring")
_GRADES = ("easy", "medium", "hard")


@click.group()
def app() -> None:
    """The drift track's own commands."""


for command in (new, evaluate, explain):
    app.add_command(command)


@app.command(epilog="Example: assay drift detect --log permits.xes.gz --plot")
@click.option(
    "--log",
    "path",
    required=True,
    type=_PATH,
    metavar="PATH",
    help="Read an event log: XES, CSV, Parquet, Excel or OCEL.",
)
@click.option("--plot", is_flag=True, help="Draw the timeline and what changed.")
@click.option("--svg", type=_PATH, metavar="FILE", help="Write the picture to FILE as SVG.")
@click.option("--out", type=_PATH, metavar="DIR", help="Write prediction_results.csv and window_info.json.")
@click.option(
    "--alpha", default=0.01, show_default=True, type=float, help="Accept this probability of a false alarm per log."
)
@click.option(
    "--min-cases", type=click.IntRange(min=5), metavar="N", help="Require this many cases between two change points."
)
@order_option
@click.option(
    "--perspective",
    "perspectives",
    multiple=True,
    type=click.Choice(["flow", "time", "resource"]),
    help="Detect changes of the steps (flow), their duration (time) or who does them (resource); repeatable [flow].",
)
@click.option("--keep-open", is_flag=True, help="Include cases that are still open at the end of the log.")
@table_options
@json_option
def detect(
    path: Path,
    plot: bool,
    svg: Path | None,
    out: Path | None,
    alpha: float,
    min_cases: int | None,
    order: Order,
    perspectives: tuple[Perspective, ...],
    keep_open: bool,
    table: TableOptions,
    as_json: bool,
) -> None:
    """Find the drifts of an event log, and what changed in each."""
    from assay.drift.detection.detect import detect as find
    from assay.drift.detection.profile import change_profile
    from assay.drift.detection.settled import settled_cases
    from assay.drift.logs.read import read_log_file

    log = read_log_file(path, options=table, order=order)
    settled = len(log) if keep_open else settled_cases(log)
    for note in log.notes:
        echo_wrapped(f"Note: {note}", err=True)
    if settled < len(log):
        echo_wrapped(
            f"Note: from the case {log.cases[settled]!r} on many cases seem to be open still; "
            f"{counted(len(log) - settled, 'case')} at the end are left out. --keep-open looks at them too.",
            err=True,
        )
    drifts = find(log, alpha=alpha, min_cases=min_cases, perspectives=perspectives or ("flow",), keep_open=keep_open)
    profiles = {drift.id: change_profile(log.head(settled), drift, window=None, others=drifts) for drift in drifts}
    if as_json:
        print_json(
            [
                {
                    **{name: getattr(drift, name) for name in ("id", "process", "type", "start_case", "end_case")},
                    "start_index": log.place_of(drift.start_case),  # among the cases in the order used, from 0
                    "end_index": log.place_of(drift.end_case),
                    "start": drift.start.isoformat(),
                    "end": drift.end.isoformat(),
                    "confidence": drift.confidence,
                    "changes": plain([row._asdict() for row in profiles[drift.id].rows[:10]]),
                }
                for drift in drifts
            ]
        )
    else:
        click.echo(
            f"{log.name}: {counted(len(log), 'case')}, {counted(log.events, 'event')}, {counted(len(drifts), 'drift')}"
        )
        for drift in drifts:
            what = f"{drift.type}, {drift.days}, from case {drift.start_case!r}"
            click.echo(f"\n{drift.id}: {what}, confidence {drift.confidence:.2f}")
            click.echo(profiles[drift.id].table(width=shutil.get_terminal_size().columns))
    _draw(log, drifts, profiles, plot=plot and not as_json, svg=svg)
    if out is not None:
        _write_detector_files(log, drifts, out)


def _draw(log: EventLog, drifts: Any, profiles: Mapping[str, Any], *, plot: bool, svg: Path | None) -> None:
    if not plot and svg is None:
        return
    from assay.drift.detection.timeline import draw_svg, draw_text

    if plot:
        click.echo("\n" + draw_text(log, drifts, profiles))
    if svg is not None:
        write_text(svg, draw_svg(log, drifts, profiles))


def _write_detector_files(log: EventLog, drifts: Any, out: Path) -> None:
    from assay.drift.problem.detector_files import write_detections
    from assay.drift.problem.task import windows_of

    if not drifts:
        click.echo("nothing written: there is no drift", err=True)
        return
    write_detections(out, drifts, windows={log.name: windows_of(log)})
    click.echo(f"wrote {out / 'prediction_results.csv'} and window_info.json", err=True)


@app.command(epilog="Example: assay drift generate --out problems --problems 50 --seed 7 --difficulty medium")
@click.option("--out", required=True, type=_PATH, metavar="DIR", help="Write to this new folder.")
@click.option(
    "--problems",
    type=click.IntRange(min=1),
    metavar="N",
    help="Generate this many new problems [write the built-in ones].",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Set the random seed; output is reproducible.",
)
@click.option(
    "--difficulty", "grades", multiple=True, type=click.Choice(_GRADES), help="Set the difficulty; repeatable [medium]."
)
@click.option(
    "--noise", "shares", multiple=True, type=float, help="Disturb this share of the cases; repeatable [0, 0.1]."
)
@click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice(_TYPES),
    help="Put a drift of this type into each log; repeatable [all].",
)
@click.option(
    "--cases", default=640, show_default=True, type=click.IntRange(min=100), help="Generate this many cases per log."
)
def generate(
    out: Path,
    problems: int | None,
    seed: int,
    grades: tuple[str, ...],
    shares: tuple[float, ...],
    types: tuple[str, ...],
    cases: int,
) -> None:
    """Write test sets with known causes as folders: the built-in ones, or newly generated ones."""
    from assay.drift.generate.problems import builtin
    from assay.drift.generate.problems import generate as write

    if problems is None and (grades or shares or types):
        raise InvalidInput("the built-in ones take no options: say how many problems to make, as in --problems 20.")
    with new_problems(out) as place:
        if problems is None:
            builtin(place)
        else:
            write(
                place,
                problems=problems,
                seed=seed,
                difficulty=grades or ("medium",),
                noise=shares or (0.0, 0.1),
                types=types or _TYPES,
                cases=cases,
            )
