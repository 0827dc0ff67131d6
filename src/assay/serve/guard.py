"""Access control: requests need the token, the server's own origin and a host name of this machine."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

__all__ = ["Guard", "is_loopback", "new_token"]

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_ANY = frozenset({"0.0.0.0", "::", ""})  # all addresses of the machine
_HEADERS = [
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
]
_NOT_FOUND = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"9"), *_HEADERS]


def new_token() -> str:
    """A token that nobody can guess: 192 random bits as letters of an address."""
    return secrets.token_urlsafe(24)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0"), is_loopback("example.org")
    (True, True, False, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Guard:
    """Answers every request that is not allowed with the same "not found", which reveals nothing.

    The token is the first part of the path, so that no cookie exists which other servers of this machine would get.
    A page elsewhere cannot read through a name of its own that leads here (the Host is checked), nor from inside
    another page (Origin and the browser's own words of where a request comes from are checked).
    """

    def __init__(self, application: Application, *, token: str, host: str = "127.0.0.1") -> None:
        self._application = application
        self._token = token.encode()
        self._host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # the server refuses what is not accepted
        path = self._inside(scope)
        if path is None:
            await send({"type": "http.response.start", "status": 404, "headers": _NOT_FOUND})
            await send({"type": "http.response.body", "body": b"Not found"})
            return

        async def send_guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        await self._application(
            {**scope, "path": path, "raw_path": path.encode(), "root_path": ""}, receive, send_guarded
        )

    def _inside(self, scope: Scope) -> str | None:
        """The path after the token; None where the request is not allowed."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(bytes(name).lower(), []).append(bytes(value))
        hosts = headers.get(b"host", [])
        if scope["method"] not in ("GET", "HEAD") or len(hosts) != 1 or not self._is_ours(hosts[0].decode("latin-1")):
            return None
        if any(origin != b"http://" + hosts[0] for origin in headers.get(b"origin", [])):
            return None
        if not _comes_from_here(headers):
            return None
        first, slash, rest = scope["path"].removeprefix("/").partition("/")
        if not secrets.compare_digest(first.encode("utf-8", errors="replace"), self._token) or not slash:
            return None
        return f"/{rest}"

    def _is_ours(self, host: str) -> bool:
        """Whether a Host is this server's: any port will do, as behind a forwarded one."""
        name = _name(host)
        if self._host in _ANY:  # a number cannot be made to lead here by others; a name can
            return _is_number(name) or name in {"localhost", socket.gethostname().lower(), socket.getfqdn().lower()}
        return name == self._host.lower() or name in _LOOPBACK


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if host.count(":") == 1 else host.lower()


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _comes_from_here(headers: dict[bytes, list[bytes]]) -> bool:
    """Whether Fetch Metadata allows a request: another site may link to a page, but not embed or fetch it."""
    site = headers.get(b"sec-fetch-site", [b"none"])[-1]
    return site in (b"none", b"same-origin") or headers.get(b"sec-fetch-dest", [b""])[-1] == b"document"
