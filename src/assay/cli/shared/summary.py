"""What a run says at its end, and the exit code that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from assay.api import load
from assay.api.progress import BarProgress
from assay.api.running import run_specs
from assay.cli.main import EXIT_INPUT, EXIT_INTERRUPTED, EXIT_MACHINE, EXIT_MISSED
from assay.cli.shared.gate import NO_GATES, Gating
from assay.cli.shared.options import print_json
from assay.cli.shared.story import failure_lines, failures_json, outcome_json
from assay.core import InvalidInput, UnknownName
from assay.core.display import counted, shell_word
from assay.harness import RunSpec
from assay.harness.execute import is_broken_problem
from assay.report import Outcome, Results, json_report

_EACH_ALONE = "none"  # in place of a tag
FEW_METRICS = 3  # as many fit below the leaderboard on one screen

__all__ = ["chosen", "conclude", "demand_tags", "run_tables", "show_means", "show_results"]


def conclude(results: Results, *, gating: Gating = NO_GATES, as_json: bool, quiet: bool, again: str = "") -> int:
    """Show the leaderboards of a run, what went wrong in it and say how it went.

    ``again`` is the command that calls the subjects once more where they failed.
    """
    outcome = results.outcome
    assert outcome is not None  # these are the results of a run
    if as_json:
        print_json({**json_report(results), "outcome": outcome_json(outcome), "failures": failures_json(results)})
    elif not quiet:
        show_results(results, again=again)
    for line in outcome.not_run:
        click.echo(f"Left out: {line}", err=True)
    click.echo(_sentence(outcome, results.folder), err=True)
    for facts in outcome.left_out:
        click.echo(f"Left out: {facts.name}. To score it: --metric {shell_word(facts.text)}", err=True)
    for line in outcome.lost:
        click.echo(f"Not finished: {line}", err=True)
    if outcome.interrupted:
        return EXIT_INTERRUPTED
    met = gating.judge(results)
    if outcome.lost:
        return EXIT_INPUT if all(map(is_broken_problem, outcome.lost)) else EXIT_MACHINE
    if outcome.not_run:
        return EXIT_INPUT
    return 0 if met else EXIT_MISSED


def run_tables(spec: RunSpec, *, out: Path, workers: int | None, gating: Gating, as_json: bool) -> int:
    """Run subjects on problems made of a user's tables, show the results, and give the exit code."""
    progress = False if as_json else BarProgress()
    results = run_specs([gating.scored(spec)], out=out, workers=workers, progress=progress)
    return conclude(results, gating=gating, as_json=as_json, quiet=False)


def chosen(folder: Path, track_name: str | None, clusters: Sequence[str] = ()) -> Results:
    """The results of a folder, or of one track in it; problems taken together by these tags, or as the track says."""
    results = load(folder)
    if track_name is not None:
        results = results.only({track_name})
    if not clusters:
        return results
    if _EACH_ALONE in clusters and len(clusters) > 1:
        raise InvalidInput(f"--clusters {_EACH_ALONE}: cannot be combined with another tag. Leave one of them out.")
    return results.clustered() if _EACH_ALONE in clusters else results.clustered(*clusters)


def show_results(
    results: Results,
    *,
    metrics: Sequence[str] | None = None,
    tags: Sequence[str] = (),
    by_problem: bool = False,
    every_metric: bool = False,
    again: str = "",
) -> None:
    """Print each track's summary and leaderboard, then what went wrong; many other metrics only when asked for."""
    from rich.console import Console

    from assay.report import (
        grouped,
        groups_table,
        leaderboard_table,
        metrics_table,
        print_whole,
        problems_table,
        run_summary,
    )
    from assay.report.story import track_story
    from assay.report.tables.groups import has_tag
    from assay.report.wording import shell_command, shown

    for entry in results.tracks:
        print_whole(run_summary(entry))
        if not entry.records:
            continue
        board = results.leaderboard(entry.track.name, metrics=metrics)
        print_whole(leaderboard_table(board))
        others = len(board.columns) - 1 + len(board.aggregates)
        if every_metric or metrics or 0 < others <= FEW_METRICS:
            print_whole(metrics_table(board))
        elif others:
            command = shell_command(["assay", "report", str(results.folder), "--every-metric"])
            print_whole(f"{counted(others, 'more metric')}: {command}")
        for line in track_story(entry.track, entry.records):
            click.echo(shown(line))  # whole: a formula that is wrapped cannot be copied
        for tag in tags:
            if has_tag(entry, tag):
                print_whole(groups_table(tag, grouped(entry, tag)))
        if by_problem:
            print_whole(problems_table(entry))
    for line in failure_lines(results, width=Console().width, again=again):
        click.echo(line)


def show_means(results: Results, metrics: Sequence[str] | None, *, as_json: bool) -> None:
    """Print the means of each track, without anything that takes time."""
    from assay.report import means_table, print_whole, track_means

    means = [track_means(entry, metrics=metrics) for entry in results.tracks]
    if as_json:
        print_json([asdict(one) for one in means])
        return
    print_whole(*map(means_table, means))


def demand_tags(results: Results, tags: Sequence[str]) -> None:
    """Every tag must be one that some problem has."""
    from assay.report.tables.groups import has_tag, tag_names

    for tag in tags:
        if not any(has_tag(entry, tag) for entry in results.tracks):
            raise UnknownName("tag", tag, sorted({name for entry in results.tracks for name in tag_names(entry)}))


def _sentence(outcome: Outcome, folder: Path) -> str:
    """What became of the cells, in numbers that add up; failures come first, since they are scored at the floor."""
    did = [f"{outcome.solved} solved"]
    if outcome.failed:
        did.append(f"{outcome.failed} failed")
    if outcome.rescored:
        did.append(f"{outcome.rescored} scored again")
    if outcome.reused:
        before = f" ({outcome.failed_before} of them failed)" if outcome.failed_before else ""
        did.append(f"{outcome.reused} from the store{before}")
    if outcome.withdrawn:
        did.append(f"{outcome.withdrawn} withdrawn (--retry-withdrawn runs them again)")
    if outcome.lost:
        did.append(f"{len(outcome.lost)} not finished")
    if outcome.not_needed:
        did.append(f"{outcome.not_needed} not needed")
    failed = outcome.failed + outcome.failed_before
    cells = f"{failed} of {counted(outcome.cells, 'cell')} failed" if failed else counted(outcome.cells, "cell")
    text = f"{cells}: {', '.join(did)}. Results in {folder}."
    if outcome.interrupted:
        return f"Interrupted. {text} The same command resumes."
    if outcome.out_of_time:
        return f"The time limit is reached. {text} The same command continues."
    return text
