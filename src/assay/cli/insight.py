"""``assay insight``: one solution on one problem, and fresh problems."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from assay.cli.new.insight import new
from assay.cli.shared.options import PATH, json_file_option, new_folder_option, read_settings, together
from assay.cli.shared.output import new_problems, write_text
from assay.core import InvalidInput, plain
from assay.core.display import counted

if TYPE_CHECKING:
    from assay.insight import Evaluation

__all__ = ["app"]

_MISSED = 0.5  # below that a single column covers an insight rather badly than well

_problem_options = together(
    click.option("--problem", required=True, type=PATH, metavar="DIR", help="Read this problem folder."),
    click.option(
        "--solution",
        required=True,
        type=PATH,
        metavar="PATH",
        help="Read a solution folder, or a Python file of functions that each compute one column.",
    ),
)
_times_option = click.option(
    "--times", type=PATH, metavar="FILE", help="Declare times that the problem does not: a JSON file."
)
_json_option = json_file_option("Write everything as JSON to FILE; - prints it.")


@click.group()
def app() -> None:
    """The insight track's own commands."""


app.add_command(new)


@app.command(
    epilog="Example: assay insight evaluate --problem problems/churn --solution agents/mine/churn --trust-columns"
)
@_problem_options
@click.option(
    "--preset",
    default="spec",
    show_default=True,
    metavar="NAME",
    help="Score by these rules: spec, or insight-eval, which gives the numbers of the published implementation.",
)
@click.option(
    "--trust-columns",
    is_flag=True,
    help="Score the values in the solution's files instead of running its functions; records say so.",
)
@_times_option
@click.option("--fast", is_flag=True, help="Score on a sample of N_SAMPLES rows, for development.")
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a setting, such as MAX_DEPTH=12; repeatable."
)
@_json_option
def evaluate(
    problem: Path,
    solution: Path,
    preset: str,
    trust_columns: bool,
    times: Path | None,
    fast: bool,
    settings: tuple[str, ...],
    json_file: Path | None,
) -> None:
    """Score one solution on one problem: performance, coverage, and which insight is covered by which column."""
    from assay.insight import TRACK, load
    from assay.insight import evaluate as score
    from assay.insight.problem.times_file import declare_times, read_times_file

    chosen: dict[str, Any] = {"preset": preset, "trust_columns": trust_columns, "fast": fast, **read_settings(settings)}
    where = load(problem)
    if times is not None:
        where = replace(where, task=declare_times(where.task, read_times_file(times), where=str(times)))
    evaluation = score(where, solution, **TRACK.configure(chosen))
    _write(json_file, evaluation.to_json(), show=lambda: _show(evaluation, changed=_changed(chosen)))


@app.command(
    "check-leakage", epilog="Example: assay insight check-leakage --problem problems/churn --solution agents/mine/churn"
)
@_problem_options
@_times_option
@click.option(
    "--sandbox",
    "level",
    type=click.Choice(["strong", "weak"]),
    default="strong",
    show_default=True,
    help="Isolate functions at this level; an error if this machine cannot.",
)
@click.option(
    "--function-seconds", default=60.0, show_default=True, help="Limit the time of one function, all its runs together."
)
@_json_option
def check_leakage(
    problem: Path, solution: Path, times: Path | None, level: str, function_seconds: float, json_file: Path | None
) -> int:
    """Check each function of a solution for use of what is unknown at prediction time. Exit code 1 if one leaks."""
    from assay.insight import check_leakage as check
    from assay.insight import load, read_solution
    from assay.insight.problem.times_file import read_times_file
    from assay.sandbox import Limits, Sandbox

    where, answer = load(problem), read_solution(solution)
    declared = None if times is None else read_times_file(times)
    limits = Limits(function_seconds=function_seconds, solution_seconds=60 * function_seconds)
    with Sandbox.start(level=level, parallel=2, remember=256) as sandbox:
        report = check(where, answer.functions, sandbox=sandbox, times=declared, limits=limits)
    body: dict[str, Any] = {"problem": where.id, "subject": answer.solved_by, **report.to_json()}
    _write(json_file, body, show=lambda: _show_verdicts(body))
    return 1 if report.target_leak else 0


def _write(path: Path | None, body: Mapping[str, Any], *, show: Callable[[], None]) -> None:
    """Print JSON where the path is ``-``; else show the text, and write JSON to the file, if one is named."""
    text = json.dumps(plain(body), ensure_ascii=False, indent=2, allow_nan=False)
    if path is not None and str(path) == "-":
        click.echo(text)
        return
    show()
    if path is not None:
        write_text(path, text)


@app.command(epilog="Example: assay insight generate --out problems --problems 12 --seed 7 --difficulty hard")
@new_folder_option
@click.option("--problems", type=int, metavar="N", help="Generate this many new problems [write the built-in ones].")
@click.option("--seed", type=int, metavar="S", help="Set the random seed; output is reproducible [0].")
@click.option("--difficulty", metavar="NAME", help="Set the difficulty: easy, medium or hard [all in turn].")
@click.option(
    "--task",
    "problem_type",
    metavar="NAME",
    help="Set the type of target: binary, multiclass, regression [all in turn].",
)
@click.option(
    "--domain", metavar="NAME", help="Set the field: telecom, retail, finance, energy or health [all in turn]."
)
@click.option(
    "--rows",
    type=int,
    metavar="N",
    help="Generate this many rows in the primary table, a third of them for testing [900].",
)
def generate(
    out: Path,
    problems: int | None,
    seed: int | None,
    difficulty: str | None,
    problem_type: str | None,
    domain: str | None,
    rows: int | None,
) -> None:
    """Write problems as folders: newly generated ones, or the built-in ones."""
    from assay.insight import generate_problems
    from assay.insight.generate.synthetic import builtin

    fresh = {"seed": seed, "difficulty": difficulty, "task": problem_type, "domain": domain, "rows": rows}
    if problems is None and (flags := [f"--{name}" for name, value in fresh.items() if value is not None]):
        raise InvalidInput(f"{flags[0]} is for fresh problems: say how many with --problems N.")
    with new_problems(out) as place:
        if problems is None:
            builtin(place)
        else:
            generate_problems(
                place,
                problems=problems,
                seed=seed or 0,
                difficulty=difficulty,  # type: ignore[arg-type]
                problem_type=problem_type,  # type: ignore[arg-type]
                domain=domain,
                **({} if rows is None else {"rows": rows}),
            )


