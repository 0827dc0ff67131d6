"""The host's ends of its helper processes: the warm server, and holders of tables."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Mapping
from typing import Final

from assay.core import InfrastructureFailed
from assay.sandbox.forking import Peer, PeerDied, end_process, quiet_environment, start_python
from assay.sandbox.transfer import SharedTable

__all__ = ["Holder", "Server"]

_START_SECONDS: Final = 60.0
_SMALL: Final = 64 << 20  # bytes of tables
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
            raise InfrastructureFailed(f"{failure}: {lines[-1] if lines else 'no output'}") from failure

    def stop(self) -> None:
        """End the server and, with it, everything below."""
        self.close()
        end_process(self._process, patience=0)
        if self._process.stderr is not None:
            self._process.stderr.close()


class Holder(Peer):
    """The process that holds the tables that runs share, by name; it serves these runs only, until it is closed."""

    def __init__(self, server: Server, tables: Mapping[str, SharedTable]) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        super().__init__(ours, "the sandbox's table holder")
        self._tables = dict(tables)
        message, descriptors = {"tables": list(tables)}, [table.descriptor for table in tables.values()]
        try:
            with theirs:
                server.send(message, [theirs.fileno(), *descriptors])
            self.receive()
        except InfrastructureFailed:
            self.close()
            raise

    def holds(self, tables: Mapping[str, SharedTable]) -> bool:
        """Whether it has these very tables and no other."""
        own = self._tables
        return own.keys() == tables.keys() and all(own[name] is table for name, table in tables.items())

    @property
    def small(self) -> bool:
        """Whether it may stay while other tables are at work."""
        return sum(table.size for table in self._tables.values()) <= _SMALL

    @property
    def alive(self) -> bool:
        """Whether its process still runs."""
        try:
            self.ask({"verb": "wait"})
        except PeerDied:
            return False
        return True
