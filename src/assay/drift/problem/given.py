"""What a subject of the drift track was given, for the page of its cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.core.display import shortened
from assay.drift.problem.task import DriftTask

__all__ = ["given"]

_DOCUMENTS, _DRIFTS, _BEGINNING, _ACTIVITIES = 60, 40, 160, 12


def given(task: DriftTask, answer: object) -> Mapping[str, Any]:
    """The logs, the drifts that are asked about, and how each document begins."""
    parts: dict[str, Any] = {}
    if task.logs:
        parts["event logs"] = [
            {
                "process": name,
                "cases": len(log),
                "events": log.events,
                "from": f"{log.period[0]:%Y-%m-%d}",
                "to": f"{log.period[1]:%Y-%m-%d}",
                "activities": log.activities[:_ACTIVITIES],
            }
            for name, log in task.logs.items()
        ]
    parts[_of("drifts", len(task.drifts), _DRIFTS)] = [
        {
            "drift": drift.id,
            "process": drift.process,
            "type": drift.type,
            "start": f"{drift.start:%Y-%m-%d}",
            "end": f"{drift.end:%Y-%m-%d}",
            "cases": f"{drift.start_case} to {drift.end_case}",
            "confidence": drift.confidence,
        }
        for drift in task.drifts[:_DRIFTS]
    ]
    parts[_of("documents", len(task.corpus), _DOCUMENTS)] = [
        {
            "document": document.name,
            "issued": "not known" if document.issued is None else document.issued.isoformat(),
            "begins": shortened(document.text, _BEGINNING),
        }
        for document in task.corpus.documents[:_DOCUMENTS]
    ]
    if task.glossary:
        parts["glossary"] = len(task.glossary)
    return parts


def _of(what: str, count: int, most: int) -> str:
    return what if count <= most else f"{what}, the first {most} of {count}"
