"""The tidy frame of scores: a row per problem, subject, seed and metric, made column by column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.report.export.long_form import TAG
from assay.report.track_records import TrackRecords
from assay.stats.record_table import Coded, decode_label

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SCORE_COLUMNS", "score_frame"]

SCORE_COLUMNS = ("track", "problem", "subject", "seed", "metric", "value", "status")


def score_frame(tracks: Sequence[TrackRecords]) -> pd.DataFrame:
    """Records in the plans' order, metrics in the track's; an undefined value is nan, a tag that is lacking too."""
    import pandas as pd

    parts = [_frame(track) for track in tracks if len(track.table)]
    if not parts:
        return pd.DataFrame(columns=list(SCORE_COLUMNS))
    frame = pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0]
    tags = sorted(set(frame.columns) - set(SCORE_COLUMNS))
    return frame[[*SCORE_COLUMNS, *tags]]


def _frame(track: TrackRecords) -> pd.DataFrame:
    import pandas as pd

    table = track.table
    current = [metric.name for metric in track.track.metrics if metric.name in table.scores]
    metrics = [*current, *sorted(set(table.scores) - set(current))]
    there = np.column_stack(
        [~table.absent[name] if name in table.absent else np.ones(len(table), bool) for name in metrics]
    )
    rows, columns = there.nonzero()

    def labels(name: str) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
        return _texts(table.labels[name])[rows]

    content: dict[str, object] = {
        "track": track.track.name,
        "problem": labels("problem"),
        "subject": labels("subject"),
        "seed": np.array([int(seed) for seed in table.labels["seed"].values])[table.labels["seed"].codes][rows],
        "metric": np.array(metrics, dtype=object)[columns],
        "value": np.column_stack([table.scores[name] for name in metrics])[rows, columns],
        "status": labels("status"),
    }
    texts, codes = table.labels["tags"]
    tags = [decode_label("tags", text) for text in texts]
    for tag in sorted({name for entry in tags for name in entry}):
        values = [entry.get(tag) for entry in tags]
        content[TAG + tag] = pd.Series(values).to_numpy()[codes][rows]
    return pd.DataFrame(content)


def _texts(column: Coded) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    values: np.ndarray[tuple[int], np.dtype[np.object_]] = np.array(column.values, dtype=object)[column.codes]
    return values
