"""Fork servers: a warm process with a control socket that forks a fresh child for each request.

The sandbox's servers and the server of subjects are built from these parts. Requests and replies are JSON, one at a
time; open descriptors travel with requests. A child dies with its parent and stays unreaped until it is asked for, so a
process number never means another process.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from assay.core import InfrastructureFailed
from assay.sandbox.lockdown.kernel import die_with_parent
from assay.sandbox.lockdown.lockdown import SINGLE_THREAD

__all__ = [
    "ANSWER_SECONDS",
    "Peer",
    "PeerDied",
    "end_process",
    "fork_child",
    "quiet_environment",
    "reap",
    "receive_request",
    "serve",
    "start_python",
]

ANSWER_SECONDS: Final = 60.0
_MAX_MESSAGE: Final = 1 << 20
_MAX_DESCRIPTORS: Final = 250


def quiet_environment(names: Iterable[str]) -> dict[str, str]:
    """The environment of our processes: an allow-list, one thread per library, hashing fixed. Secrets stay out."""
    passed = {name: os.environ[name] for name in names if name in os.environ}
    return {**passed, **SINGLE_THREAD, "PYTHONHASHSEED": "0"}


def start_python(
    module: str,
    control: socket.socket,
    *arguments: str,
    environment: Mapping[str, str],
    flags: Sequence[str] = (),
    prefix: Sequence[str] = (),
    parent: int | None = None,
    **options: Any,
) -> subprocess.Popen[bytes]:
    """Run a module's main with this interpreter, in a session of its own.

    Its arguments are the number of its control socket, our process id and those given. The working folder stays off its
    path. With a ``prefix`` another program runs it, and ``parent`` is the process id that its parent then has for it.
    """
    code = f"import sys; from {module} import main; main(sys.argv[1:])"
    own = [str(control.fileno()), str(os.getpid() if parent is None else parent)]
    return subprocess.Popen(
        [*prefix, sys.executable, "-P", *flags, "-c", code, *own, *arguments],
        pass_fds=[control.fileno()],
        env=environment,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        **options,
    )


def end_process(process: subprocess.Popen[bytes], *, patience: float) -> int | None:
    """Wait until a process has ended by itself: its return code, or None when it had to be killed."""
    try:
        return process.wait(timeout=patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


class PeerDied(InfrastructureFailed):
    """The process at the other end of a control socket died, or does not answer."""


class Peer:
    """Our end of a control socket: one request, one reply."""

    def __init__(self, control: socket.socket, name: str, *, seconds: float | None = ANSWER_SECONDS) -> None:
        self._control = control
        self._name = name
        self._seconds = seconds
        self._lock = threading.Lock()

    def ask(self, request: Mapping[str, object], descriptors: Sequence[int] = ()) -> dict[str, float]:
        """The reply to a request."""
        with self._lock:
            self.send(request, descriptors)
            return self.receive()

    def send(self, request: Mapping[str, object], descriptors: Sequence[int] = ()) -> None:
        """Send a request, with open descriptors."""
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], list(descriptors))
        except OSError as error:
            raise PeerDied(f"{self._name} died") from error

    def receive(self, seconds: float | None = None) -> dict[str, float]:
        """The next reply, within so many seconds."""
        try:
            self._control.settimeout(seconds or self._seconds)
            message = self._control.recv(1 << 16)
            if not message:
                raise EOFError
            reply = dict(json.loads(message))
        except (OSError, EOFError, ValueError) as error:
            raise PeerDied(f"{self._name} died or does not answer") from error
        if "error" in reply:
            raise InfrastructureFailed(f"{self._name} cannot serve: {reply['error']}")
        return reply

    def close(self) -> None:
        """Close the socket, upon which the other end stops serving."""
        self._control.close()


def receive_request(control: socket.socket) -> tuple[bytes, list[int]]:
    """A request as it was sent, with its descriptors; empty when the other end has closed."""
    message, descriptors, _, _ = socket.recv_fds(control, _MAX_MESSAGE, _MAX_DESCRIPTORS)
    return message, descriptors


def serve(control: socket.socket, answer: Callable[[dict[str, Any], list[int]], Mapping[str, float]]) -> None:
    """Answer requests until the other end closes; the descriptors of a request are closed after it."""
    while True:
        message, descriptors = receive_request(control)
        if not message:
            return
        reply = answer(json.loads(message), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        control.sendall(json.dumps(reply).encode())


def fork_child(work: Callable[[], object]) -> int:
    """Fork a child that does this work and ends; it dies with us and leads a session of its own. Its process id."""
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            die_with_parent(parent)
            os.setsid()
            work()
            code = 0
        finally:
            os._exit(code)  # never back into the parent's code
    return pid


def reap(pid: int, *, grace: float = 0.0) -> dict[str, float]:
    """How a child ended and what it used; one that still runs after the grace is killed, which the reply says."""
    ends = time.monotonic() + grace
    ended, status, usage = os.wait4(pid, os.WNOHANG)
    while not ended and time.monotonic() < ends:
        time.sleep(0.0005)
        ended, status, usage = os.wait4(pid, os.WNOHANG)
    running = not ended
    if running:
        os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
    scale = 1 << 10 if sys.platform == "linux" else 1 << 20  # maxrss is in kB there, in bytes on macOS
    return {
        "running": running,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_memory_mb": usage.ru_maxrss / scale,
    }
