"""The plan: every (problem, subject, seed) with its two keys, before anything runs."""

from __future__ import annotations

import importlib
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from assay.core import (
    AnyTrack,
    Budget,
    InvalidInput,
    Record,
    Settings,
    Tags,
    UnknownName,
    digest_folder,
    digest_json,
    find_problems,
    get_track,
)
from assay.core.display import counted
from assay.core.files.digest import Json
from assay.core.files.folders import user_path
from assay.core.problem import Manifest
from assay.core.record import Status
from assay.harness.metric_facts import MetricFacts, facts_of
from assay.harness.metric_loading import resolve_metrics
from assay.harness.metric_ref import MetricRef, demand_metric_apart
from assay.harness.process.isolation import NONE, Isolation, demand_apart, demand_hidden, demand_level
from assay.harness.setup.mistakes import mistakes_error
from assay.harness.setup.problems import demand_distinct, problem_folders, problem_manifest
from assay.harness.setup.programs import demand_startable
from assay.harness.spec import BUILTIN, RunSpec
from assay.harness.subject_ref import SubjectRef, resolve_subject
from assay.version import __version__

__all__ = ["Cell", "Plan", "Prepared", "answer_key", "make_plan", "materialise_builtin", "prepare", "record_key"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One (problem, subject, seed): what to run and the keys under which it is stored."""

    track: str
    problem: str
    problem_digest: str
    folder: str
    tags: Tags
    subject: SubjectRef
    budget: Budget
    settings: Settings
    isolation: Isolation
    answer_key: str
    record_key: str
    metrics: tuple[MetricRef, ...] = ()  # beside the track's own; never read from a store

    def __str__(self) -> str:
        return f"{self.track}: {self.problem} / {self.subject.name} / seed {self.budget.seed}"

    def record(self, *, status: Status, scores: Mapping[str, float], **facts: Any) -> Record:
        """A record of this cell, with further fields of :class:`~assay.core.Record` by name."""
        return Record(
            key=self.record_key,
            answer_key=self.answer_key,
            track=self.track,
            problem=self.problem,
            problem_digest=self.problem_digest,
            subject=self.subject.name,
            subject_digest=self.subject.digest,
            seed=self.budget.seed,
            status=status,
            scores=scores,
            tags=self.tags,
            settings=self.settings,
            budget=self.budget.to_json(),
            **facts,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All cells of one track, problem by problem, so that every subject gets early results."""

    track: str
    settings: Settings
    cells: tuple[Cell, ...]
    metrics: tuple[MetricFacts, ...] = ()  # what tables need to know of those beside the track's own
    subjects: tuple[SubjectRef, ...] = ()  # with their parts, which cells are without: they travel to workers


def answer_key(track: str, problem_digest: str, subject: str, subject_digest: str, budget: Budget) -> str:
    """What an answer depends on."""
    return digest_json(
        {
            "track": track,
            "problem": problem_digest,
            "subject": subject,
            "subject_digest": subject_digest,
            "budget": budget.to_json(),
        }
    )


def record_key(
    answer: str, versions: Mapping[str, int], settings: Settings, sources: Mapping[str, str] | None = None
) -> str:
    """What a record depends on beyond its answer: the versions of the metrics and of examine, and the settings.

    ``sources`` are the source digests of metrics from outside; a record without any has the key that it always had.
    """
    plain_settings: dict[str, Json] = dict(settings)
    body: dict[str, Json] = {"answer": answer, "versions": dict(versions), "settings": plain_settings}
    return digest_json({**body, "sources": dict(sources)} if sources else body)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A spec whose names are all resolved; nothing has been written yet."""

    spec: RunSpec
    track: AnyTrack
    settings: Settings
    subjects: tuple[SubjectRef, ...]
    manifests: Mapping[Path, Manifest]  # of the folders that were given; each is read and digested once
    metrics: tuple[MetricRef, ...] = ()  # that the track has here beside its own
    left_out: tuple[str, ...] = ()  # a line for each subject and problem that the run continues without
    unread: frozenset[Path] = frozenset()  # the folders of these problems


def prepare(spec: RunSpec, *, keep_going: bool = False, say: Callable[[str], None] = lambda line: None) -> Prepared:
    """Resolve every name of a spec, so that mistakes surface before anything is written or run.

    All subjects that cannot be run are named at once; with ``keep_going`` they are left out, unless none remains, and
    so are problems that cannot be read. ``say`` gets a line for each step.
    """
    demand_level(spec.isolation)
    say(f"preparing {spec.track}: loading the track")
    metrics, track = resolve_metrics(spec.metrics, get_track(spec.track), folder=spec.folder)
    settings = track.configure(spec.settings)
    say(f"preparing {spec.track}: reading {counted(len(spec.subjects), 'subject')}")
    subjects, left_out = _resolved(spec, track, keep_going=keep_going)
    _refuse_repeats([subject.name for subject in subjects])
    for name in spec.limits if not left_out else ():  # it may be the limit of one that is left out
        if name not in [subject.name for subject in subjects]:
            raise UnknownName("subject (limits)", name, [subject.name for subject in subjects])
    manifests: dict[Path, Manifest] = {}
    unread: dict[Path, InvalidInput] = {}
    for source in spec.problems:
        if source != BUILTIN:
            try:
                folders = problem_folders(_place(spec, source), track)
            except InvalidInput:
                if not _may_adopt(_place(spec, source), track):
                    raise
                continue  # they are written and read when the results folder is known
            for folder in folders:
                if folder not in manifests and folder not in unread:
                    try:
                        manifests[folder] = problem_manifest(folder, track)
                    except InvalidInput as error:
                        if not keep_going:
                            raise
                        unread[folder] = error
                    say(f"preparing {spec.track}: {len(manifests):,} problems read")
    if unread and not manifests and BUILTIN not in spec.problems:
        raise next(iter(unread.values()))
    left_out += tuple(map(str, unread.values()))
    if lacking := _lacking(subjects, manifests, track):
        if not keep_going or len(lacking) == len(subjects):
            raise mistakes_error(list(lacking.values()), of=len(spec.subjects))
        subjects = tuple(subject for subject in subjects if subject.name not in lacking)
        left_out += tuple(lacking.values())
    return Prepared(spec, track, settings, subjects, manifests, metrics, left_out, frozenset(unread))


def _lacking(subjects: Sequence[SubjectRef], manifests: Mapping[Path, Manifest], track: AnyTrack) -> dict[str, str]:
    """A line by the name of each subject that needs more of the truth than some problem has."""
    lines = {}
    for subject in subjects:
        if subject.kind == "privileged":
            reasons = {own.id: why for folder, own in manifests.items() if (why := track.lacks(subject.target, folder))}
            for problem, why in islice(reasons.items(), 1):
                more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
                lines[subject.name] = (
                    f"subject {subject.name!r}: answers with the truth, and problem {problem!r} {why}{more}. "
                    "Leave out this subject, or run it on the other problems alone."
                )
    return lines


def _place(spec: RunSpec, source: str) -> Path:
    return spec.folder / user_path(source)


def _resolved(spec: RunSpec, track: AnyTrack, *, keep_going: bool) -> tuple[tuple[SubjectRef, ...], tuple[str, ...]]:
    """The subjects, and a line for each that is left out."""
    subjects: list[SubjectRef] = []
    errors: list[InvalidInput] = []
    for text in spec.subjects:
        try:
            subject = resolve_subject(text, track, folder=spec.folder)
            _demand_runnable(subject, spec)
        except InvalidInput as error:
            errors.append(error)
        else:
            subjects.append(subject)
    if not errors or (keep_going and subjects):
        return tuple(subjects), tuple(map(str, errors))
    if len(spec.subjects) == 1:
        raise errors[0]
    raise mistakes_error(list(map(str, errors)), of=len(spec.subjects))


def _demand_runnable(subject: SubjectRef, spec: RunSpec) -> None:
    if subject.kind == "pickle" and spec.isolation != NONE:
        raise InvalidInput(
            f"subject {subject.name!r}: a pickle shows no source and cannot be confined. "
            f'Give a Python file, or run without isolation: --isolation none, isolation="none" in Python.'
        )
    if subject.kind == "command":
        demand_startable(subject.program(), name=subject.name)


def make_plan(prepared: Prepared, *, out: Path) -> Plan:
    """Every cell with its keys; built-in problems are written into the results folder first."""
    spec, track, settings = prepared.spec, prepared.track, prepared.settings
    manifests = _manifests(prepared, out)
    demand_distinct((manifest.id, folder) for manifest, folder in manifests)
    isolation = spec.isolated(demand_hidden(spec.readable, spec.folder, [out, *(folder for _, folder in manifests)]))
    for subject in prepared.subjects:
        demand_apart(subject, [out.resolve(), *(folder for _, folder in manifests)])
    for metric in prepared.metrics:
        demand_metric_apart(metric, [out.resolve(), *(folder for _, folder in manifests)])
    budgets = {(s.name, seed): spec.budget(seed, s.name) for s in prepared.subjects for seed in spec.seeds}
    versions, sources = track.versions(), track.sources()
    bare = [replace(subject, parts={}) for subject in prepared.subjects]
    cells = []
    for manifest, folder in manifests:
        place = str(folder)
        for subject in bare:
            for seed in spec.seeds:
                budget = budgets[subject.name, seed]
                answer = answer_key(track.name, manifest.digest, subject.name, subject.digest, budget)
                cells.append(
                    Cell(
                        track=track.name,
                        problem=manifest.id,
                        problem_digest=manifest.digest,
                        folder=place,
                        tags=manifest.tags,
                        subject=subject,
                        budget=budget,
                        settings=settings,
                        isolation=isolation,
                        answer_key=answer,
                        record_key=record_key(answer, versions, settings, sources),
                        metrics=prepared.metrics,
                    )
                )
    facts = facts_of(prepared.metrics, track)
    return Plan(track=track.name, settings=settings, cells=tuple(cells), metrics=facts, subjects=prepared.subjects)


def _manifests(prepared: Prepared, out: Path) -> list[tuple[Manifest, Path]]:
    spec, track, manifests = prepared.spec, prepared.track, prepared.manifests
    folders: list[Path] = []
    for source in spec.problems:
        path = materialise_builtin(track, out) if source == BUILTIN else _place(spec, source)
        folders.extend(_folders_at(path, track, out))
    return [
        (manifests.get(folder) or problem_manifest(folder, track), folder.resolve())
        for folder in dict.fromkeys(folders)
        if folder not in prepared.unread
    ]


def _may_adopt(path: Path, track: AnyTrack) -> bool:
    """Whether a folder may be in a layout of others: it holds something, and nothing of our own."""
    return track.adopt is not None and path.is_dir() and any(path.iterdir()) and not any(path.rglob(track.marker))


def _folders_at(path: Path, track: AnyTrack, out: Path) -> tuple[Path, ...]:
    """The problem folders at a path; those in a layout of others are written into the results folder as such."""
    try:
        return problem_folders(path, track)
    except InvalidInput as error:
        if track.adopt is None or not _may_adopt(path, track):
            raise
        module, _, function = track.adopt.partition(":")
        write = getattr(importlib.import_module(module), function)
        name = f"{track.name}-{digest_folder(path)[:12]}"
        try:
            return find_problems(_materialise(track, out, name, lambda draft: write(path, draft)), marker=track.marker)
        except InvalidInput as reason:
            raise InvalidInput(f"{error} Other layouts were tried as well: {reason}") from None


def materialise_builtin(track: AnyTrack, out: Path) -> Path:
    """The built-in problems as folders inside the results folder, written once and whole."""
    return _materialise(track, out, track.name, track.builtin)


def _materialise(track: AnyTrack, out: Path, name: str, write: Callable[[Path], None]) -> Path:
    target = out / "problems" / name
    stamp = f"assay {__version__}, {track.name} {track.version}\n"
    marker = target / ".complete"
    if marker.is_file() and marker.read_text() == stamp:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{track.name}-", dir=target.parent))
    try:
        write(draft)
        (draft / ".complete").write_text(stamp)
        if target.exists():
            shutil.rmtree(target)
        draft.replace(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def _refuse_repeats(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            remedy = "Give one of them another name before its reference, as in second=REFERENCE."
            raise InvalidInput(f"two subjects are named {name!r}. {remedy}")
        seen.add(name)
