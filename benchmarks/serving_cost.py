"""What a watched run costs: runs of 500 cells in pairs, with and without a server and a reader beside them.

``python -m benchmarks.serving_cost --pairs 10`` prints a JSON object: of every pair the seconds of the run alone and of
the watched run, the processor seconds of both and of the server before, during and after the run; the mean ratios with
95 % intervals; and of every watched run how many cells each page had that the reader saw, and whether the last page
held the same data as the offline file. On one core (``taskset -c 1``) all that the server computes delays the run.

``--keep FILE`` appends each pair to a file, and the ratios are those of all pairs in it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

_SUBJECTS = ("vote", "max-probability", "nearest-distance", "correspondence")
_SEEDS, _PROBLEMS, _CASES, _QUERIES = 5, 25, 3000, 1500  # a run of most of a minute
_BACKGROUND = 10  # as ``assay run --serve`` stands back


def main() -> None:
    """Run the pairs, in turns, and print what was measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    from assay.cases import generate

    lines = options.keep.read_text().splitlines() if options.keep is not None and options.keep.exists() else []
    entries: list[dict[str, Any]] = [json.loads(line) for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        problems = Path(folder) / "problems"
        generate(problems, problems=_PROBLEMS, seed=3, cases=_CASES, queries=_QUERIES)
        _run(problems, Path(folder) / "first", watched=False, seeds=1)  # what is compiled once is compiled now
        for pair in range(len(entries), len(entries) + options.pairs):
            order = (False, True) if pair % 2 == 0 else (True, False)
            entry: dict[str, Any] = {}
            for watched in order:
                entry |= _run(problems, Path(folder) / f"{pair}-{watched}", watched=watched)
            entries.append(entry)
            print(json.dumps(entry), file=sys.stderr, flush=True)
            if options.keep is not None:
                with options.keep.open("a") as stream:
                    stream.write(json.dumps(entry) + "\n")
    print(json.dumps({"pairs": entries, **_summary(entries)}, indent=2))


def _summary(entries: list[dict[str, Any]]) -> dict[str, Any]:
    ratios = {
        "run's elapsed time, watched over alone": [
            entry["watched_seconds"] / entry["alone_seconds"] for entry in entries
        ],
        "run's processor time, watched over alone": [entry["watched_cpu"] / entry["alone_cpu"] for entry in entries],
        "server's processor time during the run over elapsed time": [
            entry["server_during"] / entry["watched_seconds"] for entry in entries
        ],
    }
    return {name: _interval(values) for name, values in ratios.items()}


def _interval(values: list[float]) -> dict[str, float]:
    """Geometric mean with its t interval."""
    logs = np.log(values)
    half = stats.t.ppf(0.975, len(logs) - 1) * logs.std(ddof=1) / math.sqrt(len(logs)) if len(logs) > 1 else math.nan
    low, middle, high = (float(np.exp(logs.mean() + shift)) for shift in (-half, 0.0, half))
    return {"mean": middle, "low": low, "high": high}


def _run(problems: Path, out: Path, *, watched: bool, seeds: int = _SEEDS) -> dict[str, Any]:
    command = [sys.executable, "-m", "assay", "run", "cases", "--problems", str(problems), "--out", str(out)]
    command += [part for name in _SUBJECTS for part in ("--subject", name)]
    command += [part for seed in range(seeds) for part in ("--seed", str(seed))]
    command += ["--workers", "1"]
    server = _Server(out) if watched else None
    before = server.cpu() if server else 0.0
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    assert status == 0, f"{' '.join(command)} failed"
    name = "watched" if watched else "alone"
    entry = {f"{name}_seconds": seconds, f"{name}_cpu": usage.ru_utime + usage.ru_stime}
    if server is None:
        return entry
    during = server.cpu() - before
    return entry | {"server_before": before, "server_during": during} | server.end(out, before + during)


class _Server:
    """A server, and a reader that asks for the page at every edition, as a browser does."""

    def __init__(self, out: Path) -> None:
        self._process = subprocess.Popen(
            ["nice", "-n", str(_BACKGROUND), sys.executable, "-m", "assay", "serve", str(out)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        self._address = re.findall(r"http://\S+/", line)[0] + f"{out.name.lower()}/"
        self.pages: list[int] = []
        self.last = ""
        self._has_read = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        assert self._has_read.wait(60)  # that nothing is there yet: the server has started

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _read(self) -> None:
        with urllib.request.urlopen(f"{self._address}events", timeout=3600) as news:
            for line in news:
                if line.startswith(b"data:"):
                    with urllib.request.urlopen(self._address, timeout=3600) as page:
                        self.last = page.read().decode()
                    self.pages.append(_cells(self.last))
                    self._has_read.set()

    def end(self, out: Path, so_far: float) -> dict[str, Any]:
        """What it cost and showed; the last page is compared with the offline file."""
        from assay.report import load
        from assay.report.page.html import html

        waited = time.monotonic()
        offline = _data(html(load(out)))
        offline.pop("packed")
        while True:
            served = _data(self.last) if 'class="data"' in self.last else {}
            served.pop("keys", None)
            if served == offline or time.monotonic() - waited > 240:
                break
            time.sleep(1)
        self._process.send_signal(signal.SIGINT)
        _, _, usage = os.wait4(self._process.pid, 0)
        return {
            "server_after": usage.ru_utime + usage.ru_stime - so_far,
            "cells_on_each_page": self.pages,
            "last_page_equals_the_offline_file": served == offline,
        }


def _data(page: str) -> dict[str, Any]:
    (block,) = re.findall(r'<script type="application/json" class="data"[^>]*>(.*?)</script>', page, re.DOTALL)
    content: dict[str, Any] = json.loads(block)
    return content


def _cells(page: str) -> int:
    return sum(cell[0] for row in _data(page)["cells"] for cell in row) if 'class="data"' in page else 0


if __name__ == "__main__":
    main()
