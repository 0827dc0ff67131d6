"""The question that a drift poses to the documents: when, in which process, what changed and in which direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple, Protocol

from assay.drift.detection.comparisons import WEEKDAYS
from assay.drift.detection.drift import Drift, DriftType
from assay.drift.detection.profile import ChangeProfile, ChangeRow
from assay.drift.documents.language import DEFAULT
from assay.drift.documents.words import name_words, split_name, stems

__all__ = ["Changed", "Query", "QueryWords", "directions_of", "make_query"]

# what names of logs have in common tells no process from another
_GENERIC = frozenset(stems("log logs event events process data xes csv bpi bpic challenge test train sample final v"))
_CERTAIN = 0.01  # what changed for sure; where nothing did, what changed in all likelihood is looked for
_LIKELY = 0.25
_MARKED = 0.12  # a share must move by so much to be a direction
_STRONG = 0.3  # of the strongest direction: what a drift is said to be
_BESIDE = 0.5  # what the name of somebody who does other steps counts
_MOST_NAMES = 8  # names of what changed that are looked for

_SENTENCES: Mapping[str, str] = {
    "added": "There is a new step: {name}.",
    "removed": "{name} is no longer done.",
    "replaced": "{name} instead of {other}.",
    "reordered": "The order changes: {name} now comes at another point.",
    "slower": "{name} takes longer or comes later.",
    "faster": "{name} is done sooner.",
    "who": "{name} is now done by somebody else.",
    "repeated": "{name} has to be done again.",
    "rhythm": "{name} is only done on certain days of the week.",
}


class Changed(Protocol):
    """What a change profile must tell: the names or words of what changed, the most important first."""

    def vocabulary(self) -> Sequence[str]:
        """The words."""


class QueryWords(NamedTuple):
    """A query in the stems of one language.

    ``names`` are all names of the process; ``changed`` the names of what changed, by importance; ``change`` the words
    of those names; ``unchanged`` the names of other steps, without words of those that changed; ``people`` the names
    of those who work in the process, by nearness to what changed.
    """

    process: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    change: Mapping[str, float]
    changed: Mapping[tuple[str, ...], float]
    unchanged: Mapping[tuple[str, ...], float]
    people: Mapping[tuple[str, ...], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is looked for: a time, the process's name, and what changed, by importance and direction.

    ``unchanged`` are the other steps, ``people`` those who work in the process (1 where they do what changed),
    ``weekdays`` the days on which something is now done more often. ``text`` is all of it in words, ``texts`` what
    changed, sentence by sentence.
    """

    start: date
    end: date
    type: DriftType
    title: str
    glossary: Mapping[str, str]
    importance: Mapping[str, float]
    directions: Mapping[str, float]
    unchanged: tuple[str, ...]
    people: Mapping[str, float]
    weekdays: frozenset[int]
    text: str
    texts: tuple[str, ...]
    _words: dict[str, QueryWords] = field(default_factory=dict, repr=False, compare=False)

    def words(self, language: str = DEFAULT) -> QueryWords:
        """The stems of what is looked for, in one language."""
        if language not in self._words:
            self._words[language] = _in_words(self, language)
        return self._words[language]


def make_query(drift: Drift, *, profile: Changed | None = None, glossary: Mapping[str, str] | None = None) -> Query:
    """The question that a drift poses to the documents.

    ``glossary`` maps terms to definitions: a term whose definition holds the words of the process's name is another
    name for it, and one that is part of the name brings the words of its definition along.
    """
    name = split_name(drift.process)
    full = profile if isinstance(profile, ChangeProfile) else None
    alpha = _CERTAIN if full is None or full.changed(alpha=_CERTAIN) else _LIKELY
    changed = [] if profile is None else list(profile.vocabulary() if full is None else full.vocabulary(alpha=alpha))
    importance: dict[str, float] = {}
    for entry, value in zip(changed, _importances(full, changed, alpha), strict=True):
        importance.setdefault(entry, value)
    directions = {} if full is None else directions_of(full, alpha=alpha)
    certain = () if full is None else full.changed(kind="weekday")
    rows = () if full is None else full.rows
    steps = dict.fromkeys(row.activities[0] for row in rows if row.kind == "activity")
    shown = [split_name(entry) for entry in changed]
    return Query(
        start=drift.start.date(),
        end=drift.end.date(),
        type=drift.type,
        title=drift.process,
        glossary=dict(glossary or {}),
        importance=importance,
        directions=directions,
        unchanged=tuple(name for name in steps if name not in importance) if importance else (),
        people={} if full is None else _people(full.people, importance),
        weekdays=_weekdays(certain),
        text=". ".join([name, *shown[:6]]),
        texts=_sentences(name, shown, directions),
    )


def _sentences(name: str, shown: Sequence[str], directions: Mapping[str, float]) -> tuple[str, ...]:
    """What changed and how, in sentences; without directions the bare names."""
    if not shown:
        return (name.lower(),)
    first, other = shown[0].lower(), shown[1].lower() if len(shown) > 1 else "what was done before"
    sentences = [_SENTENCES[entry].format(name=first, other=other) for entry in directions]
    return (*sentences[:2], *(entry.lower() for entry in shown[:3]))


