"""Results on PMLB's tables beside those that SRBench published."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from assay.core import InvalidInput, Record, UnknownName
from assay.core.files.folders import demand_file
from assay.formula.problem.pmlb import open_text

__all__ = ["Beside", "Figures", "beside_published", "beside_summary", "middle", "read_published"]

_SIZE, _SECONDS = "model_size", "training time (s)"
_NEEDED = ("algorithm", "dataset", "r2_test", _SIZE)
_LARGEST = 1 << 26
_OURS = {"pyoperon": "operon"}  # subjects that SRBench calls otherwise


class Figures(NamedTuple):
    """Medians over splits: R² on test rows, nodes, seconds to fit."""

    r2: float
    size: float
    seconds: float


class Beside(NamedTuple):
    """One subject on one data set, and the published algorithm that it is compared with."""

    dataset: str
    subject: str
    splits: int
    failed: int
    ours: Figures
    algorithm: str
    published: Figures

    @property
    def difference(self) -> float:
        """Ours less the published R²."""
        return self.ours.r2 - self.published.r2


def read_published(path: Path) -> dict[tuple[str, str], Figures]:
    """SRBench's ``blackbox_results.csv``, packed or not: figures by algorithm and data set."""
    demand_file(path)
    try:
        with open_text(path) as stream:
            text = stream.read(_LARGEST)
        rows = list(csv.DictReader(io.StringIO(text)))
        missing = next((name for name in _NEEDED if not rows or name not in rows[0]), None)
        if missing is not None:
            raise InvalidInput(f"{path}: has no column {missing!r}. Give SRBench's blackbox_results.csv.")
        return {
            (row["algorithm"], row["dataset"]): Figures(
                float(row["r2_test"]), float(row[_SIZE] or "nan"), float(row.get(_SECONDS) or "nan")
            )
            for row in rows
        }
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, ValueError, TypeError) as error:
        raise InvalidInput(f"{path}: cannot be read as SRBench's table of results ({error}).") from None


def middle(values: Iterable[float], *, unknown: float) -> float:
    """The median, where what is unknown counts as the worst; nan where that is in the middle.

    >>> middle([3.0, math.nan, 1.0], unknown=math.inf), middle([math.nan], unknown=math.inf)
    (3.0, nan)
    """
    middle_value = median(unknown if math.isnan(value) else value for value in values)
    return middle_value if math.isfinite(middle_value) else math.nan


def beside_published(
    records: Iterable[Record], published: Mapping[tuple[str, str], Figures], *, pairs: Mapping[str, str] | None = None
) -> list[Beside]:
    """Medians over the splits of every data set beside the published ones.

    Parameters
    ----------
    records : iterable of Record
        Of problems that `assay formula generate --pmlb` wrote; others are passed over.
    published : mapping
        What ``read_published`` gave.
    pairs : mapping of str to str, optional
        The algorithm to compare a subject with; by default the one of its name.

    Returns
    -------
    list of Beside
        A failed split counts as R² 0, which is that of the mean.

    Raises
    ------
    UnknownName
        If the algorithm is not found.
    """
    cells: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if record.tags.get("origin") == "pmlb":
            cells.setdefault((str(record.tags["dataset"]), record.subject), []).append(record)
    if not cells:
        raise InvalidInput("no results on tables of PMLB here: make problems with assay formula generate --pmlb DIR.")
    algorithms = list(dict.fromkeys(name for name, _ in published))
    chosen = {subject: _algorithm(subject, algorithms, pairs or {}) for _, subject in cells}
    return [
        Beside(
            dataset=dataset,
            subject=subject,
            splits=len(cell_records),
            failed=sum(record.status == "failed" for record in cell_records),
            ours=_figures(cell_records),
            algorithm=chosen[subject],
            published=published.get((chosen[subject], dataset), Figures(math.nan, math.nan, math.nan)),
        )
        for (dataset, subject), cell_records in sorted(cells.items())
    ]


def _algorithm(subject: str, algorithms: Sequence[str], pairs: Mapping[str, str]) -> str:
    """SRBench marks symbolic methods with a star."""
    if subject in pairs:
        if pairs[subject] not in algorithms:
            raise UnknownName("published algorithm", pairs[subject], algorithms)
        return pairs[subject]
    name = subject.partition("(")[0].lower()
    return next((entry for entry in algorithms if entry.strip("*").lower() == _OURS.get(name, name)), "")


def _figures(records: Sequence[Record]) -> Figures:
    scored = [record for record in records if record.status != "failed"]
    return Figures(
        middle((record.scores["r2"] if record.status != "failed" else 0.0 for record in records), unknown=-math.inf),
        middle((record.scores["complexity"] for record in scored), unknown=math.inf) if scored else math.nan,
        median(record.cost.get("cpu_seconds", record.seconds) for record in scored) if scored else math.nan,
    )


def beside_summary(rows: Sequence[Beside]) -> str:
    """A line per data set and subject, then the medians over the data sets that both have."""
    width = max(len(row.dataset) for row in rows)
    names = max(len(row.subject) for row in rows)
    lines = [f"{'data set':{width}}  {'subject':{names}}  splits      R²  published     diff   nodes  published"]
    for row in rows:
        failed = f"  {row.failed} failed" if row.failed else ""
        lines.append(
            f"{row.dataset:{width}}  {row.subject:{names}}  {row.splits:6}  {row.ours.r2:6.3f}  {row.published.r2:9.3f}"
            f"  {row.difference:+7.3f}  {row.ours.size:6.0f}  {row.published.size:9.0f}{failed}"
        )
    lines.append("")
    for subject in dict.fromkeys(row.subject for row in rows):
        both = [row for row in rows if row.subject == subject and not math.isnan(row.difference)]
        if not both:
            lines.append(f"{subject}: no published algorithm to compare with on these data sets.")
            continue
        lines.append(
            f"{subject} and {both[0].algorithm}, {len(both)} data sets: median R² {median(r.ours.r2 for r in both):.3f}"
            f" and {median(r.published.r2 for r in both):.3f}, median difference "
            f"{median(r.difference for r in both):+.3f}, nodes "
            f"{middle((r.ours.size for r in both), unknown=math.inf):.0f} and "
            f"{middle((r.published.size for r in both), unknown=math.inf):.0f}"
        )
    return "\n".join(lines)
