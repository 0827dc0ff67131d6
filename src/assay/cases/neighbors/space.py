"""The space in which cases are compared: units, weights of features, and the distance that a metric's name means."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from assay.cases.neighbors.checks import FloatArray
from assay.cases.neighbors.distance import (
    BRAYCURTIS,
    CHEBYSHEV,
    EUCLIDEAN,
    HAVERSINE,
    MANHATTAN,
    Distance,
    by_callable,
    by_name,
    gower,
    minkowski,
    nan_euclidean,
)
from assay.cases.neighbors.gower import fit_gower
from assay.cases.neighbors.rotation import Rotation, fit_directions, fit_mahalanobis, fit_spreads
from assay.cases.neighbors.scaling import Scaling, fit_minmax, fit_robust, fit_scaling, no_scaling
from assay.core import InvalidInput, UnknownName

__all__ = ["METRICS", "MetricName", "Space", "demand_metric", "fit_space"]

MetricName: TypeAlias = str | Callable[..., Any]

_SAME = {"l2": "euclidean", "l1": "manhattan", "cityblock": "manhattan", "infinity": "chebyshev", "p": "minkowski"}
_BOOLEAN = frozenset({"dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"})
_SCIPY = frozenset({"canberra", "hamming"}) | _BOOLEAN
# features are weighted by stretching them, where that is what the metric's own weights mean
_STRETCHED = {"euclidean": 0.5, "sqeuclidean": 0.5, "nan_euclidean": 0.5, "cosine": 0.5, "manhattan": 1.0}
_PLAIN = {"euclidean": EUCLIDEAN, "manhattan": MANHATTAN, "chebyshev": CHEBYSHEV, "braycurtis": BRAYCURTIS}
_UNSCALED = _BOOLEAN | {"gower", "haversine"}  # these know what their values mean
_PARAMETERS = {
    "minkowski": frozenset({"p", "w"}),
    "mahalanobis": frozenset({"V", "VI"}),
    "seuclidean": frozenset({"V"}),
} | {name: frozenset({"w"}) for name in _SCIPY}
METRICS = (
    frozenset({"auto", "euclidean", "manhattan", "chebyshev", "minkowski", "gower", "nan_euclidean", "haversine"})
    | {"braycurtis", "cosine", "correlation", "mahalanobis", "seuclidean", "sqeuclidean"}
    | _SCIPY
    | set(_SAME)
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Space:
    """Raw numbers in, comparable rows out, and the distance between those."""

    metric: str
    scale: str
    scaling: Scaling  # per feature, the units that distances are made of
    distance: Distance
    applied: Scaling | None  # what is done to the numbers before they are compared
    rotation: Rotation | None = None

    def cases(self, numbers: FloatArray) -> FloatArray:
        """The training cases as they are compared, always a new array."""
        return self._apply(numbers, query=False)

    def queries(self, numbers: FloatArray) -> FloatArray:
        """Queries as they are compared."""
        return self._apply(numbers, query=True)

    def _apply(self, numbers: FloatArray, *, query: bool) -> FloatArray:
        rows = numbers.copy() if self.applied is None else self.applied.apply(numbers)
        return rows if self.rotation is None else self.rotation(rows, query)


def demand_metric(metric: object) -> str:
    """The one name of a metric; a callable is called by its own name."""
    if callable(metric):
        return str(getattr(metric, "__name__", type(metric).__name__))
    if not isinstance(metric, str) or metric not in METRICS:
        raise UnknownName("metric", str(metric), METRICS)
    return _SAME.get(metric, metric)


def fit_space(
    numbers: FloatArray,
    *,
    metric: MetricName = "euclidean",
    metric_params: Mapping[str, Any] | None = None,
    scale: str = "standard",
    feature_weights: FloatArray | None = None,
    categorical: frozenset[int] = frozenset(),
) -> Space:
    """The space that the training cases span."""
    name, params = demand_metric(metric), dict(metric_params or {})
    if callable(metric):
        applied = _fit(scale, numbers).weighted(_factors("callable", feature_weights, numbers, None))
        distance = by_callable(metric, params)
        return Space(metric=name, scale=scale, scaling=applied, applied=applied, distance=distance)
    _demand_parameters(name, params)
    if name == "minkowski":
        return _minkowski(numbers, params, scale, feature_weights)
    scale = "none" if name in _UNSCALED else scale
    weights = np.ones(numbers.shape[1]) if feature_weights is None else feature_weights
    if name == "gower":
        yard = fit_gower(numbers, categorical=categorical, weights=weights)
        with np.errstate(divide="ignore", over="ignore"):
            # a constant feature has no range; what differs in it counts in full
            units = np.where(yard.ranges < np.finfo(np.float64).tiny, 1.0, yard.ranges) * (weights.sum() / weights)
        scaling = Scaling(np.zeros(len(units)), units)
        return Space(metric=name, scale="ranges", scaling=scaling, applied=None, distance=gower(yard))
    power = 1.0 if name == "chebyshev" else _STRETCHED.get(name)
    scaling = _fit(scale, numbers).weighted(_factors(name, feature_weights, numbers, power))
    distance, rotation = _distance(name, params, weights, lambda: scaling.apply(numbers))
    return Space(metric=name, scale=scale, scaling=scaling, applied=scaling, distance=distance, rotation=rotation)


def _distance(
    name: str, params: dict[str, Any], weights: FloatArray, scaled: Callable[[], FloatArray]
) -> tuple[Distance, Rotation | None]:
    """What a name means, and what must be done to scaled rows so that it is true."""
    if name in _PLAIN:
        return _PLAIN[name], None
    if name == "nan_euclidean":
        return nan_euclidean(weights), None
    if name == "haversine":
        if len(weights) != 2:
            raise InvalidInput(f"metric 'haversine' needs latitude and longitude; there are {len(weights)} features.")
        return HAVERSINE, None
    if name in _SCIPY:
        return by_name(name, params, boolean=name in _BOOLEAN), None
    # the others are Euclidean distances in another space, so they are searched as fast
    if name == "sqeuclidean":
        return _euclidean(name, np.square), None
    if name == "seuclidean":
        return EUCLIDEAN, fit_spreads(scaled(), params.get("V"))
    if name == "mahalanobis":
        return EUCLIDEAN, fit_mahalanobis(scaled(), V=params.get("V"), VI=params.get("VI"))
    return _euclidean(name, _half_square), fit_directions(centred=name == "correlation")


def _euclidean(name: str, shown: Callable[[FloatArray], FloatArray]) -> Distance:
    return Distance(name=name, matrix=EUCLIDEAN.matrix, fast=EUCLIDEAN.fast, shown=shown)


def _half_square(distances: FloatArray) -> FloatArray:
    # between rows of length one, 1 - cos is half the square of their distance
    return np.square(distances) / 2


def _minkowski(numbers: FloatArray, params: dict[str, Any], scale: str, feature_weights: FloatArray | None) -> Space:
    try:
        p = float(params.get("p", 2.0))
    except (TypeError, ValueError):
        p = math.nan
    if not p > 0:
        raise InvalidInput(f"metric_params: p must be a number above 0, got {params.get('p')!r}.")
    if params.get("w") is not None:
        if feature_weights is not None:
            raise InvalidInput("feature_weights and metric_params['w'] weigh the same features; give one of them.")
        feature_weights = _weights_parameter(params["w"], numbers.shape[1])
    power = 1.0 / p if p < math.inf else 1.0
    scaling = _fit(scale, numbers).weighted(_factors("minkowski", feature_weights, numbers, power))
    simple = {1.0: MANHATTAN, 2.0: EUCLIDEAN, math.inf: CHEBYSHEV}
    distance = simple[p] if p in simple else minkowski(p)
    return Space(metric="minkowski", scale=scale, scaling=scaling, applied=scaling, distance=distance)


def _weights_parameter(values: Any, features: int) -> FloatArray:
    try:
        weights = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape != (features,) or not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise InvalidInput(f"metric_params: w must be {features} numbers, not negative, not all 0; got {values!r}.")
    return weights


def _demand_parameters(name: str, params: dict[str, Any]) -> None:
    allowed = _PARAMETERS.get(name, frozenset())
    for parameter in params:
        if parameter not in allowed:
            if not allowed:
                raise InvalidInput(f"metric_params: metric {name!r} takes none, got {parameter!r}.")
            raise UnknownName(f"parameter of metric {name!r}", str(parameter), allowed)


def _factors(name: str, weights: FloatArray | None, numbers: FloatArray, power: float | None) -> FloatArray:
    if weights is None:
        return np.ones(numbers.shape[1])
    if power is None:
        raise InvalidInput(
            f"feature_weights: metric {name!r} does not take any. Use euclidean, manhattan, minkowski, chebyshev, "
            "cosine, nan_euclidean or gower, or weigh the features inside your own function."
        )
    factors: FloatArray = weights**power
    return factors


def _fit(scale: str, numbers: FloatArray) -> Scaling:
    fits = {"standard": fit_scaling, "minmax": fit_minmax, "robust": fit_robust}
    return fits[scale](numbers) if scale in fits else no_scaling(numbers.shape[1])
