"""The subjects of ``assay drift evaluate``, called through the harness: test sets in, replies per drift out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from assay.api.progress import BarProgress
from assay.api.running import cores
from assay.core import InvalidInput, SubjectFailed, get_track
from assay.drift.answer.answer import decode
from assay.drift.examine.evaluation import Replies
from assay.drift.problem.task import DOCUMENTS, TEXTS, DriftTruth, write_problem
from assay.drift.problem.testsets import LoadedSets
from assay.harness import RunSpec, run
from assay.harness.plan import Plan
from assay.harness.process.isolation import NONE
from assay.harness.store.lock import locked
from assay.harness.store.store import Store
from assay.harness.store.stored_answer import StoredAnswer
from assay.harness.subject_ref import resolve_subject

__all__ = ["name_of", "solve_all"]

_SECONDS, _MEMORY_MB = 7 * 86_400.0, 1 << 20  # built-in subjects are bounded by the machine alone
_OTHERS_SECONDS = 600.0  # for the drifts of a test set
_PASSED = ("ASSAY_CHAT_KEY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")


def name_of(text: str) -> str:
    """The name of a subject in reports: a built-in one, or a file, program or folder of answers of the user's."""
    return resolve_subject(text, get_track("drift")).name


class _Part(NamedTuple):
    """Drifts of a test set that are solved together, as one problem folder."""

    test_set: str
    id: str
    folder: Path
    drifts: dict[str, str]  # id in the problem folder -> id in the test set


def solve_all(
    material: LoadedSets,
    *,
    folders: Mapping[str, Path],
    documents: Path | None,
    texts: Path,
    subjects: Mapping[str, str],
    scratch: Path,
    out: Path,
    quiet: bool,
) -> dict[tuple[str, str], Replies]:
    """The replies of subjects (by name, with their references) to every test set.

    A subject that fails on a test set is called again for each of its drifts alone, into a results folder of its own:
    one drift must not take the others with it.
    """

    def stage(test_set: str, chosen: Sequence[int], id: str, at: Path) -> _Part:
        loaded = material.sets[test_set].problem
        task = replace(loaded.task, drifts=tuple(loaded.task.drifts[place] for place in chosen))
        truth = DriftTruth(goldens=tuple(loaded.truth.goldens[place] for place in chosen))
        shared = documents is not None and not (folders[test_set] / "problem.json").is_file()
        source = documents if shared and documents is not None else folders[test_set] / DOCUMENTS
        drifts = write_problem(at, id=id, task=task, truth=truth, tags={}, log_suffix=".parquet", documents=source)
        if shared:
            (at / TEXTS).mkdir()
            for document in task.corpus:
                for extracted in texts.glob(f"{document.digest}.*"):
                    shutil.copyfile(extracted, at / TEXTS / extracted.name)
        return _Part(test_set, id, at, drifts)

    sets = out / "problems" / "test-sets"  # they stay beside the records, so that these can be scored again
    shutil.rmtree(sets, ignore_errors=True)
    ids = _unlike([loaded.problem.id for loaded in material.sets.values()])
    parts = [
        stage(name, range(len(loaded.problem.task.drifts)), id, sets / f"{number:05}")
        for number, (id, (name, loaded)) in enumerate(zip(ids, material.sets.items(), strict=True))
    ]
    replies = _run(parts, subjects, out=out, quiet=quiet)
    for number, (name, reference) in enumerate(subjects.items()):
        alone = scratch / "alone" / str(number)
        retried = [
            stage(part.test_set, [place], f"{part.id} {place + 1}", alone / part.folder.name / str(place))
            for part in parts
            if len(part.drifts) > 1 and _without_answer(replies[part.test_set, name])
            for place in range(len(part.drifts))
        ]
        if retried:
            replies |= _run(retried, {name: reference}, out=alone / "results", quiet=quiet)
    return replies


def _run(
    parts: Sequence[_Part], subjects: Mapping[str, str], *, out: Path, quiet: bool
) -> dict[tuple[str, str], Replies]:
    problems = tuple(str(part.folder.resolve()) for part in parts)
    track = get_track("drift")
    ours = tuple(text for text in subjects.values() if resolve_subject(text, track).kind == "registered")
    others = tuple(text for text in subjects.values() if text not in ours)
    specs = []
    if ours:
        specs.append(
            RunSpec(
                track="drift",
                subjects=ours,
                problems=problems,
                seconds=_SECONDS,
                memory_mb=_MEMORY_MB,
                environment=tuple(name for name in _PASSED if name in os.environ),
                isolation=NONE,
            )
        )
    if others:  # confined, as by assay run
        specs.append(RunSpec(track="drift", subjects=others, problems=problems, seconds=_OTHERS_SECONDS))
    by_id = {part.id: part for part in parts}
    plans: list[Plan] = []
    lost: dict[str, SubjectFailed] = {}
    for spec in specs:  # one after another: runs of one track are not planned together
        result = run([spec], out=out, workers=cores(), progress=None if quiet else BarProgress())
        if result.interrupted:
            raise KeyboardInterrupt
        plans += result.plans
        lost |= {entry.cell.record_key: SubjectFailed("lost", entry.reason) for entry in result.lost}
    whole = replace(plans[0], cells=tuple(cell for plan in plans for cell in plan.cells))
    with locked(out), Store(out) as store:
        store.add_run(whole)  # reports read the latest: all subjects together
    replies: dict[tuple[str, str], Replies] = {}
    with Store(out, read_only=True) as store:
        for cell in whole.cells:
            part = by_id[cell.problem]
            answer = lost.get(cell.record_key) or store.answer(cell.answer_key)
            key = (part.test_set, cell.subject.name)
            replies[key] = {**replies.get(key, {}), **_replies(part, answer)}
    return replies


def _replies(part: _Part, answer: StoredAnswer | SubjectFailed) -> Replies:
    """What was replied to each drift of a part, also when the answer as a whole was refused."""
    if isinstance(answer, StoredAnswer) and answer.payload is not None:
        try:
            replies = decode(answer.payload).replies
            return {part.drifts.get(drift, drift): reply for drift, reply in replies.items()}
        except InvalidInput as error:
            answer = SubjectFailed("malformed answer", str(error))
    elif isinstance(answer, StoredAnswer):
        answer = SubjectFailed(answer.error_kind or "failed", answer.error or "no answer")
    return dict.fromkeys(part.drifts.values(), answer)


def _unlike(names: Sequence[str]) -> list[str]:
    """The names, with a number where one was given before: a plan has one problem of a name."""
    return [name if name not in names[:place] else f"{name} ({place + 1})" for place, name in enumerate(names)]


def _without_answer(replies: Replies) -> bool:
    return bool(replies) and all(isinstance(reply, Exception) for reply in replies.values())
