"""``assay tune``: a subject's parameters searched on problems that no reported run has seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.shared.options import PATH, json_option, out_option, print_json

if TYPE_CHECKING:
    from assay.connections.tuning import Trial

__all__ = ["tune"]


@click.command(epilog="Example: assay tune vote --track cases --space k=1..25 --problems tuning-problems --trials 20")
@click.argument("subject", metavar="SUBJECT")
@click.option("--track", required=True, metavar="TRACK", help="Tune on this track.")
@click.option(
    "--space",
    "spaces",
    multiple=True,
    required=True,
    metavar="NAME=VALUES",
    help="Search this parameter: NAME=LOW..HIGH, NAME=LOW..HIGH:log or NAME=a,b,c; repeatable.",
)
@click.option(
    "--problems", required=True, metavar="PROBLEMS", help="Tune on these problems: a folder, an id, or builtin."
)
@click.option("--trials", type=click.IntRange(min=1), default=20, show_default=True, help="Try this many settings.")
@click.option("--metric", metavar="NAME", help="Optimise this metric [the track's headline].")
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True, help="Seeds of each trial's cells.")
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed of the search.")
@click.option("--seconds", type=float, metavar="SECONDS", help="Limit the wall-clock time of one answer [60].")
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Cells at the same time.")
@out_option("tuning", "Store the trials in this results folder.")
@click.option(
    "--reported",
    multiple=True,
    type=PATH,
    metavar="DIR",
    help="Results whose problems must not be tuned on [all results folders beside --out]; may be repeated.",
)
@json_option
def tune(
    subject: str,
    track: str,
    spaces: tuple[str, ...],
    reported: tuple[Path, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Search parameters of SUBJECT with Optuna; refuse problems of a reported run.

    Trials are kept in DIR: the same command continues where it was ended.
    """
    from assay.connections.tuning import tune as search

    def show_trial(trial: Trial) -> None:
        failed = f", {trial.failed} failed" if trial.failed else ""
        click.echo(f"{trial.value:.4g}  {trial.subject}{failed}", err=True)

    options = {name: value for name, value in options.items() if value is not None}
    tuned = search(track, subject, list(spaces), reported=reported or None, on_trial=show_trial, **options)
    if as_json:
        print_json(
            {
                "best": tuned.best._asdict(),
                "metric": tuned.metric,
                "goal": tuned.goal,
                "interrupted": tuned.interrupted,
                "problems": list(tuned.problems),
                "trials": [trial._asdict() for trial in tuned.trials],
            }
        )
        return
    ended = "; interrupted, the same command continues" if tuned.interrupted else ""
    click.echo(f"{tuned.metric} {tuned.best.value:.4g} after {len(tuned.trials)} trials{ended}")
    click.echo(f'assay run {track} --subject "{tuned.best.subject}" --problems OTHER-PROBLEMS --out results')
