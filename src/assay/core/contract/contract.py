"""What a subject of a track gets and what it must return; help, pages and errors are built from it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from assay.core.display import wrapped

__all__ = ["Contract", "ContractPart", "TaskField"]

ContractPart: TypeAlias = Literal["task", "answer", "functions", "program"]

PARTS: tuple[ContractPart, ...] = ("task", "answer", "functions", "program")
_WIDTH = 76
_BRACKETS = re.compile(r"(?<=[\[({]) |,? (?=[\])}])")  # spaces inside of them, after lines were joined
_LONGEST_NAME = 25  # characters in a left column; what is longer has a line of its own


class TaskField(NamedTuple):
    """What stands behind ``task.``: its type, what it is, and an example of its value."""

    type: str
    meaning: str
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What a subject of one track gets and gives, shown by help, templates, pages, ``assay check`` and errors.

    Parameters
    ----------
    task : mapping of str to TaskField
        The fields of a task, by what is written behind ``task.``.
    answer : str
        What an answer is, in one line that continues after "an answer is".
    answers : mapping of str to str
        All forms of it: Python expressions over ``task``, which a test evaluates, and what they are.
    files : mapping of str to str
        The files that a program finds in the folder of the task.
    program : str
        What a program writes, as an example.
    functions : mapping of str to str, optional
        Where an answer holds functions: what each of their arguments is.
    returned : str, optional
        What such a function returns.

    Examples
    --------
    >>> contract = Contract(
    ...     task={"numbers": TaskField("tuple of int", "to be judged", "(3, 4)")},
    ...     answer="one truth value per number",
    ...     answers={"[number % 2 == 0 for number in task.numbers]": "a list"},
    ...     files={"problem.json": "the numbers"},
    ...     program='{"even": [false, true]}',
    ... )
    >>> print(contract.part("task"))
    solve(task, budget) gets
      task.numbers  tuple of int: to be judged, e.g. (3, 4)
      budget        its seconds, memory_mb and seed; may be left out
    """

    task: Mapping[str, TaskField]
    answer: str
    answers: Mapping[str, str]
    files: Mapping[str, str]
    program: str
    functions: Mapping[str, str] = field(default_factory=dict)
    returned: str = ""

    def part(self, name: ContractPart) -> str:
        """One part as lines of at most 76 characters; empty where there is none."""
        return "\n".join(getattr(self, f"_{name}")())

    def text(self, *, without: ContractPart | None = None) -> str:
        """All parts, or all but one."""
        return "\n\n".join(text for name in PARTS if name != without and (text := self.part(name)))

    def expected(self, track: str) -> str:
        """What an answer is, in one line."""
        first = _BRACKETS.sub("", " ".join(line.strip() for line in next(iter(self.answers)).splitlines()))
        return f"An answer of the {track} track is {self.answer}, for example {first}."

    def comment(self) -> str:
        """All that a subject in Python needs, as comments for the top of a template."""
        return "\n".join(f"# {line}".rstrip() for line in self.text(without="program").splitlines())

    def _task(self) -> list[str]:
        entries = {
            f"task.{name}": f"{entry.type}: {entry.meaning}, e.g. {entry.example}" for name, entry in self.task.items()
        }
        entries["budget"] = "its seconds, memory_mb and seed; may be left out"
        return ["solve(task, budget) gets", *_columns(entries)]

    def _answer(self) -> list[str]:
        lines = textwrap.wrap(f"solve(task, budget) returns {self.answer}:", _WIDTH)
        for expression, words in self.answers.items():
            lines += [*_wrapped(f"{words}:", "  "), *(f"    {line}" for line in expression.splitlines())]
        return lines

    def _functions(self) -> list[str]:
        if not self.functions:
            return []
        lines = ["A feature function gets, by the names of its arguments", *_columns(self.functions)]
        return [*lines, *textwrap.wrap(f"and returns {self.returned}.", _WIDTH)]

    def _program(self) -> list[str]:
        lines = ["A program gets two arguments: the folder of the task, which holds", *_columns(self.files)]
        return [*lines, "and the path of its answer, to which it writes", *_wrapped(self.program, "  ")]


def _columns(entries: Mapping[str, str]) -> list[str]:
    """Names on the left, words on the right; a long name has a line of its own."""
    lines = []
    width = min(max(map(len, entries)), _LONGEST_NAME) + 4
    for name, words in entries.items():
        first = f"  {name}".ljust(width)
        if len(name) > _LONGEST_NAME:
            lines.append(f"  {name}")
            first = ""
        description = _wrapped(words, " " * width)
        lines += [first + description[0][len(first) :], *description[1:]]
    return lines


def _wrapped(text: str, indent: str) -> list[str]:
    return wrapped(text, _WIDTH, first=indent, rest=indent)
