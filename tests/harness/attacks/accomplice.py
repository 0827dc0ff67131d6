"""A process of the same user that waits for attackers: it notes every message, and answers with a secret.

Run as ``python accomplice.py STREAM DATAGRAM ABSTRACT FIFO NOTES SECRET``; prints its TCP and UDP port when it listens.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
from pathlib import Path


def main(stream: str, datagram: str, abstract: str, fifo: str, notes: str, secret: str) -> None:
    """Listen until ended."""
    chooser = selectors.DefaultSelector()
    port = 0
    for family, kind, address in (
        (socket.AF_UNIX, socket.SOCK_STREAM, stream),
        (socket.AF_UNIX, socket.SOCK_DGRAM, datagram),
        (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{abstract}"),
        (socket.AF_UNIX, socket.SOCK_DGRAM, f"\0{abstract}-datagram"),
        (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", -1)),
    ):
        listener = socket.socket(family, kind)
        listener.bind(("127.0.0.1", port) if address == ("127.0.0.1", -1) else address)
        if kind == socket.SOCK_STREAM:
            listener.listen(64)
        port = listener.getsockname()[1] if family == socket.AF_INET else port
        chooser.register(listener, selectors.EVENT_READ, f"{family.name} {kind.name} {address!r}")
    fifo_end = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
    chooser.register(fifo_end, selectors.EVENT_READ, "FIFO")
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    while True:
        for key, _ in chooser.select():
            message = _take(key.fileobj, secret)
            with Path(notes).open("a") as file:
                file.write(f"{key.data}: {message!r}\n")


def _take(channel: object, secret: str) -> bytes:
    if isinstance(channel, int):
        return os.read(channel, 4096)
    assert isinstance(channel, socket.socket)
    if channel.type == socket.SOCK_DGRAM:
        message, sender = channel.recvfrom(4096)
        if sender:
            channel.sendto(secret.encode(), sender)
        return bytes(message)
    connection, _ = channel.accept()
    with connection:
        connection.settimeout(1.0)
        connection.sendall(secret.encode())
        try:
            return connection.recv(4096)
        except OSError as error:
            return str(error).encode()


if __name__ == "__main__":
    main(*sys.argv[1:])
