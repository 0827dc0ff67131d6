"""Logs of Inspect AI: read in one place, for the answers and for the scores in them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.core import InvalidInput, MissingExtra, get_track
from assay.core.files.folders import user_path

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SCORER", "demand_inspect", "read_log", "read_log_scores"]

SCORER: Final = "assay"  # of our own tasks
_HEAVY: Final = {"messages", "events", "store", "attachments"}  # nothing of them is needed


def demand_inspect(what: str) -> None:
    """Refuse, with the way to install it, where Inspect is not there."""
    if find_spec("inspect_ai") is None:
        raise MissingExtra(what, "inspect-ai", "inspect")


def read_log_scores(path: str | Path) -> pd.DataFrame:
    """The scores of any Inspect log, or of a folder of logs, as the table that ``assay.import_scores`` reads.

    The subject is the model, the problem the sample, the seed the epoch (from 0 on), the metric what the scorer gives.
    A score that is nan, or a sample that ended in an error, is a gap. Scores of our own tasks have the direction of
    the metric, others ``max``.

    Parameters
    ----------
    path : str or Path
        An ``.eval`` log, or a folder that holds some.

    Returns
    -------
    DataFrame
        With the columns subject, problem, seed, metric, value and direction.

    Raises
    ------
    InvalidInput
        No log, or none with scores.
    """
    import pandas as pd

    place = user_path(path)
    logs = sorted(place.glob("**/*.eval")) if place.is_dir() else [place]
    if not logs:
        raise InvalidInput(f"{place}: holds no .eval log.")
    rows = [row for log in logs for row in _score_rows(log)]
    if not rows:
        raise InvalidInput(f"{place}: no sample has scores that are numbers.")
    return pd.DataFrame(rows, columns=["subject", "problem", "seed", "metric", "value", "direction"])


def read_log(path: Path) -> Any:
    """An ``.eval`` log without its messages and events."""
    demand_inspect("Logs")
    from inspect_ai.log import read_eval_log

    if not path.is_file():
        raise InvalidInput(f"{path}: file not found. Give an .eval log of Inspect.")
    try:
        return read_eval_log(path, exclude_fields=_HEAVY)
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        raise InvalidInput(f"{path}: cannot be read as a log of Inspect ({reason}).") from error


def _score_rows(path: Path) -> Iterator[tuple[str, str, int, str, float, str]]:
    log = read_log(path)
    for sample in log.samples or ():
        scores = sample.scores or {}
        for scorer, score in scores.items():
            for metric, value in _values(scorer, score.value, alone=len(scores) == 1):
                if math.isfinite(value):
                    direction = _direction(scorer, metric, sample.metadata or {})
                    yield log.eval.model, str(sample.id), sample.epoch - 1, metric, value, direction


def _values(scorer: str, value: Any, *, alone: bool) -> Iterator[tuple[str, float]]:
    from inspect_ai.scorer import value_to_float

    convert = value_to_float()
    if isinstance(value, dict):
        for name, own in value.items():
            if own is not None:
                yield name if alone else f"{scorer}/{name}", convert(own)
    elif not isinstance(value, list):
        yield scorer, convert(value)


def _direction(scorer: str, metric: str, metadata: dict[str, Any]) -> str:
    if scorer != SCORER or "track" not in metadata:
        return "max"
    return get_track(str(metadata["track"])).metric(metric.removeprefix(f"{SCORER}/")).goal
