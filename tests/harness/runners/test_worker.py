"""What a worker says of a cell that it could not finish."""

from __future__ import annotations

import errno
from typing import Any, cast

import pytest

from assay.harness.execute import Examiner, Job
from assay.harness.runners.worker import Broken, finish_safely


class Failing:
    """An examiner with a fault of its own."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def finish(self, job: Job) -> Any:
        raise self._error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("no"), "ValueError: no (test_worker.py, line"),
        (OSError(errno.ENOSPC, "full"), "no space left on the disk"),
    ],
)
def test_the_reason_does_not_name_the_cell_which_stands_before_it_everywhere(error: Exception, reason: str) -> None:
    broken = finish_safely(cast("Examiner", Failing(error)), cast("Job", None))
    assert isinstance(broken, Broken)
    assert broken.reason.startswith(reason)
