"""A cache of leaderboards beside the store, for runs of very many records."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from assay.core import Interval, InvalidInput, digest_json
from assay.core.files.digest import Json
from assay.report.export.files import write_whole
from assay.report.tables.standings import Leaderboard, MetricColumn, Standing
from assay.stats import SubjectSummary
from assay.version import __version__

__all__ = ["CACHE", "cached_board", "read_only_cache"]

CACHE: Final = ".cache"  # a folder in the results folder; it may be deleted at any time
_FORM: Final = 6  # version of the cached form
_MOST: Final = 100  # leaderboards kept; the oldest go


_writes: ContextVar[bool] = ContextVar("writes", default=True)


@contextlib.contextmanager
def read_only_cache() -> Iterator[None]:
    """Within this context the cache is read and never written."""
    token = _writes.set(False)
    try:
        yield
    finally:
        _writes.reset(token)


def cached_board(folder: Path, identity: Json, compute: Callable[[], Leaderboard]) -> Leaderboard:
    """The cached leaderboard of this identity, else a computed one, which is then cached if possible.

    A file that cannot be read is computed again; in a read-only folder nothing is kept.
    """
    path = folder / CACHE / f"leaderboard-{digest_json([_FORM, __version__, identity])[:32]}.json"
    try:
        return _read(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        board = compute()
    if not _writes.get():
        return board
    with contextlib.suppress(OSError, InvalidInput):
        path.parent.mkdir(exist_ok=True)
        write_whole(path, json.dumps(asdict(board)).encode())
        for old in sorted(path.parent.glob("leaderboard-*.json"), key=lambda file: file.stat().st_mtime)[:-_MOST]:
            old.unlink(missing_ok=True)
    return board


def _read(body: Mapping[str, Any]) -> Leaderboard:
    fields = {
        **body,
        "columns": tuple(MetricColumn(**column) for column in body["columns"]),
        "aggregates": tuple(MetricColumn(**column) for column in body["aggregates"]),
        "rows": tuple(
            Standing(**{**row, "metrics": {name: _summary(summary) for name, summary in row["metrics"].items()}})
            for row in body["rows"]
        ),
        "unscored": tuple(body["unscored"]),
        "needed_code": tuple(body["needed_code"]),
    }
    return Leaderboard(**fields)


def _summary(body: Mapping[str, Any]) -> SubjectSummary:
    intervals = {name: Interval(*body[name]) for name in ("mean", "scored_only", "lost_as_floor")}
    return SubjectSummary(**{**body, **intervals})
