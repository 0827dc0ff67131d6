"""A Firefox of the system, steered over WebDriver BiDi: pages are opened, watched and asked, without any driver."""

from __future__ import annotations

import base64
import json
import os
import re
import socket
import struct
import subprocess
import time
from pathlib import Path
from typing import Any

__all__ = ["Firefox"]

_STARTED = re.compile(r"WebDriver BiDi listening on ws://127\.0\.0\.1:(\d+)")
_PREFERENCES = {  # nothing of the browser's own may ask the network
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.normandy.enabled": False,
    "app.update.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.active-protocols": 1,
}


class Firefox:
    """One browser with one page; ``seen`` are the events that it told."""

    def __init__(self, program: str, folder: Path) -> None:
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in _PREFERENCES.items())
        (folder / "user.js").write_text("".join(lines))
        told = folder / "told.txt"
        with told.open("wb") as log:
            self._process = subprocess.Popen(
                [program, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port=0"],
                stdout=subprocess.DEVNULL,
                stderr=log,
                env={**os.environ, "HOME": str(folder)},
            )
        self.seen: list[dict[str, Any]] = []
        self._count = 0
        try:
            self._socket = _connect(_port(told, self._process))
            self.ask("session.new", capabilities={})
            self.ask("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
            self._page = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        except BaseException:
            self.end()
            raise

    def ask(self, method: str, **parameters: Any) -> Any:
        """The answer to a command; events that come before it are kept."""
        self._count += 1
        _send(self._socket, json.dumps({"id": self._count, "method": method, "params": parameters}))
        while True:
            message = json.loads(_receive(self._socket))
            if message.get("id") == self._count:
                assert message["type"] == "success", message
                return message["result"]
            self.seen.append(message)

    def open(self, address: str, *, width: int, height: int) -> None:
        """Go to an address in a window of this size."""
        size = {"width": width, "height": height}
        self.ask("browsingContext.setViewport", context=self._page, viewport=size)
        self.ask("browsingContext.navigate", context=self._page, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of the page, which must be one that JSON can hold."""
        result = self.ask(
            "script.evaluate",
            expression=f"Promise.resolve({expression}).then(JSON.stringify)",
            target={"context": self._page},
            awaitPromise=True,
        )
        assert result["type"] == "success", result
        value = result["result"].get("value")
        return None if value is None else json.loads(value)

    def wait(self, condition: str, seconds: float = 30) -> None:
        """Until an expression of the page is true."""
        end = time.monotonic() + seconds
        while not self.evaluate(condition):
            assert time.monotonic() < end, condition
            time.sleep(0.1)

    def end(self) -> None:
        """Close it."""
        if hasattr(self, "_socket"):
            self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @property
    def requests(self) -> list[str]:
        """The addresses that were asked for."""
        return [entry["params"]["request"]["url"] for entry in self.seen if entry["method"].startswith("network.")]

    @property
    def entries(self) -> list[str]:
        """What was written to the console, and errors of scripts."""
        return [str(entry["params"]["text"]) for entry in self.seen if entry["method"].startswith("log.")]


def _port(told: Path, process: subprocess.Popen[bytes]) -> int:
    end = time.monotonic() + 90
    while not (found := _STARTED.search(told.read_text(errors="replace"))):
        assert time.monotonic() < end, told.read_text(errors="replace")
        assert process.poll() is None, told.read_text(errors="replace")
        time.sleep(0.1)
    return int(found[1])


def _connect(port: int) -> socket.socket:
    """A web socket to the browser's session."""
    made = socket.create_connection(("127.0.0.1", port), timeout=60)
    key = base64.b64encode(os.urandom(16)).decode()
    made.sendall(
        f"GET /session HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    reply = b""
    while not reply.endswith(b"\r\n\r\n"):
        reply += made.recv(1)
    assert b" 101 " in reply.splitlines()[0], reply
    return made


def _send(through: socket.socket, text: str) -> None:
    content, mask = text.encode(), os.urandom(4)
    size = len(content)
    head = struct.pack("!BB", 0x81, 0x80 | size) if size < 126 else b""
    head = head or (struct.pack("!BBH", 0x81, 0xFE, size) if size < 65536 else struct.pack("!BBQ", 0x81, 0xFF, size))
    masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(content))
    through.sendall(head + mask + masked)


def _receive(through: socket.socket) -> str:
    """A whole text; whether it comes in one frame or in several."""
    whole, is_last = b"", False
    while not is_last:
        first, second = _read(through, 2)
        size = second & 0x7F
        if size > 125:
            (size,) = struct.unpack("!H" if size == 126 else "!Q", _read(through, 2 if size == 126 else 8))
        content = _read(through, size)
        if first & 0x0F in (0, 1):
            whole, is_last = whole + content, bool(first & 0x80)
        assert first & 0x0F != 8, "the browser closed the connection"
    return whole.decode()


def _read(through: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        part = through.recv(size - len(found))
        assert part, "the browser has ended"
        found += part
    return found
