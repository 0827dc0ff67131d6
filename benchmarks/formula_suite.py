"""The built-in suite of the formula track with real methods: does it stay within ten minutes on two cores?

Every method runs on all twelve problems, 30 s for each answer, and the report is written. Wall and CPU time, what each
method found, and how far its text is from its own predict(). Methods whose library is missing are skipped with the
reason.
"""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path

from assay.core import MissingExtra, track_names
from assay.formula.subjects.builtin import SUBJECTS
from assay.harness import RunSpec, run
from assay.report import load, write_html
from benchmarks.measure import Rows, Unmeasured, counted, shown, sized

MAIN = ("gplearn", "pyoperon", "linear")
OTHERS = ("polynomial", "pysindy", "pysr")
SECONDS, LIMIT = sized(30.0, 5.0), 600.0


def _available(names: tuple[str, ...]) -> tuple[str, ...]:
    rows = []
    for name in names:
        try:
            SUBJECTS[name]()
        except MissingExtra as reason:
            print(f"{name}: skipped: {reason}")
        else:
            rows.append(name)
    return tuple(rows)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _measure(names: tuple[str, ...], folder: Path) -> Rows:
    spec = RunSpec(track="formula", subjects=names, seconds=SECONDS)
    started, cpu = time.perf_counter(), _cpu()
    result = run([spec], out=folder, workers=2)
    write_html(load(folder), folder / "report.html")
    wall, used = time.perf_counter() - started, _cpu() - cpu
    print(
        f"{', '.join(names)}: {result.cells} cells, report included, in {wall:.0f} s wall with two workers "
        f"({wall / LIMIT:.0%} of ten minutes), {used:.0f} s CPU"
    )
    yield shown(f"{', '.join(names)}: wall time with two workers", wall, "s")
    records = [record for entry in load(folder).tracks for record in entry.records]
    for name in sorted({record.subject for record in records}):
        mine = [record for record in records if record.subject == name]
        solved = sum(record.scores["solved"] for record in mine if record.scores["solved"] > 0)
        score = sum(record.scores["property_score"] for record in mine) / len(mine)
        apart = max(record.scores["prediction_mismatch"] for record in mine)
        failed = sum(record.status == "failed" for record in mine)
        cpu_each = sum(record.cost.get("cpu_seconds", 0.0) for record in mine) / len(mine)
        print(
            f"  {name}: property score {score:.3f}, formulas found {solved:.1f} of {len(mine)}, failed {failed}, "
            f"{cpu_each:.1f} s CPU per answer, text and predict() at most {apart:.1e} sd apart"
        )
        if name != "pysindy":  # the search goes as far as its time allows, so a little room
            yield counted(f"{name}: property score", score, "", better="more", tolerance=0.15)
        yield counted(f"{name}: failed cells", failed, "")


def main() -> Rows:
    if "formula" not in track_names():
        print("skipped: the track is not installed as an entry point")
        yield Unmeasured(name="", reason="the track is not installed as an entry point")
        return
    with tempfile.TemporaryDirectory() as name:
        for group in (MAIN, OTHERS):
            rows = _available(group)
            for missing in sorted(set(group) - set(rows)):
                yield Unmeasured(name=missing, reason="its library is not here")
            if rows:
                yield from _measure(rows, Path(name) / group[0])
