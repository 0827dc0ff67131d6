"""Large memory pages for a process that forks often: fewer entries to copy for every child, and to take down after."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

__all__ = ["use_huge_pages"]

_SIZE = 2 << 20
_MADV_HUGEPAGE = 14
_MADV_COLLAPSE = 25  # Linux 6.1; older ones refuse it, which changes nothing


def use_huge_pages() -> int:
    """Put what this process has written so far into large pages, where the system allows it; how many there are now."""
    if sys.platform != "linux":
        return 0
    advise = ctypes.CDLL(None, use_errno=True).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    pages = 0
    for line in Path("/proc/self/maps").read_text().splitlines():
        places, rights, *rest = line.split(maxsplit=5)
        if not rights.startswith("rw-p") or rest[3:] not in ([], ["[heap]"]):
            continue
        first, last = (int(place, 16) for place in places.split("-"))
        start, end = -(-first // _SIZE) * _SIZE, last // _SIZE * _SIZE
        if start < end and advise(start, end - start, _MADV_HUGEPAGE) == 0:
            pages += (end - start) // _SIZE * (advise(start, end - start, _MADV_COLLAPSE) == 0)
    return pages
