from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from assay.harness.process.huge_pages import use_huge_pages


def huge_kilobytes() -> int:
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("AnonHugePages"))


@pytest.mark.skipif(sys.platform != "linux", reason="large pages are asked for on Linux only")
def test_what_was_written_lies_in_large_pages_and_is_what_it_was() -> None:
    ended, outcome = os.pipe()
    pid = os.fork()  # the test's own process stays as it is
    if pid == 0:
        content = bytearray(os.urandom(1 << 20) * 40)
        before = bytes(content)
        pages = use_huge_pages()
        fine = content == before and (pages == 0 or huge_kilobytes() >= 2048 * min(pages, 10))
        os.write(outcome, b"fine" if fine else b"wrong")
        os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(ended, 16) == b"fine"
    os.close(ended)
    os.close(outcome)
