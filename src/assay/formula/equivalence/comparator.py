"""One comparison of two programs: where they are compared, at which precision, and what follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput
from assay.formula.equivalence.certificate import Certificate, Counterexample, Equivalence, MovedConstant, Verdict
from assay.formula.equivalence.comparison import Fit, compare, compare_precisely, scale_of
from assay.formula.equivalence.refit import FARTHEST, SAME_FORM, refit
from assay.formula.equivalence.sampling import FEWEST, Domain, Points, Sample, candidates, widened
from assay.formula.expression.precise import DIGITS, precise_values
from assay.formula.expression.program import FloatArray, Program

__all__ = ["Comparator"]

# what the best shift and scale leave of a model that cannot be a near copy of the truth
_FAR = 0.2
# a model that lacks a value at more of the truth's points is undefined, even if it is right at the others
_DEFINED = 0.9
_REFIT_POINTS = 200
_SPOT_CHECKS = 5
_PRECISE_POINTS = 60
# with fewer points free constants would fit anything
_POINTS_PER_CONSTANT = 3
# doubles whose error exceeds this share of the value are not believed
_LOSSY = 1e-10
_TINY = 1e-300
_WIDER = 1e-7
# a refit must also hold relative to the values themselves: to 1e-3 at most points
_SEEN = 1e-5
_MOST = 0.95
_FEWEST_WIDER = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparator:
    """One comparison: two programs, where they are compared, and when to stop."""

    truth: Program
    model: Program
    names: Sequence[str]
    domain: Domain | None
    seed: int
    until: float

    def verdict(self) -> Equivalence:
        """Refute or confirm."""
        sample = self._sample()
        if sample is None:
            return self._precise_verdict(self._unfiltered(), why="doubles do not reach the truth's values")
        truth, model = self.truth.values(sample.points), self.model.values(sample.points)
        both = np.isfinite(model)
        share = float(both.mean())
        if both.sum() < FEWEST:
            return self._precise_verdict(sample, why="doubles do not reach the model's values")
        common = Sample(points=sample.take(both), box=sample.box)
        truth, model = truth[both], model[both]
        if self._lossy(common, truth, model):
            return self._precise_verdict(common, why="digits cancel in doubles")
        if np.ptp(truth) == 0 and self.truth.symbols and not self.model.symbols:
            return self._flat(common)
        fit = compare(truth, model)
        behind = Certificate(
            box=sample.box,
            points=len(truth),
            defined=share,
            residual=fit.residual,
            offset=fit.offset,
            factor=fit.factor,
        )
        distance = min(1.0, float(np.sqrt(np.mean(np.square(truth - model)))) / scale_of(truth))
        notes = () if share == 1.0 else (f"the model has no value at {1 - share:.0%} of the truth's points",)
        result = Equivalence(verdict="different", notes=notes, distance=distance, certificate=behind)
        if fit.relation != "none" and share < _DEFINED:
            return replace(
                result, verdict="undefined", notes=(*notes, f"where it has one, the relation is {fit.relation}")
            )
        if fit.relation != "none":
            wider = self._wider(common.points, fit)
            if wider is False:
                notes = (*notes, "the relation holds on the box, not everywhere")
            confirmed = replace(behind, digits=DIGITS, wider=wider)
            return replace(result, verdict=fit.relation, notes=notes, certificate=confirmed)
        return self._refitted(result, common, truth, model, fit)

    def _sample(self) -> Sample | None:
        """The first sample on which both have values; else the first on which the truth has."""
        fallback: Sample | None = None
        for sample in candidates(self.names or ("_",), self.domain, self._truth_exists, seed=self.seed):
            if len(next(iter(sample.points.values()))) < FEWEST:
                continue
            if np.isfinite(self.model.values(sample.points)).sum() >= FEWEST:
                return sample
            fallback = fallback or sample
        return fallback

    def _truth_exists(self, points: Points) -> FloatArray:
        return np.isfinite(self.truth.values(points)).astype(np.float64)

    def _unfiltered(self) -> Sample:
        everywhere = candidates(self.names or ("_",), self.domain, lambda points: np.ones(1), seed=self.seed)
        return next(iter(everywhere))

    def _flat(self, sample: Sample) -> Equivalence:
        note = "the truth does not vary on this box, so a constant cannot be told from it; declare another domain"
        return Equivalence(verdict="undecided", notes=(note,), certificate=Certificate(box=sample.box))

    def _lossy(self, sample: Sample, truth: FloatArray, model: FloatArray) -> bool:
        chosen = np.linspace(0, len(truth) - 1, _SPOT_CHECKS).astype(int)
        points = sample.take(chosen)
        for program, values in ((self.truth, truth), (self.model, model)):
            for value, exact in zip(values[chosen], precise_values(program, points), strict=True):
                if exact is None or abs(value - exact) > max(_LOSSY * abs(exact), _TINY):
                    return True
        return False

    def _precise_verdict(self, sample: Sample, *, why: str) -> Equivalence:
        """With fifty digits at fewer points."""
        count = max(_PRECISE_POINTS, (_POINTS_PER_CONSTANT + 1) * len(self.model.constants))
        points = {name: values[:count] for name, values in sample.points.items()}
        all_pairs = list(zip(precise_values(self.truth, points), precise_values(self.model, points), strict=True))
        defined = [(a, b) for a, b in all_pairs if a is not None]
        both = [(a, b) for a, b in defined if b is not None]
        if len(defined) < _FEWEST_WIDER:
            raise InvalidInput(f"the truth has no finite real value on {sample.box}; declare a domain on which it has.")
        share = len(both) / len(defined)
        behind = Certificate(box=sample.box, points=len(both), defined=share, digits=DIGITS)
        if len(both) < _FEWEST_WIDER:
            return Equivalence(verdict="undefined", notes=("complex, infinite or not a number",), certificate=behind)
        fit, distance = compare_precisely([a for a, _ in both], [b for _, b in both])
        behind = replace(behind, residual=fit.residual, offset=fit.offset, factor=fit.factor)
        result = Equivalence(verdict="different", notes=(why,), distance=distance, certificate=behind)
        if fit.relation != "none":
            return replace(result, verdict=fit.relation if share >= _DEFINED else "undefined")
        known = np.array([a is not None for a, _ in all_pairs])
        usable = {name: values[known] for name, values in points.items()}
        return self._refitted_precisely(result, Sample(points=usable, box=sample.box), defined, fit)

    def _refitted_precisely(
        self, result: Equivalence, sample: Sample, exact: Sequence[tuple[Any, Any]], fit: Fit
    ) -> Equivalence:
        """The truth precisely, the model in doubles: a verdict as far as the doubles of the model carry it."""
        if fit.residual > _FAR or not self.model.constants:
            return result
        truth, model = np.array([float(a) for a, _ in exact]), self.model.values(sample.points)
        both = np.isfinite(model)
        if both.sum() < _FEWEST_WIDER:
            why = "its constants cannot be refitted in doubles"
            return replace(result, verdict="undecided", notes=(*result.notes, why))
        tried = self._refitted(result, Sample(points=sample.take(both), box=sample.box), truth[both], model[both], fit)
        blur = _blur(model, [b for _, b in exact])
        if tried.verdict == "different" and SAME_FORM <= tried.certificate.residual < 10 * blur:
            why = "doubles cannot tell a small rest from none"
            return replace(tried, verdict="undecided", notes=(*tried.notes, why))
        return tried

    def _refitted(
        self, result: Equivalence, sample: Sample, truth: FloatArray, model: FloatArray, fit: Fit
    ) -> Equivalence:
        result = replace(
            result, certificate=replace(result.certificate, counterexample=_part(sample, truth, model, fit))
        )
        if np.ptp(model) == 0:
            return replace(result, notes=(*result.notes, "trivial: the model is a constant"))
        if np.ptp(truth) == 0:
            return result
        whole, all_truth = sample, truth
        inner = _central(truth, model)
        tamed = compare(truth[inner], model[inner])
        if tamed.relation != "none" and result.certificate.digits < DIGITS:
            return self._precise_verdict(sample, why="a few huge values lose digits in doubles")
        if fit.residual > _FAR:
            if tamed.residual > _FAR:
                return result
            # near a pole a few values rule every residual: the refit leaves them out, its result is checked there too
            sample, truth = Sample(points=sample.take(inner), box=sample.box), truth[inner]
        few = {name: values[:_REFIT_POINTS] for name, values in sample.points.items()}
        best = refit(self.model, few, truth[:_REFIT_POINTS], until=self.until)
        few_points = len(truth[:_REFIT_POINTS]) < _POINTS_PER_CONSTANT * len(self.model.constants)
        if best is None or few_points:
            if self.model.constants:
                why = "its constants are too many to refit"
                return replace(result, verdict="undecided", notes=(*result.notes, why))
            return result
        residual = best.residual
        if residual < SAME_FORM:
            fitted = best.offset + best.factor * self.model.values(sample.points, best.constants)
            residual = float(np.sqrt(np.mean(np.square(truth - fitted)))) / scale_of(truth)
            everywhere = best.offset + best.factor * self.model.values(whole.points, best.constants)
            residual = max(residual, _SEEN * float(np.quantile(np.abs(everywhere / all_truth - 1.0), _MOST)))
        moved = tuple(MovedConstant(*row) for row in zip(self.model.constants, best.constants, best.moved, strict=True))
        behind = replace(result.certificate, constants=moved, residual=residual, offset=best.offset, factor=best.factor)
        if residual < SAME_FORM and best.farthest <= FARTHEST:
            verdict: Verdict = "undefined" if behind.defined < _DEFINED else "form"
            return replace(result, verdict=verdict, certificate=replace(behind, counterexample=None))
        if residual < SAME_FORM:
            note = f"dead terms: the truth is reached only by moving a constant by {best.farthest:.0%}"
            return replace(result, notes=(*result.notes, note), certificate=replace(behind, counterexample=None))
        if not best.finished:
            return replace(
                result, verdict="undecided", notes=(*result.notes, "the refit was still improving at its limit")
            )
        note = f"refitted constants leave {residual:.1e} sd"
        behind = replace(behind, counterexample=result.certificate.counterexample)
        return replace(result, notes=(*result.notes, note), certificate=behind)

    def _wider(self, points: Points, fit: Fit) -> bool | None:
        """Whether the same relation holds beyond the box, at points where both have values."""
        both = ((self.truth, 0.0, 1.0), (self.model, fit.offset, fit.factor))

        def exist(where: Points) -> FloatArray:
            first, second = (np.isfinite(program.values(where)) for program, _, _ in both)
            return (first & second).astype(np.float64)

        (sample,) = candidates(list(points), widened(points), exist, seed=self.seed + 1)
        first, second = (offset + factor * program.values(sample.points) for program, offset, factor in both)
        if len(first) < _FEWEST_WIDER:
            return None
        size = np.maximum(np.abs(first), np.abs(second)) + abs(fit.offset)
        return bool(np.mean(np.abs(first - second) <= _WIDER * np.maximum(size, scale_of(first) * 1e-3)) > 0.98)


def _blur(model: FloatArray, exact: Sequence[Any]) -> float:
    """What doubles lose of a model's values, in standard deviations."""
    known = np.array([np.nan if value is None else float(value) for value in exact])
    both = np.isfinite(known) & np.isfinite(model)
    error = float(np.sqrt(np.mean(np.square(model[both] - known[both])))) / scale_of(known[both])
    return error if np.isfinite(error) else 1.0


def _central(truth: FloatArray, model: FloatArray) -> npt.NDArray[np.bool_]:
    """The points without the largest tenth of the values."""
    kept = np.ones(len(truth), dtype=bool)
    for values in (truth, model):
        away = np.abs(values - np.median(values))
        kept &= away <= np.quantile(away, 0.9)
    return kept


def _part(sample: Sample, truth: FloatArray, model: FloatArray, fit: Fit) -> Counterexample:
    shifted = fit.offset + fit.factor * model
    worst = int(np.argmax(np.abs(truth - shifted)))
    point = {name: float(values[worst]) for name, values in sample.points.items()}
    return Counterexample(point, float(truth[worst]), float(shifted[worst]))
