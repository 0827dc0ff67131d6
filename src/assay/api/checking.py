"""One subject on one small problem, step by step: how it was read, what it got, printed and returned, how it scored."""

from __future__ import annotations

import math
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path

from assay.api.check_report import Check, Failure, Step
from assay.api.next_commands import run_call, run_command
from assay.api.problem_set import problem_paths
from assay.api.references import as_texts, subject_texts
from assay.api.temporary import TemporaryFolder
from assay.core import AnyTrack, InvalidInput, Record, Setting, find_problems, get_track
from assay.core.contract.contract import ContractPart
from assay.core.contract.excerpt import excerpt
from assay.core.display import counted
from assay.core.files.folders import walk
from assay.harness import RunSpec
from assay.harness.execute import Examiner, Job
from assay.harness.plan import Cell, make_plan, prepare
from assay.harness.process.isolation import hidden_places
from assay.harness.process.subject_process import BusyMachine
from assay.harness.spec import BUILTIN
from assay.harness.store.stored_answer import StoredAnswer
from assay.report.wording import ARROWS, format_number

__all__ = ["check"]

_TRACEBACK = "Traceback (most recent call last):"
_LONGEST_SUMMARY, _LONGEST_LINE = 160, 64  # characters
_MOST_LINES = 12  # of what was printed, of a traceback, of evidence
_FUNCTION = "function failed"
_OF_LIMITS = ("timeout", "memory", "disk", "processes")
_FRAME = re.compile(r'  File "(?P<path>[^"]+)", line (?P<line>\d+), in (?P<name>.+)')
_COPY = re.compile(r"^.*/tmp[^/]*/source/")  # where the copy of a confined subject's files lies
_READ_AS: Mapping[str, str] = {
    "registered": "a subject that the track brings",
    "privileged": "an answer made from the truth",
    "module": "an object of a module",
    "file": "an object of a Python file",
    "command": "a program",
    "ready": "a folder of precomputed answers",
    "pickle": "a pickled object",
}
_ADVICE: Mapping[str, str] = {
    "timeout": "Give it more time, --seconds 300 (seconds=300 in Python), or make it faster.",
    "memory": "Give it more memory, --memory-mb 8192 (memory_mb=8192 in Python), or let it need less.",
    "cannot be built": "A file defines solve(task, budget) or an object with that method; FILE.py:NAME takes another.",
    "missing answer": "A folder of answers has one for each problem, named by its id.",
}


def check(
    subject: object,
    track: str,
    *,
    problem: object = None,
    seconds: float = 60.0,
    memory_mb: int = 2048,
    isolation: str = "confined",
    network: bool = False,
    readable: str | Path | Iterable[str | Path] = (),
    environment: str | Iterable[str] = (),
    settings: Mapping[str, Setting] | None = None,
) -> Check:
    """Try one subject on one small problem, and show step by step what happens.

    Everything is done as in a run, confinement included, but nothing is stored.

    Parameters
    ----------
    subject : str, Path, callable or object
        One subject, as for :func:`assay.run`.
    track : str
        The name of a track.
    problem : str, Path or Problem, optional
        A problem folder, the id of a built-in problem, or a problem of :func:`assay.problems`; by default the smallest
        built-in one.
    seconds, memory_mb : float, int
        What the answer may use.
    isolation, network, readable, environment : str, bool, path or list of paths, name or list of names
        What the subject's process may see, as for :func:`assay.run`.
    settings : mapping, optional
        Settings of the track.

    Returns
    -------
    Check
        Shows itself as text; ``ok`` says whether the subject works.

    Raises
    ------
    InvalidInput
        If the subject, track or problem is not found.

    Examples
    --------
    >>> import assay
    >>> def guess(task, budget):
    ...     return task.trget
    >>> found = assay.check(guess, "formula")
    >>> found.ok, found.failure.step
    (False, 'call')
    >>> found.failure.reason.partition(". ")[2]
    "Did you mean 'target'? FormulaTask has: name, variables, target, parts, test_inputs."
    """
    definition = get_track(track)
    texts = subject_texts(subject, definition, isolation=isolation)
    if len(texts) != 1:
        raise InvalidInput(f"check: {len(texts)} subjects are given. Give one.")
    folder = _smallest(definition, problem)
    keep = TemporaryFolder("check")
    spec = RunSpec(
        track=track,
        subjects=texts,
        problems=(str(folder),),
        seconds=seconds,
        memory_mb=memory_mb,
        isolation=isolation,
        network=network,
        readable=as_texts(readable, "readable"),
        environment=as_texts(environment, "environment"),
        settings=settings or {},
    )
    (cell,) = make_plan(prepare(spec), out=keep.path).cells
    steps = [_subject(cell), _task(definition, cell)]
    record, answer = _finished(cell, keep.path)
    failure = _failure(definition, cell, record, answer, captured=not isinstance(subject, str | Path))
    steps += [_call(cell, answer), _answer(definition, answer), _evidence(record), _scores(definition, record)]
    own = str(problem) if isinstance(problem, str | Path) and Path(problem).is_dir() else ""
    typed = isinstance(subject, str | Path)
    return Check(
        subject=cell.subject.name,
        track=track,
        problem=cell.problem,
        steps=_until(steps, failure),
        failure=failure,
        scores=record.scores if failure is None or failure.step == "evidence" else {},
        log=answer.log,
        cautions=_leaks(record),
        next=run_command(cell, str(subject), own) if typed else run_call(cell, own),
    )


