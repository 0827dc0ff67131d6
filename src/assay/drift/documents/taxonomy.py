"""Kinds of organisational context in which the cause of a drift can lie, and how a text is assigned to one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from assay.drift.detection.drift import DriftType

__all__ = ["CATEGORIES", "Category", "categorise"]


class Category(NamedTuple):
    """A kind of context: its level, its name, and what belongs to it."""

    level: str
    name: str
    meaning: str

    def __str__(self) -> str:
        return f"{self.level}::{self.name}"

    @property
    def words(self) -> str:
        """The kind in words for a reader.

        >>> CATEGORIES[4].words
        'process management, inside the organisation (the process as designed: rules, steps, approvals)'
        """
        name = " ".join(part if part.isupper() else part.lower() for part in self.name.split("_"))
        return f"{name}, {_PLACES[self.level]} ({self.meaning})"


_PLACES = {
    "PROCESS_IMMEDIATE": "in the process itself",
    "ORGANIZATION_INTERNAL": "inside the organisation",
    "ORGANIZATION_EXTERNAL": "outside of the organisation",
}

CATEGORIES: tuple[Category, ...] = (
    Category("PROCESS_IMMEDIATE", "Case", "properties of the cases themselves: kinds, amounts, volumes"),
    Category("PROCESS_IMMEDIATE", "Resource", "who does the work: staff, roles, workload, absence"),
    Category("PROCESS_IMMEDIATE", "System_Interaction", "how people and systems meet: forms, portals, outages"),
    Category("ORGANIZATION_INTERNAL", "Organizational", "structure, strategy, budgets, mergers of departments"),
    Category("ORGANIZATION_INTERNAL", "Process_Management", "the process as designed: rules, steps, approvals"),
    Category("ORGANIZATION_INTERNAL", "IT_Management", "software introduced, released, migrated or retired"),
    Category("ORGANIZATION_EXTERNAL", "Economic", "prices, markets, suppliers, demand"),
    Category("ORGANIZATION_EXTERNAL", "Social", "health, seasons, holidays, public life, customers' expectations"),
    Category("ORGANIZATION_EXTERNAL", "Legal", "laws, regulators, courts, tax, data protection"),
    Category("ORGANIZATION_EXTERNAL", "Technical", "technology outside: standards, networks, security"),
)

_CUES: Mapping[str, str] = {
    "Case": r"case types?|case volumes?|amounts? (?:above|below|over)|volume|backlog|caseload|claims above|high-value",
    "Resource": r"staff(?:ing)?|shortages?|colleagues?|workload|absen\w+|sick leave|vacanc\w+|hir(?:ed|ing)|recruit\w*|"
    r"overtime|team lead|responsibilit\w+|take over|takes over|delegat\w+",
    "System_Interaction": r"portal|form fields?|user interface|screen|log-?in|outage|downtime|interface|upload|"
    r"self-service|e-?mail notifications?",
    "Organizational": r"reorgani[sz]\w+|restructur\w+|merg(?:er|ed|es|ing)|department|strateg\w+|budget\w*|board|"
    r"headquarters|centrali[sz]\w+|outsourc\w+|executive",
    "Process_Management": r"procedure|process (?:redesign|owner|manual)|steps?|approv\w+|guidelines?|polic(?:y|ies)|"
    r"workflow|instructions?|handbook|checklist|four[- ]eyes|threshold|audit\w*|deadline",
    "IT_Management": r"software|releases?|version|upgrade\w*|migrat\w+|go(?:es)?[ -]live|roll[ -]?out|ERP|SAP|"
    r"IT services|platform|system|application server|patch|module|tool",
    "Economic": r"costs?|prices?|inflation|market\w*|supplier\w*|demand|recession|exchange rates?|tariffs?|fees?",
    "Social": r"pandemic|epidemic|covid\w*|corona\w*|lockdown|holidays?|season\w*|strike|public health|customers?|"
    r"feedback|complaints?|weather|school",
    "Legal": r"laws?|legal|regulat\w+|act|statut\w+|directive|compliance|court|GDPR|tax\w*|authorit(?:y|ies)|"
    r"legislat\w+|ministry|decree|liabilit\w+",
    "Technical": r"standards?|protocols?|encryption|cyber\w*|vulnerabilit\w+|network|telecom\w*|cloud provider|browser",
}
_PATTERNS = {name: re.compile(rf"\b(?:{cues})\b", re.IGNORECASE) for name, cues in _CUES.items()}
# a weak hint where the words leave it open: what usually lies behind a drift of this manner
_USUAL: Mapping[DriftType, tuple[str, ...]] = {
    "sudden": ("Legal", "Technical"),
    "gradual": ("Organizational", "Legal"),
    "incremental": ("Process_Management", "IT_Management"),
    "recurring": ("Social", "Economic"),
}
_HINT = 0.25


def categorise(quote: str, *, around: str = "", type: DriftType | None = None) -> Category:
    """The category whose words a quote and the text around it hold most of; the quote counts double.

    Different words count, not how often each comes. Without any such word the process itself is the context.

    >>> str(categorise("The new tax law obliges us to keep receipts."))
    'ORGANIZATION_EXTERNAL::Legal'
    """
    usual = () if type is None else _USUAL[type]
    scores = {}
    for category in CATEGORIES:
        pattern = _PATTERNS[category.name]
        score = 2.0 * _kinds(pattern, quote) + _kinds(pattern, around)
        scores[category] = score + _HINT if score and category.name in usual else score
    if not any(scores.values()):
        return next(category for category in CATEGORIES if category.name == "Process_Management")
    return max(CATEGORIES, key=lambda category: scores[category])


def _kinds(pattern: re.Pattern[str], text: str) -> int:
    return len({match.group().lower() for match in pattern.finditer(text)})
