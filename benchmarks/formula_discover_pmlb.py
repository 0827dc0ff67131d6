"""`discover` on PMLB's regression tables under SRBench's protocol: its places among the published algorithms.

Splits, standardisation and seeds are SRBench's. Options: ``--seconds``, ``--splits`` (of SRBench's ten),
``--subjects``, ``--csv`` (a row for every table and split, written as they come; what the file has is not run again),
``--processor-time`` (on a busy machine: seconds of budgets are those of the processor). No processes and no sandbox, so
that a run can be stopped and resumed at any table; ``formula_pmlb`` goes through the harness.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from assay.core import Budget
from assay.formula import TRACK, load
from assay.formula.competition.published import Beside, Figures, read_published
from assay.formula.competition.standing import standing_summary, standings
from assay.formula.examine.examination import examine
from assay.formula.metrics import METRICS
from assay.formula.problem.pmlb import write_pmlb_problems
from assay.harness.subject_ref import build_subject, resolve_subject
from benchmarks.formula_discover import on_processor_time
from benchmarks.measure import Rows, Unmeasured, shown, sized

_UNKNOWN = Figures(math.nan, math.nan, math.nan)


class Cell(NamedTuple):
    """One split of one table: R² on test rows, nodes, seconds of the processor."""

    dataset: str
    split: str
    subject: str
    r2: float
    size: float
    seconds: float


def measure(arguments: argparse.Namespace) -> Rows:
    """Run what is missing, then print where every subject stands."""
    place = Path(os.environ.get("ASSAY_BENCHMARKS", ""))
    folder, published = place / "pmlb" / "regression", place / "formula" / "srbench_blackbox_results.csv.gz"
    if not folder.is_dir() or not published.is_file():
        yield Unmeasured(name="", reason="ASSAY_BENCHMARKS points at no tables of PMLB with SRBench's results")
        return
    if arguments.processor_time:
        on_processor_time()
    cells = _read(arguments.csv)
    with tempfile.TemporaryDirectory() as temporary:
        write_pmlb_problems(Path(temporary) / "problems", folder, splits=arguments.splits)
        for path in sorted((Path(temporary) / "problems").iterdir()):
            for name in arguments.subjects:
                dataset, _, split = path.name.rpartition("-")
                if not any((one.dataset, one.split, one.subject) == (dataset, split, name) for one in cells):
                    cells.append(_cell(path, dataset, split, name, arguments.seconds))
                    _write(arguments.csv, cells[-1])
    groups: dict[tuple[str, str], list[Cell]] = {}
    for one in cells:
        groups.setdefault((one.dataset, one.subject), []).append(one)
    rows = [
        Beside(dataset, subject, len(some), 0, _figures(some), "", _UNKNOWN)
        for (dataset, subject), some in groups.items()
    ]
    places = standings(rows, read_published(published))
    print(standing_summary(places))
    for entry in places:
        if entry.ours:
            yield shown(f"{entry.name}: place by R² of {len(places)}", entry.r2_place, "")
            yield shown(f"{entry.name}: place by size of {len(places)}", entry.size_place, "")


def _figures(cells: Sequence[Cell]) -> Figures:
    return Figures(
        median(one.r2 for one in cells), median(one.size for one in cells), median(one.seconds for one in cells)
    )


def _cell(path: Path, dataset: str, split: str, name: str, seconds: float) -> Cell:
    problem = load(path)
    subject = build_subject(resolve_subject(name, TRACK), TRACK)
    began = time.process_time()
    answer = subject.solve(problem.task, Budget(seconds=seconds))
    took = time.process_time() - began
    evidence = examine(problem, answer, {"simplification": "canonical"})
    scores = {metric.name: metric.function(evidence) for metric in METRICS if metric.name in ("r2", "complexity")}
    print(f"  {name}: {path.name}: R² {scores['r2']:.3f}, {scores['complexity']:.0f} nodes, {took:.1f} s", flush=True)
    return Cell(dataset, split, name, scores["r2"], scores["complexity"], took)


def _read(path: Path | None) -> list[Cell]:
    if path is None or not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            Cell(
                row["dataset"],
                row["split"],
                row["subject"],
                float(row["r2"]),
                float(row["size"]),
                float(row["seconds"]),
            )
            for row in csv.DictReader(lines)
        ]


def _write(path: Path | None, cell: Cell) -> None:
    if path is not None:
        new = not path.is_file()
        with path.open("a", encoding="utf-8", newline="") as lines:
            csv.writer(lines).writerows([Cell._fields, cell] if new else [cell])


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=sized(30.0, 3.0))
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--subjects", nargs="*", default=["discover"])
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--processor-time", action="store_true")
    return parser.parse_args(arguments)


def main() -> Rows:
    yield from measure(_arguments([]))


if __name__ == "__main__":
    for _ in measure(_arguments(sys.argv[1:])):
        pass
