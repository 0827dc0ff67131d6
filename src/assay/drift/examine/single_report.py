"""What the evaluation of a single run writes: ``single_eval_report.csv``, a row per drift and one over all of them."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from assay.core import InvalidInput
from assay.drift.detection.drift import Drift
from assay.drift.metrics import recall_at_k, reciprocal_rank

__all__ = ["SINGLE_REPORT", "JudgedDrift", "single_report", "write_single_report"]

SINGLE_REPORT = "single_eval_report.csv"
_ALL, _MISSING = "ALL", "N/A"


class JudgedDrift(NamedTuple):
    """A drift, its golden documents, and the documents as they were ranked, with their scores."""

    drift: Drift
    golden: frozenset[str]
    ranking: tuple[str, ...]
    scores: tuple[float, ...]


def single_report(judged: Sequence[JudgedDrift], *, ks: Sequence[int]) -> str:
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
    for drift, golden, ranking, scores in judged:
        metrics = [recall_at_k(ranking, golden, k=k, scores=scores) for k in ks]
        metrics.append(reciprocal_rank(ranking, golden, scores=scores))
        rows.append(metrics)
        shown = [*ranking[:most], *[_MISSING] * (most - len(ranking))]
        writer.writerow(
            [*_numbers(drift), drift.id, drift.type, "; ".join(sorted(golden)), *shown, *map(_cell, metrics)]
        )
    known = [[value for value in column if not math.isnan(value)] for column in zip(*rows, strict=True)]
    means = [math.fsum(values) / len(values) if values else math.nan for values in known]
    writer.writerow([_ALL, _ALL, _ALL, _ALL, f"{len(judged)} drifts", *[""] * most, *map(_cell, means)])
    return stream.getvalue()


def write_single_report(folder: Path, judged: Sequence[JudgedDrift], *, ks: Sequence[int]) -> Path:
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


def _cell(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6g}"
