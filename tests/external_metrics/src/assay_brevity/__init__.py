"""How short a formula is: a metric that Assay does not have."""

from __future__ import annotations

from typing import Any

from assay.core import Metric

__all__ = ["BREVITY", "shortness"]


def shortness(letters: int) -> float:
    r"""One over the number of letters; 1 is the shortest formula there can be.

    $$1 / n$$

    >>> shortness(4)
    0.25
    """
    return 1 / letters


def _brevity(evidence: Any) -> float:
    return max(shortness(len(str(part.model.expression))) for part in evidence.parts)


BREVITY = Metric("brevity", _brevity, definition=shortness)
