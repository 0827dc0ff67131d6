"""Reading the four core columns of a generated XES file of 120 MB: ours beside pm4py's default reader.

Every reader runs in a process of its own; time is CPU time of the whole process with its imports, and of the reading
alone; memory is the peak of the process. pm4py is installed for this measurement only: its licence keeps it out of our
dependencies.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import Rows, Unmeasured, beside, counted, sized
from benchmarks.peers import peer

CASES, EVENTS = sized(6400, 100), 13

_READERS = {
    "assay": """
from assay.drift.logs.read import read_log
imported, idle = time.process_time(), peak()
log = read_log(sys.argv[1])
read = time.process_time()
frame_cases, frame_events = len(log), log.events
check = [sum(log.times.tolist()) // 1000, sorted(log.activities), sorted(log.resources)]
""",
    "assay, element by element": """
from assay.drift.logs.read import read_log
imported, idle = time.process_time(), peak()
log = read_log(sys.argv[1], attributes=["lifecycle:transition"])
read = time.process_time()
frame_cases, frame_events = len(log), log.events
check = [sum(log.times.tolist()) // 1000, sorted(log.activities), sorted(log.resources)]
""",
    "pm4py": """
import pm4py
imported, idle = time.process_time(), peak()
frame = pm4py.read_xes(sys.argv[1])
read = time.process_time()
frame_cases, frame_events = frame["case:concept:name"].nunique(), len(frame)
stamps = frame["time:timestamp"].dt.tz_convert("UTC").dt.tz_localize(None).astype("datetime64[us]").astype("int64")
check = [sum(stamps.tolist()), sorted(frame["concept:name"].unique()), sorted(frame["org:resource"].unique())]
""",
}

_HEAD = """
import json, resource, sys, time
def peak():  # of this program: ru_maxrss also counts the process that started it
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024
"""

_TAIL = """
row = {"cpu": read, "reading": read - imported, "idle_mb": idle, "peak_mb": peak()}
print("RESULT" + json.dumps({**row, "cases": int(frame_cases), "events": int(frame_events), "check": check}))
"""


def write_log(path: Path, *, cases: int = CASES) -> None:
    """A log with many attributes that nobody asks for, as real ones have them."""
    rng = np.random.default_rng(7)
    with path.open("w", encoding="utf-8") as out:
        out.write('<?xml version="1.0" encoding="UTF-8" ?>\n<log xes.version="1.0" xes.features="nested-attributes">\n')
        out.write('\t<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>\n')
        out.write('\t<global scope="event">\n\t\t<string key="concept:name" value="__INVALID__"/>\n\t</global>\n')
        for case in range(cases):
            out.write(f'\t<trace>\n\t\t<string key="concept:name" value="declaration {100000 + case}"/>\n')
            for number, value in enumerate(rng.integers(0, 1000, 70)):
                out.write(f'\t\t<string key="case attribute {number}" value="value {value}"/>\n')
            values = rng.integers(0, 1000, (EVENTS, 17))
            for event in range(EVENTS):
                minute = case * 60 + event * 7
                stamp = np.datetime_as_string(np.datetime64("2018-01-01T00:00:00.000") + np.timedelta64(minute, "m"))
                out.write(
                    f'\t\t<event>\n\t\t\t<string key="org:resource" value="STAFF {values[event, 0] % 40}"/>\n'
                    f'\t\t\t<string key="concept:name" value="Activity number {values[event, 1] % 25}"/>\n'
                    f'\t\t\t<date key="time:timestamp" value="{stamp}+01:00"/>\n'
                    '\t\t\t<string key="lifecycle:transition" value="complete"/>\n'
                )
                for number, value in enumerate(values[event]):
                    out.write(f'\t\t\t<string key="a further attribute {number}" value="text {value}"/>\n')
                out.write("\t\t</event>\n")
            out.write("\t</trace>\n")
        out.write("</log>\n")


def _run(reader: str, path: Path, *, pythonpath: str = "") -> dict[str, float] | None:
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _HEAD + _READERS[reader] + _TAIL, str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": pythonpath},
    )
    if process.returncode:
        print(f"{reader}: not measured: {process.stderr.strip().splitlines()[-1]}")
        return None
    row: dict[str, float] = json.loads(process.stdout.partition("RESULT")[2])
    print(
        f"{reader:28} CPU {row['cpu']:6.2f} s with imports, {row['reading']:6.2f} s reading   "
        f"peak {row['peak_mb']:5.0f} MB, {row['idle_mb']:4.0f} MB before reading"
    )
    return row


def main() -> Rows:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "Generated.xes"
        write_log(path)
        print(f"{path.stat().st_size / 1e6:.0f} MB, {CASES} cases, {CASES * EVENTS} events, four columns")
        ours = _run("assay", path)
        if ours:
            peak = ours["peak_mb"] * 2**20 / path.stat().st_size
            yield counted("reading XES: peak memory of the process", peak, "x file")
        _run("assay, element by element", path)
        folders = [peer("pm4py==2.7.23.11"), peer("networkx==3.4.2")]
        theirs = _run("pm4py", path, pythonpath=os.pathsep.join(map(str, folders))) if all(folders) else None
        if not theirs:
            yield Unmeasured(name="reading XES: CPU", reason="pm4py is not here")
        if ours and theirs:
            same = all(ours[key] == theirs[key] for key in ("cases", "events", "check"))
            print(f"  same events: {same}; pm4py / assay: {theirs['cpu'] / ours['cpu']:.1f} with imports, ", end="")
            print(
                f"{theirs['reading'] / ours['reading']:.1f} reading, {theirs['peak_mb'] / ours['peak_mb']:.1f} memory"
            )
            yield beside("reading XES: CPU with imports", ours["cpu"], "s", peer="pm4py", theirs=theirs["cpu"])
            name, before = "reading XES: CPU of the reading", theirs["reading"]
            yield beside(name, ours["reading"], "s", peer="pm4py", theirs=before)
