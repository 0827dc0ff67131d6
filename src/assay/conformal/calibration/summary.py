"""A calibration for people: what it promises, on how many samples, and the thresholds of each task."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.conformal.calibration.calibration import Calibration
from assay.conformal.sets.checks import MISSING, IntArray
from assay.core.display import counted

__all__ = ["calibration_text"]


def calibration_text(calibration: Calibration, names: Sequence[str], labels: Sequence[IntArray]) -> str:
    """A line for the whole, and one per task.

    >>> from assay.conformal import calibrate
    >>> p, y = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7], [0.5, 0.5]], np.array([0, 0, 1, 1, -1])
    >>> print(calibration_text(calibrate([p], [y], alpha=0.25), ["kind"], [y]))
    taskwise: taskwise coverage of 0.75, 4 of 5 samples calibrate, 1 without a label
      kind: 2 classes, threshold 0.4, 4 of 5 labels
    """
    chosen = "" if calibration.chosen is None else f", which chose {calibration.chosen}"
    lines = [
        f"{calibration.method}{chosen}: {calibration.guarantee} coverage of {1 - calibration.alpha:g}, "
        f"{_sample_counts(calibration, labels)}"
    ]
    threshold = "threshold" if calibration.model is None else "level"
    for name, rows, column in zip(names, calibration.thresholds, labels, strict=True):
        low, high = float(rows[0].min()), float(rows[0].max())
        known = int((column != MISSING).sum())
        lines.append(
            f"  {name}: {counted(rows.shape[1], 'class')}, "
            + (f"{threshold} {low:.6g}" if low == high else f"thresholds {low:.6g} to {high:.6g}")
            + (f", {known} of {counted(len(column), 'label')}" if known < len(column) else "")
        )
    return "\n".join(lines)


def _sample_counts(calibration: Calibration, labels: Sequence[IntArray]) -> str:
    """How many of the samples set the thresholds, and what the others are used for."""
    columns = np.stack(labels)
    total, used = columns.shape[1], calibration.samples
    if used == total:
        return counted(total, "sample")
    labelled = (columns >= 0).all(axis=0) if calibration.guarantee == "joint" else (columns >= 0).any(axis=0)
    spent = int(labelled.sum()) - used
    purpose = "choose the method" if calibration.model is None else "fit the joint model"
    parts = [f"{used} of {counted(total, 'sample')} calibrate"]
    parts += [f"{spent} {purpose}"] if spent > 0 else []
    parts += [f"{int((~labelled).sum())} without a label"] if not labelled.all() else []
    return ", ".join(parts)
