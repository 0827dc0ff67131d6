"""The host's ends of its helper processes: the warm server, and the holder of one run's tables."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from assay.core import InfrastructureFailed
from assay.sandbox.lockdown.lockdown import SINGLE_THREAD

__all__ = ["ANSWER_SECONDS", "Holder", "Server"]

_START_SECONDS = 60.0
ANSWER_SECONDS = 60.0


class Peer:
    """The host's end of a control socket: one request, one reply."""

    def __init__(self, control: socket.socket, what: str) -> None:
        self._control = control
        self._what = what
        self._lock = threading.Lock()

    def hear(self, seconds: float = ANSWER_SECONDS) -> dict[str, float]:
        try:
            self._control.settimeout(seconds)
            answer = self._control.recv(1 << 16)
            if not answer:
                raise EOFError
            reply = dict(json.loads(answer))
        except (OSError, EOFError, ValueError) as error:
            raise InfrastructureFailed(f"the sandbox's {self._what} died or does not answer") from error
        if "error" in reply:
            raise InfrastructureFailed(f"the sandbox's {self._what} cannot serve: {reply['error']}")
        return reply

    def tell(self, request: Mapping[str, object], descriptors: Sequence[int] = ()) -> None:
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], list(descriptors))
        except OSError as error:
            raise InfrastructureFailed(f"the sandbox's {self._what} died") from error

    def ask(self, request: Mapping[str, object], descriptors: Sequence[int] = ()) -> dict[str, float]:
        with self._lock:
            self.tell(request, descriptors)
            return self.hear()

    def close(self) -> None:
        self._control.close()


class Server(Peer):
    """The warm server process."""

    def __init__(self, user: int) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        super().__init__(ours, "server")
        start = "import sys; from assay.sandbox.server import main; main(sys.argv[1:])"
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-s", "-c", start, str(theirs.fileno()), str(os.getpid()), str(user)],
                pass_fds=[theirs.fileno()],
                env=_environment(),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        try:
            self.hear(_START_SECONDS)
        except InfrastructureFailed as failure:
            self._process.kill()
            said = self._process.communicate()[1].decode(errors="replace").strip().splitlines()
            self.stop()
            raise InfrastructureFailed(f"{failure}: {said[-1] if said else 'no word from it'}") from failure

    def stop(self) -> None:
        """End the server and, with it, everything below."""
        self.close()
        self._process.kill()
        self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()


def _environment() -> dict[str, str]:
    """An allow-list from the first instruction: what was there once stays in a process's memory."""
    passed = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    arrow = {"ARROW_DEFAULT_MEMORY_POOL": "system", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
    return {**passed, **SINGLE_THREAD, **arrow, "LANG": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0"}


class Holder(Peer):
    """The process that holds one run's tables; it ends with the run."""

    def __init__(self, server: Server, message: Mapping[str, object], descriptors: Sequence[int]) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        super().__init__(ours, "table holder")
        try:
            with theirs:
                server.tell(message, [theirs.fileno(), *descriptors])
            self.hear()
        except InfrastructureFailed:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
