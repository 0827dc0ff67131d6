"""The entry point: lazy commands, and exit codes that mean something."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import re
import signal
import sys
from pathlib import Path

import click

from assay.cli.shared.lazy_group import Entry, LazyGroup
from assay.core.errors import AssayError, InfrastructureFailed
from assay.core.files.near import near_path
from assay.core.notices import show_notices
from assay.version import __version__

__all__ = ["cli", "main"]

EXIT_MISSED = 1  # --fail-under was missed
EXIT_INPUT = 2  # the input was wrong
EXIT_MACHINE = 3  # the machine failed: some cells could not be finished, nothing finished is lost
EXIT_INTERRUPTED = 130

_ENTRIES = {
    "demo": Entry("assay.cli.demo:demo", "run every track on its built-in problems and write a report"),
    "tracks": Entry("assay.cli.tracks:tracks", "list tracks with their metrics and subjects"),
    "run": Entry("assay.cli.run:run_command", "run subjects on problems, from options or a TOML file"),
    "check": Entry("assay.cli.check:check_command", "try a subject on one small problem, step by step"),
    "report": Entry("assay.cli.results.report:report", "show leaderboards, write HTML, CSV, Parquet or JSON"),
    "serve": Entry("assay.cli.results.serve:serve_command", "show results in a browser, live during a run"),
    "export": Entry("assay.cli.results.export:export", "write one run as a zip file"),
    "bundle": Entry("assay.cli.results.bundle:bundle", "write one run as an archive that others can verify"),
    "verify": Entry("assay.cli.results.verify:verify", "check a bundle: hashes, signature, every answer rescored"),
    "arena": Entry(
        "assay.cli.results.arena:arena", "run subjects on problems that did not exist when they were submitted"
    ),
    "import": Entry(
        "assay.cli.results.import_group:import_group", "import scores of other benchmarks into a results folder"
    ),
    "paper": Entry("assay.cli.results.paper:paper", "write LaTeX tables, figures and the set-up of a run"),
    "compare": Entry("assay.cli.results.compare:compare", "compare two subjects: difference, interval, p-value"),
    "items": Entry("assay.cli.results.items:items", "show how hard and how informative each problem is"),
    "plan-size": Entry("assay.cli.results.plan_size:plan_size", "estimate how many problems a comparison needs"),
    "rescore": Entry("assay.cli.results.rescore:rescore", "score stored answers again, without running subjects"),
    "store": Entry("assay.cli.results.store:store", "check, merge or repair results folders"),
    "show": Entry("assay.cli.results.show:show", "show one record in full"),
    "table": Entry("assay.cli.table:table_command", "show how each column of a table is read"),
    "validate": Entry("assay.cli.validate:validate", "check problem folders or a run file"),
    "init": Entry("assay.cli.init:init", "scaffold a study: a problem, a subject, a run file"),
    "mcp": Entry("assay.cli.connections.mcp:mcp", "serve problems to agents over the Model Context Protocol"),
    "harbor": Entry("assay.cli.connections.harbor:harbor", "write problems as Harbor task folders"),
    "mlflow": Entry("assay.cli.connections.mlflow:mlflow", "log results as MLflow runs"),
    "tune": Entry("assay.cli.connections.tune:tune", "tune a subject's parameters on problems set aside for tuning"),
    "doctor": Entry("assay.cli.doctor:doctor", "check what works on this machine"),
    "completion": Entry("assay.cli.connections.completion:completion", "set up shell completion"),
}

_HELP = """Assay tells whether a system truly understands what it found, or merely scores.

Example: assay run cases --problems builtin --subject vote --subject oracle --out results
"""


@click.command(cls=LazyGroup, entries=_ENTRIES, help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="assay")
def cli() -> None:
    """All commands."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; the user's mistakes end with one clear line, not with a traceback."""
    atexit.register(gc.freeze)  # the process ends: nothing that libraries hold need be searched for garbage
    show_notices()
    try:
        code = cli.main(args=arguments, prog_name="assay", standalone_mode=False)
    except click.exceptions.Abort:
        code = _say("Interrupted.", EXIT_INTERRUPTED)
    except click.ClickException as error:
        if isinstance(error, click.NoSuchOption) and (message := _without_flag(error)):
            error = click.UsageError(message, ctx=error.ctx)
        error.show()
        code = EXIT_INPUT
    except InfrastructureFailed as error:
        code = _say(f"Error: {error}", EXIT_MACHINE)
    except AssayError as error:
        code = _say(_relative(f"Error: {error}{_nearby(str(error))}"), EXIT_INPUT)
    except KeyboardInterrupt:
        code = _say("Interrupted.", EXIT_INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader left early, as `head` does
        code = 0
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        place = f" for {error.filename}" if error.filename else ""
        code = _say(
            f"Error: no space left on the disk{place}: free some, then run the same command again.", EXIT_MACHINE
        )
    if code == EXIT_INTERRUPTED:
        for number in (signal.SIGINT, signal.SIGTERM):  # one more must not change the exit code while Python ends
            signal.signal(number, signal.SIG_IGN)
    sys.exit(code if isinstance(code, int) else 0)


def _without_flag(error: click.NoSuchOption) -> str:
    """A hint for a flag before a file that this command takes as an argument; empty for other flags."""
    if error.ctx is None or error.option_name not in ("--csv", "--file", "--train", "--data", "--table", "--input"):
        return ""
    bare = [entry for entry in error.ctx.command.params if isinstance(entry, click.Argument)]
    if not bare:
        return ""
    name = bare[0].make_metavar(error.ctx)
    shown = f"{error.ctx.command_path} data.csv"
    return f"No such option '{error.option_name}': {name} is given without a flag here, as in {shown}."


def _nearby(message: str) -> str:
    """A suggestion where the message begins with a path that does not exist and another is near it."""
    text = message.partition(": ")[0]
    named = text.partition(", ")[0]  # the path of "mine.py, line 3"
    if "Did you mean" in message or not text or "\n" in text or os.path.lexists(text) or os.path.lexists(named):
        return ""
    near = near_path(Path(text))
    return near if near.removeprefix(" Did you mean ").rstrip("?") not in message else ""


def _relative(message: str) -> str:
    """A message with paths relative to the current folder."""
    here = str(Path.cwd())
    return re.sub(rf"(?<![\w./-]){re.escape(here)}/", "", message) if len(here) > 1 else message


def _say(message: str, code: int) -> int:
    click.echo(message, err=True)
    return code
