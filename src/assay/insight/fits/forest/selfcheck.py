"""Some small forests, grown by every engine and by scikit-learn: do they still agree on this machine?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.insight.fits.forest.engine import Engine, answer_with
from assay.insight.fits.forest.kernels.compiled import numba_missing
from assay.insight.fits.forest.settings import ForestSettings, Task
from assay.insight.fits.forest.sklearn_engine import predict_with_sklearn
from assay.insight.fits.forest.versions import merges_close_values, note_check

__all__ = ["Finding", "Trial", "check_engines", "trials"]


LAST_BITS = 1e-13  # of the largest target: sums of one column may run in another order

_TRAIN, _TEST = 160, 60


class Trial(NamedTuple):
    """A fit that an engine must answer as scikit-learn does; ``slack`` is what may differ, relative to the target."""

    name: str
    engine: Engine
    train: FloatArray
    target: FloatArray | npt.NDArray[np.int64]
    test: FloatArray
    classes: int  # 0 for a regression
    max_depth: int | None
    slack: float = 0.0


class Finding(NamedTuple):
    """An engine that disagreed, and by how much at most."""

    trial: str
    engine: str
    difference: float

    def __str__(self) -> str:
        return f"{self.engine} differs from scikit-learn by {self.difference:.3g} on {self.trial}"


def trials(seed: int = 7) -> Iterator[Trial]:
    """The fixed forests: ties, tiny gaps, two values, offsets on both sides of the guard, several columns."""
    rng = np.random.default_rng(seed)
    rows = _TRAIN + _TEST
    smooth = rng.normal(size=rows)
    ties = np.round(smooth, 1)
    gaps = rng.integers(0, 300, rows).astype(np.float64) * 3e-8
    noise = rng.normal(size=rows)
    pair = (smooth + noise > 0).astype(np.int64)
    three = np.digitize(smooth + noise, [-0.7, 0.7]).astype(np.int64)
    wide = np.column_stack([smooth, ties, rng.normal(size=rows), rng.integers(0, 2, rows), gaps])

    def trial(
        name: str,
        engine: Engine,
        columns: FloatArray,
        target: FloatArray | npt.NDArray[np.int64],
        *,
        classes: int = 0,
        max_depth: int | None = None,
        slack: float = 0.0,
    ) -> Trial:
        table = np.asarray(columns, dtype=np.float64).reshape(rows, -1)
        return Trial(name, engine, table[:_TRAIN], target[:_TRAIN], table[_TRAIN:], classes, max_depth, slack)

    yield trial("two classes, tied values", "closed-form", ties, pair, classes=2)
    yield trial("three classes, gaps around 1e-7", "closed-form", gaps, three, classes=3)
    yield trial("a regression, tied values", "closed-form", ties, smooth + noise, slack=LAST_BITS)
    yield trial("a regression, a small offset", "closed-form", smooth, smooth + noise + 10.0, slack=LAST_BITS)
    yield trial("a regression, an offset beyond the guard", "one-column", smooth, smooth + noise + 1e6)
    yield trial(
        "two classes, two values, depth 3", "one-column", (smooth > 0).astype(np.float64), pair, classes=2, max_depth=3
    )
    yield trial("three classes, depth 4", "one-column", smooth, three, classes=3, max_depth=4)
    yield trial("a regression, depth 4", "one-column", smooth, smooth + noise, max_depth=4)
    coarse = np.round(noise, 1)
    yield trial("a regression, tied values and targets", "one-column", ties, coarse, max_depth=4, slack=LAST_BITS)
    yield trial("two classes, several columns", "many-columns", wide, pair, classes=2)
    yield trial("three classes, several columns, depth 4", "many-columns", wide, three, classes=3, max_depth=4)
    yield trial("a regression, several columns", "many-columns", wide, smooth + noise)
    mirrored = np.column_stack([ties, -ties, np.round(noise, 1)])
    yield trial("a regression, mirrored columns of tied values", "many-columns", mirrored, smooth + noise)
    yield trial("a regression, several columns, an offset, depth 4", "many-columns", wide, noise + 1e6, max_depth=4)


def check_engines() -> list[Finding]:
    """Where an engine does not predict what the installed scikit-learn predicts; empty when all is well.

    The outcome decides, until this process ends, whether the engines are used at all: a scikit-learn outside the
    verified versions is trusted after a clean check, any version is distrusted after another. Without a compiler there
    is nothing to check.
    """
    if numba_missing():
        return []
    findings = []
    for trial in trials():
        settings = ForestSettings(trees=5, max_depth=trial.max_depth, merge_close_values=merges_close_values())
        task: Task = "classification" if trial.classes else "regression"
        expected = predict_with_sklearn(
            trial.train, trial.target, trial.test, task=task, classes=trial.classes, settings=settings
        )
        predicted = answer_with(trial.engine, trial.train, trial.target, trial.test, task, trial.classes, settings)
        difference = float(np.abs(predicted - expected).max())
        if not difference <= trial.slack * float(np.abs(trial.target).max()):
            findings.append(Finding(trial.name, trial.engine, difference))
    note_check(not findings)
    return findings
