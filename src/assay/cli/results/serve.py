"""``assay serve``: results folders in a browser, live while a run writes them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from assay.cli.shared.options import PATH

__all__ = ["serve_command", "served_beside"]

_BACKGROUND = 10  # niceness of the view, so that it does not slow down the run


@click.command("serve", epilog="Example: assay serve results")
@click.argument("results", nargs=-1, required=True, metavar="RESULTS...", type=PATH)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Listen on this address.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), metavar="N", help="Listen on this port [a free one].")
@click.option("--no-truth", is_flag=True, help="Leave hidden truths, and anything that reveals them, out of the pages.")
@click.option("--open", "open_browser", is_flag=True, help="Open the address in a browser.")
@click.option("--until-input-ends", is_flag=True, hidden=True, help="End when standard input does.")
def serve_command(
    results: tuple[Path, ...], host: str, port: int, no_truth: bool, open_browser: bool, until_input_ends: bool
) -> None:
    """Show RESULTS, folders or exports, in a browser until Ctrl-C; a run in progress is shown live.

    Only readers with the printed address, which holds a token, have access. The view never writes to RESULTS.
    """
    from assay.serve import serve
    from assay.serve.guard import is_loopback

    def started(address: str) -> None:
        click.echo(f"Serving at {address}", err=True)
        if not is_loopback(host):
            click.echo("Other machines can reach it, and the connection is not encrypted.", err=True)
        if open_browser:
            click.launch(address)

    def stopped(stop: Callable[[], None]) -> None:
        def wait() -> None:
            sys.stdin.buffer.read()
            stop()

        if until_input_ends:
            os.nice(_BACKGROUND)
            threading.Thread(target=wait, daemon=True).start()

    serve(results, host=host, port=port, truth=not no_truth, started=started, stopped=stopped)


@contextlib.contextmanager
def served_beside(folder: Path) -> Iterator[None]:
    """Serve a results folder in a process of its own for as long as this lasts; at a terminal until Ctrl-C."""
    from assay.serve.server import demand_libraries

    demand_libraries()
    command = [sys.executable, "-P", "-m", "assay", "serve", str(folder), "--until-input-ends"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as server:
        try:
            yield
            if sys.stdin.isatty() and sys.stderr.isatty():
                click.echo("The run has finished; the view stays open until Ctrl-C.", err=True)
                with contextlib.suppress(KeyboardInterrupt):
                    server.wait()
        finally:
            assert server.stdin is not None
            server.stdin.close()  # it ends with its input, also when this process is killed
