"""The subject file that ``assay init drift`` writes: small, complete, to be edited."""

from __future__ import annotations

__all__ = ["TEMPLATE"]

TEMPLATE = '''"""My way of finding the documents that explain a drift.

`task` holds drifts (id, process, type, start, end, ...), corpus (documents with name, text, title, issued), logs (event
logs by process, may be empty) and glossary. Give a ranking of document names per drift, the likeliest cause first;
scores, verbatim quotes, a confidence and abstention are optional.
"""

from assay.drift import DriftAnswer, DriftReply


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
'''
