"""What the evaluation of a single run writes: ``single_eval_report.csv``, a row per drift and one over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.core import InvalidInput
from assay.drift.detection.drift import Drift
from assay.drift.examine.master_report import ALL, mean_cells, ranking_cells, ranking_columns
from assay.drift.explanation.explain_log import Explained
from assay.drift.problem.writing import writing
from assay.intake.csv_lines import csv_text

__all__ = ["SINGLE_REPORT", "single_report", "write_single_report"]

SINGLE_REPORT = "single_eval_report.csv"


def single_report(judged: Sequence[Explained], *, ks: Sequence[int]) -> str:
    """The report as CSV: a drift's row and number in the detector's file, then the columns of the master report.

    A drift without a golden document has empty metrics.
    """
    lines = [["row", "drift_index", "drift_id", "drift_type", "gold_document", *ranking_columns(ks)]]
    rows = [entry.scores(ks) for entry in judged]
    for entry, scores in zip(judged, rows, strict=True):
        drift, ranking = entry.explanation.drift, [scored.document for scored in entry.explanation.ranking]
        lines.append([*_numbers(drift), drift.id, drift.type, *ranking_cells(entry.golden, ranking, scores, ks)])
    return csv_text([*lines, [ALL, ALL, ALL, ALL, *mean_cells(rows, ks)]])


def write_single_report(folder: Path, judged: Sequence[Explained], *, ks: Sequence[int]) -> Path:
    """Write the report into a folder; at least one drift must have a golden document."""
    if not any(entry.golden for entry in judged):
        raise InvalidInput("no drift has a golden document, so nothing can be evaluated. Name it with --gold.")
    path = Path(folder) / SINGLE_REPORT
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(single_report(judged, ks=ks), encoding="utf-8")
    return path


def _numbers(drift: Drift) -> list[str]:
    """The row of a drift's log and its number there, from its id."""
    _, row, number = drift.id.rsplit("_", 2) if drift.id.count("_") > 1 else ("", "", "")
    return [row, number]
