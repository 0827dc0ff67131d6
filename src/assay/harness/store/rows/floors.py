"""What a failure scores in cells that were lost; stores of the first releases have no such table."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Mapping

from assay.core import canonical_json, plain
from assay.harness.store.schema import demand, signed

__all__ = ["read_floors", "write_floors"]


def write_floors(connection: sqlite3.Connection, record_key: str, floors: Mapping[str, float]) -> None:
    """Write the floors of a lost cell, inside the caller's transaction."""
    row = signed(record_key, canonical_json(plain(dict(floors))))
    connection.execute("INSERT OR REPLACE INTO floors VALUES (?, ?, ?)", row)


def read_floors(connection: sqlite3.Connection) -> dict[str, dict[str, float]]:
    """The floors of the cells that are still lost, by record key."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'floors'").fetchone():
        return {}
    floors = {}
    for key, scores, expected in connection.execute(
        "SELECT record_key, scores, checksum FROM floors WHERE record_key IN (SELECT record_key FROM losses)"
    ):
        demand(expected, key, scores)
        floors[key] = {name: math.nan if score is None else float(score) for name, score in json.loads(scores).items()}
    return floors
