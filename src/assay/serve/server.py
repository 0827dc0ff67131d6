"""Running the web view: a socket on this machine, an address with a token, until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from assay.core import InvalidInput, MissingExtra
from assay.serve.app import make_app
from assay.serve.guard import new_token

__all__ = ["demand_libraries", "serve"]

_GRACE = 1  # seconds that open streams have when the server ends


def serve(
    results: Sequence[str | Path],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    truth: bool = True,
    started: Callable[[str], None] | None = None,
    stopped: Callable[[Callable[[], None]], None] | None = None,
) -> None:
    """Serve results folders to a browser until Ctrl-C; what a run writes meanwhile appears by itself.

    Parameters
    ----------
    results : sequence of str or Path
        Results folders, which need not exist yet, or exports.
    host : str
        The address to listen on; the default is reached from this machine only.
    port : int
        0 chooses a free one.
    truth : bool
        Whether the pages show the truth of problems and the notes of examination.
    started : callable, optional
        Is given the address, with its token, once the server listens.
    stopped : callable, optional
        Is given a function that ends the server, which may be called from any thread.

    Raises
    ------
    InvalidInput
        No results are named, starlette or uvicorn is not installed, or the address cannot be listened on.
    """
    demand_libraries()
    import uvicorn

    token = new_token()
    application = make_app(results, token=token, host=host, truth=truth)
    with _listening(host, port) as listening:
        number = listening.getsockname()[1]
        config = uvicorn.Config(
            application,
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=_GRACE,
        )
        server = uvicorn.Server(config)
        if stopped is not None:
            stopped(lambda: setattr(server, "should_exit", True))
        if started is not None:
            started(f"http://{f'[{host}]' if ':' in host else host}:{number}/{token}/")
        server.run(sockets=[listening])


def demand_libraries() -> None:
    """Refuse where what the web view needs is not installed."""
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtra("The local web view", package, "serve")


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
            listening.listen(512)
        except OSError:
            listening.close()
            raise
    except (OSError, OverflowError, ValueError) as error:  # ValueError: a text that no name of a machine can be
        raise InvalidInput(
            f"{host}:{port}: cannot be listened on ({error}). Choose another --host or --port."
        ) from error
    return listening
