"""Whether values of a model are those of the truth: as they are, shifted, scaled, or both."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from assay.formula.expression.program import FloatArray

__all__ = ["EXACT", "Fit", "Relation", "Space", "as_number", "compare", "compare_precisely", "scale_of", "unit_of"]

Relation: TypeAlias = Literal["identical", "offset", "factor", "affine", "none"]

EXACT = 1e-9
# where a few huge values make all others invisible, most points must agree for themselves as well
_MOST = 0.95
_SMALL = 1e-7
_CONSTANT = 1e-12
_SMALLEST = 1e-300
_WIDE = 1e12


class Fit(NamedTuple):
    """``truth = offset + factor * model`` and what is left of it, in standard deviations of the truth."""

    relation: Relation
    offset: float | Decimal
    factor: float | Decimal
    residual: float


def scale_of(truth: FloatArray) -> float:
    """The yardstick of residuals: the standard deviation, or the size of a truth that does not vary."""
    unit = unit_of(truth)
    spread = float(np.std(truth / unit)) * unit
    size = float(np.abs(truth).max())
    return spread if spread > _CONSTANT * size else size or 1.0


def compare(truth: FloatArray, model: FloatArray) -> Fit:
    """The simplest relation that holds at all points, or ``none`` with the best shift and scale.

    >>> x = np.linspace(1, 2, 60)
    >>> compare(x, x).relation, compare(x, x + 3).relation, compare(x, 2 * x).relation, compare(x, 1 - 3 * x).relation
    ('identical', 'offset', 'factor', 'affine')
    >>> compare(x, x**2).relation, compare(x, 0 * x).relation
    ('none', 'none')
    """
    truth_unit, model_unit = unit_of(truth), unit_of(model)
    truth, model = truth / truth_unit, model / model_unit
    same = model_unit / truth_unit
    scale = scale_of(truth)
    best = _affine(truth, model)
    if _flat(model) and not _flat(truth):
        return _rescaled(best._replace(relation="none", residual=1.0), truth_unit, model_unit)
    candidates: list[tuple[Relation, float, float]] = [("identical", 0.0, same)]
    candidates.append(("offset", float(np.mean(truth - same * model)), same))
    if np.dot(model, model) > 0 and not _flat(truth):
        candidates.append(("factor", 0.0, _ratio(truth, model)))
        candidates.append(("affine", float(best.offset), float(best.factor)))
    for relation, offset, factor in candidates:
        if factor == 0 or not np.isfinite(factor):
            continue
        residuals = truth - (offset + factor * model)
        residual = float(np.sqrt(np.mean(np.square(residuals)))) / scale
        size_here = np.abs(truth) + abs(offset) + abs(factor) * np.abs(model)
        shares = np.abs(residuals) / np.maximum(size_here, np.finfo(float).tiny)
        if residual < EXACT and float(np.quantile(shares, _MOST)) < _SMALL:
            return _rescaled(Fit(relation, offset, factor, residual), truth_unit, model_unit)
    return _rescaled(best, truth_unit, model_unit)


def unit_of(values: FloatArray) -> float:
    """A power of two near the largest value: a division by it loses nothing, and squares stay in the doubles' range."""
    largest = float(np.abs(values).max(initial=0.0))
    return float(2.0 ** np.floor(np.log2(largest))) if largest > 0 else 1.0


def _rescaled(fit: Fit, truth_unit: float, model_unit: float) -> Fit:
    if fit.relation in {"identical", "offset"}:
        return fit._replace(offset=float(fit.offset) * truth_unit, factor=1.0)
    return fit._replace(offset=float(fit.offset) * truth_unit, factor=float(fit.factor) / model_unit * truth_unit)


def _flat(values: FloatArray) -> bool:
    return float(np.ptp(values)) <= _CONSTANT * float(np.abs(values).max())


def _ratio(truth: FloatArray, model: FloatArray) -> float:
    # the median ratio is that of typical points; least squares would be ruled by the largest values
    with np.errstate(all="ignore"):
        ratio = truth / model
    finite = ratio[np.isfinite(ratio)]
    return float(np.median(finite)) if len(finite) else 0.0


