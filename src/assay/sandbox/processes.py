"""The host's ends of its helper processes: the warm server, and the holder of one run's tables."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Final, Self

from assay.core import InfrastructureFailed
from assay.sandbox.forking import Peer, end_process, quiet_environment, start_python

__all__ = ["Holder", "Server"]

_START_SECONDS: Final = 60.0
# an allow-list from the first instruction: what was there once stays in a process's memory
_PASSED: Final = ("PATH", "PYTHONPATH")
_FIXED: Final = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
}


class Server(Peer):
    """The warm server process."""

    def __init__(self, user: int) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        super().__init__(ours, "the sandbox's server")
        with theirs:
            self._process = start_python(
                "assay.sandbox.server",
                theirs,
                str(user),
                flags=("-s",),
                environment={**quiet_environment(_PASSED), **_FIXED},
                cwd="/",
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        try:
            self.receive(_START_SECONDS)
        except InfrastructureFailed as failure:
            self._process.kill()
            lines = self._process.communicate()[1].decode(errors="replace").strip().splitlines()
            self.stop()
            raise InfrastructureFailed(f"{failure}: {lines[-1] if lines else 'no word from it'}") from failure

    def stop(self) -> None:
        """End the server and, with it, everything below."""
        self.close()
        end_process(self._process, patience=0)
        if self._process.stderr is not None:
            self._process.stderr.close()


class Holder(Peer):
    """The process that holds one run's tables; it ends with the run."""

    def __init__(self, server: Server, message: Mapping[str, object], descriptors: Sequence[int]) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        super().__init__(ours, "the sandbox's table holder")
        try:
            with theirs:
                server.send(message, [theirs.fileno(), *descriptors])
            self.receive()
        except InfrastructureFailed:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
