"""The subject file that ``assay init drift`` writes: small, complete, to be edited, with the contract on top."""

from __future__ import annotations

from assay.drift.answer.contract import CONTRACT

__all__ = ["TEMPLATE"]

_CODE = """from assay.drift import DriftAnswer, DriftReply


def solve(task, budget):
    replies = {}
    for drift in task.drifts:
        words = set(drift.process.lower().split())

        def fit(document):
            days = abs((drift.start.date() - document.issued).days) if document.issued else 365
            return len(words & set(document.text.lower().split())) - days / 30

        ranked = sorted(task.corpus, key=fit, reverse=True)
        replies[drift.id] = DriftReply(ranking=tuple(document.name for document in ranked))
    return DriftAnswer(replies=replies)
"""

TEMPLATE = f'"""My way of finding the documents that explain a drift."""\n\n{CONTRACT.comment()}\n\n{_CODE}'
