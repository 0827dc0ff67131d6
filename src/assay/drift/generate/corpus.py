"""Corpora with known causes: for every drift the documents that explain it, and others that only seem to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from assay.core import InvalidInput, UnknownName
from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Corpus
from assay.drift.documents.words import split_name
from assay.drift.generate.corpus_pages import Author, Matter, Page, Status
from assay.drift.generate.domains import DOMAINS
from assay.drift.generate.simulate import PlantedDrift

__all__ = ["DIFFICULTIES", "Difficulty", "GeneratedCorpus", "Role", "Story", "generate_corpus", "stories_of"]

Role: TypeAlias = Literal[
    "cause", "near in time", "near in topic", "wrong date", "other step", "no change", "sibling", "irrelevant"
]


_AWAY = (60, 300)  # days between a drift and what lies at another time
_APART = 25  # days between the start of a drift and a day that must not be mistaken for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Difficulty:
    """How hard a corpus is: how far words stray from the names, and how many documents of each role a drift gets.

    ``none`` and ``several`` are the shares of drifts without a cause and with two. ``dated`` is the share of causes
    that name the day of the change; ``early`` that of causes issued one to three months ahead, which always name it;
    ``undated`` that of files without a date in their name; ``jitter`` the days by which a named day misses the drift.
    """

    paraphrase: float
    vague: float
    short: float = 0.0
    dated: float = 0.7
    early: float = 0.15
    undated: float = 0.0
    jitter: int = 3
    none: float = 0.15
    several: float = 0.05
    near_in_time: int = 2
    near_in_topic: int = 2
    wrong_date: int = 1
    other_step: int = 1
    no_change: int = 1
    sibling: int = 1
    irrelevant: int = 2


DIFFICULTIES: Mapping[str, Difficulty] = {
    "easy": Difficulty(
        paraphrase=0.0, vague=0.0, early=0.0, jitter=1, wrong_date=0, no_change=0, sibling=0, other_step=0
    ),
    "medium": Difficulty(paraphrase=0.3, vague=0.3, undated=0.05),
    "hard": Difficulty(
        paraphrase=0.8, vague=0.7, short=0.3, early=0.3, undated=0.1, jitter=7, several=0.15, near_in_time=3,
        near_in_topic=3, wrong_date=2, other_step=2, no_change=2, sibling=2, irrelevant=3,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A drift and what changed in it: the kind of change (a key of the sentences) and the activities concerned."""

    drift: Drift
    activities: tuple[str, ...]
    kind: str = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedCorpus:
    """Texts by file name, per drift the golden documents (none where nothing explains it), and every file's role."""

    texts: Mapping[str, str]
    golden: Mapping[str, tuple[str, ...]]
    roles: Mapping[str, Role]
    glossary: Mapping[str, str]

    def corpus(self) -> Corpus:
        """The texts as documents."""
        return Corpus.from_texts(self.texts)

    def write(self, folder: Path) -> None:
        """Write every document into the folder, nothing else: golden names and roles stay out."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.texts.items():
            (folder / name).write_text(text, encoding="utf-8")


def stories_of(planted: Sequence[PlantedDrift]) -> tuple[Story, ...]:
    """What the simulated drifts have to tell."""
    return tuple(
        Story(drift=one.drift, activities=one.activities, kind=one.changes[0].kind if one.changes else "other")
        for one in planted
    )


def generate_corpus(
    stories: Sequence[Story], *, activities: Sequence[str], difficulty: str | Difficulty = "medium", seed: int
) -> GeneratedCorpus:
    """A corpus for the drifts of one log.

    A cause is issued at most two weeks before the drift (a few up to three days after), or, when it names the day, up
    to three months ahead. The others share all but one of its properties: those near in time speak of other processes,
    those near in topic of the same step at another time, those with a wrong date are issued at the right moment but
    begin months later or were withdrawn, others speak of another step, of a sibling process, or say that nothing
    changes. ``activities`` are all of the log. No part of a corpus depends on which of its documents are golden.
    """
    if isinstance(difficulty, str):
        if difficulty not in DIFFICULTIES:
            raise UnknownName("difficulty", difficulty, DIFFICULTIES)
        difficulty = DIFFICULTIES[difficulty]
    ids = [story.drift.id for story in stories]
    if not ids or len(set(ids)) < len(ids):
        raise InvalidInput(f"generate_corpus needs one story or more, each of another drift, not {ids}.")
    return _CorpusBuilder(stories, activities, difficulty, np.random.default_rng(seed)).build()


class _CorpusBuilder:
    """Collects the documents of one corpus."""

    def __init__(
        self, stories: Sequence[Story], activities: Sequence[str], difficulty: Difficulty, rng: np.random.Generator
    ) -> None:
        self.stories, self.activities, self.difficulty, self.rng = stories, tuple(activities), difficulty, rng
        self.glossary = _nicknames(sorted({story.drift.process for story in stories})) if difficulty.short else {}
        self.author = Author(
            rng,
            paraphrase=difficulty.paraphrase,
            vague=difficulty.vague,
            short=difficulty.short,
            nicknames={name: short for short, name in self.glossary.items()},
        )
        self.texts: dict[str, str] = {}
        self.roles: dict[str, Role] = {}
        self.golden: dict[str, tuple[str, ...]] = {}

    def build(self) -> GeneratedCorpus:
        for story, fate in zip(self.stories, self.rng.random(len(self.stories)), strict=True):
            rules = self.difficulty
            count = 0 if fate < rules.none else 2 if fate < rules.none + rules.several else 1
            self.golden[story.drift.id] = tuple(self._cause(story) for _ in range(count))
            self._distractors(story)
        glossary = {short: split_name(name) for short, name in self.glossary.items()}
        order = sorted(self.texts)  # the order in which they were written would tell the roles
        return GeneratedCorpus(
            texts={name: self.texts[name] for name in order},
            golden=self.golden,
            roles={name: self.roles[name] for name in order},
            glossary=glossary,
        )

    def _cause(self, story: Story) -> str:
        issued, begins = self._days(story.drift.start.date(), early=self.author.chance(self.difficulty.early))
        return self._issue("cause", self._matter(story, begins), issued)

    def _distractors(self, story: Story) -> None:
        rules, start, process = self.difficulty, story.drift.start.date(), story.drift.process
        for _ in range(rules.near_in_time):
            other, steps = self._elsewhere(process)
            self._change("near in time", story, process=other, activities=steps, near=True)
        for _ in range(rules.sibling):
            self._change("sibling", story, process=self._sibling(process), activities=self._shuffled(story), near=True)
        for _ in range(rules.other_step):
            steps = self._other_steps(story)
            if steps:
                self._change("other step", story, process=process, activities=steps, near=True)
        for _ in range(rules.near_in_topic):
            self._change("near in topic", story, process=process, activities=self._shuffled(story), near=False)
        for _ in range(rules.wrong_date):
            self._wrong_date(story)
        for _ in range(rules.no_change):
            matter = Matter(process=process, activities=self._shuffled(story), status="unchanged")
            self._issue("no change", matter, start - timedelta(days=self._between(-3, 14)))
        for _ in range(rules.irrelevant):
            title, body = self.author.pick(self.author.texts.irrelevant)
            issued = start - timedelta(days=self._between(-200, 200))
            page = self.author.notice(title, body, issued=issued, on=issued + timedelta(days=self._between(1, 20)))
            self._file("irrelevant", page, issued)

    def _change(self, role: Role, story: Story, *, process: str, activities: tuple[str, ...], near: bool) -> None:
        """A change announced as a cause would be, near the drift or at another time."""
        start = story.drift.start.date()
        issued, begins = self._days(start if near else self._another_time(start, earlier=self.author.chance(0.65)))
        kind = story.kind if role != "near in time" else self.author.pick(("added", "removed", "other", "faster"))
        matter = Matter(process=process, activities=activities, kind=kind, type=story.drift.type, begins=begins)
        self._issue(role, matter, issued)

    def _matter(self, story: Story, begins: date | None, *, status: Status = "announced") -> Matter:
        """The change of the story itself, which begins on this day."""
        process, steps = story.drift.process, self._shuffled(story)
        return Matter(
            process=process, activities=steps, kind=story.kind, type=story.drift.type, begins=begins, status=status
        )

    def _days(self, moment: date, *, early: bool = False) -> tuple[date, date | None]:
        """When a change at this moment is announced, and the day from which it is said to apply, if any is named."""
        rules = self.difficulty
        lead = self._between(28, 90) if early else self._between(-3, 14)
        issued = moment - timedelta(days=lead)
        dated = early or lead > 7 or self.author.chance(rules.dated)
        begins = max(issued, moment + timedelta(days=self._between(-rules.jitter, rules.jitter))) if dated else None
        return issued, begins

    def _wrong_date(self, story: Story) -> None:
        start = story.drift.start.date()
        issued = start - timedelta(days=self._between(-3, 14))
        withdrawn = self.author.chance(0.3)
        begins = start + timedelta(days=self._between(-4, 4)) if withdrawn else self._another_time(start)
        matter = self._matter(story, max(begins, issued), status="withdrawn" if withdrawn else "announced")
        self._issue("wrong date", matter, issued)

    def _issue(self, role: Role, matter: Matter, issued: date) -> str:
        return self._file(role, self.author.write(matter, issued=issued), issued)

    def _file(self, role: Role, page: Page, issued: date) -> str:
        title = "_".join("".join(letter for letter in word if letter.isalnum()) for word in page.title.split())
        stem = title if self.author.chance(self.difficulty.undated) else f"{issued:%Y-%m-%d}_{title}"
        suffix = ".md" if page.text.startswith("#") else ".txt"
        name, number = f"{stem}{suffix}", 2
        while name in self.texts:
            name, number = f"{stem}_{number}{suffix}", number + 1
        self.texts[name] = page.text
        self.roles[name] = role
        return name

    def _between(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def _another_time(self, start: date, *, earlier: bool = False) -> date:
        """A day months away from the start of a drift, at which no other drift starts."""
        days = [start + timedelta(days=-away if earlier else away) for away in range(_AWAY[0], _AWAY[1])]
        starts = [story.drift.start.date() for story in self.stories]
        free = [day for day in days if all(abs((day - other).days) > _APART for other in starts)]
        return self.author.pick(free or days)

    def _shuffled(self, story: Story) -> tuple[str, ...]:
        """Up to two of the activities that changed, the first of them mostly first."""
        names = story.activities[:2]
        return names[::-1] if self.author.chance(0.2) else names

    def _other_steps(self, story: Story) -> tuple[str, ...]:
        changed = set(story.activities)
        others = [name for name in self.activities if name not in changed]
        if not others:
            return ()
        return tuple(others[at] for at in self.rng.choice(len(others), size=min(2, len(others)), replace=False))

    def _elsewhere(self, process: str) -> tuple[str, tuple[str, ...]]:
        domains = [domain for domain in DOMAINS if process not in domain.processes]
        domain = self.author.pick(domains)
        steps = self.rng.choice(len(domain.activities), size=2, replace=False)
        return self.author.pick(domain.processes), tuple(domain.activities[int(at)] for at in steps)

    def _sibling(self, process: str) -> str:
        """Another process with the same activities, where one is known."""
        siblings = [name for domain in DOMAINS if process in domain.processes for name in domain.processes]
        others = [name for name in siblings if name != process]
        return self.author.pick(others) if others else self._elsewhere(process)[0]


def _nicknames(processes: Sequence[str]) -> dict[str, str]:
    """Abbreviations of the processes' names, by abbreviation."""
    return {"".join(word[0] for word in split_name(name).split()).upper(): name for name in processes}
