"""Insight problems of some megabytes each, quickly: numbers of a seed in the layout of the public benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

__all__ = ["write_problems"]

BASE, EXPERTS, EVENTS = 8, 2, 60  # columns and, for each row, rows of the auxiliary table


def write_problems(folder: Path, count: int, *, rows: int) -> None:
    """Problems up to number ``count``; those that are there already stay."""
    for number in range(count):
        target = folder / f"large-{number:04d}"
        if not target.exists():
            _write(target, number, rows)


def _write(folder: Path, seed: int, rows: int) -> None:
    rng = np.random.default_rng([77, seed])
    data, hidden = folder / "problem" / "data", folder / "ground_truth" / "data"
    data.mkdir(parents=True)
    hidden.mkdir(parents=True)
    both = rows + rows // 2
    columns = {"id": np.arange(both)}
    columns |= {f"base_{place}": np.round(rng.normal(size=both), 3) for place in range(BASE)}
    experts = {f"expert_{place}": np.round(rng.normal(size=both), 3) for place in range(EXPERTS)}
    signal = columns["base_0"] + sum(experts.values())
    columns["target"] = (signal + rng.normal(size=both) > 0).astype(np.int64)
    for part, chosen in (("train", slice(0, rows)), ("test", slice(rows, both))):
        own = {name: values[chosen] for name, values in columns.items()}
        _table(data / f"{part}.csv", own)
        _table(hidden / f"enriched_{part}.csv", {**own, **{name: values[chosen] for name, values in experts.items()}})
    events = both * EVENTS
    _table(
        data / "events.csv",
        {
            "id": rng.integers(0, both, events),
            "day": rng.integers(0, 700, events),
            "amount": np.round(rng.gamma(2, 50, events), 2),
        },
    )
    manifest = {
        "id": folder.name,
        "track": "insight",
        "name": folder.name,
        "description": "Numbers of a seed.",
        "problem_domain": "none",
        "target_column": "target",
        "problem_type": "binary",
    }
    solution = {"enriched_column_names": list(experts), "features_descriptions": list(experts)}
    (folder / "problem" / "problem.json").write_text(json.dumps(manifest))
    (folder / "ground_truth" / "solution.json").write_text(json.dumps(solution))


def _table(path: Path, columns: dict[str, np.ndarray]) -> None:
    pa.csv.write_csv(pa.table(columns), path)
