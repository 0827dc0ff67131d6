"""What an examination found: sets and intervals counted against the truth; metrics and details read nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from assay.conformal.regions.checks import TaskGuarantee
from assay.conformal.sets.counts import SetCounts

__all__ = ["NO_SETS", "SMALLEST_SLICE", "ConformalEvidence", "IntervalEvidence"]

SMALLEST_SLICE = 20  # samples, below which a coverage says little
NO_SETS = SetCounts(tasks=(), known=0, covered=0, single=0, volume=0, empty=0)  # of a problem without classes


class IntervalEvidence(NamedTuple):
    """What was found of the intervals of one task.

    Parameters
    ----------
    name : str
        The name of the task.
    known, hits : int
        Test samples whose truth is known, and those of them whose interval holds it.
    calibration : int
        Calibration samples whose truth is known.
    width, marginal_width, relative_width : float
        The mean width, the width of the interval that no model needs at the same level, and the first over the second,
        where an empty interval counts as 1.
    empty, unbounded : int
        Intervals that hold nothing, and that lack a bound.
    error : float
        The mean absolute error of what the model predicted, before any conformal prediction.
    """

    name: str
    known: int
    hits: int
    calibration: int
    width: float
    marginal_width: float
    relative_width: float
    empty: int
    unbounded: int
    error: float

    @property
    def coverage(self) -> float:
        """The share of known truths that are held."""
        return self.hits / self.known


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConformalEvidence:
    """All that the metrics of the conformal track may look at: counts of the answer's sets against the true labels.

    Parameters
    ----------
    counts : SetCounts
        The sets against the labels.
    alpha : float
        The share of errors that is allowed.
    guarantee : "taskwise" or "joint"
        What must be covered.
    undercovers : bool
        Whether the coverage lies significantly below 1 - α.
    p_below : float
        How likely a coverage so low would be if it were 1 - α.
    accuracy : tuple of one float per task
        The accuracy of the likeliest classes, before any conformal prediction.
    joint_accuracy : float
        The share of samples of which every task is right.
    worst_slice : float
        Coverage of the group that is covered worst; nan without groups.
    task_names : tuple of str
        One per task of classes.
    intervals : tuple of IntervalEvidence
        One per task of numbers.
    covered, known : int
        Samples of which every task is covered, of those whose truth is known in every task; read where there are
        tasks of numbers.

    Examples
    --------
    >>> from assay.conformal import count_sets, efficiency
    >>> evidence = ConformalEvidence(
    ...     counts=count_sets([[[1, 0], [1, 1]]], [[0, 1]]),
    ...     alpha=0.1,
    ...     guarantee="taskwise",
    ...     undercovers=False,
    ...     p_below=1.0,
    ...     accuracy=(0.5,),
    ...     joint_accuracy=0.5,
    ...     worst_slice=float("nan"),
    ... )
    >>> efficiency(evidence.counts)
    1.5
    """

    counts: SetCounts
    alpha: float
    guarantee: TaskGuarantee
    undercovers: bool  # significantly below 1 - alpha
    p_below: float
    accuracy: tuple[float, ...]  # of the likeliest classes, before any conformal prediction
    joint_accuracy: float
    worst_slice: float  # nan without groups
    task_names: tuple[str, ...] = field(default_factory=tuple)
    intervals: tuple[IntervalEvidence, ...] = ()
    covered: int = 0
    known: int = 0

    @property
    def jointly(self) -> tuple[int, int]:
        """Samples that are covered in every task of any kind, and those whose truth is known in every task."""
        return (self.covered, self.known) if self.intervals else (self.counts.covered, self.counts.known)
