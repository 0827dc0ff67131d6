"""Whether a solution leaks the target."""

from __future__ import annotations

import math

from assay.core import Metric
from assay.insight.examine.evidence import InsightEvidence
from assay.insight.metrics.floors import undefined

__all__ = ["target_leak"]


def target_leak(leak: bool | None) -> float:
    r"""Whether a feature function was found to leak the target: 1 or 0.

    $$\mathrm{leak} = [\exists f : \text{verdict}(f) = \text{leak}]$$

    Undefined (nan) when the functions were not checked.

    Parameters
    ----------
    leak : bool or None
        Whether any function leaks; None when they were not checked.

    Returns
    -------
    float
        1.0 or 0.0, or nan.

    Examples
    --------
    >>> target_leak(True), target_leak(False)
    (1.0, 0.0)
    >>> target_leak(None)
    nan
    """
    return math.nan if leak is None else float(leak)


METRICS: tuple[Metric[InsightEvidence], ...] = (
    Metric(
        "target_leak",
        lambda evidence: target_leak(evidence.target_leak),
        target_leak,
        goal="min",
        floor=undefined,
        limits=(0, 1),
        flag="leak",
    ),
)
