"""What the cases behind a score are like: stable, diverse, of one class, the truly nearest."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from assay.cases.examine.evidence import CasesEvidence
from assay.cases.metrics.arrays import as_cases, as_numbers
from assay.cases.metrics.reading import floor_where, of_parts
from assay.cases.neighbors.checks import as_labels, demand_same_kind
from assay.core import AnyProblem, InvalidInput, Metric

__all__ = [
    "class_homogeneity",
    "diversity",
    "neighbour_recall",
    "non_representativeness",
    "score_stability",
    "stability",
]


def stability(neighbors: npt.ArrayLike, perturbed_neighbors: npt.ArrayLike) -> float:
    r"""Mean overlap (Jaccard) between the cases named for a query and for its slightly perturbed twin.

    $$\frac{1}{n} \sum_q \frac{|N_q \cap N'_q|}{|N_q \cup N'_q|}$$

    The twin must have the same predicted class, so that only the cases can change. Undefined (nan) without queries.

    Parameters
    ----------
    neighbors : array of shape (n, k)
        The cases that were named for each query.
    perturbed_neighbors : array of shape (n, k)
        Those named for the same queries, slightly moved.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> stability([[1, 2], [3, 4]], [[2, 1], [4, 5]])
    0.6666666666666666
    >>> stability([], [])
    nan
    """
    named, other = as_cases(neighbors, what="neighbors"), as_cases(perturbed_neighbors, what="perturbed_neighbors")
    if len(named) != len(other):
        raise InvalidInput(f"neighbors has {len(named)} rows, perturbed_neighbors {len(other)}; give a twin per row.")
    if not len(named):
        return float("nan")
    pairs = zip(named.tolist(), other.tolist(), strict=True)
    return float(np.mean([len(set(a) & set(b)) / len(set(a) | set(b)) for a, b in pairs]))


def score_stability(scores: npt.ArrayLike, perturbed_scores: npt.ArrayLike) -> float:
    r"""Mean change of the score between a query and its slightly perturbed twin.

    $$\frac{1}{n} \sum_q |s_q - s'_q|$$

    0 is perfectly stable. Undefined (nan) without queries.

    Parameters
    ----------
    scores : sequence of n numbers
        Higher for more trust in the prediction.
    perturbed_scores : sequence of n numbers
        Scores of the same queries, slightly moved.

    Returns
    -------
    float
        0 is perfectly stable; or nan.

    Examples
    --------
    >>> score_stability([0.5, 0.75], [0.5, 0.25])
    0.25
    """
    s, other = as_numbers(scores, what="scores"), as_numbers(perturbed_scores, what="perturbed_scores")
    if s.ndim != 1 or s.shape != other.shape:
        raise InvalidInput(f"scores and perturbed_scores need one length, got shapes {s.shape} and {other.shape}.")
    return float(np.abs(s - other).mean()) if len(s) else float("nan")


def diversity(distances_between_neighbours: npt.ArrayLike) -> float:
    r"""Mean distance between two cases named for the same query.

    $$\frac{1}{n} \sum_q \frac{2}{k (k - 1)} \sum_{i < j} d(x_{qi}, x_{qj})$$

    One symmetric k by k table of distances per query. Undefined (nan) for a single case or without queries.

    Parameters
    ----------
    distances_between_neighbours : array of shape (n, k, k), or a sequence of k by k tables
        How far the neighbours of each query lie from each other.

    Returns
    -------
    float
        At least 0, or nan.

    Examples
    --------
    >>> diversity([[[0.0, 2.0], [2.0, 0.0]]])
    2.0
    >>> diversity([[[0.0]]])
    nan
    """
    tables = as_numbers(distances_between_neighbours, what="distances_between_neighbours")
    if tables.shape == (0,):
        return float("nan")
    if tables.ndim != 3 or tables.shape[1] != tables.shape[2]:
        raise InvalidInput(
            f"distances_between_neighbours: must be one k by k table per query, got shape {tables.shape}."
        )
    k = tables.shape[1]
    if not len(tables) or k < 2:
        return float("nan")
    upper = np.triu_indices(k, 1)
    return float(tables[:, upper[0], upper[1]].mean())


def non_representativeness(predicted: npt.ArrayLike, neighbour_predictions: npt.ArrayLike) -> float:
    r"""Share of the named cases for which the classifier itself predicts another class than for the query.

    $$\frac{1}{n} \sum_q \frac{1}{k} \sum_i [f(x_{qi}) \ne f(x_q)]$$

    Undefined (nan) without queries.

    Parameters
    ----------
    predicted : sequence of n classes
        What the classifier says of the queries.
    neighbour_predictions : array of shape (n, k)
        What it says of their neighbours.

    Returns
    -------
    float
        From 0, which is best, to 1, or nan.

    Examples
    --------
    >>> non_representativeness([0, 1], [[0, 0], [0, 1]])
    0.25
    """
    own = as_labels(predicted, what="predicted")
    theirs = as_labels(neighbour_predictions, what="neighbour_predictions", ndim=2)
    if len(own) != len(theirs):
        raise InvalidInput(
            f"predicted has {len(own)} entries, neighbour_predictions {len(theirs)} rows; give a row each."
        )
    demand_same_kind(own, theirs, what="predicted and neighbour_predictions")
    return float((theirs != own[:, None]).mean()) if theirs.size else float("nan")


def class_homogeneity(labels: npt.ArrayLike) -> float:
    r"""Share of the most frequent class among the cases named for a query, averaged over the queries.

    $$\frac{1}{n} \sum_q \max_c \frac{|\{i : y_{qi} = c\}|}{k}$$

    It lies between 1/k and 1, whatever the prediction is. Undefined (nan) without queries.

    Parameters
    ----------
    labels : array of shape (n, k)
        Classes of the neighbours of each query.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> class_homogeneity([["a", "a", "b", "c"], ["a", "a", "a", "a"]])
    0.75
    """
    y = as_labels(labels, what="labels", ndim=2)
    if not y.size:
        return float("nan")
    classes, codes = np.unique(y, return_inverse=True)
    codes = codes.reshape(y.shape) + len(classes) * np.arange(len(y))[:, None]
    counts = np.bincount(codes.ravel(), minlength=len(classes) * len(y)).reshape(len(y), len(classes))
    return float(counts.max(axis=1).sum() / y.size)


def neighbour_recall(neighbors: npt.ArrayLike, exact: npt.ArrayLike) -> float:
    r"""Share of the truly nearest cases that are among the named ones.

    $$\frac{1}{n} \sum_q \frac{|N_q \cap N^*_q|}{|N^*_q|}$$

    Undefined (nan) without queries.

    Parameters
    ----------
    neighbors : array of shape (n, k)
        The cases that were named for each query.
    exact : array of shape (n, k)
        The cases that are truly nearest.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> neighbour_recall([[1, 2], [3, 4]], [[2, 1], [4, 5]])
    0.75
    """
    named, best = as_cases(neighbors, what="neighbors"), as_cases(exact, what="exact")
    if len(named) != len(best):
        raise InvalidInput(f"neighbors has {len(named)} rows, exact {len(best)}; give both for the same queries.")
    if not len(named):
        return float("nan")
    pairs = zip(named.tolist(), best.tolist(), strict=True)
    return float(np.mean([len(set(a) & set(b)) / len(set(b)) for a, b in pairs]))


def _stability(evidence: CasesEvidence) -> float:
    return math.nan if evidence.twin_neighbors is None else stability(*evidence.twin_neighbors)


def _diversity(evidence: CasesEvidence) -> float:
    """Evidence holds the mean of each query's table, so that no table has to be kept."""
    apart = evidence.neighbor_distances
    return math.nan if apart is None or not len(apart) else float(apart.mean())


def _has_twins(problem: AnyProblem) -> bool:
    return problem.task.twins is not None and bool((problem.task.twins >= 0).any())


def _has_train_predictions(problem: AnyProblem) -> bool:
    return problem.task.train_predicted is not None


METRICS: tuple[Metric[CasesEvidence], ...] = (
    Metric(
        "neighbour_recall", of_parts(neighbour_recall, "neighbors", "exact_neighbors"), neighbour_recall, limits=(0, 1)
    ),
    Metric("stability", _stability, stability, floor=floor_where(0.0, _has_twins), limits=(0, 1)),
    Metric("diversity", _diversity, diversity),
    Metric("class_homogeneity", of_parts(class_homogeneity, "neighbor_labels"), class_homogeneity, limits=(0, 1)),
    Metric(
        "non_representativeness",
        of_parts(non_representativeness, "predicted", "neighbor_predictions"),
        non_representativeness,
        goal="min",
        floor=floor_where(1.0, _has_train_predictions),
        limits=(0, 1),
    ),
)
