"""The golden pairs of the public benchmark, where ASSAY_BENCHMARKS points at them."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

__all__ = ["ROOT", "needs_golden", "pairs", "reference"]

ROOT = Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "insight"
FOUND = bool(os.environ.get("ASSAY_BENCHMARKS")) and (ROOT / "reference_scores").is_dir()

needs_golden = pytest.mark.skipif(
    not FOUND, reason="ASSAY_BENCHMARKS does not point at a folder with insight/reference_scores"
)


def pairs() -> list[str]:
    """The names of the reference files, without their suffix."""
    return sorted(path.stem for path in (ROOT / "reference_scores").glob("*.json")) if FOUND else []


def reference(pair: str) -> dict[str, Any]:
    """What the published implementation said."""
    content: dict[str, Any] = json.loads((ROOT / "reference_scores" / f"{pair}.json").read_text())
    return content


def number(value: float | None) -> float:
    """A number of a reference file, where undefined is null."""
    return math.nan if value is None else float(value)
