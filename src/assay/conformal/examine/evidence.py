"""What an examination found: counts of the sets against the labels; metrics and details read nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.conformal.problem.task import Wanted
from assay.conformal.sets.counts import SetCounts

__all__ = ["SMALLEST_SLICE", "ConformalEvidence"]

SMALLEST_SLICE = 20  # samples, below which a coverage says little


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConformalEvidence:
    """Counts of the answer's sets against the true labels, and what they must be judged by."""

    counts: SetCounts
    alpha: float
    guarantee: Wanted
    undercovers: bool  # significantly below 1 - alpha
    p_below: float
    accuracy: tuple[float, ...]  # of the likeliest classes, before any conformal prediction
    joint_accuracy: float
    worst_slice: float  # nan without groups
    task_names: tuple[str, ...] = field(default_factory=tuple)
