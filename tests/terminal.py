"""A pseudo-terminal for tests of what is asked and shown where somebody sits."""

from __future__ import annotations

import os
import pty
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


class Terminal:
    """A pseudo-terminal in the place of standard input and standard error; ``type`` types, ``shown`` reads."""

    def __init__(self) -> None:
        self.outside, self.inside = pty.openpty()

    def type(self, text: str) -> None:
        os.write(self.outside, text.encode())

    def shown(self) -> str:
        pieces = []
        while select.select([self.outside], [], [], 0.2)[0]:
            pieces.append(os.read(self.outside, 65536))
        return b"".join(pieces).decode().replace("\r\n", "\n")


@contextmanager
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Within a test only: between set-up and call pytest takes the streams back."""
    terminal = Terminal()
    with (
        os.fdopen(terminal.inside, "r", closefd=False) as stdin,
        os.fdopen(terminal.inside, "w", closefd=False) as stderr,
        monkeypatch.context() as patch,
    ):
        patch.setattr(sys, "stdin", stdin)
        patch.setattr(sys, "stderr", stderr)
        patch.delenv("CI", raising=False)
        yield terminal
    os.close(terminal.inside)
    os.close(terminal.outside)
