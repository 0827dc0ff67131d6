"""One reader of Inspect's logs: what was submitted as precomputed answers, what was scored as a table of scores."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.api.temporary import process_folder
from assay.connections.inspect.wording import SCORER, demand_inspect, find_answer
from assay.connections.offers import find_offers, write_answer
from assay.core import InvalidInput, get_track
from assay.core.errors import AssayError
from assay.core.files.folders import user_path
from assay.harness.setup.problems import problem_manifest

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LogAnswers", "read_answers", "read_log_scores"]

_HEAVY = {"messages", "events", "store", "attachments"}  # nothing of them is needed


class LogAnswers(NamedTuple):
    """Answers of a log in a folder that is a subject.

    Parameters
    ----------
    folder : Path
        Of precomputed answers, one per problem.
    track : str
        Whose problems they answer.
    epoch : int
        Of the log, from 1 on.
    answers : int
        How many problems have one.
    missing : int
        Problems of the log without an answer: they count as failed.
    """

    folder: Path
    track: str
    epoch: int
    answers: int
    missing: int


def read_answers(log: str | Path, sources: Sequence[tuple[str, str]], out: str | Path) -> list[LogAnswers]:
    """Write what was submitted in a log of Inspect as folders of precomputed answers, one per track and epoch.

    Parameters
    ----------
    log : str or Path
        An ``.eval`` log of a task that :func:`make_task` made.
    sources : sequence of (str, str)
        Track and problems, as the task had them: ``"builtin"``, the id of a built-in problem, or a folder.
    out : str or Path
        Where the folders are made: ``TRACK``, from the second epoch on ``TRACK-epoch2``.

    Returns
    -------
    list of LogAnswers
        The folders, each a subject of its track.

    Raises
    ------
    InvalidInput
        No log, or one without samples of these problems.
    """
    path, target = user_path(log), user_path(out)
    known: dict[str, tuple[str, str]] = {}
    for track, problems in sources:
        for offered in find_offers(track, problems, process_folder("inspect")):
            known[problem_manifest(offered.folder, offered.track).digest] = (track, offered.id)
    folders: dict[tuple[str, int], list[bool]] = {}
    for sample in _samples(path):
        digest = (sample.metadata or {}).get("digest")
        if digest not in known:
            continue
        track, problem = known[digest]
        name = track if sample.epoch == 1 else f"{track}-epoch{sample.epoch}"
        text = _submission(sample)
        if text is not None:
            write_answer(get_track(track), target / name, problem, text)
        folders.setdefault((name, sample.epoch), []).append(text is not None)
    if not folders:
        raise InvalidInput(
            f"{path}: holds no sample of these problems. Name those of the task, as in formula or formula=FOLDER."
        )
    for name, _ in folders:
        (target / name).mkdir(parents=True, exist_ok=True)
    return [
        LogAnswers(target / name, name.partition("-epoch")[0], epoch, sum(given), len(given) - sum(given))
        for (name, epoch), given in folders.items()
    ]


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


def _read(path: Path) -> Any:
    demand_inspect("Logs")
    from inspect_ai.log import read_eval_log

    if not path.is_file():
        raise InvalidInput(f"{path}: file not found. Give an .eval log of Inspect.")
    try:
        return read_eval_log(path, exclude_fields=_HEAVY)
    except AssayError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        raise InvalidInput(f"{path}: cannot be read as a log of Inspect ({reason}).") from error


def _samples(path: Path) -> Iterable[Any]:
    return _read(path).samples or ()


def _submission(sample: Any) -> str | None:
    """What our scorer took as the answer; of a log without it the last JSON object that was said."""
    own = (sample.scores or {}).get(SCORER)
    text = own.answer if own is not None else find_answer(sample.output.completion)
    if not text:
        return None
    try:
        return text if isinstance(json.loads(text), dict) else None
    except json.JSONDecodeError:
        return text  # examined, and refused there with the reason


def _score_rows(path: Path) -> Iterator[tuple[str, str, int, str, float, str]]:
    log = _read(path)
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
