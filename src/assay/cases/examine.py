"""An answer confronted with the truth; whatever the answer claims about its neighbours is computed again."""

from __future__ import annotations

import numpy as np

from assay.cases.answer import CasesAnswer
from assay.cases.checks import FloatArray, IntArray
from assay.cases.index import pair_distances
from assay.cases.metrics import correspondence
from assay.cases.problem import CasesEvidence, CasesTask, CasesTruth
from assay.cases.scaling import fit_scaling
from assay.core import Json, Problem, Settings, SubjectFailed

__all__ = ["describe", "examine", "oracle"]

_BLOCK = 1 << 19  # numbers in a temporary array
_BINS = 20


def examine(
    problem: Problem[CasesTask, CasesTruth],
    answer: CasesAnswer,
    settings: Settings,
) -> CasesEvidence:
    """Check the answer against the task and gather what the metrics need; nothing can be set yet."""
    task = problem.task
    if len(answer.scores) != len(task.predicted):
        raise _malformed(f"{len(answer.scores)} scores were given for {len(task.predicted)} queries")
    agreement = None
    if answer.neighbors is not None:
        _demand_cases(answer.neighbors, len(task.train_y))
        distances = _distances(task, answer.neighbors)
        agreement = correspondence(distances, task.train_y[answer.neighbors], task.predicted)
    return CasesEvidence(scores=answer.scores, wrong=task.predicted != problem.truth.labels, correspondence=agreement)


def oracle(problem: Problem[CasesTask, CasesTruth]) -> CasesAnswer:
    """The truth as an answer: full trust in every right prediction, none in a wrong one."""
    return CasesAnswer(scores=(problem.task.predicted == problem.truth.labels).astype(np.float64))


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
    }


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


def _distances(task: CasesTask, neighbors: IntArray) -> FloatArray:
    """Distances of the named cases in the space standardised by the training cases, in bounded memory."""
    scaling = fit_scaling(task.train_X)
    cases, queries = scaling.apply(task.train_X), scaling.apply(task.query_X)
    distances = np.empty(neighbors.shape)
    step = max(1, _BLOCK // (neighbors.shape[1] * cases.shape[1]))
    for start in range(0, len(queries), step):
        block = slice(start, start + step)
        distances[block] = pair_distances(queries[block, None, :], cases[neighbors[block]])
    return distances
