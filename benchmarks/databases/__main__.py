"""``python -m benchmarks.databases [--peers] TASK ...``: the figures of some tasks, or the columns of peers only."""

from __future__ import annotations

import sys

from assay.core import UnknownName
from benchmarks.databases.exchange import PEERS, ask_peer
from benchmarks.databases.measure_task import TASKS, measure_task
from benchmarks.measure import Measured, sized

if __name__ == "__main__":
    only = "--peers" in sys.argv
    for name in [word for word in sys.argv[1:] if word != "--peers"] or TASKS:
        if name not in TASKS:
            raise UnknownName("task", name, list(TASKS))
        task = TASKS[name](sized(3000, 500))
        if only:
            for method in PEERS:
                made = ask_peer(method, task)
                width = 0 if made.columns is None else made.columns.shape[1]
                print(f"{task.name}: {method}: {width} columns, {made.seconds:.0f} s of CPU {made.reason}", flush=True)
            continue
        for row in measure_task(task):
            print(f"{row.name}: {row.value:.3f} {row.unit}" if isinstance(row, Measured) else row, flush=True)
