"""The functions of one run, each in a guest of its own: hand over, wait within the limits, judge what came back."""

from __future__ import annotations

import json
import signal
import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from assay.core import InfrastructureFailed
from assay.sandbox.contract import FunctionResult, FunctionSource, Limits
from assay.sandbox.forking import ANSWER_SECONDS
from assay.sandbox.frames import LOCKED, FrameTooLarge, receive_frame, send_frame
from assay.sandbox.processes import Holder
from assay.sandbox.reply import MalformedReply, Reply, receive_reply
from assay.sandbox.states import PackedState
from assay.sandbox.transfer import SharedTable

__all__ = ["Guest", "Job"]

_GRACE = 1.0  # how long a process that closed its channel may take to become visible as ended
_LEAST_GRACE = 0.05  # of one that did so as its time ran out


class Guest(NamedTuple):
    """One function's reply, and the process it came from."""

    name: str
    reply: Reply
    seconds: float
    pid: int
    usage: Mapping[str, float] | None = None


class Job:
    """The functions of one run, each in a guest of its own, against one clock."""

    def __init__(
        self,
        holder: Holder,
        request: Mapping[str, Any],
        limits: Limits,
        *,
        rows: int,
        own: Mapping[str, SharedTable] | None = None,
        auxiliary: Sequence[str] = (),
    ) -> None:
        self._holder = holder
        self._own = own or {}
        self._auxiliary = list(auxiliary)
        self._request = request
        self._layers = request["layers"]
        self._limits = limits
        self._rows = rows
        self._ends = time.monotonic() + limits.solution_seconds

    def run(self, function: FunctionSource) -> Guest:
        """Run one function; its guest is dead afterwards, but may not be gone yet: the next need not wait for that."""
        (guest,) = self.run_states(function, None)
        return guest

    def run_states(self, function: FunctionSource, states: Iterable[PackedState] | None) -> list[Guest]:
        """Run one function in one state after the other, until one fails: what each gave, the last with what all cost.

        A state is sent when the one before is answered. Without states the guest has its tables already.
        """
        started = time.monotonic()
        bounds = [
            (self._limits.function_seconds, f"no result within {self._limits.function_seconds:g} s"),
            (self._ends - started, f"the solution's {self._limits.solution_seconds:g} s were used up"),
        ]
        if function.allowance is not None:
            bounds.append((function.allowance.left, f"{function.allowance.reason} for all runs were used up"))
        allowed, why = min(bounds, key=lambda bound: bound[0])
        if allowed <= 0:
            used = function.allowance is not None and allowed == function.allowance.left
            why = function.allowance.used_up if used and function.allowance else f"{why} before it started"
            return [Guest(function.name, Reply("timeout", f"timeout: {why}"), 0.0, 0)]
        guests: list[Guest] = []
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                pid = self._fork(theirs)
            self._hand_over(ours, function)
            begun = time.monotonic()
            ends = begun + (allowed if "clock" in self._layers else ANSWER_SECONDS)
            usage, reply = None, None
            for state in [None] if states is None else states:
                reply = self._exchange(ours, ends, why, state)
                if reply is None:
                    grace = min(_GRACE, max(ends - time.monotonic(), _LEAST_GRACE))
                    usage = self._holder.ask({"verb": "reap", "pid": pid, "grace": grace})
                now = time.monotonic()
                guests.append(Guest(function.name, reply or _death(usage or {}), now - started, 0))
                started = now
                if reply is None or reply.status != "ok":
                    break
            if usage is None:
                self._holder.ask({"verb": "kill", "pid": pid})
            if function.allowance is not None:
                function.allowance.spend(time.monotonic() - begun)
        guests[-1] = guests[-1]._replace(pid=pid, usage=usage)
        return guests

    def _fork(self, channel: socket.socket) -> int:
        """A guest of the holder's, with the tables that this run alone has."""
        request = {"verb": "fork", "tables": list(self._own), "auxiliary": self._auxiliary}
        own = [table.descriptor for table in self._own.values()]
        return int(self._holder.ask(request, [channel.fileno(), *own])["pid"])

    def settle(self, guest: Guest) -> FunctionResult:
        """The result, with what it cost by the kernel's own account."""
        usage = guest.usage
        if usage is None:
            unused = {"cpu_seconds": 0.0, "peak_memory_mb": 0.0}
            usage = self._holder.ask({"verb": "reap", "pid": guest.pid, "grace": 0.0}) if guest.pid else unused
        return FunctionResult(
            name=guest.name,
            status=guest.reply.status,
            message=guest.reply.message,
            column=guest.reply.column,
            rows_failed=guest.reply.rows_failed,
            attempts=guest.reply.attempts,
            seconds=guest.seconds,
            cpu_seconds=usage["cpu_seconds"],
            peak_memory_mb=usage["peak_memory_mb"],
        )

    def _hand_over(self, peer: socket.socket, function: FunctionSource) -> None:
        """Give the guest its function; until it says that it is locked, all trouble is ours."""
        request = {**self._request, "name": function.name, "code": function.code}
        deadline = time.monotonic() + ANSWER_SECONDS
        try:
            send_frame(peer, json.dumps(request).encode(), deadline=deadline)
            first = receive_frame(peer, cap=len(LOCKED), deadline=deadline)
        except (OSError, EOFError, FrameTooLarge) as error:
            raise InfrastructureFailed("a sandboxed process ended before it was locked down") from error
        if first != LOCKED:
            raise InfrastructureFailed("a sandboxed process did not lock itself down")

    def _exchange(self, peer: socket.socket, deadline: float, why: str, state: PackedState | None) -> Reply | None:
        """The guest's reply, to a state if there is one, or what its silence means; None when it ended without one."""
        cap = int(self._limits.output_mb * (1 << 20)) + 4096
        try:
            if state is not None:
                send_frame(peer, state.message, deadline=deadline)
            rows = self._rows if state is None else state.rows
            reply = receive_reply(peer, rows=rows, cap=cap, deadline=deadline)
        except TimeoutError:
            return Reply("timeout", f"timeout: {why}")
        except FrameTooLarge:
            return Reply("invalid output", f"invalid output: more than {self._limits.output_mb:g} MB")
        except MalformedReply as error:
            return Reply("invalid output", f"invalid output: {error}")
        except (EOFError, OSError):
            return None
        if reply.status == "memory":
            return replace(reply, message=f"memory: needed more than {self._limits.memory_mb:g} MB")
        return reply


def _death(usage: Mapping[str, float]) -> Reply:
    """Why a guest ended without a reply. It cannot kill itself or be refused its filter: those are our trouble."""
    if usage["running"]:
        return Reply("crashed", "crashed (closed its channel without a result)")
    if number := int(usage["signal"]):
        name = signal.Signals(number).name
        if name == "SIGKILL":
            raise InfrastructureFailed("a sandboxed process was killed from outside, or the machine ran out of memory")
        return Reply("crashed", f"crashed ({name})")
    return Reply("crashed", f"crashed (exit status {int(usage['code'])})")
