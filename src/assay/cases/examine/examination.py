"""An answer confronted with the truth; whatever the answer claims about its neighbours is computed again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.cases.answer.answer import CasesAnswer
from assay.cases.examine.evidence import CasesEvidence
from assay.cases.metrics import correspondence
from assay.cases.neighbors.checks import FloatArray, IntArray
from assay.cases.neighbors.index import CaseIndex, pair_distances
from assay.cases.neighbors.scaling import fit_scaling
from assay.cases.problem.task import CasesTask, CasesTruth
from assay.core import Json, Problem, Settings, SubjectFailed

__all__ = ["describe", "examine", "oracle"]

_BLOCK = 1 << 19  # numbers in a temporary array
_BINS = 20
_SHOWN = 12  # cases of the example in the details
_COMPARED = 50  # neighbours among which distances are measured: their number grows with the square


def examine(
    problem: Problem[CasesTask, CasesTruth],
    answer: CasesAnswer,
    settings: Settings,
) -> CasesEvidence:
    """Check the answer against the task and gather what the metrics need; nothing can be set yet."""
    task = problem.task
    if len(answer.scores) != len(task.predicted):
        raise _malformed(f"{len(answer.scores)} scores were given for {len(task.predicted)} queries")
    if answer.suspicion is not None and len(answer.suspicion) != len(task.train_y):
        raise _malformed(f"{len(answer.suspicion)} entries of suspicion were given for {len(task.train_y)} cases")
    truth, judged = problem.truth, _judged_queries(task)
    evidence = CasesEvidence(
        scores=answer.scores[judged],
        wrong=(task.predicted != truth.labels)[judged],
        predicted=task.predicted[judged],
        unfamiliarity=None if answer.unfamiliarity is None else answer.unfamiliarity[judged],
        ood=None if truth.ood is None else truth.ood[judged],
        suspicion=answer.suspicion,
        mislabelled=truth.mislabelled,
    )
    return evidence if answer.neighbors is None else _with_neighbors(evidence, task, answer.neighbors, judged)


def oracle(problem: Problem[CasesTask, CasesTruth]) -> CasesAnswer:
    """The truth as an answer: full trust in every right prediction, none in a wrong one, and all that was planted."""
    truth = problem.truth
    return CasesAnswer(
        scores=(problem.task.predicted == truth.labels).astype(np.float64),
        unfamiliarity=None if truth.ood is None else truth.ood.astype(np.float64),
        suspicion=None if truth.mislabelled is None else truth.mislabelled.astype(np.float64),
    )


def describe(evidence: CasesEvidence) -> dict[str, Json]:
    """What a report can draw: counts, means, and histograms of the scores of right and wrong predictions."""
    right, wrong = evidence.scores[~evidence.wrong], evidence.scores[evidence.wrong]
    low, high = float(evidence.scores.min()), float(evidence.scores.max())
    edges = np.linspace(low, high, _BINS + 1) if low < high else np.array([low, low])
    return {
        "queries": len(evidence.scores),
        "wrong": len(wrong),
        "neighbors_given": evidence.correspondence is not None,
        "mean_score_right": float(right.mean()) if len(right) else None,
        "mean_score_wrong": float(wrong.mean()) if len(wrong) else None,
        "histogram": {
            "edges": edges.tolist(),
            "right": np.histogram(right, bins=edges)[0].tolist(),
            "wrong": np.histogram(wrong, bins=edges)[0].tolist(),
        },
        **_example(evidence),
    }


def _example(evidence: CasesEvidence) -> dict[str, Json]:
    """The first wrong prediction, or the first of all, with the cases that the answer names for it, if it names any."""
    cases, labels = evidence.neighbors, evidence.neighbor_labels
    if cases is None or labels is None or evidence.predicted is None or evidence.correspondence is None:
        return {}
    query = int(np.argmax(evidence.wrong))
    named = zip(cases[query].tolist(), labels[query].tolist(), strict=True)
    example: Json = {
        "query": query,
        "predicted": str(evidence.predicted[query]),
        "wrong": bool(evidence.wrong[query]),
        "score": float(evidence.scores[query]),
        "correspondence": float(evidence.correspondence[query]),
        "neighbors": [{"case": case, "label": str(label)} for case, label in named][:_SHOWN],
    }
    return {"example": example}


def _judged_queries(task: CasesTask) -> IntArray:
    """The queries without the perturbed copies, which would count the same query twice."""
    copies = np.empty(0, dtype=np.int64) if task.twins is None else task.twins[task.twins >= 0]
    return np.setdiff1d(np.arange(len(task.predicted)), copies)


def _with_neighbors(evidence: CasesEvidence, task: CasesTask, named: IntArray, judged: IntArray) -> CasesEvidence:
    """The evidence with all that the named cases say, computed from nothing but their numbers."""
    _demand_cases(named, len(task.train_y))
    scaling = fit_scaling(task.train_X)
    cases, queries = scaling.apply(task.train_X), scaling.apply(task.query_X[judged])
    neighbors = named[judged]
    labels = task.train_y[neighbors]
    twins = None
    if task.twins is not None:
        of = np.flatnonzero(task.twins >= 0)
        twins = (named[of], named[task.twins[of]])
    return replace(
        evidence,
        correspondence=correspondence(_distances(cases, queries, neighbors), labels, task.predicted[judged]),
        neighbors=neighbors,
        exact_neighbors=CaseIndex(cases).query(queries, neighbors.shape[1]).indices,
        neighbor_labels=labels,
        neighbor_distances=_apart(cases, neighbors[:, :_COMPARED]),
        neighbor_predictions=None if task.train_predicted is None else task.train_predicted[neighbors],
        twin_neighbors=twins,
    )


def _malformed(message: str) -> SubjectFailed:
    return SubjectFailed("malformed answer", f"{message}.")


def _demand_cases(neighbors: IntArray, cases: int) -> None:
    outside = (neighbors < 0) | (neighbors >= cases)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise _malformed(f"query {row} names case {neighbors[row, column]}; the task has cases 0 to {cases - 1}")
    ordered = np.sort(neighbors, axis=1)
    twice = ordered[:, 1:] == ordered[:, :-1]
    if twice.any():
        # one agreeing case named k times would look like k agreeing cases
        row, column = np.argwhere(twice)[0]
        raise _malformed(f"query {row} names case {ordered[row, column]} twice; neighbours must differ")


def _distances(cases: FloatArray, queries: FloatArray, neighbors: IntArray) -> FloatArray:
    """Distances of the named cases in the space standardised by the training cases, in bounded memory."""
    distances = np.empty(neighbors.shape)
    step = max(1, _BLOCK // (neighbors.shape[1] * cases.shape[1]))
    for start in range(0, len(queries), step):
        block = slice(start, start + step)
        distances[block] = pair_distances(queries[block, None, :], cases[neighbors[block]])
    return distances


def _apart(cases: FloatArray, neighbors: IntArray) -> FloatArray:
    """Per query, the mean distance between two of its neighbours; nan for a single one."""
    k = neighbors.shape[1]
    if k < 2:
        return np.full(len(neighbors), np.nan)
    first, second = np.triu_indices(k, 1)
    means = np.empty(len(neighbors))
    step = max(1, _BLOCK // (len(first) * cases.shape[1]))
    for start in range(0, len(neighbors), step):
        rows = neighbors[start : start + step]
        means[start : start + step] = pair_distances(cases[rows[:, first]], cases[rows[:, second]]).mean(axis=1)
    return means
