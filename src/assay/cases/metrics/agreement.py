"""How far the nearest cases agree with a prediction."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.cases.examine.evidence import CasesEvidence
from assay.cases.metrics.arrays import as_judged, as_numbers
from assay.cases.metrics.reading import floor_with, of_parts
from assay.cases.neighbors.checks import FloatArray, LabelArray, as_label, as_labels, demand_same_kind
from assay.core import InvalidInput, Metric, UnknownName

__all__ = [
    "compute_correspondence",
    "correspondence",
    "euclidean_distance",
    "interpret",
    "mean_correspondence_correct",
    "mean_correspondence_wrong",
]

Weighting: TypeAlias = str | Callable[[FloatArray], npt.ArrayLike]
ClassWeights: TypeAlias = Mapping[Any, float]
Interpretation: TypeAlias = Literal["high", "medium", "low"]

HIGH = 0.85
MEDIUM = 0.70

# name of a weighting -> the exponent p in 1 / (d + 1)^p
WEIGHTINGS: Mapping[str, int] = {"cubed": 3, "squared": 2, "inverse": 1, "uniform": 0}


def compute_correspondence(
    neighbor_distances: npt.ArrayLike | None = None,
    neighbor_labels: npt.ArrayLike | None = None,
    predicted_class: object = None,
    class_weights: ClassWeights | None = None,
    **published: object,
) -> float:
    r"""Share of the neighbours' weight that lies on the predicted class.

    $$w_i = \frac{1}{(d_i + 1)^3}, \qquad W(c) = \omega_c \sum_{i : y_i = c} w_i, \qquad
    \mathrm{correspondence} = \frac{W(c_\mathrm{pred})}{\sum_c W(c)}$$

    The value lies in [0, 1]; it is 0 when no neighbour has the predicted class, and 0 when all weight is taken away by
    class weights of zero.

    Parameters
    ----------
    neighbor_distances : sequence of k numbers
        How far the neighbours are.
    neighbor_labels : sequence of k classes
        Their classes.
    predicted_class : str or int
        What was predicted.
    class_weights : mapping, optional
        Weights by class; a class that is not named keeps 1.
    **published : object
        Keywords of the published package's function of this name (``neighbors``, ``distance_weighted``): refused, and
        the message shows how to write the call here.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    InvalidInput
        When the call is that of the published package, the lengths differ, there is no neighbour, or a distance or
        weight is negative or not finite.

    Examples
    --------
    >>> round(compute_correspondence([0.1, 0.2, 0.3, 0.5, 0.8], [1, 1, 1, 0, 1], 1), 4)
    0.8685
    >>> compute_correspondence([0.0, 2.0], ["a", "a"], predicted_class="a")
    1.0
    >>> compute_correspondence([0.0, 2.0], ["a", "a"], predicted_class="b")
    0.0
    >>> compute_correspondence([0.0, 1.0], [0, 1], 1, class_weights={1: 8.0})
    0.5
    """
    lacking = neighbor_distances is None or neighbor_labels is None or predicted_class is None
    if lacking or published or _are_triples(neighbor_distances):
        raise _other_call(published)
    distances, labels = np.asarray(neighbor_distances), as_labels(neighbor_labels, what="neighbor_labels")
    if distances.ndim != 1 or len(distances) != len(labels):
        raise InvalidInput(
            f"neighbor_distances and neighbor_labels must be two lists of one length, got shapes {distances.shape} "
            f"and {labels.shape}."
        )
    predicted = [as_label(predicted_class, what="predicted_class")]
    return float(correspondence(distances[None], labels[None], predicted, class_weights=class_weights)[0])


def _are_triples(neighbors: object) -> bool:
    """Neighbours as the published package has them: (index, distance, label) each."""
    if not isinstance(neighbors, list | tuple) or not neighbors:
        return False
    return all(isinstance(entry, tuple) and len(entry) == 3 for entry in neighbors)


def _other_call(published: Mapping[str, object]) -> InvalidInput:
    """The error for a call that lacks something, or is written for the published package."""
    unknown = [name for name in published if name not in ("neighbors", "distance_weighted")]
    if unknown:
        return InvalidInput(
            f"compute_correspondence: there is no argument {unknown[0]!r}. Arguments: neighbor_distances, "
            "neighbor_labels, predicted_class, class_weights."
        )
    weighted = ""
    if "distance_weighted" in published:
        weighted = " For distance_weighted=False use assay.cases.correspondence(..., weighting='uniform')."
    return InvalidInput(
        "compute_correspondence: give distances, labels and the predicted class; the result is a number alone. For "
        "neighbours as (index, distance, label): compute_correspondence([n[1] for n in neighbors], "
        f"[n[2] for n in neighbors], predicted_class).{weighted} For the word beside it: assay.cases.interpret."
    )


def euclidean_distance(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    r"""Straight-line distance between two cases.

    $$d(a, b) = \sqrt{\sum_j (a_j - b_j)^2}$$

    Parameters
    ----------
    a : sequence of numbers
        One case.
    b : sequence of numbers
        Another, of the same length.

    Returns
    -------
    float
        At least 0.

    Examples
    --------
    >>> round(euclidean_distance([1.0, 2.0, 3.0], [1.5, 2.5, 3.5]), 3)
    0.866
    >>> euclidean_distance([3], [3])
    0.0
    """
    first, second = as_numbers(a, what="a"), as_numbers(b, what="b")
    if first.ndim != 1 or first.shape != second.shape:
        raise InvalidInput(f"a and b must be two cases of equal length, got shapes {first.shape} and {second.shape}.")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise InvalidInput("a and b must be finite; fill or remove what is missing.")
    with np.errstate(over="ignore"):
        distance = float(np.sqrt(np.sum(np.square(first - second))))
    # to the last bit that of the search, but where squares leave the range of floats
    return distance if 1e-150 < distance < math.inf else math.dist(first, second)


def correspondence(
    distances: npt.ArrayLike,
    labels: npt.ArrayLike,
    predicted: npt.ArrayLike,
    class_weights: ClassWeights | None = None,
    *,
    weighting: Weighting = "cubed",
) -> FloatArray:
    r"""Correspondence of many predictions at once: a row of neighbours and a predicted class each.

    $$\mathrm{correspondence}_q = \frac{\sum_{i : y_{qi} = \hat y_q} \omega_{y_{qi}} w(d_{qi})}
    {\sum_i \omega_{y_{qi}} w(d_{qi})}$$

    Parameters
    ----------
    distances : array of shape (n, k)
        How far the neighbours are.
    labels : array of shape (n, k)
        Their classes.
    predicted : sequence of n classes
        What was predicted.
    class_weights : mapping, optional
        Weights by class; a class that is not named keeps 1.
    weighting : str or callable, default "cubed"
        A name, for $$w(d) = (d + 1)^{-p}$$ with p = 3 ("cubed"), 2 ("squared"), 1 ("inverse") or 0 ("uniform"), or a
        function from an array of distances to weights that are finite and not negative.

    Returns
    -------
    array of n numbers
        From 0 to 1.

    Raises
    ------
    InvalidInput
        When shapes do not fit, or a distance or weight is negative or not finite.

    Examples
    --------
    >>> correspondence([[0.0, 1.0], [0.0, 1.0]], [[0, 1], [1, 1]], [0, 1]).round(4).tolist()
    [0.8889, 1.0]
    >>> correspondence([[0.0, 1.0]], [[0, 1]], [0], weighting="uniform").tolist()
    [0.5]
    >>> correspondence([[0.0, 1.0]], [[0, 1]], [0], weighting=lambda d: 2.0**-d).round(4).tolist()
    [0.6667]
    """
    d = as_numbers(distances, what="distances")
    y = as_labels(labels, what="labels", ndim=2)
    chosen = as_labels(predicted, what="predicted")
    if d.shape != y.shape or len(chosen) != len(d):
        raise InvalidInput(
            f"distances and labels need one shape and predicted one class per row, got {d.shape}, {y.shape} and "
            f"{chosen.shape}."
        )
    if not d.shape[1]:
        raise InvalidInput("there are no neighbours; correspondence needs at least one (k >= 1).")
    if not (np.isfinite(d) & (d >= 0)).all():
        bad = d[~(np.isfinite(d) & (d >= 0))][0]
        raise InvalidInput(f"distances must be finite and not negative, got {bad}.")
    demand_same_kind(chosen, y, what="predicted class and neighbour labels")
    weights = _relative_weights(d, weighting)
    if class_weights is not None:
        weights = weights * _weights_of_labels(y, class_weights)
    agreeing = np.where(y == chosen[:, None], weights, 0.0).sum(axis=1)
    total = weights.sum(axis=1)
    shares: FloatArray = np.divide(agreeing, total, out=np.zeros(len(d)), where=total > 0)
    return shares


def demand_weighting(weighting: object) -> None:
    """The name of a weighting."""
    if not isinstance(weighting, str) or weighting not in WEIGHTINGS:
        raise UnknownName("weighting", str(weighting), WEIGHTINGS)


def _relative_weights(distances: FloatArray, weighting: Weighting) -> FloatArray:
    """Weights up to a factor per row, which cancels: chosen so that nothing under- or overflows."""
    if callable(weighting):
        weights = as_numbers(weighting(distances), what="weighting")
        if weights.shape != distances.shape:
            raise InvalidInput(
                f"weighting: must give one weight per distance, got shape {weights.shape} for {distances.shape}."
            )
        if not (np.isfinite(weights) & (weights >= 0)).all():
            bad = weights[~(np.isfinite(weights) & (weights >= 0))][0]
            raise InvalidInput(f"weighting: weights must be finite and not negative, got {bad}.")
        largest = weights.max(axis=1, keepdims=True, initial=0.0)
        scaled: FloatArray = np.divide(weights, largest, out=np.zeros_like(weights), where=largest > 0)
        return scaled
    demand_weighting(weighting)
    nearest = distances.min(axis=1, keepdims=True)
    relative: FloatArray = ((nearest + 1.0) / (distances + 1.0)) ** WEIGHTINGS[weighting]
    return relative


def _weights_of_labels(labels: LabelArray, class_weights: ClassWeights) -> FloatArray:
    if not isinstance(class_weights, Mapping):
        raise InvalidInput(
            f"class_weights must map classes to weights here, got {class_weights!r}. "
            'Only CaseExplainer knows the classes that "balanced" or an array needs.'
        )
    demand_same_kind(as_labels(list(class_weights), what="class_weights"), labels, what="class_weights and labels")
    for label, weight in class_weights.items():
        number = as_numbers(weight, what=f"class_weights[{label!r}]")
        if number.ndim or not (np.isfinite(number) and number >= 0):
            raise InvalidInput(f"class_weights[{label!r}] must be finite and not negative, got {weight!r}.")
    classes, codes = np.unique(labels, return_inverse=True)
    weights = np.array([float(class_weights.get(label, 1.0)) for label in classes.tolist()])
    # only ratios matter; dividing by the largest keeps the sums finite
    return (weights / (weights.max(initial=0.0) or 1.0))[codes].reshape(labels.shape)


def interpret(correspondence: float, *, high: float = HIGH, medium: float = MEDIUM) -> Interpretation:
    r"""A word for a correspondence, by thresholds that depend on the domain.

    $$\text{high if } c \ge 0.85, \quad \text{medium if } 0.70 \le c < 0.85, \quad \text{low otherwise}$$

    Parameters
    ----------
    correspondence : float
        From 0 to 1.
    high, medium : float
        Where the words begin.

    Returns
    -------
    "high", "medium" or "low"
        The word.

    Raises
    ------
    InvalidInput
        When the thresholds are not in order, or the correspondence lies outside 0 to 1.

    Examples
    --------
    >>> [interpret(value) for value in (0.85, 0.70, 0.69)]
    ['high', 'medium', 'low']
    >>> interpret(0.6, high=0.5, medium=0.4)
    'high'
    """
    if not 0 <= medium <= high <= 1:
        raise InvalidInput(f"thresholds must satisfy 0 <= medium <= high <= 1, got high={high}, medium={medium}.")
    if not 0 <= correspondence <= 1:
        raise InvalidInput(f"a correspondence lies between 0 and 1, got {correspondence}.")
    return "high" if correspondence >= high else "medium" if correspondence >= medium else "low"


def mean_correspondence_correct(correspondence: npt.ArrayLike, wrong: npt.ArrayLike) -> float:
    r"""Mean correspondence of the predictions that are right.

    $$\frac{1}{|R|} \sum_{q \in R} c_q, \qquad R = \{q : \hat y_q = y_q\}$$

    Undefined (nan) when no prediction is right.

    Parameters
    ----------
    correspondence : sequence of n numbers from 0 to 1
        How far the neighbours agree with each prediction.
    wrong : sequence of n booleans
        Which predictions are wrong.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> mean_correspondence_correct([1.0, 0.5, 0.2], [False, False, True])
    0.75
    >>> mean_correspondence_correct([0.2], [True])
    nan
    """
    c, is_wrong = as_judged(correspondence, wrong, what="correspondence")
    return float("nan") if is_wrong.all() else float(c[~is_wrong].mean())


def mean_correspondence_wrong(correspondence: npt.ArrayLike, wrong: npt.ArrayLike) -> float:
    r"""Mean correspondence of the predictions that are wrong.

    $$\frac{1}{|E|} \sum_{q \in E} c_q, \qquad E = \{q : \hat y_q \ne y_q\}$$

    Undefined (nan) when no prediction is wrong.

    Parameters
    ----------
    correspondence : sequence of n numbers from 0 to 1
        How far the neighbours agree with each prediction.
    wrong : sequence of n booleans
        Which predictions are wrong.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> mean_correspondence_wrong([1.0, 0.5, 0.2], [False, True, True])
    0.35
    >>> mean_correspondence_wrong([0.2], [False])
    nan
    """
    c, is_wrong = as_judged(correspondence, wrong, what="correspondence")
    return float(c[is_wrong].mean()) if is_wrong.any() else float("nan")


METRICS: tuple[Metric[CasesEvidence], ...] = (
    Metric(
        "mean_correspondence_correct",
        of_parts(mean_correspondence_correct, "correspondence", "wrong"),
        mean_correspondence_correct,
        floor=floor_with(0.0, right=1),
        limits=(0, 1),
    ),
    Metric(
        "mean_correspondence_wrong",
        of_parts(mean_correspondence_wrong, "correspondence", "wrong"),
        mean_correspondence_wrong,
        goal="min",
        floor=floor_with(1.0, wrong=1),
        limits=(0, 1),
    ),
)