def _smallest(track: AnyTrack, problem: object) -> Path:
    """The smallest problem in bytes, of the built-in ones or of those that are given; of equal ones the first."""
    places = problem_paths(track, BUILTIN if problem is None else problem)
    if len(places) != 1:
        raise InvalidInput(f"check: {len(places)} problems are given. Give one.")
    if places == (BUILTIN,):
        from assay.api.problem_set import problems

        folders: Sequence[Path] = problems(track.name).folders
    else:
        folders = find_problems(Path(places[0]), marker=track.marker)
    return min(folders, key=lambda folder: (sum(path.lstat().st_size for path in walk(folder)), folder.name))


def _finished(cell: Cell, out: Path) -> tuple[Record, StoredAnswer]:
    scratch = Path(tempfile.mkdtemp(prefix="scratch-", dir=out))
    examiner = Examiner(scratch, hidden=hidden_places([out, Path(cell.folder)]))
    try:
        try:
            return examiner.finish(Job(cell=cell))
        except BusyMachine:
            return examiner.finish(Job(cell=cell, retried=True))
    finally:
        examiner.close()


def _failure(track: AnyTrack, cell: Cell, record: Record, answer: StoredAnswer, *, captured: bool) -> Failure | None:
    """Where it broke, why, and the contract of that step; the user of a captured value has never seen its file."""
    contract, kind = track.contract, record.error_kind or ""
    if record.status == "ok":
        failed = _failed_functions(record)
        if not failed:
            return None
        called = "" if contract is None else contract.part("functions")
        reason = "; ".join(text.rstrip(".") for text in failed)
        return Failure(step="evidence", kind=_FUNCTION, reason=f"{reason}.", contract=called)
    step = "call"
    if kind == "cannot be built":
        step = "subject"
    elif kind in ("malformed answer", "missing answer"):
        step = "answer"
    elif answer.payload is not None:
        step = "evidence"
    part: ContractPart = "task" if step in ("subject", "call") else "answer"
    has_advice = cell.subject.kind != "command" or kind in _OF_LIMITS  # the rest is about files and folders of answers
    if cell.subject.kind in ("command", "ready"):
        part = "program"
    return Failure(
        step=step,
        kind=kind,
        reason=record.error or "",
        traceback=_own_frames(answer.log, lines=not captured) if kind == "exception" else (),
        advice=_ADVICE.get(kind, "") if has_advice else "",
        contract="" if contract is None or kind in _OF_LIMITS else contract.part(part),
    )


def _failed_functions(record: Record) -> list[str]:
    """Functions inside of an answer that gave nothing, with the reason."""
    statuses = [(str(entry.get("name")), str(entry.get("status"))) for entry in _functions(record)]
    return [f"function {name!r}: {status}" for name, status in statuses if not status.startswith(("ok", "not run"))]


def _functions(record: Record) -> list[Mapping[str, object]]:
    functions = record.details.get("functions")
    return [entry for entry in functions if isinstance(entry, Mapping)] if isinstance(functions, list) else []


def _without_traceback(log: str) -> str:
    """What was printed before the traceback of the failure, which is shown elsewhere."""
    return log.rpartition(_TRACEBACK)[0]


def _own_frames(log: str, *, lines: bool) -> tuple[str, ...]:
    """The lines of the last traceback that belong to the subject: neither ours nor those of libraries."""
    traceback = log.rpartition(_TRACEBACK)[2].splitlines()
    ours = (*(f"{folder}{os.sep}" for folder in (Path(__file__).parents[1], sys.prefix, sys.base_prefix)), "<frozen")
    frames: list[str] = []
    for number, line in enumerate(traceback):
        match = _FRAME.match(line)
        if match is None or match["path"].startswith(ours):
            continue
        place = f"{_COPY.sub('', match['path'])}, line {match['line']}, " if lines else ""
        frames.append(f"{place}in {match['name']}")
        frames += [line for line in traceback[number + 1 : number + 2] if line.startswith("    ")]
    return tuple(frames[-_MOST_LINES:])


