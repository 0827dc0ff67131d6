"""A target made of insights: linear, logistic or multinomial, with as much noise as a declared ceiling asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.insight.generate.draft import FloatArray
from assay.insight.generate.draw import choose_places
from assay.insight.problem.task import ProblemType

__all__ = ["Target", "expected_auc", "make_simple_target", "make_target", "standard"]

_POSITIVE_FROM = 0.68  # quantile of the latent value where a positive is as likely as not
_SIMPLE_POSITIVE_FROM = 0.65
_STEPS = 50
_STRONGEST = 60.0
_DRAWS = 30
_SIMPLE_DRAWS = 20


class Target(NamedTuple):
    """The values, and which of them count as high: positives, the last class, the upper half."""

    values: npt.NDArray[Any]
    high: npt.NDArray[np.bool_]


def standard(values: npt.NDArray[Any]) -> FloatArray:
    """Ranks with mean 0 and deviation 1: the few large values of a skewed column must not carry the signal alone."""
    ranks = pd.Series(values).rank().to_numpy(dtype=np.float64)
    spread = ranks - ranks.mean()
    scaled: FloatArray = spread / spread.std() if spread.any() else spread
    return scaled


def expected_auc(chances: FloatArray) -> float:
    """The AUC that the chances themselves have when labels are drawn by them: no model can do better.

    >>> round(expected_auc(np.array([0.0, 0.0, 1.0])), 6), round(expected_auc(np.array([0.3, 0.3])), 6)
    (1.0, 0.5)
    """
    levels, places = np.unique(chances, return_inverse=True)
    yes = np.bincount(places, weights=chances, minlength=len(levels))
    no = np.bincount(places, weights=1.0 - chances, minlength=len(levels))
    own = float((chances * (1.0 - chances)).sum())  # a row is never compared with itself
    below = np.cumsum(no) - no
    wins = float((yes * below).sum()) + 0.5 * (float((yes * no).sum()) - own)
    return wins / (float(yes.sum() * no.sum()) - own)


def make_target(
    rng: np.random.Generator, kind: ProblemType, causes: FloatArray, outcomes: tuple[str, ...], *, ceiling: float
) -> Target:
    """A target of the causes, [rows, causes], each pulling with equal strength.

    No model of the causes can be expected to exceed the ceiling: an R² for regression, else a (macro) AUC.
    """
    classes = len(outcomes) if kind == "multiclass" else 1
    effects = _effects(rng, causes, np.ones(causes.shape[1]), classes, _one_of_two, draws=_DRAWS)
    if kind == "regression":
        return _numbers(rng, effects[:, 0], np.sqrt(1.0 / ceiling - 1.0))
    if kind == "binary":
        latent = effects[:, 0] - np.quantile(effects[:, 0], _POSITIVE_FROM)
        signal = _signal(lambda strength: expected_auc(_logistic(strength * latent)), ceiling)
        return _labels(rng, signal * latent)
    signal = _signal(
        lambda strength: float(np.mean([expected_auc(chance) for chance in _softmax(strength * effects).T])), ceiling
    )
    places = choose_places(rng, _softmax(signal * effects))
    return Target(np.asarray(outcomes)[places], places == classes - 1)


def make_simple_target(
    rng: np.random.Generator,
    kind: ProblemType,
    causes: FloatArray,
    weights: FloatArray,
    outcomes: tuple[str, ...],
    *,
    signal: float,
) -> Target:
    """A target of weighted causes at a given strength; the last cause, a base column, may be cancelled by others."""
    classes = len(outcomes) if kind == "multiclass" else 1
    effects = _effects(rng, causes, weights, classes, _first_of_two, draws=_SIMPLE_DRAWS, compared=-1)
    if kind == "multiclass":
        places = np.argmax(signal * effects + rng.gumbel(size=effects.shape), axis=1)
        return Target(np.asarray(outcomes)[places], places == classes - 1)
    latent = effects[:, 0]
    if kind == "regression":
        return _numbers(rng, latent, 1.5 / signal)
    return _labels(rng, signal * (latent - np.quantile(latent, _SIMPLE_POSITIVE_FROM)))


def _numbers(rng: np.random.Generator, latent: FloatArray, noise: float) -> Target:
    values = np.round(50.0 + 10.0 * (latent + rng.normal(0.0, noise, size=len(latent))), 2)
    return Target(values, values > np.median(values))


def _labels(rng: np.random.Generator, logits: FloatArray) -> Target:
    labels = (rng.random(len(logits)) < _logistic(logits)).astype(np.int64)
    return Target(labels, labels == 1)


def _effects(
    rng: np.random.Generator,
    causes: FloatArray,
    weights: FloatArray,
    classes: int,
    sign: Callable[[np.random.Generator], float],
    *,
    draws: int,
    compared: int | None = None,
) -> FloatArray:
    """The causes' effects on each class, [rows, classes]: of several random directions, the one that cancels none."""
    best, clearest = np.zeros((causes.shape[1], classes)), -1.0
    for _ in range(draws):
        pulls = np.zeros_like(best)
        for cause, weight in enumerate(weights):
            if classes == 1:
                pulls[cause, 0] = weight * sign(rng)
            else:
                up, down = rng.permutation(classes)[:2]
                pulls[cause, up], pulls[cause, down] = weight, -weight
        effects = causes @ pulls
        spread = effects.std(axis=0)
        if not spread.all():  # a class that nothing acts on
            continue
        together = np.abs(causes[:, :compared].T @ ((effects - effects.mean(axis=0)) / spread)) / len(causes)
        clear = float(together.max(axis=1).min())
        if clear > clearest:
            best, clearest = pulls, clear
    effects = causes @ best
    scaled: FloatArray = effects / effects.std()
    return scaled


def _one_of_two(rng: np.random.Generator) -> float:
    return float(rng.choice([-1.0, 1.0]))


def _first_of_two(rng: np.random.Generator) -> float:
    return 1.0 if rng.permutation(2)[0] else -1.0


def _signal(ceiling_of: Callable[[float], float], ceiling: float) -> float:
    """The strength at which the ceiling is the declared one, by halving."""
    low, high = 0.0, _STRONGEST
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if ceiling_of(middle) < ceiling else (low, middle)
    return (low + high) / 2.0


def _logistic(values: FloatArray) -> FloatArray:
    chances: FloatArray = 1.0 / (1.0 + np.exp(-np.clip(values, -500.0, 500.0)))
    return chances


def _softmax(values: FloatArray) -> FloatArray:
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    shares: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return shares
