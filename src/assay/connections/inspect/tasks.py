"""Problems as a task of Inspect: a sample each, and a scorer that says what a record of a run would say."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.api.temporary import process_folder
from assay.connections.harbor.verifying import Verdict, verify
from assay.connections.inspect.wording import ANSWER_FILE, find_answer, instruct
from assay.connections.offers import Offered, find_offers, write_answer
from assay.core import AnyTrack, Setting, get_track
from assay.intake.inspect_logs import SCORER, demand_inspect

if TYPE_CHECKING:
    from inspect_ai import Task

__all__ = ["make_task", "sample_of", "score_answer"]

_ANSWER = "answer"


def make_task(
    track: str,
    problems: str | Path = "builtin",
    *,
    solver: Any = None,
    sandbox: Any = None,
    settings: Mapping[str, Setting] | None = None,
    **options: Any,
) -> Task:
    """Problems of a track as a task of Inspect.

    Each problem is a sample, under a name that says nothing of it: its question, what an answer looks like, its short
    files and the beginnings of long ones. With a sandbox all files lie in ``task/`` of its working folder. The scorer
    examines the answer as a run does and gives every metric; what cannot be examined gets the floors, and a metric that
    is undefined for a problem is nan, which Inspect leaves out.

    Parameters
    ----------
    track : str
        As ``"insight"``, ``"formula"`` or ``"drift"``.
    problems : str or Path, default "builtin"
        The built-in problems, the id of one of them, or a folder.
    solver : solver or agent of Inspect, optional
        By default the model is asked once.
    sandbox : str, tuple or SandboxEnvironmentSpec, optional
        As ``"docker"``; without it the model sees what the question shows.
    settings : mapping, optional
        Settings of examination.
    **options
        Whatever else ``inspect_ai.Task`` takes.

    Returns
    -------
    inspect_ai.Task
        For ``inspect_ai.eval``.

    Raises
    ------
    MissingExtra
        Inspect is not installed.
    InvalidInput
        No such problems, or settings.
    """
    demand_inspect("Tasks")
    from inspect_ai import Task

    definition = get_track(track)
    definition.configure(settings or {})
    place = process_folder("inspect")
    offers = {offered.name: offered for offered in find_offers(track, str(problems), place)}
    samples = [sample_of(offered, place / "tasks" / offered.name, sandbox=bool(sandbox)) for offered in offers.values()]
    chosen = {} if solver is None else {"solver": solver}
    return Task(
        dataset=samples,
        scorer=_scorer(definition, offers, dict(settings or {}), in_sandbox=bool(sandbox)),
        sandbox=sandbox,
        name=options.pop("name", f"assay-{track}"),
        **chosen,
        **options,
    )


def sample_of(offered: Offered, folder: Path, *, sandbox: bool = False) -> Any:
    """A problem as a sample; its files are handed over into this folder. Ids, tags and truth stay here."""
    from inspect_ai.dataset import Sample

    if not folder.exists():
        offered.track.hand_over(offered.folder, folder)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return Sample(
        input=instruct(offered.track, folder, sandbox=sandbox),
        id=offered.name,
        files={f"task/{path.relative_to(folder).as_posix()}": str(path) for path in paths} if sandbox else None,
        metadata={"track": offered.track.name, "digest": offered.digest},
    )


def score_answer(offered: Offered, text: str | None, settings: Mapping[str, Setting]) -> Verdict:
    """All scores of an answer in JSON; the floors, and why, of one that is missing or cannot be examined."""
    verdict = Verdict({}, "missing answer: no JSON object was given")
    if text is not None:
        with tempfile.TemporaryDirectory(prefix="assay-answer-") as place:
            write_answer(offered.track, Path(place), _ANSWER, text)
            name = f"{_ANSWER}{offered.track.answer_suffix}"
            verdict = verify(offered.track, offered.folder, Path(place) / name, settings)
    if not verdict.error:
        return verdict
    problem = offered.track.load(offered.folder)
    return Verdict({metric.name: metric.floor_for(problem) for metric in offered.track.metrics}, verdict.error)


@cache
def _examiner() -> ThreadPoolExecutor:
    """One thread that lives as long as the program: a process that a thread started ends with that thread."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="assay-examiner")


def _scorer(
    track: AnyTrack, offers: Mapping[str, Offered], settings: Mapping[str, Setting], *, in_sandbox: bool
) -> Any:
    from anyio import to_thread
    from inspect_ai.scorer import Score, mean, scorer, stderr
    from inspect_ai.util import sandbox

    async def submission(state: Any) -> str | None:
        if in_sandbox:
            try:
                return str(await sandbox().read_file(ANSWER_FILE))
            except FileNotFoundError:
                pass
        return find_answer(state.output.completion)

    def assay() -> Any:
        async def score(state: Any, target: Any) -> Any:
            text = await submission(state)
            offered = offers[str(state.sample_id)]
            work = _examiner().submit(score_answer, offered, text, settings)
            verdict = await to_thread.run_sync(work.result)
            return Score(value=dict(verdict.scores), answer=text, explanation=verdict.error or None)

        return score

    names = [metric.name for metric in track.metrics]
    return scorer(metrics={name: [mean(), stderr()] for name in names}, name=SCORER)(assay)()
