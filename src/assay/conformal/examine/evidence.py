"""What an examination found: counts of the sets against the labels; metrics and details read nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.conformal.problem.task import Wanted
from assay.conformal.sets.counts import SetCounts

__all__ = ["SMALLEST_SLICE", "ConformalEvidence"]

SMALLEST_SLICE = 20  # samples, below which a coverage says little


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
        Of the likeliest classes, before any conformal prediction.
    joint_accuracy : float
        The share of samples of which every task is right.
    worst_slice : float
        Coverage of the group that is covered worst; nan without groups.
    task_names : tuple of str
        One per task.

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
    guarantee: Wanted
    undercovers: bool  # significantly below 1 - alpha
    p_below: float
    accuracy: tuple[float, ...]  # of the likeliest classes, before any conformal prediction
    joint_accuracy: float
    worst_slice: float  # nan without groups
    task_names: tuple[str, ...] = field(default_factory=tuple)
