"""Subjects that are programs, in any language: a folder with the task in, an answer on disk out.

The program gets two arguments, the task's folder and the path of the answer, which are also in its environment beside
the seed and the seconds it has. It runs inside the subject's process and so under the same limits and confinement.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from assay.core import AnyTrack, Budget, Call, InvalidInput, SubjectFailed, UnknownName, digest_json, find_inside
from assay.core.calls import Parameter
from assay.core.files.digest import digest_files
from assay.core.files.folders import demand_own, is_file, walk
from assay.core.files.near import near_path
from assay.harness.process.usage import read_usage

__all__ = [
    "COMMAND",
    "TASK",
    "Program",
    "ProgramSubject",
    "copy_program",
    "demand_parameters",
    "read_answer",
    "read_program",
]

COMMAND: Final = "command"
TASK: Final = "task"  # the folders beside each other in the subject's own folder
_PROGRAM: Final = "program"
_ANSWERS: Final = "answers"
_ANSWER: Final = "answer"
_USAGE: Final = "usage.json"
_PARAMETERS: Final = ("run", "folder")
_MOST_FILES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Program:
    """A command line, the files that belong to the program, and the digest of both."""

    words: tuple[str, ...]
    root: Path
    files: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Of the words and of the program's own files: an edited program is a new subject."""
        return digest_json({"words": list(self.words), "files": digest_files(self.paths)})

    @property
    def paths(self) -> dict[str, Path]:
        """Where its files are, by their names."""
        return {name: self.root / name for name in self.files}


def demand_parameters(call: Call, known: Sequence[str]) -> None:
    """Refuse a parameter that a subject does not have."""
    for name in call.parameters:
        if name not in known:
            raise UnknownName(f"parameter of subject {call.name!r}", name, known)


def read_program(call: Call, here: Path) -> Program:
    """``command(run='python3 agent.py --deep', folder='agents/mine')``: what to run, and which files belong to it.

    Without ``folder`` the files named in the command line belong to it; with it, all that the folder holds.
    """
    demand_parameters(call, _PARAMETERS)
    words = _words(call.parameters.get("run"))
    folder = call.parameters.get("folder")
    if folder is None:
        root = here.resolve()
        named = [word for word in words if not Path(word).is_absolute() and _is_there(root / word)]
        files = sorted({_inside(root, word) for word in named})
    else:
        root = here / str(folder)
        if not _is_there(root, folder=True):
            raise InvalidInput(f"subject {str(call)!r}: there is no folder {str(folder)!r}.{near_path(root)}")
        root = root.resolve()
        files = sorted(_files_of(root, call))
    for file in files:
        demand_own(root / file, root)
    first = words[0]
    if "/" in first and not Path(first).is_absolute() and _inside(root, first) not in files:
        raise InvalidInput(f"subject {str(call)!r}: there is no program {first!r} in {root}.{near_path(root / first)}")
    return Program(words, root, tuple(files))


def _is_there(path: Path, *, folder: bool = False) -> bool:
    """Whether there is such a file or folder; nothing has a name that is too long, or with a zero byte in it."""
    try:
        return path.is_dir() if folder else path.is_file()
    except (OSError, ValueError):
        return False


def _words(run: Parameter) -> tuple[str, ...]:
    if not isinstance(run, str) or not run.strip():
        raise InvalidInput("subject 'command': give the command line, as in command(run='./agent.sh').")
    try:
        return tuple(shlex.split(run))
    except ValueError as error:
        raise InvalidInput(f"subject 'command': the command line {run!r} cannot be read: {error}.") from None


def _inside(root: Path, word: str) -> str:
    path = Path(os.path.normpath(root / word))
    if not path.is_relative_to(root):
        raise InvalidInput(f"subject 'command': {word!r} lies outside {root}; name its folder with folder='...'.")
    return path.relative_to(root).as_posix()


