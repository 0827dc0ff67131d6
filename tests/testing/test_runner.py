from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.track import AnyTrack
from assay.harness import Finished, LocalRunner, Lost
from assay.harness.execute import Job
from assay.testing import CheckFailed, check_runner


def test_the_local_runner_keeps_the_contract_with_one_worker_and_two(parity: AnyTrack) -> None:
    for workers in (1, 2):
        check_runner(lambda workers=workers: LocalRunner(workers), track="parity", subjects=("divide",))  # type: ignore[misc]


class Careless(LocalRunner):
    """Finishes cells, but changes a score or drops a result on the way."""

    def __init__(self, fault: str) -> None:
        super().__init__(1)
        self._fault = fault

    def map(self, jobs: Iterable[Job], /, *, hidden: Sequence[Path] = ()) -> Iterator[Finished | Lost]:
        for position, result in enumerate(super().map(jobs, hidden=hidden)):
            if position == 3 and self._fault == "drops":
                continue
            if position == 3 and self._fault == "changes":
                assert not isinstance(result, Lost)
                record, answer = result
                result = replace(record, scores={"accuracy": 0.123}), answer
            yield result


@pytest.mark.parametrize("fault", ["drops", "changes"])
def test_red_when_a_runner_drops_or_changes_a_record(parity: AnyTrack, fault: str) -> None:
    with pytest.raises(CheckFailed, match="differ from those of one local worker"):
        check_runner(lambda: Careless(fault), track="parity", subjects=("divide",))
