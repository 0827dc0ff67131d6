"""What went wrong in a run and what to do next: failures grouped by reason, each with commands that can be pasted."""

from __future__ import annotations

import shlex
import textwrap

import click

from assay.api.next_commands import check_command
from assay.core import Json
from assay.core.display import counted
from assay.harness.execute import is_broken_problem
from assay.report import FailureGroup, Outcome, Results
from assay.report.failures import METRIC
from assay.report.tables.counts import counted_details, counted_title
from assay.report.wording import shell_command, shown

__all__ = ["command_lines", "failure_lines", "failures_json", "next_commands", "outcome_json", "retyped"]

_LEAST_WIDTH = 40
_MORE = 2  # times the limit that a subject was ended at
_LIMITS = {"timeout": "seconds", "memory": "memory_mb"}
_TRIED = ("exception", "malformed answer", "missing answer", "crashed", "cannot be built")  # what a small try shows too


def retyped(context: click.Context, *more: str) -> str:
    """The command line that was given, as it can be typed again, with further words at its end."""
    words = ["assay", *context.command_path.split()[1:]]  # whatever this process is called
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is not click.core.ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        if isinstance(parameter, click.Argument):
            words.append(shell_command([str(value)]))
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            words += [parameter.opts[-1]] if value else []
        else:
            values = value if parameter.multiple else (value,)
            words += [f"{parameter.opts[0]} {shell_command([str(one)])}" for one in values]
    return " ".join([*words, *(word for word in more if word not in words)])


def failure_lines(results: Results, *, width: int, again: str = "") -> list[str]:
    """Each group of failures in a few lines of at most this width; only a word that is longer stands out.

    ``again`` is the command that calls the subjects once more where they failed.
    """
    width = max(width, _LEAST_WIDTH)
    groups = results.failure_groups
    remarks = _count_lines(results, width)
    if not groups:
        return remarks
    several = len(results.tracks) > 1
    lines = ["", f"What went wrong ({counted(len(groups), 'reason')})"]
    for group in groups:
        track = f"{group.first.track}: " if several else ""
        lines += ["", *_wrapped(f"{track}{group.headline}", width, "", "  ")]
        lines += _wrapped(group.reason, width, "  ", "  ")
        lines += _wrapped(f"First: {group.place}", width, "  ", "  ")
        for command in next_commands(group, results):
            lines += [f"    {line}" for line in command_lines(command, width - 4)]
        lines += _wrapped(_hint(group), width, "  ", "  ")
    failed = any(group.first.status == "failed" for group in groups)
    if failed:
        advice = (
            "A subject whose files have changed is solved again by the same command. After another repair, such as an "
        )
        lines += ["", *_wrapped(f"{advice}installed library, call them again where they failed:", width, "", "")]
        command = again or "assay run ... --retry-failed"
        lines += [f"    {line}" for line in command_lines(command, width - 4)]
    return [*lines, *remarks]


def _count_lines(results: Results, width: int) -> list[str]:
    """What the tracks count beside the score, such as functions that crashed, with the command that shows the first."""
    lines = []
    for entry in results.tracks:
        for count in counted_details(entry):
            if count.first is not None:
                words = ["assay", "show", str(results.folder), "--subject", count.subject]
                command = shell_command([*words, "--problem", count.first.problem])
                place = f"First: {count.first.problem}, seed {count.first.seed}"
                lines += [
                    "",
                    *_wrapped(f"{count.subject}: {counted_title(count.total, count.title)}. {place}", width, "", "  "),
                ]
                lines += [f"    {line}" for line in command_lines(command, width - 4)]
    return lines


def next_commands(group: FailureGroup, results: Results) -> list[str]:
    """What to type next: the record in full; a try of the subject on the problem where it failed first."""
    commands = [group.show_command(results.folder)]
    first = group.first
    cell = results.outcome.called.get((first.track, first.subject)) if results.outcome else None
    if cell is not None and results.outcome is not None and first.problem is not None and first.kind in _TRIED:
        commands.append(check_command(cell, results.outcome.folders[first.track, first.problem]))
    return [command for command in commands if command]


def command_lines(command: str, width: int) -> list[str]:
    r"""A command on lines that a shell reads as one; it is broken between words only.

    >>> command_lines("assay show results --subject 'my agent'", 24)
    ['assay show results \\', "  --subject 'my agent'"]
    """
    lines = [""]
    for word in _shell_words(shown(command)):
        line = f"{lines[-1]} {word}" if lines[-1].strip() else f"{lines[-1]}{word}"
        if len(line) + 2 > width and lines[-1].strip():
            lines[-1] += " \\"
            line = f"  {word}"
            lines.append(line)
        lines[-1] = line
    return lines


def failures_json(results: Results) -> list[Json]:
    """The groups for machines, with the commands."""
    return [{**group.to_json(), "next": list(next_commands(group, results))} for group in results.failure_groups]


def outcome_json(outcome: Outcome) -> dict[str, Json]:
    """The counts of a run for machines; they add up to the number of cells."""
    return {
        "cells": outcome.cells,
        "solved": outcome.solved,
        "failed": outcome.failed,
        "rescored": outcome.rescored,
        "reused": outcome.reused,
        "reused_failed": outcome.failed_before,
        "withdrawn": outcome.withdrawn,
        "lost": len(outcome.lost),
        "left": outcome.left,
        "not_run": list(outcome.not_run),
    }


def _shell_words(command: str) -> list[str]:
    """The words as they are written, quotes and all; an option stays with its value."""
    words: list[str] = []
    for word in shlex.split(command):
        text = shell_command([word]) if word != "..." else word
        if words and words[-1].startswith("--") and " " not in words[-1] and not word.startswith("--"):
            words[-1] += f" {text}"
        else:
            words.append(text)
    return words


def _wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    """Wrapped, never cut."""
    return textwrap.wrap(shown(text), width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def _hint(group: FailureGroup) -> str:
    """What may help, beside looking at it."""
    record = group.first.record
    limit = _LIMITS.get(group.first.kind)
    budget = record.budget.get(limit) if record is not None and limit else None
    if isinstance(budget, int | float):
        more = shell_command([f"{group.first.subject}:{limit}={_MORE * budget:g}"])
        return f"If it needs more: add --limit {more} to the run."
    if group.first.status == "lost" and group.first.kind == METRIC:
        return "Fix the metric and run the same command again: answers are kept, no subject is called twice."
    if group.first.status == "lost" and is_broken_problem(group.reason):
        return "Not the subject's fault, and not scored: repair the problem. assay validate FOLDER says what is wrong."
    if group.first.status == "lost":
        return "Not the subject's fault, and not scored: run the same command again."
    return ""
