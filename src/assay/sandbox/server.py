"""The warm server: imports what guests need, holds no data, and never runs untrusted code.

It forks *holders*. A holder loads tables that several runs share, runs no untrusted code either, and forks one *guest*
per function; the guest loads what its run alone has, locks itself down and runs the function. So every function starts
from the same untouched state: its tables are private, its patches of libraries end with it, and a crash takes no other
along. Nothing passes from one run to the next: a run's holder has never seen a table that is not the run's. That is why
a run with other shared tables gets another holder rather than a fork of the old one: what was replaced would still be
in memory for a guest to find.

A holder is forked ahead of the run that will use it, and waits. Ended guests stay unreaped until the host asks, so a
process number never means another process.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from assay.sandbox.forking import fork_child, reap, receive_request, serve
from assay.sandbox.guest.namespace import preload
from assay.sandbox.guest.run import run_guest
from assay.sandbox.guest.tables import NamedTables
from assay.sandbox.lockdown.kernel import count_threads, die_with_parent
from assay.sandbox.lockdown.landlock import open_places
from assay.sandbox.lockdown.lockdown import close_others, library_folders, prepare
from assay.sandbox.transfer import SharedTable

__all__ = ["main"]


def main(arguments: list[str]) -> None:
    """Serve on the inherited socket until its other end closes."""
    control = socket.socket(fileno=int(arguments[0]))
    parent, user = int(arguments[1]), int(arguments[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.chdir("/")
    preload()
    prepare()
    places = open_places(library_folders())
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    die_with_parent(parent)
    sample = SharedTable(pd.DataFrame({"number": [1.5, 2.0], "word": ["a", None]}))
    gc.collect()
    gc.freeze()
    if (threads := count_threads()) != 1:
        control.send(json.dumps({"error": f"{threads} threads after the imports, one is needed"}).encode())
        return
    os.dup2(1, 2)  # until here the host can read why a start fails; the output of guests goes nowhere
    spare = _fork_spare(sample, places)
    control.send(b'{"ready": 1}')
    while True:
        message, descriptors = receive_request(control)
        if not message:
            return
        with spare:
            socket.send_fds(spare, [message], descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        _collect()
        spare = _fork_spare(sample, places)


def _fork_spare(sample: SharedTable, places: list[int]) -> socket.socket:
    """Fork the next holder ahead of its run, so that the run finds it warm; it has seen a table of ours only."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    fork_child(partial(_wait_for_run, theirs, sample, places))
    theirs.close()
    return ours


def _wait_for_run(control: socket.socket, sample: SharedTable, places: list[int]) -> None:
    close_others([control.fileno(), sample.descriptor, *places])
    NamedTables(["rows"], [sample.descriptor])
    message, descriptors = receive_request(control)
    if message:
        control.close()
        _hold(json.loads(message), descriptors, places)


def _collect() -> None:
    """Reap the children that have ended; their numbers are not in use any more."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue


def _hold(request: dict[str, Any], descriptors: list[int], places: list[int]) -> None:
    """Load the tables that runs share, then fork a guest per function and end it, both on request."""
    control = socket.socket(fileno=descriptors[0])
    tables = NamedTables(request["tables"], descriptors[1:])
    for descriptor in descriptors[1:]:
        os.close(descriptor)
    gc.collect()
    gc.freeze()
    control.send(b'{"ready": 1}')

    def answer(command: dict[str, Any], channels: list[int]) -> Mapping[str, float]:
        if command["verb"] == "fork":
            return {"pid": fork_child(partial(_guest, command, channels, tables, places))}
        if command["verb"] == "wait":
            return {}
        if command["verb"] == "kill":
            os.kill(command["pid"], signal.SIGKILL)
            return {}
        return reap(command["pid"], grace=command["grace"])

    serve(control, answer)


def _guest(command: dict[str, Any], channels: list[int], shared: NamedTables, places: list[int]) -> None:
    """In the guest: load what its run alone has, then be locked and run."""
    channel, *own = channels
    tables = shared.complete(command["tables"], own, command["auxiliary"])
    for descriptor in own:
        os.close(descriptor)
    run_guest(channel, tables, places)