def _files_of(root: Path, call: Call) -> list[str]:
    names = []
    for path in walk(root):
        inside = path.relative_to(root)
        if is_file(path) and not any(part.startswith(".") or part == "__pycache__" for part in inside.parts):
            names.append(inside.as_posix())
        if len(names) > _MOST_FILES:
            raise InvalidInput(
                f"subject {str(call)!r}: its folder holds more than {_MOST_FILES:,} files; name a smaller."
            )
    return names


def copy_program(program: Program, scratch: Path) -> None:
    """Put the program's own files into the subject's folder, modes and all."""
    target = scratch / _PROGRAM
    target.mkdir()
    for name, path in program.paths.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target / name)


def read_answer(track: AnyTrack, folder: Path, problem: str) -> bytes:
    """The encoded answer to one problem from a folder of answers; SubjectFailed when it is missing."""
    if track.ready_answer is not None:
        return track.ready_answer(folder, problem)
    name = f"{problem}{track.answer_suffix}"
    path = find_inside(folder, name)
    if path is None or not path.is_file():
        raise SubjectFailed("missing answer", f"no answer for problem {problem!r}: expected file {name!r}")
    return path.read_bytes()


@dataclass(slots=True)
class ProgramSubject:
    """Runs a program in the working folder, where the task's and the program's files lie, and reads what it wrote."""

    name: str
    digest: str
    words: tuple[str, ...]
    track: AnyTrack
    usage: object = field(default_factory=dict)  # what the program says it used

    def solve(self, task: object, budget: Budget, /) -> bytes:
        """The answer's bytes; the task is in the folder, so the given one is not used."""
        here = Path.cwd()
        answers = here / _ANSWERS
        answer = answers / f"{_ANSWER}{self.track.answer_suffix}"
        (answers if self.track.answer_suffix else answer).mkdir(parents=True)
        environment = _environment(here, answer, budget)
        try:
            ended = subprocess.run(
                [*self.words, str(here / TASK), str(answer)],
                cwd=here / _PROGRAM,
                env=environment,
                stdin=subprocess.DEVNULL,
                stderr=subprocess.STDOUT,
                check=False,
            )
        except OSError as error:
            reason = f"{self.words[0]!r} cannot be started: {error.strerror}"
            raise SubjectFailed(
                "cannot be built", f"{reason}. Is it executable, and readable when confined?"
            ) from error
        if ended.returncode:
            raise SubjectFailed("crashed", _ending(ended.returncode))
        self.usage = read_usage(here / _USAGE)
        if all(path.is_dir() for path in answers.rglob("*")):
            place = "path" if self.track.answer_suffix else "folder"
            raise SubjectFailed(
                "missing answer",
                f"the program wrote nothing to its second argument, the {place} of the answer. Write the answer there; "
                "the variable ASSAY_ANSWER holds the same.",
            )
        try:
            return read_answer(self.track, answers, _ANSWER)
        except InvalidInput as error:
            raise SubjectFailed("malformed answer", str(error)) from error


def _environment(here: Path, answer: Path, budget: Budget) -> Mapping[str, str]:
    temporary = here / "tmp"
    temporary.mkdir(exist_ok=True)
    amounts = {"ASSAY_SECONDS": budget.seconds, "ASSAY_TOKENS": budget.tokens, "ASSAY_COST": budget.cost}
    return {
        **os.environ,
        **{name: f"{amount:.15g}" for name, amount in amounts.items() if amount is not None},
        "HOME": str(here),
        "TMPDIR": str(temporary),
        "ASSAY_TASK": str(here / TASK),
        "ASSAY_ANSWER": str(answer),
        "ASSAY_USAGE": str(here / _USAGE),
        "ASSAY_SEED": str(budget.seed),
        "ASSAY_MEMORY_MB": str(budget.memory_mb),
    }


def _ending(code: int) -> str:
    return f"the program ended with exit status {code}" if code > 0 else f"the program was killed by signal {-code}"