def _subject(cell: Cell) -> Step:
    ref = cell.subject
    place = {
        "command": " ".join(ref.program().words) if ref.kind == "command" else "",
        "registered": ref.name,
        "privileged": ref.target,
    }.get(ref.kind, ref.target + (f", {ref.attribute}" if ref.attribute else ""))
    return Step(
        name="subject", summary=f"{_READ_AS[ref.kind]}: {place}", lines=(f"name {ref.name}, digest {ref.digest[:12]}",)
    )


def _task(track: AnyTrack, cell: Cell) -> Step:
    """What the subject sees: the fields of the task, or the files of a program's folder."""
    folder = Path(cell.folder)
    task = track.load(folder).task
    if cell.subject.kind != "command":
        return Step(name="task", summary=excerpt(task, _LONGEST_SUMMARY), lines=_fields(task))
    with tempfile.TemporaryDirectory() as name:
        place = Path(name, "task")
        track.hand_over(folder, place)
        files = {path.relative_to(place).as_posix(): path.lstat().st_size for path in walk(place) if path.is_file()}
    listed = [f"{file}: {size:,} bytes" for file, size in sorted(files.items())]
    return Step(name="task", summary=f"a folder of {counted(len(files), 'file')}", lines=_first(listed))


def _fields(value: object) -> tuple[str, ...]:
    """A line about each field of a dataclass; none of other values."""
    if not is_dataclass(value):
        return ()
    return _entries({field.name: getattr(value, field.name) for field in fields(value)})


def _entries(named: Mapping[str, object]) -> tuple[str, ...]:
    return _first([f"{name}: {excerpt(value, max(20, _LONGEST_LINE - len(name)))}" for name, value in named.items()])


def _call(cell: Cell, answer: StoredAnswer) -> Step:
    budget, ref = cell.budget, cell.subject
    if not ref.runs_code:
        return Step(name="call", summary="no code is called", lines=())
    call = " ".join([*ref.program().words, "TASK", "ANSWER"]) if ref.kind == "command" else "solve(task, budget)"
    limits = f"at most {budget.seconds:g} s and {budget.memory_mb} MB, seed {budget.seed}"
    printed = _without_traceback(answer.log) if answer.error_kind == "exception" else answer.log
    output = [f"| {line}" for line in printed.rstrip().splitlines()]
    lines = (f"{answer.isolation}; took {answer.seconds:.2f} s", *_last(output or ["it printed nothing"]))
    return Step(name="call", summary=f"{call}, {limits}", lines=lines)


def _answer(track: AnyTrack, answer: StoredAnswer) -> Step:
    if answer.payload is None:
        return Step(name="answer", summary="")
    try:
        decoded = track.decode(answer.payload)
    except InvalidInput:
        return Step(name="answer", summary=f"{len(answer.payload):,} bytes: {answer.payload[:60]!r}")
    return Step(name="answer", summary=excerpt(decoded, _LONGEST_SUMMARY), lines=_fields(decoded))


def _leaks(record: Record) -> tuple[str, ...]:
    """What is known of each function that leaks."""
    leaks = []
    for entry in _functions(record):
        if entry.get("verdict") == "leak":
            evidence = entry.get("evidence")
            words = evidence.get("words", "") if isinstance(evidence, dict) else ""
            leaks.append(f"function {entry.get('name')!r} leaks ({entry.get('kind')}). {words}".strip())
    return tuple(leaks)


def _evidence(record: Record) -> Step:
    shown = {name: value for name, value in record.details.items() if name != "functions"}
    functions = [f"function {entry.get('name')}: {entry.get('verdict')}" for entry in _functions(record)]
    return Step(name="evidence", summary="what examination found", lines=(*_entries(shown), *_first(functions)))


def _scores(track: AnyTrack, record: Record) -> Step:
    lines = []
    ranking = track.headline_among([name for name, value in record.scores.items() if not math.isnan(value)])
    for metric in track.metrics:
        headline = ", the headline" if metric.name == ranking else ""
        lines.append(f"{metric.name} {ARROWS[metric.goal]} {format_number(record.scores[metric.name])}{headline}")
    return Step(name="scores", summary=f"{len(lines)} metrics; ↑ higher is better, ↓ lower", lines=tuple(lines))


def _until(steps: Sequence[Step], failure: Failure | None) -> tuple[Step, ...]:
    """The steps up to the one that failed; functions that fail inside of an answer leave it a score."""
    if failure is None or failure.kind == _FUNCTION:
        return tuple(steps)
    names = [step.name for step in steps]
    return tuple(steps[: names.index(failure.step) + 1])


def _first(lines: Sequence[str]) -> tuple[str, ...]:
    rest = len(lines) - _MOST_LINES
    return (*lines[:_MOST_LINES], *([f"and {rest} more"] if rest > 0 else []))


def _last(lines: Sequence[str]) -> tuple[str, ...]:
    rest = len(lines) - _MOST_LINES
    return (*([f"{rest} lines before these"] if rest > 0 else []), *lines[-_MOST_LINES:])
