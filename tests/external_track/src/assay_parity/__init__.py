"""The smallest complete track: which of these numbers are even?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from assay.core import Budget, InvalidInput, Metric, Problem, Settings, SubjectFailed, Track, digest_json, read_manifest

__all__ = ["TRACK", "accuracy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """The numbers."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """Whether each of them is even."""

    even: tuple[bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Claims beside facts."""

    claimed: tuple[bool, ...]
    even: tuple[bool, ...]


def accuracy(claimed: tuple[bool, ...], even: tuple[bool, ...]) -> float:
    r"""Share of right claims.

    $$\mathrm{accuracy} = \frac{1}{n} \sum_i [c_i = e_i]$$

    >>> accuracy((True, False), (True, True))
    0.5
    """
    return sum(c == e for c, e in zip(claimed, even, strict=True)) / len(even)


def load(folder: Path) -> Problem[Task, Truth]:
    """Read a problem folder."""
    manifest = read_manifest(folder, track="parity")
    numbers = manifest.content.get("numbers")
    if not isinstance(numbers, list) or not numbers or not all(isinstance(number, int) for number in numbers):
        raise InvalidInput(f"{folder / 'problem.json'}: 'numbers' must be a list of whole numbers.")
    even = json.loads((folder / "truth" / "even.json").read_text())
    return Problem(
        id=manifest.id,
        digest=manifest.digest,
        task=Task(numbers=tuple(numbers)),
        truth=Truth(even=tuple(even)),
        tags=manifest.tags,
    )


def write(folder: Path, numbers: list[int], tags: dict[str, str | float]) -> None:
    """Write a problem folder."""
    (folder / "truth").mkdir(parents=True)
    content = {"id": folder.name, "track": "parity", "tags": tags, "numbers": numbers}
    (folder / "problem.json").write_text(json.dumps(content))
    (folder / "truth" / "even.json").write_text(json.dumps([number % 2 == 0 for number in numbers]))


def builtin(folder: Path) -> None:
    """Eight small problems."""
    for index in range(8):
        write(folder / f"numbers-{index}", [index * 7 + step * (index + 3) for step in range(12)], {"start": index * 7})


def encode(answer: tuple[bool, ...]) -> bytes:
    """As JSON."""
    return json.dumps(list(answer)).encode()


def decode(payload: bytes) -> tuple[bool, ...]:
    """From JSON."""
    try:
        claims = json.loads(payload)
    except ValueError as error:
        raise InvalidInput(f"not JSON: {error}") from error
    if not isinstance(claims, list) or not all(isinstance(claim, bool) for claim in claims):
        raise InvalidInput("an answer is a list of true and false")
    return tuple(claims)


def examine(problem: Problem[Task, Truth], answer: tuple[bool, ...], settings: Settings) -> Evidence:
    """Confront the claims with the truth."""
    if len(answer) != len(problem.truth.even):
        raise SubjectFailed("malformed answer", f"{len(answer)} claims for {len(problem.truth.even)} numbers")
    return Evidence(claimed=answer, even=problem.truth.even)


@dataclass(frozen=True, slots=True)
class Divide:
    """Divides every number, and so is right; with another divisor it is not."""

    divisor: int = 2

    @property
    def name(self) -> str:
        """With its parameter."""
        return "divide" if self.divisor == 2 else f"divide(divisor={self.divisor})"

    @property
    def digest(self) -> str:
        """Of its behaviour."""
        return digest_json({"divide": self.divisor, "version": 1})

    def solve(self, task: Task, budget: Budget, /) -> tuple[bool, ...]:
        """Claim by remainder."""
        return tuple(number % self.divisor == 0 for number in task.numbers)


TRACK = Track(
    name="parity",
    question="Can it tell even numbers from odd ones?",
    load=load,
    builtin=builtin,
    encode=encode,
    decode=decode,
    examine=examine,
    metrics=(Metric("accuracy", lambda e: accuracy(e.claimed, e.even), definition=accuracy, oracle=1.0),),
    headline="accuracy",
    oracle=lambda problem: problem.truth.even,
    subjects={"divide": Divide},
)
