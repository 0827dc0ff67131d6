"""What an examination found of every drift; metrics and details read nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from assay.core import Json
from assay.drift.answer.answer import Quote
from assay.drift.documents.ties import chance_of_first

__all__ = ["DriftEvidence", "Verdict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is known of one drift: the reply, with names as the corpus has them, beside the golden documents."""

    drift: str
    type: str
    process: str
    start: date
    end: date
    golden: frozenset[str]
    ranking: tuple[str, ...] = ()
    scores: tuple[float, ...] | None = None
    quotes: tuple[Quote, ...] = ()
    verbatim: tuple[bool, ...] = ()
    abstained: bool = False
    confidence: float = math.nan
    answered: bool = False

    @property
    def causeless(self) -> bool:
        """Whether no document is golden."""
        return not self.golden

    @property
    def first_golden(self) -> float:
        """Whether the first document is golden; nan when none is."""
        return chance_of_first(self.ranking, self.golden, self.scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftEvidence:
    """What metrics of the drift track read: a verdict per drift.

    Attributes
    ----------
    verdicts : tuple of Verdict
        For each drift the reply, with names as the corpus has them, beside the golden documents.
    issued : mapping of str to date
        When the documents were issued.
    changes : mapping of str to tuple
        What changed in the process, by drift.

    Examples
    --------
    >>> evidence = DriftEvidence(verdicts=(), issued={}, changes={})
    >>> sum(verdict.causeless for verdict in evidence.verdicts)
    0
    """

    verdicts: tuple[Verdict, ...]
    issued: Mapping[str, date]
    changes: Mapping[str, tuple[Mapping[str, Json], ...]]
