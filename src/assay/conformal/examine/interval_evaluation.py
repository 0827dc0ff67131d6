"""Everything that can be said of intervals and true numbers, as plain values and as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.conformal.metrics.certainty import coverage_test, share_interval
from assay.conformal.metrics.interval_input import as_number_columns
from assay.conformal.metrics.intervals import interval_score
from assay.conformal.metrics.volumes import marginal_interval, taskwise_relative_width
from assay.conformal.regions.region import Intervals, hit_counts, region_hits
from assay.conformal.sets.checks import FloatArray, as_alpha
from assay.core.display import counted

__all__ = ["evaluate_intervals", "interval_evaluation_text"]


def evaluate_intervals(
    intervals: Mapping[str, Intervals],
    truth: Mapping[str, Any],
    *,
    alpha: float | None = None,
    known: Mapping[str, Any] | None = None,
    beside: FloatArray | None = None,
) -> dict[str, Any]:
    """Coverage and width of each task, and the coverage of all at once.

    ``known`` are true numbers of calibration samples, for relative widths at ``alpha``; ``beside`` says which samples
    the sets of other tasks cover (1, 0, nan), which all tasks at once then count as well.

    >>> intervals = Intervals(np.array([0.0, 0.0]), np.array([2.0, 1.0]))
    >>> body = evaluate_intervals({"price": intervals}, {"price": [1.0, 3.0]}, alpha=0.5)
    >>> body["tasks"][0]["coverage"][0], body["tasks"][0]["width"], body["tasks"][0]["interval_score"]
    (0.5, 1.5, 5.5)
    """
    columns = as_number_columns(intervals, truth, "truth")
    hits = [region_hits(own, numbers) for own, numbers in zip(intervals.values(), columns, strict=True)]
    shares: list[float] = []
    if known is not None and alpha is not None:
        shares = taskwise_relative_width(intervals, known, alpha).tolist()
    rows = []
    for place, ((name, own), numbers, inside) in enumerate(zip(intervals.items(), columns, hits, strict=True)):
        row: dict[str, Any] = {
            "name": name,
            "known": int((~np.isnan(inside)).sum()),
            "coverage": list(share_interval(*hit_counts(inside))),
            "width": float(own.width.mean()),
            "median_width": float(np.median(own.width)),
            "empty": int((own.low > own.high).sum()),
            "unbounded": int((np.isinf(own.low) | np.isinf(own.high)).sum()),
        }
        if alpha is not None:
            row["interval_score"] = interval_score(own, numbers, alpha=alpha)
            row["test"] = coverage_test(*hit_counts(inside), alpha=alpha)._asdict()
        if known is not None and alpha is not None:
            row["relative_width"] = shares[place]
            row["marginal_interval"] = list(marginal_interval(known[name], alpha))
        rows.append(row)
    together = np.stack(hits if beside is None else [*hits, beside]).min(axis=0)
    body: dict[str, Any] = {
        "samples": len(together),
        "tasks": rows,
        "joint_coverage": list(share_interval(*hit_counts(together))),
    }
    if alpha is not None:
        body["alpha"], body["nominal"] = float(alpha), 1 - float(as_alpha(alpha))
        body["joint_test"] = coverage_test(*hit_counts(together), alpha=alpha)._asdict()
    if known is not None and alpha is not None:
        body["relative_width"] = float(np.mean([row["relative_width"] for row in rows]))
    return body


def interval_evaluation_text(body: Mapping[str, Any]) -> str:
    """The evaluation for people."""
    rows = body["tasks"]
    lines = [f"{counted(body['samples'], 'sample')}, {counted(len(rows), 'task')} of numbers", ""]
    width = max(4, *(len(row["name"]) for row in rows))
    head = f"{'task':{width}}  {'coverage [95 %]':21}  mean width  median  unbounded  empty"
    head += "  score       p(so low)" if "alpha" in body else ""
    lines.append(head + ("  relative width" if "relative_width" in body else ""))
    for row in rows:
        value, low, high = row["coverage"]
        line = (
            f"{row['name']:{width}}  {value:.4f} [{low:.3f}, {high:.3f}]  {row['width']:10.4g}  "
            f"{row['median_width']:6.4g}  {row['unbounded']:9d}  {row['empty']:5d}"
        )
        if "alpha" in body:
            line += f"  {row['interval_score']:<10.4g}  {row['test']['p_below']:<9.3g}"
        if "relative_width" in row:
            line += f"  {row['relative_width']:.4f}"
        lines.append(line)
    value, low, high = body["joint_coverage"]
    lines += ["", f"coverage, all tasks at once    {value:.4f} [{low:.3f}, {high:.3f}]"]
    if "alpha" in body:
        below = body["joint_test"]["p_below"]
        lines.append(f"promised                       {body['nominal']:.4f}; p of a joint coverage so low {below:.3g}")
    if "relative_width" in body:
        lines.append(f"relative width, mean of tasks  {body['relative_width']:.4f} of the interval without a model")
    return "\n".join(lines)
