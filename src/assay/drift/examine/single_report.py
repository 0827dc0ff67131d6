"""What the evaluation of a single run writes: ``single_eval_report.csv``, a row per drift and one over all of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from assay.core import InvalidInput
from assay.drift.detection.drift import Drift
from assay.drift.examine.master_report import ALL, MISSING, number_cell
from assay.drift.explanation.explain_log import Explained
from assay.drift.metrics.ranking import mean_defined

__all__ = ["SINGLE_REPORT", "single_report", "write_single_report"]

SINGLE_REPORT = "single_eval_report.csv"


def single_report(judged: Sequence[Explained], *, ks: Sequence[int]) -> str:
    """The report as CSV: a drift's row and number in the detector's file, then the columns of the master report.

    A drift without a golden document has empty metrics.
    """
    most = max(ks)
    names = [*(f"recall@{k}" for k in ks), "mrr"]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    predicted = [f"predicted_doc_{place}" for place in range(1, most + 1)]
    writer.writerow(["row", "drift_index", "drift_id", "drift_type", "gold_document", *predicted, *names])
    rows = []
    for entry in judged:
        drift, scores = entry.explanation.drift, entry.scores(ks)
        rows.append([scores[name] for name in names])
        shown = [scored.document for scored in entry.explanation.ranking[:most]]
        shown += [MISSING] * (most - len(shown))
        gold = "; ".join(sorted(entry.golden))
        writer.writerow([*_numbers(drift), drift.id, drift.type, gold, *shown, *map(number_cell, rows[-1])])
    means = [mean_defined(column) for column in zip(*rows, strict=True)]
    writer.writerow([ALL, ALL, ALL, ALL, f"{len(judged)} drifts", *[""] * most, *map(number_cell, means)])
    return stream.getvalue()


def write_single_report(folder: Path, judged: Sequence[Explained], *, ks: Sequence[int]) -> Path:
    """Write the report into a folder; at least one drift must have a golden document."""
    if not any(entry.golden for entry in judged):
        raise InvalidInput("no drift has a golden document, so nothing can be evaluated. Name it with --gold.")
    path = Path(folder) / SINGLE_REPORT
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(single_report(judged, ks=ks), encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be written ({error.strerror}). Give another folder.") from None
    return path


def _numbers(drift: Drift) -> list[str]:
    """The row of a drift's log and its number there, from its id."""
    _, row, number = drift.id.rsplit("_", 2) if drift.id.count("_") > 1 else ("", "", "")
    return [row, number]
