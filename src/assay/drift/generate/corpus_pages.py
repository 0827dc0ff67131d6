"""Generated documents written out: headers, dates in many forms, and words that keep more or less to the names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from assay.drift.detection.drift import DriftType
from assay.drift.documents.words import split_name
from assay.drift.generate.corpus_texts import read_texts

__all__ = ["Author", "Matter", "Page", "Status"]

Status: TypeAlias = Literal["announced", "withdrawn", "unchanged"]
_T = TypeVar("_T")
_FORMS = (
    "{0:%Y-%m-%d}",
    "{1} {0:%B} {0:%Y}",
    "{0:%B} {1}, {0:%Y}",
    "{0:%d}/{0:%m}/{0:%Y}",
    "{0:%d}.{0:%m}.{0:%Y}",
    "{1} {0:%B}",
)
_SAME_YEAR = 60  # days
_STARTS = ("from {}", "as of {}", "with effect from {}", "starting on {}", "effective {}", "beginning {}")
_FOLLOW_UPS = (
    "Forms and instructions for {a} are adapted accordingly.",
    "Please prepare your colleagues who deal with {a}.",
    "The handbook chapter on {a} is being rewritten.",
)
_AT_ONCE = ("with immediate effect", "from now on", "effective immediately")


class Page(NamedTuple):
    """A document's title and text."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """What a document is about: a change of activities of a process, when it begins (None: at once), and its fate."""

    process: str
    activities: tuple[str, ...]
    kind: str = "other"
    type: DriftType = "sudden"
    begins: date | None = None
    status: Status = "announced"


class Author:
    """Writes documents; ``paraphrase`` is the share of words that stray from the names of activities, ``vague`` that of
    titles which say nothing, ``short`` that of documents which call the process by its ``nicknames`` only.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        *,
        paraphrase: float,
        vague: float,
        short: float,
        nicknames: dict[str, str],
    ) -> None:
        self.rng = rng
        self.paraphrase = paraphrase
        self.vague = vague
        self.short = short
        self.nicknames = nicknames
        self.texts = read_texts()

    def write(self, matter: Matter, *, issued: date) -> Page:
        """A document on this matter, issued on this day."""
        nickname = self.nicknames.get(matter.process)
        full = split_name(matter.process)
        process = nickname if nickname is not None and self.chance(self.short) else full.lower()
        names = [self.say(activity) for activity in matter.activities] or ["the work"]
        a = names[0]
        b = names[1] if len(names) > 1 else "the steps around it"
        title = self._title(full, matter.activities[0] if matter.activities else full)
        department = self.pick(self.texts.departments)
        lines = [self._opening(matter.status), *self._core(matter, process, a, b, issued)]
        for _ in range(int(self.rng.integers(1, 4))):
            lines.insert(int(self.rng.integers(len(lines) + 1)), self.pick(self.texts.fillers))
        lines.append(self.pick(self.texts.closings).format(dept=department))
        return Page(title, self._header(title, department, issued) + self._paragraphs(lines))

    def notice(self, title: str, body: str, *, issued: date, on: date) -> Page:
        """A notice that concerns no process at all."""
        lines = [
            body,
            f"It takes place on {self.spell(on, issued=issued)}."
            if self.chance(0.5)
            else self.pick(self.texts.fillers),
        ]
        return Page(title, self._header(title, "Facility Services", issued) + self._paragraphs(lines))

    def say(self, activity: str) -> str:
        """An activity in running text: its words as they are, or some of them replaced by others."""
        words = split_name(activity).lower().split()
        chosen = []
        for word in words:
            alternatives = self.texts.synonyms.get(word) or self.texts.synonyms.get(word.removesuffix("s"))
            chosen.append(self.pick(alternatives) if alternatives and self.chance(self.paraphrase) else word)
        return " ".join(chosen)

    def spell(self, day: date, *, issued: date) -> str:
        """A day in one of the usual forms; only a near one goes without its year."""
        forms = _FORMS if abs((day - issued).days) <= _SAME_YEAR else _FORMS[:-1]
        return self.pick(forms).format(day, day.day)

    def chance(self, share: float) -> bool:
        """True in this share of the calls."""
        return bool(self.rng.random() < share)

    def pick(self, entries: Sequence[_T]) -> _T:
        """One of the entries."""
        return entries[int(self.rng.integers(len(entries)))]

    def _opening(self, status: Status) -> str:
        return (
            self.pick(self.texts.announcements)
            if status != "unchanged" and self.chance(0.6)
            else self.pick(self.texts.fillers)
        )

    def _core(self, matter: Matter, process: str, a: str, b: str, issued: date) -> list[str]:
        if matter.status == "unchanged":
            return [_sentence(self.pick(self.texts.no_change).format(p=process, a=a, b=b))]
        when = (
            self.pick(_AT_ONCE)
            if matter.begins is None
            else self.pick(_STARTS).format(self.spell(matter.begins, issued=issued))
        )
        pool = self.texts.patterns.get(matter.kind, self.texts.patterns["other"])
        lines = [_sentence(self.pick(pool).format(p=process, a=a, b=b, d=when))]
        if self.chance(0.5):
            lines.append(_sentence(self.pick(_FOLLOW_UPS).format(a=a)))
        if self.chance(0.7):
            lines.append(self.pick(self.texts.reasons))
        if matter.type != "sudden" or self.chance(0.3):
            lines.append(self.pick(self.texts.schedules[matter.type]))
        if matter.status == "withdrawn":
            lines.append(self.pick(self.texts.withdrawn))
        return lines

    def _title(self, process: str, activity: str) -> str:
        if self.chance(self.vague):
            return self.pick(self.texts.vague_titles).format(
                n=int(self.rng.integers(2, 99)), dept=self.pick(self.texts.departments)
            )
        return self.pick(self.texts.titles).format(p=process, a=activity)

    def _header(self, title: str, department: str, issued: date) -> str:
        form = int(self.rng.integers(3))
        if form == 0:
            return (
                f"Subject: {title}\nFrom: {department}\nDate: {issued.day} {issued:%B} {issued:%Y}\nTo: all units\n\n"
            )
        if form == 1:
            return f"{title}\n{department}\nDate: {issued:%Y-%m-%d}\n\n"
        return f"# {title}\n\nIssued: {issued:%B} {issued.day}, {issued:%Y}\n\n"

    def _paragraphs(self, lines: Sequence[str]) -> str:
        joints = ["\n\n" if self.chance(0.3) else " " for _ in lines]
        return "".join(line + joint for line, joint in zip(lines, joints, strict=True)).strip() + "\n"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
