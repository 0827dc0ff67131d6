"""``python -m benchmarks.databases TASK ...``: some of the tasks, their figures as lines; all without a name."""

from __future__ import annotations

import sys

from assay.core import UnknownName
from benchmarks.databases.measure_task import TASKS, measure_task
from benchmarks.measure import Measured, sized

if __name__ == "__main__":
    for name in sys.argv[1:] or TASKS:
        if name not in TASKS:
            raise UnknownName("task", name, list(TASKS))
        for row in measure_task(TASKS[name](sized(3000, 500))):
            print(f"{row.name}: {row.value:.3f} {row.unit}" if isinstance(row, Measured) else row, flush=True)
