"""The driver of a large run stays small, from the plan to the table at the end, and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.core.track import AnyTrack

MOST = 120  # MB
DRIVER = """
import os, sys
from pathlib import Path
from benchmarks.memory import peak_mb
from benchmarks.stand_ins import Instant, tiny_problems, tiny_run
from assay.cli.shared.summary import conclude
from assay.harness import run

here, problems, subjects = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
opened = lambda: len(os.listdir("/proc/self/fd"))
tiny_problems(here / "problems", problems)
before = opened()
result = run([tiny_run(here / "problems", subjects=subjects)], out=here / "out", runner=Instant())
conclude(result, fail_under=None, as_json=False, quiet=False)
left = sorted({path.name.partition("-")[0] for path in (here / "out").iterdir()})
print("peak", round(peak_mb()), "descriptors", opened() - before, "left", left, file=sys.stderr)
"""


def driven(folder: Path, problems: int, subjects: int) -> tuple[int, str]:
    """The peak of a run in MB, and what it left open and on the disk."""
    words = [sys.executable, "-c", DRIVER, str(folder), str(problems), str(subjects)]
    done = subprocess.run(words, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)
    _, peak, rest = done.stderr.splitlines()[-1].split(" ", 2)
    return int(peak), rest


def test_the_table_of_a_run_does_not_read_all_records_into_memory(parity: AnyTrack, tmp_path: Path) -> None:
    few, _ = driven(tmp_path / "few", 10, 10)
    many, rest = driven(tmp_path / "many", 60, 50)
    assert max(many - few, many - 85) < 15, f"{few} MB with 100 records, {many} MB with 3,000"
    assert rest == "descriptors 0 left ['.cache', '.lock', '.scratch', 'assay.sqlite']"


@pytest.mark.soak
def test_twenty_thousand_cells_take_a_driver_of_120_mb(parity: AnyTrack, tmp_path: Path) -> None:
    peak, rest = driven(tmp_path, 400, 50)
    assert peak < MOST
    assert "descriptors 0" in rest