def _affine(truth: FloatArray, model: FloatArray) -> Fit:
    centred, around = model - np.mean(model), truth - np.mean(truth)
    with np.errstate(all="ignore"):
        size = float(np.dot(centred, centred))
        factor = float(np.dot(centred, around)) / size if size > 0 else 0.0
    factor = factor if np.isfinite(factor) else 0.0
    offset = float(np.mean(truth) - factor * np.mean(model))
    residuals = truth - (offset + factor * model)
    return Fit("none", offset, factor, float(np.sqrt(np.mean(np.square(residuals)))) / scale_of(truth))


def compare_precisely(truth: Sequence[Any], model: Sequence[Any]) -> tuple[Fit, float]:
    """As ``compare``, for numbers of fifty digits whose differences would be lost in doubles; with the distance."""
    mp = max((value.context for value in (*truth, *model)), key=lambda context: int(context.dps))
    truth, model = [mp.convert(value) for value in truth], [mp.convert(value) for value in model]
    count = len(truth)
    mean_truth, mean_model = mp.fsum(truth) / count, mp.fsum(model) / count
    around = [value - mean_truth for value in truth]
    centred = [value - mean_model for value in model]
    spread = mp.sqrt(mp.fsum(value * value for value in around) / count)
    scale = spread or max(abs(value) for value in truth) or mp.mpf(1)
    size = mp.fsum(value * value for value in centred)
    slope = mp.fsum(a * b for a, b in zip(around, centred, strict=True)) / size if size else mp.mpf(0)
    ratios = sorted(a / b for a, b in zip(truth, model, strict=True) if b)
    candidates: list[tuple[Relation, Any, Any]] = [
        ("identical", mp.mpf(0), mp.mpf(1)),
        ("offset", mean_truth - mean_model, mp.mpf(1)),
        ("factor", mp.mpf(0), ratios[len(ratios) // 2] if ratios else mp.mpf(0)),
        ("affine", mean_truth - slope * mean_model, slope),
    ]
    apart = mp.fsum((a - b) ** 2 for a, b in zip(truth, model, strict=True))
    distance = float(min(mp.mpf(1), mp.sqrt(apart / count) / scale))
    residual = mp.mpf(1)
    for relation, offset, factor in candidates:
        if factor == 0 or (relation in {"factor", "affine"} and not spread) or (size == 0 and spread):
            continue
        residuals = [a - (offset + factor * b) for a, b in zip(truth, model, strict=True)]
        residual = mp.sqrt(mp.fsum(value * value for value in residuals) / count) / scale
        sizes = (abs(a) + abs(offset) + abs(factor * b) for a, b in zip(truth, model, strict=True))
        shares = sorted(abs(rest) / whole if whole else abs(rest) for rest, whole in zip(residuals, sizes, strict=True))
        if residual < EXACT and shares[int(_MOST * (count - 1))] < _SMALL:
            return Fit(relation, as_number(offset), as_number(factor), float(residual)), distance
    return Fit(
        "none", as_number(mean_truth - slope * mean_model), as_number(slope), float(min(residual, 1e9))
    ), distance


def as_number(value: Any) -> float | Decimal:
    """A double where one can hold the value, else its digits."""
    number = float(value)
    if value == 0 or (np.isfinite(number) and abs(number) > _SMALLEST):
        return number
    return Decimal(value.context.nstr(value, 20))


class Space(NamedTuple):
    """How numbers beyond the doubles become doubles: divided by a common size, or as logarithms."""

    logarithmic: bool
    size: Any

    @classmethod
    def of(cls, truth: Sequence[Any], model: Sequence[Any]) -> Space:
        """Logarithms where the values of each keep one sign and span more than doubles can weigh against each other."""
        size = max(abs(value) for value in truth) or 1
        one_sign = all(len({value > 0 for value in values}) == 1 and all(values) for values in (truth, model))
        wide = one_sign and min(abs(value) for value in truth) * _WIDE < size
        return cls(wide, size)

    def doubles(self, values: Sequence[Any]) -> FloatArray:
        """Values of truth or model as doubles: comparable with each other up to shift and scale."""
        if self.logarithmic:
            logarithms = [value.context.log(abs(value)) if value else None for value in values]
            return np.array([np.nan if value is None else float(value) for value in logarithms])
        return np.array([float(value / self.size) for value in values])
