"""``make bench``: every measurement, one after the other, each in a process of its own.

``python -m benchmarks NAME ...`` runs some of them; ``--json`` and ``--table`` write what was measured;
``python -m benchmarks gate FILE`` compares the ratios in such a file with those kept in ``reference.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.core import AssayError, UnknownName
from benchmarks.gate import REFERENCE, TOLERANCE, compare, keep, read_reference
from benchmarks.measure import QUICK, Row, row_from_json
from benchmarks.one import ROWS
from benchmarks.results import Results, machine_facts, write_table

ALL = (
    *("startup", "overhead", "sandbox", "runners", "million"),
    *("cases_search", "cases_scale", "cases_detectors"),
    *(
        "insight_golden",
        "insight_columns",
        "insight_growth",
        "insight_leakage",
        "insight_generated",
        "insight_relational",
        "insight_halves",
        "insight_databases",
    ),
    *("conformal_speed", "conformal_guarantee"),
    *("formula_equivalence", "formula_suite", "formula_pmlb"),
    *("drift_xes", "drift_detection", "drift_metrics", "drift_explainers", "drift_manners"),
    *("report_size", "growth", "larger_than_memory", "capacity"),
)
ROOT = Path(__file__).parents[1]


def available() -> tuple[str, ...]:
    """The benchmarks whose files are here, in the order in which they run."""
    return tuple(name for name in ALL if (ROOT / "benchmarks" / f"{name}.py").is_file())


def measure(names: tuple[str, ...], *, quick: bool, file: Path | None = None) -> Results:
    """Run benchmarks one after the other; one that breaks does not stop the others. The file is written after each."""
    rows: dict[str, list[Row]] = {}
    failed: dict[str, str] = {}
    results = Results(rows=rows, failed=failed, machine=machine_facts(), quick=quick)
    for name in names:
        print(f"== {name}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows"
            path.touch()
            variables = {**os.environ, ROWS: str(path), **({QUICK: "1"} if quick else {})}
            command = [sys.executable, "-m", "benchmarks.one", name]
            result = subprocess.run(command, env=variables, cwd=ROOT, check=False)
            rows[name] = [row_from_json(json.loads(line)) for line in path.read_text().splitlines()]
        if result.returncode:
            code = result.returncode
            failed[name] = f"signal {-code}" if code < 0 else f"exit status {code}"
            print(f"{name} broke ({failed[name]}); the others go on", flush=True)
        if file is not None:
            results.write(file)
    return results


def _measure(arguments: argparse.Namespace) -> int:
    known = available()
    for name in arguments.names:
        if name not in known:
            raise UnknownName("benchmark", name, known)
    results = measure(tuple(arguments.names) or known, quick=arguments.quick, file=arguments.json)
    if arguments.table is not None:
        write_table(results, arguments.table)
    for name, reason in {**results.unmeasured(), **results.failed}.items():
        print(f"not measured: {name}: {reason}")
    return 1 if results.failed else 0


def _gate(arguments: argparse.Namespace) -> int:
    results = Results.read(arguments.file)
    if arguments.keep:
        print(f"{keep(results, arguments.against)} ratios kept")
        return 0
    comparison = compare(results, read_reference(arguments.against), tolerance=arguments.tolerance)
    for title, lines in (("better than kept", comparison.better), ("not compared", comparison.skipped)):
        for line in lines:
            print(f"{title}: {line}")
    for line in comparison.failures:
        print(f"WORSE: {line}")
    print(f"{comparison.compared} ratios compared, {len(comparison.failures)} worse")
    return 1 if comparison.failures else 0


def main(words: list[str]) -> int:
    """The exit code: 1 when something broke or worsened, 2 when the input was wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    if words[:1] == ["gate"]:
        parser.add_argument("file", type=Path, help="what --json wrote")
        parser.add_argument("--against", type=Path, default=REFERENCE, help="the kept ratios")
        parser.add_argument("--tolerance", type=float, default=TOLERANCE, help="share by which a ratio may worsen")
        parser.add_argument("--keep", action="store_true", help="write the ratios into the reference instead")
        command, rest = _gate, words[1:]
    else:
        parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(available())}; or: gate FILE")
        parser.add_argument("--json", type=Path, help="write all figures with facts about the machine")
        parser.add_argument("--table", type=Path, help="write a Markdown table, or fill that of a page with marks")
        parser.add_argument("--quick", action="store_true", help="small sizes, to see that everything runs")
        command, rest = _measure, words
    arguments = parser.parse_args(rest)
    try:
        return command(arguments)
    except AssayError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
