"""A task written for a peer in another environment, and its columns read back."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from benchmarks.databases.flatten import coded, flat_table
from benchmarks.databases.task import DatabaseTask
from benchmarks.measure import cpu_seconds

__all__ = ["LIMIT", "PEERS", "PeerColumns", "ask_peer", "peer_python", "write_task"]

PEERS = ("featuretools", "getml", "openfe", "autofeat")
LIMIT = 120  # seconds of CPU for each method and task
_PATIENCE = 12  # times as many may pass
_CACHE = Path(__file__).parents[2] / "build" / "databases"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class PeerColumns(NamedTuple):
    """The columns of all rows, or the reason why there are none; and its seconds of CPU."""

    columns: pd.DataFrame | None
    seconds: float
    reason: str = ""


def peer_python() -> Path | None:
    """The Python of the peers' environment: ``build/peers-venv``, or what ASSAY_PEERS_PYTHON says."""
    usual = Path(__file__).parents[2] / "build" / "peers-venv" / "bin" / "python"
    path = Path(os.environ.get("ASSAY_PEERS_PYTHON", usual))
    return path if path.is_file() else None


def write_task(task: DatabaseTask, folder: Path) -> None:
    """Everything but the labels of test rows."""
    content = {
        "kind": task.kind,
        "time": task.time,
        "table_times": task.table_times,
        "keys": task.keys,
        "memory": task.memory,
        "late": task.late.tolist(),
        "target": task.target[~task.late].astype(float).tolist(),
    }
    (folder / "task.json").write_text(json.dumps(content), encoding="utf-8")
    task.rows.to_parquet(folder / "rows.parquet")
    coded(flat_table(task), task.late).to_parquet(folder / "flat.parquet")
    for name, table in task.tables.items():
        table.reset_index(drop=True).to_parquet(folder / f"table_{name}.parquet")


def ask_peer(method: str, task: DatabaseTask) -> PeerColumns:
    """One method on a task. What it made is kept in ``build/databases`` and read from there the next time."""
    python = peer_python()
    folder = _CACHE / f"{task.name.replace(' ', '_')}-{len(task.rows)}"
    report, columns = folder / f"{method}.json", folder / f"{method}.parquet"
    if not report.is_file():
        if python is None:
            return PeerColumns(None, 0.0, "there is no environment of peers: build/peers-venv or ASSAY_PEERS_PYTHON")
        folder.mkdir(parents=True, exist_ok=True)
        write_task(task, folder)
        seconds, reason = _run(python, method, folder)
        report.write_text(json.dumps({"seconds": seconds, "reason": reason}), encoding="utf-8")
    outcome = json.loads(report.read_text(encoding="utf-8"))
    return PeerColumns(None if outcome["reason"] else pd.read_parquet(columns), outcome["seconds"], outcome["reason"])


def _run(python: Path, method: str, folder: Path) -> tuple[float, str]:
    """In processes of their own with so much CPU time each; what they took, and why they made nothing."""
    command = [str(python), str(Path(__file__).parent / "run_peer.py"), method, str(folder), str(LIMIT)]
    variables = {**os.environ, **dict.fromkeys(_THREADS, "1")}
    process = subprocess.Popen(
        command, cwd=folder, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    begun, errors = cpu_seconds(), ""
    try:
        errors = process.communicate(timeout=_PATIENCE * LIMIT)[1]
    except subprocess.TimeoutExpired:
        errors = "it hangs"
    seconds = _cpu_of_group(process.pid)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # with the engine that it may have started
    process.wait()
    seconds += cpu_seconds() - begun
    if process.returncode == 0:
        return seconds, ""
    late = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL) or seconds >= LIMIT
    return seconds, f"not done after {LIMIT} s of CPU" if late else (errors.strip().splitlines() or ["no message"])[-1][
        :160
    ]


def _cpu_of_group(group: int) -> float:
    """Of the processes that are left of a group: an engine that answers no longer."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group and fields[0] != "Z":
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
