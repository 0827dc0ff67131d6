"""The contract of a runner: any engine gives the records that one local worker gives."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from assay.core import Record
from assay.harness import LocalRunner, Runner, RunSpec, run
from assay.testing.failure import require

__all__ = ["check_runner"]

_FAILING = """
def solve(task, budget):
    raise RuntimeError("on purpose")
"""


def check_runner(make_runner: Callable[[], Runner], *, track: str = "cases", subjects: tuple[str, ...] = ()) -> None:
    """Same plan, same records as one local worker; failures are scored, not lost; a second run does nothing.

    Parameters
    ----------
    make_runner : callable
        Gives a fresh runner.
    track : str, default "cases"
        On whose built-in problems it is tried.
    subjects : tuple of str, optional
        Tried beside the oracle and one that fails.

    Raises
    ------
    CheckFailed
        When records differ, cells are lost or subjects are called again.

    Examples
    --------
    >>> from assay.harness import LocalRunner
    >>> check_runner(lambda: LocalRunner(2))  # doctest: +SKIP
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "failing.py").write_text(_FAILING)
        spec = RunSpec(track=track, subjects=("oracle", *subjects, "failing.py"), folder=folder)
        expected = run([spec], out=folder / "expected", runner=LocalRunner(1))
        actual = run([spec], out=folder / "actual", runner=make_runner())
        require(not actual.lost and not actual.interrupted, f"the runner lost cells: {actual.lost}.")
        require(
            _contents(actual.records) == _contents(expected.records),
            "the runner's records differ from those of one local worker.",
        )
        failed = [record for record in actual.records if record.status == "failed"]
        require(bool(failed), "a subject that raises was not recorded as failed.")
        again = run([spec], out=folder / "actual", runner=make_runner())
        require(again.solved == 0 and again.reused == again.cells, "a second run of the same plan called a subject.")
        plan = actual.plans[0]
        closing = make_runner().map(iter(()))
        require(list(closing) == [], "no jobs, but outcomes.")
        require(len(plan.cells) == len(actual.records), "a cell has no record.")


def _contents(records: tuple[Record, ...]) -> list[str]:
    return [record.content() for record in records]
