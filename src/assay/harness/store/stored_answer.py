"""A stored answer: what the subject gave, or how it failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from assay.core import Record, Status, SubjectFailed
from assay.core.record import encodable

__all__ = ["Finished", "StoredAnswer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """Encoded bytes when the subject answered, an error when it did not; enough to score it again."""

    status: Status
    payload: bytes | None = None
    error: str | None = None
    error_kind: str | None = None
    isolation: str = "none"
    seconds: float = 0.0
    cost: Mapping[str, float] = field(default_factory=dict)
    log: str = ""
    software: Mapping[str, str] = field(default_factory=dict)  # versions of the libraries that the subject loaded
    files: Mapping[str, str] = field(default_factory=dict)  # of its own folder that it was seen to read, digested

    @classmethod
    def failed(cls, failure: SubjectFailed, *, isolation: str = "none") -> StoredAnswer:
        """The answer of a subject that gave none."""
        error, kind = encodable(str(failure)), encodable(failure.kind)
        return cls(status="failed", error=error, error_kind=kind, isolation=isolation)

    def as_failed(self, failure: SubjectFailed) -> StoredAnswer:
        """The same answer, bytes, times and all, found to be a failure: a later version of examine may accept it."""
        return replace(self, status="failed", error=encodable(str(failure)), error_kind=encodable(failure.kind))

    def as_ok(self) -> StoredAnswer:
        """The same answer, found to be good, also when an earlier version of examine had refused it."""
        return replace(self, status="ok", error=None, error_kind=None)


Finished: TypeAlias = tuple[Record, StoredAnswer]  # the record of a cell, and the answer that was examined
