"""The regression gate: ratios of a run against ratios kept from an earlier one; never seconds.

A ratio worsens when it moves to the wrong side by more than the tolerance. Benchmarks that were not run are left alone;
figures that could not be measured for a stated reason are listed. What broke, or vanished without a word, fails.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core import InvalidInput, read_json
from benchmarks.measure import Measured
from benchmarks.results import Results

__all__ = ["REFERENCE", "TOLERANCE", "Judgement", "compare", "keep", "read_reference", "worsened"]

REFERENCE = Path(__file__).parent / "reference.json"
TOLERANCE = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Lines of text: what fails the gate, what is better, and what could not be compared."""

    failures: tuple[str, ...]
    better: tuple[str, ...]
    skipped: tuple[str, ...]
    compared: int


def worsened(now: float, before: float, *, better: str, tolerance: float) -> bool:
    """Whether a ratio has moved to the wrong side by more than a share of itself; an undefined one has.

    >>> worsened(1.2, 1.0, better="less", tolerance=0.25), worsened(1.3, 1.0, better="less", tolerance=0.25)
    (False, True)
    >>> worsened(0.7, 1.0, better="more", tolerance=0.25)
    True
    """
    if not math.isfinite(now):
        return True
    return now > before * (1 + tolerance) if better == "less" else now < before / (1 + tolerance)


def compare(results: Results, reference: dict[str, dict[str, Any]], *, tolerance: float = TOLERANCE) -> Judgement:
    """Every kept ratio beside that of the run."""
    if results.quick:
        raise InvalidInput("these figures are of small sizes (--quick), which compare with nothing: measure in full.")
    measured, reasons = results.measured(), results.unmeasured()
    failures = [f"{name}: broke ({why})" for name, why in results.failed.items()]
    better: list[str] = []
    skipped: list[str] = []
    compared = 0
    for name, entry in reference.items():
        benchmark = name.partition(": ")[0]
        if benchmark in results.failed or benchmark not in results.rows:
            if benchmark not in results.failed:
                skipped.append(f"{name}: not run")
            continue
        row = measured.get(name)
        if row is None or row.ratio is None:
            reason = next((why for start, why in reasons.items() if name.startswith(start)), None)
            (failures if reason is None else skipped).append(f"{name}: {reason or 'gone'}")
            continue
        compared += 1
        before = entry["ratio"]
        allowed = entry["tolerance"] if entry.get("tolerance") is not None else tolerance
        line = f"{name}: {row.ratio:.4g}, kept {before:.4g} ({row.better} is better, {allowed:.0%} allowed)"
        if worsened(row.ratio, before, better=row.better, tolerance=allowed):
            failures.append(line)
        elif worsened(before, row.ratio, better=row.better, tolerance=allowed):
            better.append(line)
    return Judgement(failures=tuple(failures), better=tuple(better), skipped=tuple(skipped), compared=compared)


def read_reference(path: Path) -> dict[str, dict[str, Any]]:
    """The kept ratios by name."""
    body: Any = read_json(path)
    ratios = body.get("ratios")
    if not isinstance(ratios, dict) or not all(
        isinstance(entry, dict) and "ratio" in entry for entry in ratios.values()
    ):
        raise InvalidInput(f"{path}: not a reference: 'ratios' must map names to ratios. Make one with gate --keep.")
    return ratios


def keep(results: Results, path: Path) -> int:
    """Write the ratios of a run into the reference; those of benchmarks that were not run stay as they are."""
    if results.quick:
        raise InvalidInput("figures of small sizes (--quick) are no reference: measure in full.")
    earlier = read_reference(path) if path.is_file() else {}
    ratios = {name: entry for name, entry in earlier.items() if name.partition(": ")[0] not in results.rows}
    fresh = {name: _reference_row(row) for name, row in results.measured().items() if row.ratio is not None}
    reasons = results.unmeasured()
    unmeasured = {name: entry for name, entry in earlier.items() if any(name.startswith(start) for start in reasons)}
    body = {"machine": results.machine, "ratios": dict(sorted({**ratios, **unmeasured, **fresh}.items()))}
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
    return len(fresh)


def _reference_row(row: Measured) -> dict[str, Any]:
    assert row.ratio is not None
    if not math.isfinite(row.ratio):
        raise InvalidInput(f"{row.name}: its ratio is undefined and cannot be kept.")
    body: dict[str, Any] = {"ratio": float(f"{row.ratio:.6g}"), "better": row.better}
    return body if row.tolerance is None else {**body, "tolerance": row.tolerance}