def _show_verdicts(body: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.text import Text

    from assay.insight.leakage.verdict import Verdict
    from assay.report import print_whole

    console = Console()
    counts = {name: sum(each["verdict"] == name for each in body["functions"]) for name in get_args(Verdict)}
    console.print(
        Text(
            f"{body['subject'] or 'solution'} on {body['problem']}: {counted(len(body['functions']), 'function')}, "
            + ", ".join(f"{count} {name}" for name, count in counts.items())
            + f" (sandbox: {body['isolation']})"
        )
    )
    for each in body["functions"]:
        kind = f" ({each['kind']})" if each["kind"] else ""
        print_whole(
            f"{each['name']}: {each['verdict']}{kind}", *([f"  {evidence}"] if (evidence := _evidence(each)) else [])
        )
    for note in body["notes"]:
        console.print(Text(f"Note: {note}."))


def _evidence(function: dict[str, Any]) -> str:
    """The rows that changed, else what is said, else the warnings, else the tests that were passed."""
    evidence = function["evidence"]
    parts = [str(evidence[key]) for key in ("test", "message") if evidence.get(key)]
    rows = evidence.get("rows") or []
    parts += [f"row {row['row']}: {row['before']} became {row['after']}" for row in rows[:2] if isinstance(row, dict)]
    if evidence.get("line"):
        parts.append(f"line {evidence['line']}: {evidence['words']}")
    parts += [str(warning) for warning in (evidence.get("warnings") or [])[:2]]
    return "; ".join(parts)


def _changed(chosen: dict[str, Any]) -> str:
    from assay.insight import TRACK

    default = TRACK.defaults(chosen)
    named = [f"{name} = {value}" for name, value in chosen.items() if name in default and value != default[name]]
    return ", ".join(named)


def _show(evaluation: Evaluation, *, changed: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from assay.report.tables.terminal import Column, TerminalTable, print_whole

    body: dict[str, Any] = evaluation.to_json()
    measure = "R²" if body["problem_type"] == "regression" else "AUC"
    console = Console()
    settings = f"preset {body['preset']}" + (f", {changed}" if changed else "")
    console.print(Text(f"{evaluation.subject} on {evaluation.problem} ({body['problem_type']}, {settings})"))
    table = Table(box=None, pad_edge=False, padding=(0, 2), show_header=False)
    rows = {
        "combined score": _number(body["combined_score"]),
        f"inclusive performance ({measure})": f"{_number(body['inclusive_performance'])}  "
        f"(base columns alone {_number(body['naive_performance'])}, lift {_number(body['lift'], sign=True)})",
        f"exclusive performance ({measure})": _number(body["exclusive_performance"]),
        "coverage": _number(body["coverage"]),
        "  incremental (minimum)": _number(body["incremental_performance_coverage"]),
        "  single column": _number(body["single_column_predictive_coverage"]),
        "  predictive (diagnostic)": _number(body["predictive_coverage"]),
        "  correlation (diagnostic)": _number(body["correlation_coverage"]),
        "target leak": {None: "not checked", True: "yes", False: "no"}[body["target_leak"]],
        **({"functions": _tally(body)} if body["functions"] else {}),
    }
    suspects = [each for each in body["functions"] if each["verdict"] in ("leak", "blocked", "inconclusive")]
    for name, value in rows.items():
        table.add_row(name, Text(value))
    console.print(table)
    insights = []
    for column in body["columns"].values():
        single = column["single_column_predictive_coverage"]
        by = column["best_single_column"] if single is not None and single > 0 else "nothing"
        numbers = (column["weight"], column["incremental_performance_coverage"], single)
        insights.append((column["description"], by or "nothing", *map(_number, numbers)))
    keys = (Column(title, key=True, number=False) for title in ("insight", "best covered by"))
    print_whole(
        TerminalTable(columns=(*keys, Column("weight"), Column("incremental"), Column("single")), rows=tuple(insights))
    )
    missed = [
        column["description"]
        for column in body["columns"].values()
        if column["weight"] and (column["single_column_predictive_coverage"] or 0.0) < _MISSED
    ]
    if missed:
        console.print(Text(f"Missed: {'; '.join(missed)}."))
    for each in suspects:
        console.print(Text(f"Function {each['name']}: {each['verdict']} ({each['kind']}). {_evidence(each)}"))
    for note in body["notes"]:
        console.print(Text(f"Note: {note}."))


def _tally(body: dict[str, Any]) -> str:
    from assay.insight import TRACK

    counts = {name.removeprefix("functions "): count(body) for name, count in TRACK.counts.items()}
    return ", ".join([str(len(body["functions"])), *(f"{count} {name}" for name, count in counts.items())])


def _number(value: float | None, *, sign: bool = False) -> str:
    if value is None or math.isnan(value):
        return "undefined"
    return f"{value:+.4f}" if sign else f"{value:.4f}"
