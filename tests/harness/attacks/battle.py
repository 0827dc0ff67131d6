"""One battle: all attempts and honest subjects in one run, judged from outside."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.harness.attacks import means
from tests.harness.attacks.corpus import Hostile, write_subjects
from tests.harness.attacks.ground import Ground
from tests.harness.attacks.programs import BUILDS, write_programs

from assay.core import InvalidInput, Record
from assay.harness import RunResult, RunSpec, run
from assay.harness.plan import Cell
from assay.harness.store.store import Store

_HONEST = """
import numpy as np

from assay.cases import CasesAnswer


def solve(task, budget):
    ordered = np.sort(task.probabilities, axis=1)
    return CasesAnswer(scores=(ordered[:, -1] - ordered[:, -2]) ** {power})
"""
_SIBLING = """
import time
from pathlib import Path

NOTE = {secret!r}


def solve(task, budget):
    Path("notes.txt").write_text(NOTE)
    time.sleep(2)
    raise ValueError("no idea")
"""
_LIMITS = ("seconds", "memory_mb")
_EVERY = 25  # an honest subject stands after so many attackers
_AT_ONCE = 3  # so many cells may be under way when a run ends
_PR_SET_CHILD_SUBREAPER = 36


@dataclass
class Report:
    """What a battle showed."""

    attempts: int = 0
    seconds: float = 0.0
    findings: list[str] = field(default_factory=list)
    outcomes: dict[str, str] = field(default_factory=dict)  # what became of each attempt that achieved nothing


class _Announce:
    """Writes each finished cell to a file, for the one who looks for the cause of a hang."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def start(self, total: int, done: int) -> None:
        """The run begins."""

    def advance(self, cell: Cell, status: str) -> None:
        """One more."""
        with self._path.open("a") as file:
            file.write(f"{time.monotonic():.2f} {cell.subject.name} {status}\n")

    def stop(self) -> None:
        """The run has ended."""


def fight(folder: Path, only: str = "") -> Report:
    """Plant, run and judge in an empty folder; this process becomes the parent of all that the run leaves behind."""
    os.umask(0o022)
    means.syscall(157, _PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    report = Report()
    ground = Ground(folder)
    try:
        honest = _write_honest(ground)
        alone = run([_spec(folder, honest)], out=folder / "results-alone", workers=2)
        hostile = write_subjects(ground.subjects, ground.target, only)
        programs = write_programs(ground.subjects, ground.target, only)
        hostile += [Hostile(name=name, reference=reference) for name, reference in programs.items()]
        names = _mixed([entry.reference for entry in hostile], honest)
        ground.before = ground._state()
        began = time.monotonic()
        result = _run_all(folder, [*_beside(ground, len(hostile)), *names], hostile, report)
        report.seconds = time.monotonic() - began
        report.attempts = len(hostile)
        report.findings += _try_builds(ground, only, report)
        report.findings += _judge_records(hostile, alone, result, report)
        report.findings += ground.processes_behind()
        report.findings += _judge_store(ground, result)
        report.findings += ground.touched()
        report.findings += [f"{path} is left in the scratch folder" for path in (ground.results / ".scratch").iterdir()]
    finally:
        ground.close()
    return report


def _run_all(folder: Path, subjects: list[str], hostile: list[Hostile], report: Report) -> RunResult:
    """Run them together; when an attempt ends the run itself, find out which by running the suspects alone."""
    progress, suspects = folder / "progress.txt", []
    progress.touch()
    while True:
        try:
            result = run(
                [_spec(folder, subjects, hostile)], out=folder / "results", workers=2, progress=_Announce(progress)
            )
            break
        except Exception as error:
            report.findings.append(f"the run ended with {type(error).__name__}: {error}"[:400])
            finished = {line.split()[1] for line in progress.read_text().splitlines()}
            stopped = [name for name in subjects if _name(name) not in finished][:_AT_ONCE]
            subjects = [name for name in subjects if name not in stopped]
            suspects += stopped
    for number, name in enumerate(suspects):
        try:
            run([_spec(folder, [name], hostile)], out=folder / f"results-suspect-{number}")
        except Exception as error:
            report.findings.append(f"{_name(name)}: ended the run with {type(error).__name__}: {error}"[:400])
    return result


def _try_builds(ground: Ground, only: str, report: Report) -> Iterator[str]:
    """Subjects whose folder is the attack: a run each, which is refused or gives a record without the secret."""
    for build in BUILDS:
        name = f"folder_{build.__name__}"
        if only not in name:
            continue
        place = ground.subjects / name
        place.mkdir()
        reference = f"{name}={build(place, ground.target)}"
        report.attempts += 1
        out = ground.folder / f"results-{name}"
        try:
            result = run([_spec(ground.folder, [reference])], out=out)
            how = [str(record.error) for record in result.records]
            yield from (f"{name}: lost, {lost.reason}" for lost in result.lost)
            yield from _judge_store(ground, result)
        except InvalidInput as error:
            how = [f"refused: {error}"]
        except Exception as error:
            yield f"{name}: ended the run with {type(error).__name__}: {error}"[:400]
            continue
        if means.secret_in(" ".join(how)):
            yield f"{name}: the secret is in what is shown: {how}"
        report.outcomes[name] = " ".join(how)[:300]
        for path in sorted(place.glob("stolen*")):
            path.unlink()


def _write_honest(ground: Ground) -> list[str]:
    references = []
    for power in range(1, 8):
        place = ground.subjects / "honest"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"honest{power}.py").write_text(_HONEST.format(power=power))
        references.append(f"subjects/honest/honest{power}.py")
    return [*references, "vote"]


