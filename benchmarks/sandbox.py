"""What the sandbox costs: locking down, starting a solution, twelve functions over 3,000 rows.

The peer is the same code run without any protection: ``DataFrame.apply`` in this very process. Locking down is measured
as a ratio of two runs of the same solution that differ in the lock alone, taken in turns.
"""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

import numpy as np
import pandas as pd

from assay.sandbox import FunctionSource, Sandbox, SharedTable, Tables
from assay.sandbox.lockdown.lockdown import LAYERS
from benchmarks.measure import Rows, beside, shown, sized

ROWS = sized(3000, 300)
TURNS = sized(20, 3)

BODIES = (
    "return row['income'] / max(row['age'], 1)",
    "return row['income'] * 0.3 + row['debt']",
    "return 1 if row['plan'] == 'gold' else 0",
    "return len(row['city'])",
    "return row['plan'] + '-' + row['city'][:2]",
    "return math.log1p(row['income'])",
    "return None if row['age'] < 20 else row['age'] ** 2",
    "return row.get('debt', 0) > row['income']",
    "return int(row['opened'][:4])",
    "return (datetime.now() - datetime.fromisoformat(row['opened'])).days",
    "return sum(1 for value in row if isinstance(value, str))",
    "return row.debt / row.income if row.income else 0.0",
)
FUNCTIONS = [FunctionSource(f"f{n}", f"def f{n}(row):\n    {body}\n") for n, body in enumerate(BODIES)]


def _table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, ROWS),
            "income": rng.gamma(2, 20_000, ROWS).round(2),
            "debt": rng.gamma(1, 9_000, ROWS).round(2),
            "plan": rng.choice(["gold", "silver", "none"], ROWS),
            "city": rng.choice(["Aachen", "Bath", "Cadiz", "Delft"], ROWS),
            "opened": [f"20{rng.integers(10, 24)}-0{rng.integers(1, 10)}-1{rng.integers(0, 10)}" for _ in range(ROWS)],
        }
    )


def _run(sandbox: Sandbox, functions: list[FunctionSource], tables: Tables) -> float:
    started = time.perf_counter()
    results = sandbox.run(functions, tables)
    wall = time.perf_counter() - started
    assert all(result.status == "ok" and not result.rows_failed for result in results), results
    return wall


def sandbox_cpu(sandbox: Sandbox) -> float:
    """Processor seconds of the server, its processes and all theirs that have ended, by the kernel's account."""
    assert sandbox._server is not None
    server = sandbox._server._process.pid
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    return sum(_ticks(pid) for pid in [str(server), *children]) / os.sysconf("SC_CLK_TCK")


def _ticks(pid: str) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0
    return sum(int(ticks) for ticks in fields[11:15])


def _unprotected(table: pd.DataFrame) -> float:
    started = time.perf_counter()
    for function in FUNCTIONS:
        namespace: dict[str, object] = {}
        exec(f"import math\nfrom datetime import datetime\n{function.code}", namespace)
        table.apply(namespace[function.name], axis=1)  # type: ignore[call-overload]
    return time.perf_counter() - started


def _start(sandbox: Sandbox) -> tuple[float, float]:
    """Milliseconds from the call to the first function's answer, and to the end of a solution of one function."""
    tiny = Tables(rows=pd.DataFrame({"x": [1, 2, 3]}))
    one = [FunctionSource("one", "def one(row): return row['x']")]
    opened, answered, ended = [], [], []
    for _ in range(2 * TURNS):
        time.sleep(0.05)  # between solutions the host scores; meanwhile the server gets ready again
        opened.append(_run(sandbox, [], tiny))
        time.sleep(0.05)
        began = time.perf_counter()
        (result,) = sandbox.run(one, tiny)
        ended.append(time.perf_counter() - began)
        answered.append(result.seconds)
    return 1000 * (statistics.median(opened) + statistics.median(answered)), 1000 * statistics.median(ended)


def main() -> Rows:
    table = _table()
    shared = Tables(rows=SharedTable(table))
    began = time.perf_counter()
    with Sandbox.start() as strong, Sandbox(_off=LAYERS) as bare, Sandbox.start(parallel=2) as pair:
        print(f"starting sandboxes, self-test included: {(time.perf_counter() - began) / 2:.2f} s each")
        sandboxes = {"strong": strong, "nothing locked": bare, "strong, two at a time": pair}
        walls: dict[str, list[float]] = {name: [_run(sandboxes[name], FUNCTIONS, shared)] for name in sandboxes}
        used = {name: sandbox_cpu(sandbox) for name, sandbox in sandboxes.items()}
        for _ in range(TURNS):
            for name, sandbox in sandboxes.items():
                walls[name].append(_run(sandbox, FUNCTIONS, shared))
        cpu = {name: 1000 * (sandbox_cpu(sandbox) - used[name]) / TURNS for name, sandbox in sandboxes.items()}
        for name, times in walls.items():
            wall = 1000 * statistics.median(times)
            print(f"12 functions x {ROWS} rows, {name:24} {wall:5.0f} ms, {cpu[name]:4.0f} ms CPU in all its processes")
        print(f"locking down costs {100 * (cpu['strong'] / cpu['nothing locked'] - 1):+.1f} % CPU")
        name, bare_cpu = f"12 functions x {ROWS} rows, CPU", cpu["nothing locked"]
        yield beside(name, cpu["strong"], "ms", peer="nothing locked", theirs=bare_cpu, tolerance=0.15)
        plain = statistics.median(_unprotected(table) for _ in range(5))
        print(f"the same by DataFrame.apply, without protection: {1000 * plain:.0f} ms")
        wall = 1000 * statistics.median(walls["strong"])
        yield beside("the same, wall time", wall, "ms", peer="DataFrame.apply", theirs=1000 * plain, tolerance=0.5)
        answered, ended = _start(strong)
        print(f"a solution from the warm server: first answer after {answered:.1f} ms, all over after {ended:.1f} ms")
        yield shown("a solution of one function, from call to end", ended, "ms")
