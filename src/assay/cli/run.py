"""``assay run``: subjects on problems, into a results folder."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.shared.gate import Gating, gate_options
from assay.cli.shared.options import (
    PATH,
    json_option,
    metric_option,
    quiet_option,
    read_settings,
    settings_option,
    workers_option,
)
from assay.core import InvalidInput

if TYPE_CHECKING:
    from assay.harness import RunSpec

__all__ = ["run_command"]

DEFAULT_OUT = "assay-results"
_AMOUNTS = ("seconds", "memory_mb", "cpu_seconds", "tasks", "tokens", "cost")  # of a budget

_HELP = """Run subjects on problems: TARGET is a track's name or a TOML run file.

\b
Examples:
  assay run cases --problems builtin --subject vote --subject 'correspondence(k=9)' --out results
  assay run cases --problems my-problems --subject agent.py --subject oracle --seed 0 --seed 1
  assay run study.toml --workers 2

A subject is a registered name with parameters, module:object, a Python file, a program, or a folder of
precomputed answers; label=SUBJECT gives it a name. Finished cells are kept: the same command resumes an
interrupted run.
"""


@click.command("run", help=_HELP)
@click.argument("target")
@click.option("--problems", multiple=True, metavar="PATH|builtin", help="Read problems from this folder; repeatable.")
@click.option("--subject", "subjects", multiple=True, metavar="SUBJECT", help="Test this subject; repeatable.")
@click.option(
    "--seed", "seeds", multiple=True, type=int, metavar="N", help="Run with this random seed; repeatable [0]."
)
@click.option("--out", type=PATH, metavar="DIR", help=f"Store results in this folder [{DEFAULT_OUT}].")
@workers_option
@click.option(
    "--runner",
    metavar="NAME",
    default="local",
    show_default=True,
    help="Run cells with this runner: local, ray, or an installed one.",
)
@click.option("--address", metavar="ADDRESS", help="Join a running Ray cluster: auto, or HOST:PORT.")
@metric_option("Compute this metric too: recall@10, FILE.py:NAME, module:NAME or an installed one; repeatable.")
@click.option("--seconds", type=float, help="Limit the wall-clock time of one answer [60].")
@click.option("--memory-mb", type=int, help="Limit the memory of one answer [2048].")
@click.option(
    "--cpu-seconds", type=float, help="Limit the CPU time of one answer, all its processes together [no limit]."
)
@click.option("--tasks", type=int, help="Limit the processes and threads of one answer [48, plus 8 per core].")
@click.option(
    "--tokens",
    type=int,
    help="Tell the subject how many language-model tokens it may use per answer; not enforced [no limit].",
)
@click.option(
    "--cost", type=float, help="Tell the subject how much money it may spend per answer; not enforced [no limit]."
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="SUBJECT:seconds=N",
    help="Set a limit for one subject: seconds, memory_mb, cpu_seconds, tasks, tokens or cost; repeatable.",
)
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop starting new cells after SECONDS.")
@settings_option
@click.option(
    "--pass-env", multiple=True, metavar="NAME", help="Let subjects see this environment variable; repeatable."
)
@click.option(
    "--until-decided",
    type=float,
    metavar="LEVEL",
    help="Stop calling a subject once it is told apart from all others, with at most this chance of a wrong decision.",
)
@click.option("--against", default="", metavar="NAME", help="Compare only with this subject, with --until-decided.")
@click.option(
    "--isolation",
    type=click.Choice(["confined", "container", "none"]),
    default="confined",
    show_default=True,
    help="Isolate subjects this way; container needs bubblewrap, none lets them read your files and use the network.",
)
@click.option("--allow-network", "network", is_flag=True, help="Let confined subjects use the network; records say so.")
@click.option(
    "--readable", multiple=True, metavar="PATH", help="Let confined subjects read this file or folder; repeatable."
)
@click.option("--retry-failed", is_flag=True, help="Rerun cells that failed.")
@click.option("--keep-going", is_flag=True, help="Skip subjects that cannot be run, and exit with 2 at the end.")
@click.option(
    "--trace-subject",
    "trace",
    multiple=True,
    metavar="NAME",
    help="Rerun this subject's cells one at a time and log every system call they make; repeatable.",
)
@click.option("--retry-withdrawn", is_flag=True, help="Rerun cells whose records were withdrawn.")
@click.option("--serve", "with_view", is_flag=True, help="Show progress in a browser during the run.")
@gate_options
@json_option
@quiet_option
def run_command(
    target: str,
    problems: tuple[str, ...],
    subjects: tuple[str, ...],
    seeds: tuple[int, ...],
    out: Path | None,
    workers: int | None,
    runner: str,
    address: str | None,
    metrics: tuple[str, ...],
    limits: tuple[str, ...],
    settings: tuple[str, ...],
    pass_env: tuple[str, ...],
    isolation: str,
    network: bool,
    readable: tuple[str, ...],
    trace: tuple[str, ...],
    with_view: bool,
    as_json: bool,
    quiet: bool,
    gating: Gating,
    **how: Any,
) -> int:
    """Plan, run and show; ``how`` goes to the run as it is, but for the amounts of a budget."""
    from assay.api.running import run_spec, run_specs
    from assay.cli.results.serve import served_beside
    from assay.cli.shared.output import stop_cleanly_when_terminated
    from assay.cli.shared.story import retyped
    from assay.cli.shared.summary import conclude
    from assay.harness import read_run_file

    if address and runner == "local":
        raise InvalidInput("--address needs --runner ray.")
    if trace and runner != "local":
        raise InvalidInput("--trace-subject works on this machine only: leave out --runner.")
    amounts = {name: how.pop(name) for name in _AMOUNTS}
    what: dict[str, Any] = {
        "problems": problems,
        "subject": subjects,
        "seed": seeds,
        "metric": metrics,
        **{name.replace("_", "-"): amount for name, amount in amounts.items()},
        "limit": limits,
        "set": settings,
        "pass-env": pass_env,
        "readable": readable,
        "allow-network": network or None,
        "isolation": None if isolation == "confined" else isolation,
    }
    stop_cleanly_when_terminated()
    if target.endswith(".toml"):
        for option, value in what.items():
            if value not in ((), None):
                raise InvalidInput(f"--{option} cannot be combined with the run file {target}: write it into the file.")
        file = read_run_file(Path(target))
        gating = gating.with_file(file, Path(target).parent)
        specs: Sequence[RunSpec] = file.runs
        place, workers = out or file.out or Path(DEFAULT_OUT), workers or file.workers
    else:
        if Path(target).is_file():
            raise InvalidInput(f"{target}: a run file ends with .toml; TARGET is that or the name of a track.")
        if not subjects:
            raise InvalidInput("no subject to run: name at least one, for instance --subject oracle.")
        spec = run_spec(
            target,
            subjects,
            problems=problems or "builtin",
            seeds=seeds or (0,),
            metrics=metrics,
            limits=_read_limits(limits),
            settings=read_settings(settings),
            environment=pass_env,
            isolation=isolation,
            network=network,
            readable=readable,
            **amounts,
        )
        specs, place = [spec], out or Path(DEFAULT_OUT)
    specs = [gating.scored(spec) for spec in specs]
    with served_beside(place) if with_view else nullcontext():
        results = run_specs(
            specs,
            out=place,
            workers=workers,
            runner=runner,
            address=address,
            trace=trace,
            progress=not (quiet or as_json),
            check=gating.check_plans,
            **how,
        )
        for path in results.outcome.traces if results.outcome else ():
            click.echo(f"System calls: {path}", err=True)
        again = retyped(click.get_current_context(), "--retry-failed")
        return conclude(results, gating=gating, as_json=as_json, quiet=quiet, again=again)


def _read_limits(texts: tuple[str, ...]) -> dict[str, dict[str, float]]:
    limits: dict[str, dict[str, float]] = {}
    for text in texts:
        subject, _, setting = text.rpartition(":")
        name, _, value = setting.partition("=")
        try:
            limits.setdefault(subject, {})[name] = float(value)
        except ValueError:
            subject = ""
        if not subject:
            raise InvalidInput(f"--limit {text!r}: write it as SUBJECT:seconds=300 or SUBJECT:memory_mb=4096.")
    return limits