def _beside(ground: Ground, attempts: int) -> list[str]:
    """A subject that runs for some time with a secret in its folder, unless hardly anyone could look for it."""
    if attempts < 2:
        return []
    (ground.subjects / "beside").mkdir()
    (ground.subjects / "beside" / "beside.py").write_text(_SIBLING.format(secret=ground.secret))
    return ["subjects/beside/beside.py"]


def _name(reference: str) -> str:
    """How the run calls a subject."""
    if reference == "vote":
        return "vote(k=5)"
    return reference.split("=")[0] if "=" in reference else Path(reference).stem


def _mixed(hostile: list[str], honest: list[str]) -> list[str]:
    """Honest subjects spread among the attackers."""
    names, waiting = [], list(honest)
    for index, name in enumerate(hostile):
        if index % _EVERY == _EVERY // 2 and waiting:
            names.append(waiting.pop())
        names.append(name)
    return names + waiting


def _spec(folder: Path, subjects: list[str], hostile: list[Hostile] | None = None) -> RunSpec:
    limits = {
        entry.name: {name: value for name, value in entry.limits.items() if name in _LIMITS} for entry in hostile or ()
    }
    return RunSpec(
        track="cases",
        problems=("problems",),
        subjects=tuple(subjects),
        seconds=8.0 if hostile is None else 4.0,
        memory_mb=512,
        limits={name: values for name, values in limits.items() if values and name in map(_name, subjects)},
        folder=folder,
    )


def _judge_records(hostile: list[Hostile], alone: RunResult, result: RunResult, report: Report) -> Iterator[str]:
    """Attackers have a record without advantage, honest subjects that of a run without attackers."""
    records = {record.subject: record for record in result.records}
    for lost in result.lost:
        yield f"{lost.cell.subject.name}: lost, {lost.reason}"
    best = max(record.scores["auroc"] for record in alone.records)
    level = {record.isolation for record in alone.records}
    for before in alone.records:
        after = records.get(before.subject)
        if after is None:
            yield f"{before.subject}: the honest subject has no record"
        elif _comparable(after) != _comparable(before):
            yield f"{before.subject}: the honest record differs: {_comparable(before)} -> {_comparable(after)}"
    for entry in hostile:
        record = records.get(entry.name)
        if record is None:
            yield f"{entry.name}: no record"
            continue
        faults = list(_faults(entry, record, best, level))
        yield from faults
        if not faults:
            report.outcomes[entry.name] = f"{record.status}, {record.error_kind}: {record.error}"


def _faults(entry: Hostile, record: Record, best: float, level: set[str]) -> Iterator[str]:
    if "BREACH" in str(record.error):
        yield f"{entry.name}: {record.error}"
    if record.status == "ok" and not record.scores["auroc"] <= best:
        yield f"{entry.name}: has a score of {record.scores['auroc']}"
    if record.isolation not in level:
        yield f"{entry.name}: recorded as {record.isolation}"
    if record.seconds < entry.limits.get("spent", 0.0):
        yield f"{entry.name}: recorded with {record.seconds} seconds"
    if record.cost.get("cpu_seconds", 0.0) < entry.limits.get("cpu", 0.0):
        yield f"{entry.name}: recorded with {record.cost} of costs"


def _comparable(record: Record) -> tuple[object, ...]:
    return record.status, record.error, record.isolation, record.to_json()["scores"], record.to_json()["details"]


def _judge_store(ground: Ground, result: RunResult) -> Iterator[str]:
    """No secret and no admission in anything that was kept, packed or not."""
    with Store(result.out, read_only=True) as store:
        for number in result.runs.values():
            for cell in store.cells(number):
                if cell.answer_key not in store.answer_status([cell.answer_key]):
                    continue
                answer = store.answer(cell.answer_key)
                stored = f"{answer.log} {answer.error} {answer.payload!r} {dict(answer.cost)}"
                if means.secret_in(stored):
                    yield f"{cell.subject.name}: the secret is in its answer, error or log"
                if "BREACH: " in answer.log and "BREACH" not in str(answer.error):
                    yield f"{cell.subject.name}: {answer.log[answer.log.index('BREACH') :][:200]}"
    for path in result.out.iterdir():
        if path.is_file() and ground.secret.encode() in path.read_bytes():
            yield f"{path} holds the secret"
