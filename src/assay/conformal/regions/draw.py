"""Seeded samples of tasks of every kind, whose truth, groups, shift and drift are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from assay.conformal.regions.classes import Classes, Labels
from assay.conformal.regions.numbers import Quantiles, Values
from assay.conformal.regions.region import Prediction
from assay.conformal.sets.checks import BoolArray, FloatArray, IntArray, softmax
from assay.core import UnknownName
from assay.core.checks import demand_whole

__all__ = ["RegionDraw", "draw_regions"]

Drift: TypeAlias = Literal["none", "shift", "sudden", "gradual"]

_SEED = 42
_FEATURES = 4
_SHIFT = 0.8  # of the first feature's mean, in standard deviations


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RegionDraw:
    """Samples of five tasks: what a model says of them, what is true, their groups and likelihood ratios.

    Parameters
    ----------
    predictions : dict of str to predictions
        ``kind`` (five classes), ``spam`` (one sigmoid output), ``tags`` (four labels), ``price`` (numbers with a scale)
        and ``delay`` (quantiles).
    truth : dict of str to arrays
        By the same names.
    groups : array of 0 and 1
        Samples of group 1 are harder.
    ratios : array of positive numbers
        Shifted over unshifted density of the features at each sample.

    Examples
    --------
    >>> sorted(draw_regions(10, seed=1).truth)
    ['delay', 'kind', 'price', 'spam', 'tags']
    """

    predictions: dict[str, Prediction]
    truth: dict[str, Any]
    groups: IntArray
    ratios: FloatArray

    def only(self, *names: str) -> RegionDraw:
        """The same samples with these tasks alone."""
        for name in names:
            if name not in self.truth:
                raise UnknownName("task", name, self.truth)
        return RegionDraw(
            predictions={name: self.predictions[name] for name in names},
            truth={name: self.truth[name] for name in names},
            groups=self.groups,
            ratios=self.ratios,
        )


def draw_regions(samples: int, *, seed: int, drift: Drift = "none") -> RegionDraw:
    """Seeded samples of tasks of every kind; all tasks of a hard sample go wrong together.

    Parameters
    ----------
    samples : int
        How many.
    seed : int
        The seed of everything that is drawn; what is true of the population is always the same.
    drift : "none", "shift", "sudden" or "gradual"
        ``shift`` moves the features (the ratios say by how much); ``sudden`` triples the noise of numbers after half of
        the samples, and ``gradual`` raises it fourfold from the first to the last.

    Returns
    -------
    RegionDraw
        Predictions and truths.

    Examples
    --------
    >>> draw_regions(3, seed=1).truth["kind"].shape, draw_regions(3, seed=1, drift="shift").ratios.shape
    ((3,), (3,))
    """
    demand_whole(samples, "draw: samples", least=1)
    if drift not in get_args(Drift):
        raise UnknownName("drift", str(drift), get_args(Drift))
    world, rng = np.random.default_rng(_SEED), np.random.default_rng(seed)
    features = rng.normal(size=(samples, _FEATURES))
    features[:, 0] += _SHIFT if drift == "shift" else 0.0
    ratios = np.exp(_SHIFT * features[:, 0] - _SHIFT**2 / 2)
    groups = (rng.uniform(size=samples) < 0.3).astype(np.int64)
    hard = np.exp(0.5 * rng.normal(size=samples) + 0.7 * groups)  # shared by all tasks of a sample
    spread = 0.5 * np.exp(0.5 * features[:, 0])  # known to the model; what is hard is not
    noise = spread * hard * _noise(drift, samples)
    price = features @ world.normal(size=_FEATURES)
    delay = np.abs(features @ world.normal(size=_FEATURES))
    odds = 3 * features @ world.normal(size=(_FEATURES, 5)) / hard[:, None]
    yes = 2 * features @ world.normal(size=(_FEATURES, 5)) / hard[:, None]
    believed = 1.3 * yes + 0.3 * rng.normal(size=yes.shape)  # a little too sure, as models are
    chosen: BoolArray = rng.uniform(size=yes.shape) < _sigmoid(yes)
    return RegionDraw(
        predictions={
            "kind": Classes(softmax(1.3 * odds + 0.3 * rng.normal(size=odds.shape))),
            "spam": Classes(_sigmoid(believed[:, 0])),
            "tags": Labels(_sigmoid(believed[:, 1:])),
            "price": Values(price + 0.2 * rng.normal(size=samples), scale=spread),
            "delay": Quantiles(delay - 1.3 * spread, delay + 1.3 * spread),
        },
        truth={
            "kind": np.argmax(odds + rng.gumbel(size=odds.shape), axis=1),
            "spam": chosen[:, 0].astype(np.int64),
            "tags": chosen[:, 1:].astype(np.int64),
            "price": price + noise * rng.normal(size=samples),
            "delay": delay + noise * (rng.gamma(2.0, size=samples) - 2.0),
        },
        groups=groups,
        ratios=ratios,
    )


def _noise(drift: str, samples: int) -> FloatArray:
    if drift == "sudden":
        return np.where(np.arange(samples) < samples // 2, 1.0, 3.0)
    return np.linspace(1.0, 4.0, samples) if drift == "gradual" else np.ones(samples)


def _sigmoid(logits: FloatArray) -> FloatArray:
    shares: FloatArray = 1 / (1 + np.exp(-logits))
    return shares
