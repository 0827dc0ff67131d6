"""``python -m benchmarks.databases TASK ...``: the figures of some tasks, of all without a name."""

from __future__ import annotations

import argparse

from assay.core import UnknownName
from benchmarks.databases.exchange import PEERS, ask_peer
from benchmarks.databases.measure_task import TASKS, measure_task
from benchmarks.measure import Measured, sized


def main() -> None:
    """Figures as lines; or the columns of peers only, which are kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.databases", description=__doc__)
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=", ".join(TASKS))
    parser.add_argument("--peers", nargs="*", default=PEERS, metavar="PEER", help=", ".join(PEERS))
    parser.add_argument("--columns", action="store_true", help="let the peers make their columns, and stop there")
    options = parser.parse_args()
    for name in options.tasks or TASKS:
        if name not in TASKS:
            raise UnknownName("task", name, list(TASKS))
        task = TASKS[name](sized(3000, 500))
        if not options.columns:
            for row in measure_task(task, options.peers):
                print(f"{row.name}: {row.value:.3f} {row.unit}" if isinstance(row, Measured) else row, flush=True)
            continue
        for peer in options.peers:
            answer = ask_peer(peer, task)
            width = 0 if answer.columns is None else answer.columns.shape[1]
            print(f"{task.name}: {peer}: {width} columns, {answer.seconds:.0f} s of CPU {answer.reason}", flush=True)


if __name__ == "__main__":
    main()