def directions_of(profile: ChangeProfile, *, alpha: float = _CERTAIN) -> dict[str, float]:
    """In which directions a process changed, by evidence; the strongest has 1, weak ones are left out.

    An activity that came while another went is a replacement, relations that moved while no activity did are another
    order.
    """
    totals = dict.fromkeys(_SENTENCES, 0.0)
    for row in profile.changed(alpha=alpha):
        entry = _direction(row)
        if entry is not None:
            totals[entry] = max(totals[entry], row.statistic)
    totals["replaced"] = min(totals["added"], totals["removed"])
    steps = max(totals["added"], totals["removed"])
    if totals["reordered"] < 1.5 * steps:  # what comes or goes takes its relations along
        totals["reordered"] = 0.0
    strongest = max(totals.values())
    ranked = sorted(totals.items(), key=lambda item: -item[1])
    return {entry: value / strongest for entry, value in ranked if value > 0.0 and value >= _STRONG * strongest}


def _direction(row: ChangeRow) -> str | None:
    if row.kind == "duration":
        return "slower" if row.difference > 0 else "faster"
    if row.kind == "resource":
        return "who"
    if row.kind == "weekday":
        return "rhythm" if row.difference > 0 else None
    if row.kind == "relation":
        return "reordered"
    if row.kind != "activity" or abs(row.difference) < _MARKED:
        return None
    if row.name.endswith(", repeated"):
        return "repeated" if row.difference > 0 else None
    return "added" if row.difference > 0 else "removed"


def _people(doing: Mapping[str, Sequence[str]], importance: Mapping[str, float]) -> dict[str, float]:
    """Who works in a process: those who do what changed count in full, the others by half."""
    worths: dict[str, float] = {}
    for activity, people in doing.items():
        for name in people:
            worths[name] = max(worths.get(name, 0.0), 1.0 if activity in importance else _BESIDE)
    return worths


def _weekdays(certain: Sequence[ChangeRow]) -> frozenset[int]:
    """The days of the week on which something is done more often than before; what only follows from it is left out."""
    strongest = max((row.statistic for row in certain), default=0.0)
    return frozenset(
        WEEKDAYS.index(row.name.rpartition(" on ")[2])
        for row in certain
        if row.difference > 0.0 and row.statistic >= 2.0 * _STRONG * strongest
    )


def _in_words(query: Query, language: str) -> QueryWords:
    words = name_words([query.title], language)
    process = tuple([word for word in words if word not in _GENERIC and not word.isdigit()] or words)
    names = [process] if process else []
    extra: list[str] = []
    for term, definition in query.glossary.items():
        short, long = tuple(name_words([term], language)), name_words([definition], language)
        if short and process and set(process) <= set(long):
            names.append(tuple(stems(term, language)) or short)
        elif short and set(short) <= set(process):
            extra += [word for word in long if word not in process][:6]
    weights: dict[str, float] = {}
    entries: dict[tuple[str, ...], float] = {}
    for entry, importance in list(query.importance.items())[:_MOST_NAMES]:
        parts = name_words([entry], language)
        if parts:
            entries.setdefault(tuple(parts), importance)
        for word in parts:
            weights.setdefault(word, importance)
    return QueryWords(
        process=tuple(dict.fromkeys([*process, *extra])),
        names=tuple(dict.fromkeys(names)),
        change={word: weight for word, weight in weights.items() if word not in process},
        changed=entries,
        unchanged=_others(query.unchanged, {*process, *weights}, language),
        people=_names_of_people(query.people, language),
    )


def _others(steps: Sequence[str], excluded: set[str], language: str) -> dict[tuple[str, ...], float]:
    """The words of other steps that stand neither for the process nor for what changed."""
    names = (tuple(word for word in name_words([step], language) if word not in excluded) for step in steps)
    return {name: 1.0 for name in names if name}


def _names_of_people(people: Mapping[str, float], language: str) -> dict[tuple[str, ...], float]:
    """Names without initials and numbers."""
    worths: dict[tuple[str, ...], float] = {}
    for name, worth in people.items():
        words = tuple(word for word in stems(name, language) if len(word) > 2 and not word.isdigit())
        if words:
            worths[words] = max(worths.get(words, 0.0), worth)
    return worths


def _importances(profile: ChangeProfile | None, names: Sequence[str], alpha: float) -> list[float]:
    """How much each name of what changed counts: by its share of the strongest evidence, else by its place."""
    places = [1.0 / (1.0 + place) for place in range(len(names))]
    if profile is None:
        return places
    evidence = profile.evidence(alpha=alpha)
    strengths = [evidence.get(name, 0.0) for name in names]
    strongest = max(strengths, default=0.0)
    return [value / strongest for value in strengths] if strongest > 0.0 else places
