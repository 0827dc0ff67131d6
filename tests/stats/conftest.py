"""Records and tables for the tests of statistics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from assay.core import Goal, Record
from assay.stats import ScoreTable, score_table


def _record(subject: str, problem: str, seed: int, score: float, **other: Any) -> Record:
    content: dict[str, Any] = {
        "key": f"{subject}/{problem}/{seed}",
        "answer_key": "",
        "track": "cases",
        "problem": problem,
        "problem_digest": "",
        "subject": subject,
        "subject_digest": "",
        "seed": seed,
        "status": "ok",
        "scores": {"auroc": score},
    }
    return Record(**(content | other))


@pytest.fixture(scope="session")
def make_record() -> Callable[..., Record]:
    return _record


@pytest.fixture(scope="session")
def make_table() -> Callable[..., ScoreTable]:
    """A table from a matrix: subjects a, b, c ... down, problems p000, p001 ... across."""

    def build(scores: ArrayLike, goal: Goal = "max") -> ScoreTable:
        matrix = np.asarray(scores, dtype=np.float64)
        records = [
            _record(chr(ord("a") + row), f"p{column:03d}", 0, float(matrix[row, column]))
            for row in range(matrix.shape[0])
            for column in range(matrix.shape[1])
        ]
        return score_table(records, "auroc", goal=goal)

    return build
