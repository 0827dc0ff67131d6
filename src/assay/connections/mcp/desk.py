"""The desk at which an agent takes tasks and submits answers; it knows nothing of the protocol."""

from __future__ import annotations

import json
import math
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from assay.api.running import run_spec
from assay.api.temporary import TemporaryFolder
from assay.connections.mcp.recording import record_answers
from assay.connections.mcp.trying import try_formulas, try_functions
from assay.connections.offers import Offered, example_of, find_offers, task_files, write_answer
from assay.core import InvalidInput, Json, Record, Setting, SubjectFailed, UnknownName, plain
from assay.core.files.folders import user_path
from assay.harness.programs.program import read_answer

__all__ = ["SHOWN", "Desk", "Shown"]

Shown: TypeAlias = Literal["none", "headline", "all"]
SHOWN: tuple[Shown, ...] = ("none", "headline", "all")

_DIGITS = 4  # of a score: enough to learn from, few to smuggle labels out


class Desk:
    """Problems of one or several tracks for one agent: tasks, trials on training data, counted submissions.

    Submissions are kept, one file each, in ``out/mcp/NAME``: the count outlives the process. The last one of each
    problem is an answer in ``out/mcp/NAME/TRACK``, a folder of precomputed answers, whose records are in the store.

    Parameters
    ----------
    sources : sequence of (str, str)
        Track and problems: ``"builtin"``, the id of a built-in problem, or a folder.
    out : Path
        The results folder.
    name : str
        Of the agent, in records and tables.
    submissions : int
        How many answers to each problem it may submit; the last one counts.
    shown : {"none", "headline", "all"}
        What it is told of the scores of its own answers.
    settings : mapping, optional
        Settings of the tracks; each goes to those that know it.
    tasks : Path, optional
        Where the files of tasks are written; by default a temporary folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     desk = Desk([("formula", "exact-3")], Path(folder), "me")
    ...     name = desk.problems()[0]["problem"]
    ...     desk.submit(name, {"models": ["h + t*(v - g*t/2)"]})["scores"]
    {'property_score': 1.0}
    """

    def __init__(
        self,
        sources: Sequence[tuple[str, str]],
        out: Path,
        name: str = "agent",
        *,
        submissions: int = 3,
        shown: Shown = "headline",
        settings: Mapping[str, Setting] | None = None,
        tasks: Path | None = None,
    ) -> None:
        if not name or Path(name).name != name or "=" in name:
            raise InvalidInput(f"name {name!r}: must be a plain name, as in 'my-agent'.")
        if submissions < 1:
            raise InvalidInput(f"submissions: must be a whole number of at least 1, got {submissions!r}.")
        self._out = user_path(out).resolve()
        self._name = name
        self._limit = submissions
        self._shown = shown
        self._offered = {
            offered.name: offered for track, path in sources for offered in find_offers(track, path, self._out)
        }
        if not self._offered:
            raise InvalidInput("no problems to offer: name a track, as in formula or formula=FOLDER.")
        self._settings = _by_track(self._offered.values(), settings or {})
        self._temporary = None if tasks else TemporaryFolder("tasks")
        self._tasks = user_path(tasks).resolve() if tasks else self._temporary.path  # type: ignore[union-attr]
        if self._tasks.is_relative_to(self._out):
            raise InvalidInput(f"{tasks}: tasks lie in the results, beside the truth. Choose another folder for them.")

    def problems(self) -> list[dict[str, Any]]:
        """The problems by name, with what is left to submit."""
        return [
            {
                "problem": offered.name,
                "track": offered.track.name,
                "question": offered.track.question,
                "submissions_left": self._limit - len(self._handed_in(offered)),
            }
            for offered in self._offered.values()
        ]

    def task(self, problem: str) -> dict[str, Any]:
        """What is asked, what an answer looks like, and the files; long ones by their first lines and their path."""
        offered = self._find(problem)
        folder = self._tasks / offered.name
        if not folder.exists():
            offered.track.hand_over(offered.folder, folder)
        contract = offered.track.contract
        facts: dict[str, Any] = {"problem": problem, "track": offered.track.name, "question": offered.track.question}
        if contract is not None:
            facts["what_files_hold"] = dict(contract.files)
            facts["answer"] = f"{contract.answer}; as JSON: {example_of(contract)}"
            if contract.functions:
                facts["functions"] = contract.part("functions")
        return {**facts, "folder": str(folder), "files": list(task_files(folder))}

    def try_functions(self, problem: str, functions: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        """Feature functions, name and code, on the training rows of an insight problem."""
        return try_functions(self._demand(problem, "insight").task, functions)

    def try_formulas(self, problem: str, formulas: Sequence[str]) -> list[dict[str, Any]]:
        """Formulas on the training tables of a formula problem."""
        return try_formulas(self._demand(problem, "formula").task, formulas)

    def submit(self, problem: str, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Submit an answer, the JSON that a program would write: counted, examined, recorded.

        An answer that cannot be read, or does not fit the task, is refused and not counted.
        """
        offered = self._find(problem)
        text = json.dumps(answer, indent=1, sort_keys=True)
        _demand_readable(offered, text)
        before = self._handed_in(offered)
        if len(before) >= self._limit:
            raise InvalidInput(f"{problem}: all {self._limit} submissions are used; the last one counts.")
        place = self._archive(offered) / f"{len(before) + 1:04d}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            with place.open("x", encoding="utf-8") as file:  # counted before any score is shown
                file.write(text)
        except FileExistsError:
            raise InvalidInput(f"{problem}: another submission arrives at the same time. Submit again.") from None
        try:
            record = self._record(offered)
        except BaseException:
            self._take_back(offered, place)
            raise
        if record.error_kind == "malformed answer":
            self._take_back(offered, place)
            if any(self._answers(offered.track.name).iterdir()):  # else the problems have failed with it as without
                self._records(offered.track.name)
            raise InvalidInput(f"this answer does not fit the task and was not counted: {record.error}")
        return {**self._result(offered, record), "submissions_left": self._limit - len(before) - 1}

    def scores(self) -> list[dict[str, Any]]:
        """What may be known of the own answers so far, from the last submission of each problem."""
        answered = [offered for offered in self._offered.values() if self._handed_in(offered)]
        records = {track: self._records(track) for track in {offered.track.name for offered in answered}}
        return [self._result(offered, records[offered.track.name][offered.id]) for offered in answered]

    def _find(self, problem: str) -> Offered:
        if problem not in self._offered:
            raise UnknownName("problem", problem, list(self._offered))
        return self._offered[problem]

    def _demand(self, problem: str, track: str) -> Any:
        offered = self._find(problem)
        if offered.track.name != track:
            raise InvalidInput(f"{problem}: this is a problem of track {offered.track.name!r}, not of {track!r}.")
        return offered.track.load(offered.folder)

    def _archive(self, offered: Offered) -> Path:
        return self._out / "mcp" / self._name / "submissions" / offered.name

    def _handed_in(self, offered: Offered) -> list[Path]:
        return sorted(self._archive(offered).glob("*.json"))

    def _answers(self, track: str) -> Path:
        return self._out / "mcp" / self._name / track

    def _put_answer(self, offered: Offered) -> None:
        """The last submission becomes the answer; without any there is none."""
        folder = self._answers(offered.track.name)
        handed_in = self._handed_in(offered)
        if handed_in:
            write_answer(offered.track, folder, offered.id, handed_in[-1].read_text(encoding="utf-8"))
        elif offered.track.answer_suffix:
            (folder / f"{offered.id}{offered.track.answer_suffix}").unlink(missing_ok=True)
        else:
            shutil.rmtree(folder / offered.id, ignore_errors=True)

    def _take_back(self, offered: Offered, place: Path) -> None:
        place.unlink()
        self._put_answer(offered)

    def _record(self, offered: Offered) -> Record:
        self._put_answer(offered)
        return self._records(offered.track.name)[offered.id]

    def _records(self, track: str) -> dict[str, Record]:
        folders = [offered.folder for offered in self._offered.values() if offered.track.name == track]
        subjects = {self._name: self._answers(track)}
        spec = run_spec(track, subjects, problems=folders, settings=self._settings[track])
        return {record.problem: record for record in record_answers(spec, self._out)}

    def _result(self, offered: Offered, record: Record) -> dict[str, Any]:
        result: dict[str, Any] = {"problem": offered.name, "status": record.status}
        if record.status == "failed":
            result["error"] = f"{record.error_kind}: {record.error}"
        if self._shown == "none":
            return result
        defined = {name: value for name, value in record.scores.items() if not math.isnan(value)}
        names = [offered.track.headline_among(defined)] if self._shown == "headline" else list(defined)
        scores: dict[str, Json] = {
            name: round(defined[name], _DIGITS) if math.isfinite(defined[name]) else plain(defined[name])
            for name in names
            if name in defined
        }
        return {**result, "scores": scores, "goal": {name: offered.track.metric(name).goal for name in scores}}


def _by_track(offered: Iterable[Offered], chosen: Mapping[str, Setting]) -> dict[str, dict[str, Setting]]:
    tracks = {entry.track.name: entry.track.settings for entry in offered}
    for name in chosen:
        if not any(name in settings for settings in tracks.values()):
            raise UnknownName("setting", name, sorted({key for settings in tracks.values() for key in settings}))
    return {
        track: {name: value for name, value in chosen.items() if name in settings} for track, settings in tracks.items()
    }


def _demand_readable(offered: Offered, text: str) -> None:
    with tempfile.TemporaryDirectory(prefix="assay-answer-") as place:
        folder = Path(place)
        write_answer(offered.track, folder, offered.id, text)
        try:
            offered.track.decode(read_answer(offered.track, folder, offered.id))
        except (InvalidInput, SubjectFailed) as error:
            contract = offered.track.contract
            example = f" It is, as JSON: {example_of(contract)}" if contract is not None else ""
            reason = str(error).replace(place, "answer").replace(offered.id, offered.name)
            raise InvalidInput(f"this answer cannot be read and was not counted: {reason}{example}") from None
