"""The record: everything that statistics and reports may read of one (problem, subject, seed)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from assay.core.display import counted, object_html, shortened
from assay.core.errors import InvalidInput
from assay.core.files.digest import Json, canonical_json
from assay.core.problem import Tags

__all__ = ["SCHEMA", "VOLATILE", "Record", "Setting", "Settings", "Status", "encodable", "plain"]

SCHEMA = 2
VOLATILE = frozenset({"seconds", "cost", "created", "host", "software", "withdrawn", "imported", "schema"})

Status: TypeAlias = Literal["ok", "failed"]
Setting: TypeAlias = bool | int | float | str
Settings: TypeAlias = Mapping[str, Setting]

_MAPPINGS = frozenset({"scores", "details", "tags", "settings", "versions", "budget", "cost", "software"})
_NOT_FINITE = {math.inf: "inf", -math.inf: "-inf"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One examined answer. Two records are equal in content when all but :data:`VOLATILE` is equal.

    Parameters
    ----------
    key, answer_key : str
        What identifies the record, and the answer that it judges.
    track, problem, problem_digest, subject, subject_digest : str
        What was examined, by name and by content.
    seed : int
        Of the subject's budget.
    status : "ok" or "failed"
        A failed subject has the floor of every metric.
    scores : mapping
        By metric; nan is undefined.
    details : mapping
        What reports draw, as plain JSON values.
    error, error_kind : str, optional
        What happened to a failed subject, and the words it is counted by.
    isolation : str
        How the subject was kept apart.
    tags, settings, versions, budget : mapping
        Of the problem; of examination; of metrics and examination; of the subject.
    seconds : float
        How long the answer took.
    cost : mapping
        What it cost, by name.
    created, host : str
        When and where.
    software : mapping
        Versions of Assay, Python and the libraries that were loaded.
    withdrawn : bool
        Whether the owner of the results withdrew it.
    imported : str
        Where the scores come from when they were not made here.
    schema : int
        Version of this layout.

    Examples
    --------
    >>> record = Record(
    ...     key="k", answer_key="a", track="cases", problem="iris", problem_digest="p", subject="vote",
    ...     subject_digest="s", seed=0, status="ok", scores={"auroc": 0.875, "aurc": 0.1})
    >>> record
    Record(cases: 'vote' on 'iris', seed 0, ok, auroc 0.875, 1 more score)
    >>> Record.from_json(record.to_json()).content() == record.content()
    True
    """

    key: str
    answer_key: str
    track: str
    problem: str
    problem_digest: str
    subject: str
    subject_digest: str
    seed: int
    status: Status
    scores: Mapping[str, float]
    details: Mapping[str, Json] = field(default_factory=dict)
    error: str | None = None
    error_kind: str | None = None
    isolation: str = "none"
    tags: Tags = field(default_factory=dict)
    settings: Settings = field(default_factory=dict)
    versions: Mapping[str, int] = field(default_factory=dict)
    budget: Mapping[str, Json] = field(default_factory=dict)
    seconds: float = 0.0
    cost: Mapping[str, float] = field(default_factory=dict)
    created: str = ""
    host: str = ""
    software: Mapping[str, str] = field(default_factory=dict)  # versions of Assay, Python and the libraries loaded
    withdrawn: bool = False  # by the owner of the results: it counts nowhere
    imported: str = ""  # where the scores come from when they were not made here
    schema: int = SCHEMA

    def __repr__(self) -> str:
        scores = [f"{shortened(name, 30)} {score:.4g}" for name, score in list(self.scores.items())[:1]]
        more = [counted(len(self.scores) - 1, "more score")] if len(self.scores) > 1 else []
        why = [shortened(self.error_kind or self.error or "")] if self.status == "failed" else [*scores, *more]
        cell = f"{shortened(self.subject)!r} on {shortened(self.problem)!r}, seed {self.seed}"
        return f"Record({self.track}: {cell}, {', '.join([self.status, *why])})"

    def _repr_html_(self) -> str:
        names = ("problem", "subject", "seed", "status", "seconds", "isolation", *(["error"] if self.error else []))
        facts = {name: getattr(self, name) for name in names}
        rows = self.scores.items()
        return object_html(f"Record of {self.track}", facts, columns=("metric", "score"), rows=rows, total=len(rows))

    def to_json(self) -> dict[str, Json]:
        """The record as plain JSON values; an undefined score is null."""
        return {entry.name: plain(getattr(self, entry.name)) for entry in fields(self)}

    def content(self) -> str:
        """Canonical text of all that must be reproducible: equal texts, equal records."""
        return canonical_json({name: value for name, value in self.to_json().items() if name not in VOLATILE})

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Record:
        """The inverse of :meth:`to_json`; what cannot have been written by it is an InvalidInput."""
        try:
            names = {entry.name for entry in fields(cls)}
            values = {name: value for name, value in body.items() if name in names}
            for name in _MAPPINGS & set(values):
                if not isinstance(values[name], Mapping):
                    raise TypeError(f"{name} must be a mapping")
            scores = body["scores"].items()
            values["scores"] = {name: math.nan if score is None else float(score) for name, score in scores}
            for amount in (values.get("seconds", 0.0), *values.get("cost", {}).values()):
                if amount is not None:  # as nan is written
                    float(amount)
            if not all(isinstance(text, str) for text in values.get("software", {}).values()):
                raise TypeError("software must map names to versions")
            if not isinstance(values.get("withdrawn", False), bool) or not isinstance(values.get("imported", ""), str):
                raise TypeError("withdrawn must be true or false, imported a text")
            return cls(**values)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InvalidInput(f"record: damaged, {type(error).__name__}: {error}.") from None


def encodable(text: str) -> str:
    """The text as UTF-8 can hold it; half a character, which a hostile answer may contain, becomes a question mark.

    >>> encodable("x" + chr(0xD800))
    'x?'
    """
    return text if text.isascii() else text.encode("utf-8", errors="replace").decode("utf-8")


def plain(value: object) -> Json:
    """A value as strict JSON: nan becomes null, infinities texts, arrays lists.

    >>> plain({"a": float("nan"), "b": (1, float("inf"))})
    {'a': None, 'b': [1, 'inf']}
    """
    if isinstance(value, str):
        return encodable(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        return _NOT_FINITE.get(value)
    if isinstance(value, Mapping):
        return {encodable(str(name)): plain(entry) for name, entry in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [plain(entry) for entry in (sorted(value) if isinstance(value, set | frozenset) else value)]
    if hasattr(value, "tolist"):  # numpy scalars and arrays, without importing numpy here
        return plain(value.tolist())
    raise TypeError(f"{type(value).__name__} cannot be written into a record; give numbers, texts, lists and mappings.")
