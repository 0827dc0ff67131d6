"""Samples with numbers to predict, alone or beside classes, whose noise, groups and dependence are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from assay.conformal.problem.numbers import Numbers
from assay.conformal.sets.checks import FloatArray, IntArray, softmax
from assay.core import UnknownName
from assay.core.checks import demand_whole

__all__ = ["NUMBER_FAMILIES", "Draw", "draw_numbers"]

Form: TypeAlias = Literal["predicted", "scale", "quantiles"]

_SEED = 42
_LATENT = 6
_DIGITS = 6  # that are kept, so that the last ones of a machine's exp() do not matter
_NOISE, _MODEL_ERROR, _REACH = 0.5, 0.2, 1.3  # of the truth, of the model, and of its quantiles in scales


@dataclass(frozen=True, slots=True, kw_only=True)
class _NumberFamily:
    """What sets a family of generated problems with numbers apart."""

    numbers: Mapping[str, Form]  # what the model gives for each task
    classes: tuple[int, ...] = ()
    spread: float = 0.0  # how much the noise varies with the features, which the model knows
    strain: float = 0.0  # how much samples differ in difficulty, which the model does not know and all tasks share
    grouped: bool = False  # the second group is harder


NUMBER_FAMILIES: Mapping[str, _NumberFamily] = {
    "regression": _NumberFamily(numbers={"price": "predicted"}),
    "heteroscedastic": _NumberFamily(numbers={"price": "scale", "delay": "quantiles"}, spread=0.6, strain=0.4),
    "mixed": _NumberFamily(numbers={"price": "scale", "delay": "quantiles"}, classes=(5, 3), spread=0.4, strain=0.5),
    "shifted-numbers": _NumberFamily(numbers={"price": "scale"}, spread=0.4, strain=0.3, grouped=True),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draw:
    """Samples of a family: what a model says of classes and numbers, what is true, and the group of each sample."""

    probabilities: tuple[FloatArray, ...]
    labels: tuple[IntArray, ...]
    groups: IntArray
    predictions: Mapping[str, Numbers] = field(default_factory=dict)
    truth: Mapping[str, FloatArray] = field(default_factory=dict)


def draw_numbers(family: str, samples: int, *, seed: int, hard: float = 0.3) -> Draw:
    """Seeded samples of one family with numbers; ``hard`` is the share of the group whose samples may be harder.

    Truths scatter around a linear function of the features that the model knows up to a small error. It knows how much
    they scatter where that depends on the features, not where a sample is hard for all tasks.

    >>> drawn = draw_numbers("mixed", 3, seed=1)
    >>> sorted(drawn.truth), sorted(drawn.predictions["delay"].parts), [matrix.shape for matrix in drawn.probabilities]
    (['delay', 'price'], ['high', 'low', 'predicted'], [(3, 5), (3, 3)])
    """
    if family not in NUMBER_FAMILIES:
        raise UnknownName("family", str(family), NUMBER_FAMILIES)
    demand_whole(samples, "draw: samples", least=1)
    kind = NUMBER_FAMILIES[family]
    world = np.random.default_rng([_SEED, 1000 + sorted(NUMBER_FAMILIES).index(family)])
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(samples, _LATENT))
    groups = (rng.uniform(size=samples) < hard).astype(np.int64)
    difficulty = np.exp(kind.strain * rng.normal(size=samples) + (0.9 * groups if kind.grouped else 0.0))
    scale = _NOISE * np.exp(kind.spread * features[:, 0])
    predictions, truth = {}, {}
    for name, form in kind.numbers.items():
        centre = features @ world.normal(size=_LATENT)
        # quantiles are for noise that is skewed, which a scale cannot tell
        noise = rng.gamma(2.0, size=samples) - 2.0 if form == "quantiles" else rng.normal(size=samples)
        truth[name] = np.round(centre + scale * difficulty * noise, _DIGITS)
        believed = centre + _MODEL_ERROR * rng.normal(size=samples)
        parts = {"predicted": believed}
        if form == "scale":
            parts["scale"] = scale
        elif form == "quantiles":
            parts |= {"low": believed - _REACH * scale, "high": believed + 1.5 * _REACH * scale}
        predictions[name] = Numbers(**{part: np.round(values, _DIGITS) for part, values in parts.items()})
    probabilities, labels = [], []
    for count in kind.classes:
        odds = 2.5 * (features @ world.normal(size=(_LATENT, count))) / difficulty[:, None]
        labels.append(np.argmax(odds + rng.gumbel(size=odds.shape), axis=1))
        probabilities.append(softmax(1.3 * odds + 0.5 * rng.normal(size=odds.shape)).astype(np.float64))
    return Draw(
        predictions=predictions,
        truth=truth,
        probabilities=tuple(probabilities),
        labels=tuple(labels),
        groups=groups,
    )
