"""All figures of one run with facts about the machine, as JSON and as a Markdown table."""

from __future__ import annotations

import importlib.metadata
import json
import math
import os
import platform
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.core import InvalidInput, read_json
from benchmarks.measure import Measured, Row, Unmeasured, row_from_json, row_to_json

__all__ = ["BEGIN", "END", "Results", "machine_facts", "table", "write_table"]

LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "numba", "pyarrow", "sympy", "ray", "faiss-cpu")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Rows by benchmark, benchmarks that broke with the reason, and where and when it was."""

    rows: dict[str, list[Row]]
    failed: dict[str, str] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)
    quick: bool = False

    def measured(self) -> dict[str, Measured]:
        """All figures by benchmark and name."""
        return {
            f"{benchmark}: {row.name}": row
            for benchmark, rows in self.rows.items()
            for row in rows
            if isinstance(row, Measured)
        }

    def unmeasured(self) -> dict[str, str]:
        """The beginnings of names that could not be measured, with the reason."""
        return {
            f"{benchmark}: {row.name}": row.reason
            for benchmark, rows in self.rows.items()
            for row in rows
            if isinstance(row, Unmeasured)
        }

    def write(self, path: Path) -> None:
        """As strict JSON."""
        body = {
            "machine": self.machine,
            "quick": self.quick,
            "rows": {name: [row_to_json(row) for row in rows] for name, rows in self.rows.items()},
            "failed": self.failed,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(body, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Results:
        """What :meth:`write` wrote."""
        body: Any = read_json(path)
        try:
            rows = {name: [row_from_json(row) for row in listed] for name, listed in body["rows"].items()}
            return cls(rows=rows, failed=dict(body["failed"]), machine=dict(body["machine"]), quick=body["quick"])
        except (KeyError, TypeError, AttributeError) as error:
            raise InvalidInput(f"{path}: not a file that `python -m benchmarks --json` wrote ({error!r}).") from error


def machine_facts() -> dict[str, Any]:
    """What figures depend on; neither a name of the machine nor a path."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(memory, 1),
        "python": platform.python_version(),
        "libraries": {name: version for name in LIBRARIES if (version := _version(name)) is not None},
    }


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def table(results: Results) -> str:
    """One table of all figures, and lists of what is missing."""
    facts = results.machine
    libraries = ", ".join(f"{name} {version}" for name, version in facts.get("libraries", {}).items())
    lines = [
        f"{facts.get('date', '')}: {facts.get('system', '')}, {facts.get('cores', '?')} cores, "
        f"{facts.get('memory_gib', '?')} GiB, Python {facts.get('python', '?')}; {libraries}."
        + (" Small sizes (`--quick`): not for comparison." if results.quick else ""),
        "",
        "| benchmark | measured | Assay | beside it | ratio | in the gate |",
        "|---|---|---:|---:|---:|---|",
    ]
    for benchmark, rows in results.rows.items():
        lines += [_line(benchmark, row) for row in rows if isinstance(row, Measured)]
    missing = {**results.unmeasured(), **{name: f"broke: {why}" for name, why in results.failed.items()}}
    if missing:
        lines += ["", "Not measured:", "", *(f"- {name}: {why}" for name, why in missing.items())]
    return "\n".join(lines) + "\n"


def _line(benchmark: str, row: Measured) -> str:
    theirs = "" if row.theirs is None else f"{row.peer}: {_number(row.theirs)} {row.unit}".rstrip()
    ratio = _number(row.ratio) if row.ratio is not None and row.theirs is not None else ""
    gate = "" if row.ratio is None else f"{row.better} is better"
    cells = (benchmark, row.name, f"{_number(row.value)} {row.unit}".rstrip(), theirs, ratio, gate)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _number(value: float) -> str:
    """Three to four digits that matter."""
    if not math.isfinite(value):
        return "undefined"
    if value == 0 or 0.001 <= abs(value) < 100_000:
        digits = 0 if value == int(value) or abs(value) >= 1000 else max(0, 3 - math.floor(math.log10(abs(value))) - 1)
        return f"{value:,.{digits}f}"
    return f"{value:.2e}"


def write_table(results: Results, path: Path) -> None:
    """Into a file of its own, or between the two marks of a page that has them."""
    text = table(results)
    if path.is_file():
        page = path.read_text(encoding="utf-8")
        if BEGIN in page and END in page:
            head, _, rest = page.partition(BEGIN)
            _, _, tail = rest.partition(END)
            path.write_text(f"{head}{BEGIN}\n\n{text}\n{END}{tail}", encoding="utf-8")
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
