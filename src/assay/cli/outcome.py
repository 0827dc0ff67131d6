"""What a run says at its end, and the exit code that follows from it."""

from __future__ import annotations

import click

from assay.cli.gate import missed, read_threshold
from assay.cli.main import EXIT_INTERRUPTED, EXIT_MACHINE, EXIT_MISSED
from assay.cli.options import print_json
from assay.harness import RunResult
from assay.report import Results, json_report, load, results_view

__all__ = ["conclude", "judge"]


def conclude(result: RunResult, *, fail_under: str | None, as_json: bool, quiet: bool) -> int:
    """Show the leaderboards of a run and say how it went."""
    results = load(result.out, tracks=[plan.track for plan in result.plans])
    if as_json:
        print_json(json_report(results))
    elif not quiet:
        from rich.console import Console

        Console().print(results_view(results))
    click.echo(_sentence(result), err=True)
    for loss in result.lost:
        click.echo(f"Not finished: {loss.cell}: {loss.reason}", err=True)
    if result.interrupted:
        return EXIT_INTERRUPTED
    if result.lost:
        return EXIT_MACHINE
    return judge(results, fail_under)


def judge(results: Results, fail_under: str | None) -> int:
    """Exit code 1 when a subject misses the threshold, said subject by subject."""
    threshold = read_threshold(fail_under)
    lines = missed(results, threshold) if threshold is not None else []
    for line in lines:
        click.echo(f"Missed --fail-under: {line}", err=True)
    return EXIT_MISSED if lines else 0


def _sentence(result: RunResult) -> str:
    did = [f"{result.solved} solved"]
    if result.rescored:
        did.append(f"{result.rescored} scored again")
    if result.reused:
        did.append(f"{result.reused} from the store")
    if result.lost:
        did.append(f"{len(result.lost)} not finished")
    text = f"{result.cells} cells: {', '.join(did)}. Results in {result.out}."
    if result.interrupted:
        return f"Interrupted. {text} The same command resumes."
    return text
