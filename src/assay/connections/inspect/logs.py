"""What was submitted in a log of Inspect, as folders of precomputed answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assay.api.temporary import process_folder
from assay.connections.inspect.wording import find_answer
from assay.connections.offers import find_offers, write_answer
from assay.core import InvalidInput, get_track
from assay.core.files.folders import user_path
from assay.intake.inspect_logs import SCORER, read_log

__all__ = ["LogAnswers", "read_answers"]


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
    problem_by_digest: dict[str, tuple[str, str]] = {}
    for track, problems in sources:
        for offered in find_offers(track, problems, process_folder("inspect")):
            problem_by_digest[offered.digest] = (track, offered.id)
    folders: dict[tuple[str, int], list[bool]] = {}
    for sample in read_log(path).samples or ():
        digest = (sample.metadata or {}).get("digest")
        if digest not in problem_by_digest:
            continue
        track, problem = problem_by_digest[digest]
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
        LogAnswers(target / name, name.partition("-epoch")[0], epoch, sum(answered), len(answered) - sum(answered))
        for (name, epoch), answered in folders.items()
    ]


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
