"""The smallest sets that cover all tasks at once: a joint model from a part of the samples, one level from the rest."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from assay.conformal.calibration.association import Association, choose_association, log_probabilities
from assay.conformal.calibration.combinations import combination_levels, product_levels
from assay.conformal.calibration.quantile import conformal_quantile
from assay.conformal.sets.checks import FloatArray, IntArray
from assay.core.checks import demand_fraction

__all__ = ["FIT_SHARE", "Smallest", "samples_that_calibrate", "smallest_sets"]

FIT_SHARE = 0.4  # of the calibration samples, from which the joint model is fitted
_FEWEST_FITTED = 20
_FEWEST_UNITS = 2  # the level is at least the second largest score of the samples that calibrate
_MOST_FITTED = 2_000  # more make the model no better, and the level needs them


class Smallest(NamedTuple):
    """The joint model, the level up to which classes or combinations are in the set, and how many samples gave it."""

    model: Association
    level: float
    samples: int


def samples_that_calibrate(samples: int, alpha: Fraction, share: float = FIT_SHARE) -> int:
    r"""How many samples calibrate, so that (m + 1)α is whole and no coverage is lost to rounding; the others fit.

    All of them where too few would be left to fit, or to calibrate, or where the share is 0.

    >>> [samples_that_calibrate(samples, Fraction(1, 10)) for samples in (19, 20, 99, 100, 600)]
    [19, 20, 59, 59, 359]
    """
    fitted = min(round(share * samples), _MOST_FITTED)
    units = floor((samples - fitted + 1) * alpha)
    if units < _FEWEST_UNITS or not share:
        return samples
    calibrating = ceil(units / alpha) - 1
    return calibrating if samples - calibrating >= _FEWEST_FITTED else samples


def smallest_sets(
    probabilities: Sequence[FloatArray],
    labels: IntArray,
    alpha: Fraction,
    *,
    combinations: bool,
    share: float = FIT_SHARE,
    seed: int = 0,
) -> Smallest:
    r"""Fit the joint model on one part of the samples, and take the level from the scores of the others.

    $$\hat q = s_{(k)}, \qquad s_i = \inf\{q : y_i \in S_q(x_i)\}, \qquad k = \lceil (m + 1)(1 - \alpha) \rceil$$

    The samples that fit never calibrate, so the scores of the m others and of a new sample are exchangeable and the
    coverage of all tasks at once is at least 1 - α. ``labels`` is [samples, tasks].
    """
    if share != 0:  # without a fit every sample calibrates
        demand_fraction(share, "share")
    classes = [matrix.shape[1] for matrix in probabilities]
    samples = len(labels)
    calibrating = samples_that_calibrate(samples, alpha, share)
    model, chosen = Association.none(classes), np.arange(samples)
    if calibrating < samples:
        order = np.random.default_rng([seed, 2]).permutation(samples)
        fitted, chosen = order[calibrating:], order[:calibrating]
        model = choose_association(log_probabilities([matrix[fitted] for matrix in probabilities]), labels[fitted])
    rest = [matrix[chosen] for matrix in probabilities]
    if combinations:
        scores = combination_levels(model, rest, labels[chosen])
    else:
        rows = np.arange(calibrating)
        levels = product_levels(model, rest)
        scores = np.stack([part[rows, labels[chosen, task]] for task, part in enumerate(levels)]).max(axis=0)
    return Smallest(model, conformal_quantile(scores, alpha), calibrating)
