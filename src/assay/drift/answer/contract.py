"""What a subject of the drift track gets and gives."""

from __future__ import annotations

from typing import Final

from assay.core.contract.contract import Contract, TaskField

__all__ = ["CONTRACT"]

CONTRACT: Final = Contract(
    task={
        "name": TaskField("str", "the name of the test set", "'permits'"),
        "drifts": TaskField("tuple of Drift", "the drifts to explain", "(Drift('d1': sudden in 'Permits', ...),)"),
        "drifts[0].id": TaskField("str", "the key of its answer", "'permits_drift_1_1'"),
        "drifts[0].process": TaskField("str", "what changed, a key of task.logs", "'Permits'"),
        "drifts[0].type": TaskField("str", "sudden, gradual, incremental or recurring", "'sudden'"),
        "drifts[0].start": TaskField(
            "datetime with a zone", "when it begins; .end, when it ends", "2020-03-16 00:00 UTC"
        ),
        "drifts[0].start_case": TaskField("str", "the first changed case; .end_case, the last", "'81'"),
        "drifts[0].confidence": TaskField("float", "how sure the detector is", "1.0"),
        "corpus": TaskField("Corpus", "the documents: iterate, or take one by name", "task.corpus['rule.txt']"),
        "corpus.names": TaskField("tuple of str", "the names to rank", "('memo.txt', 'rule.txt')"),
        "corpus.documents[0].text": TaskField("str", "what it says; .title, .name", "'From 16 March on ...'"),
        "corpus.documents[0].issued": TaskField("date or None", "when it was issued", "date(2020, 3, 2)"),
        "logs": TaskField("mapping of str to EventLog", "by process, may be empty", "task.logs['Permits'].to_frame()"),
        "glossary": TaskField("mapping of str to str", "what terms stand for", "{'WOZ': 'property tax'}"),
    },
    answer="for every drift, by its id, the names of documents, the likeliest cause first",
    answers={
        "{drift.id: list(task.corpus.names) for drift in task.drifts}": "a ranking per drift",
        "{\n"
        "    drift.id: DriftReply(ranking=task.corpus.names, confidence=0.5)\n"
        "    for drift in task.drifts\n"
        "}": "with a confidence from 0 to 1, scores or quotes",
        "DriftAnswer(\n"
        "    replies={\n"
        "        drift.id: DriftReply(abstained=True) for drift in task.drifts\n"
        "    }\n"
        ")": "as an object, here one that says that no document is to blame",
    },
    files={
        "prediction_results.csv": "the drifts, as a detector writes them",
        "window_info.json": "where they lie in the log",
        "documents": "the documents, as text, Markdown, PDF, ...",
        "problem.json": "nothing a subject needs",
    },
    program='{"drifts": {"permits_drift_1_1": ["rule.txt", "memo.txt"]}}',
)
