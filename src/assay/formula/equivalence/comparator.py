"""One comparison of two programs: where they are compared, at which precision, and what follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput
from assay.formula.equivalence.certificate import Certificate, Counterexample, Equivalence, MovedConstant, Verdict
from assay.formula.equivalence.comparison import Fit, Space, as_number, compare, compare_precisely, scale_of, unit_of
from assay.formula.equivalence.refit import FARTHEST, MAX_CONSTANTS, SAME_FORM, refit
from assay.formula.equivalence.refutation import PRINTED, Relation
from assay.formula.equivalence.sampling import FEWEST, Domain, Points, Sample, candidates, widened
from assay.formula.equivalence.special_points import edge_points, is_protected_here
from assay.formula.expression.precise import DIGITS, exact_values, precise_values
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
# doubles below this have lost digits or are about to
_TINY = 1e-290
_SUSPECTS = 4
# what the best shift and scale may leave of a model whose constants are slightly off
_NEAR = 0.1
_STILL_IMPROVING = "the refit was still improving at its limit"
_PRECISE_EDGES = 24
_WIDER = 1e-7
# a refit must also hold relative to the values themselves: to 1e-3 at most points
_RELATIVE = 1e-5
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
        if self.names and self.domain is not None and all(low == high for low, high in self.domain.values()):
            point = {name: np.array([low]) for name, (low, _) in self.domain.items() if name in self.names}
            note = "the domain is one point, where formulas cannot be told apart; declare a wider one"
            return self._undecided("", note, self.truth.values(point), self.model.values(point))
        sample = self._sample()
        if sample is None:
            return self._precise_verdict(self._unfiltered(), why="doubles do not reach the truth's values")
        truth, model = self.truth.values(sample.points), self.model.values(sample.points)
        if self._leaves_doubles(sample, truth, model):
            return self._precise_verdict(self._everywhere(sample), why="values leave the range of doubles")
        both = np.isfinite(model)
        share = float(both.mean())
        if both.sum() < FEWEST:
            return self._precise_verdict(sample, why="doubles do not reach the model's values")
        stand_in = both & is_protected_here(self.model, sample.points)
        if stand_in.sum() <= (1 - _DEFINED) * both.sum():  # what they make of the program is seen once a relation holds
            both &= ~stand_in
        common = replace(sample, points=sample.take(both))
        truth, model = truth[both], model[both]
        if self._lossy(common, truth, model):
            return self._precise_verdict(common, why="digits cancel in doubles")
        if np.ptp(truth) == 0 and self.truth.symbols:
            other_constant = np.ptp(model) == 0 and model[0] != truth[0]
            if other_constant or not self.model.symbols:
                note = "the truth does not vary on this box, so a constant cannot be told from it"
                return self._undecided(common.box, f"{note}; declare another domain", truth, model)
        fit = compare(truth, model)
        behind = Certificate(
            box=sample.box,
            points=len(truth),
            defined=share,
            residual=fit.residual,
            offset=fit.offset,
            factor=fit.factor,
        )
        notes = () if share == 1.0 else (f"the model has no value at {1 - share:.0%} of the truth's points",)
        result = Equivalence(verdict="different", notes=notes, distance=_apart(truth, model), certificate=behind)
        if fit.relation != "none" and share < _DEFINED:
            return replace(
                result, verdict="undefined", notes=(*notes, f"where it has one, the relation is {fit.relation}")
            )
        if fit.relation != "none":
            confirmed = replace(behind, digits=DIGITS, wider=self._wider(common.points, fit))
            if confirmed.wider is False:
                notes = (*notes, "the relation holds on the box, not everywhere")
            result = replace(result, verdict=fit.relation, notes=notes, certificate=confirmed)
            return self._relation(common, truth, self.model).unless_refuted(result)
        return self._refitted(result, common, truth, model, fit)

    def _leaves_doubles(self, sample: Sample, truth: FloatArray, model: FloatArray) -> bool:
        """Whether a value that doubles lack or round to nothing is there with more digits."""
        suspects = [(self.truth, sample.rejected), (self.model, sample.rejected)]
        suspects.append((self.model, sample.take(np.flatnonzero(~np.isfinite(model))[:_SUSPECTS])))
        for program, values in ((self.truth, truth), (self.model, model)):
            suspects.append((program, sample.take(np.flatnonzero(np.abs(values) < _TINY)[:_SUSPECTS])))
        for program, points in suspects:
            if not program.symbols or not len(next(iter(points.values()), ())):
                continue
            for value, exact in zip(program.values(points), precise_values(program, points), strict=True):
                if exact is not None and (not np.isfinite(value) or (exact != 0 and abs(exact) < _TINY)):
                    return True
        return False

    def _everywhere(self, sample: Sample) -> Sample:
        """Points of the same box, whether doubles reach their values or not."""
        if sample.bounds is None:
            return sample
        (unfiltered,) = candidates(list(sample.bounds), sample.bounds, lambda points: np.ones(1), seed=self.seed)
        return replace(unfiltered, box=sample.box)

    def _relation(self, sample: Sample, values: FloatArray, related: Program) -> Relation:
        return Relation(
            truth=self.truth, model=self.model, related=related, sample=sample, values=values, seed=self.seed
        )

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

    def _undecided(self, box: str, note: str, truth: FloatArray, model: FloatArray) -> Equivalence:
        apart = _apart(truth, model)
        distance = apart if np.isfinite(apart) else 1.0
        return Equivalence(verdict="undecided", notes=(note,), distance=distance, certificate=Certificate(box=box))

    def _lossy(self, sample: Sample, truth: FloatArray, model: FloatArray) -> bool:
        chosen = np.linspace(0, len(truth) - 1, _SPOT_CHECKS).astype(int)
        points = sample.take(chosen)
        for program, values in ((self.truth, truth), (self.model, model)):
            scale = scale_of(values)
            for value, exact in zip(values[chosen], precise_values(program, points), strict=True):
                if exact is None or abs(value - exact) > _LOSSY * min(abs(exact), scale):
                    return True
        return False

    def _precise_verdict(self, sample: Sample, *, why: str) -> Equivalence:
        """With fifty digits, or as many as it takes, at fewer points."""
        refitted = len(self.model.constants) if len(self.model.constants) <= MAX_CONSTANTS else 0
        count = max(_PRECISE_POINTS, (_POINTS_PER_CONSTANT + 1) * refitted)
        points = {name: values[:count] for name, values in sample.points.items()}
        if sample.bounds is not None:
            edges = edge_points(sample.bounds, seed=self.seed)
            points = {name: np.concatenate([values, edges[name][:_PRECISE_EDGES]]) for name, values in points.items()}
        all_pairs = list(zip(exact_values(self.truth, points), exact_values(self.model, points), strict=True))
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
        comparable = np.array([a is not None and b is not None for a, b in all_pairs])
        usable = {name: values[comparable] for name, values in points.items()}
        return self._refitted_precisely(result, replace(sample, points=usable), both, fit)

    def _refitted_precisely(
        self, result: Equivalence, sample: Sample, exact: Sequence[tuple[Any, Any]], fit: Fit
    ) -> Equivalence:
        """Refit with values of many digits, brought into the range of doubles: divided, or as logarithms."""
        exact_truth, exact_model = [a for a, _ in exact], [b for _, b in exact]
        space = Space.of(exact_truth, exact_model)
        truth, model = space.doubles(exact_truth), space.doubles(exact_model)
        far = compare(truth, model).residual > _FAR
        if far or not self.model.constants:
            return replace(result, certificate=replace(result.certificate, counterexample=_worst(sample, exact)))

        def evaluate(constants: FloatArray) -> FloatArray:
            (column,) = constants.T  # one variant at a time
            moved = replace(self.model, constants=tuple(column.tolist()))
            values = precise_values(moved, sample.points)
            if any(value is None for value in values):
                return np.full((1, len(values)), np.nan)
            return space.doubles(values)[None, :]

        doubles = not space.logarithmic and _blur(self.model.values(sample.points), exact_model) < SAME_FORM / 10
        best = refit(
            self.model,
            sample.points,
            truth,
            until=self.until,
            evaluate=None if doubles else evaluate,
            scaled=not space.logarithmic,
        )
        if best is not None and best.residual < SAME_FORM and best.farthest < PRINTED:
            return self._as_printed(result, sample, exact_truth, best.constants)
        if best is None:
            return replace(result, verdict="undecided", notes=(*result.notes, _why_not_refitted(self.model)))
        moved = tuple(MovedConstant(*row) for row in zip(self.model.constants, best.constants, best.moved, strict=True))
        behind = replace(result.certificate, constants=moved, residual=best.residual)
        if best.residual < SAME_FORM and best.farthest <= FARTHEST:
            verdict: Verdict = "undefined" if behind.defined < _DEFINED else "form"
            return replace(result, verdict=verdict, certificate=behind)
        if best.residual >= SAME_FORM and not best.finished:
            return replace(result, verdict="undecided", notes=(*result.notes, _STILL_IMPROVING), certificate=behind)
        return replace(result, certificate=replace(behind, counterexample=_worst(sample, exact)))

    def _as_printed(
        self, result: Equivalence, sample: Sample, truth: Sequence[Any], constants: Sequence[float]
    ) -> Equivalence:
        """The relation to a model whose constants were only rounded in print."""
        values = precise_values(replace(self.model, constants=tuple(constants)), sample.points)
        fit, _ = compare_precisely(truth, [0 * a if b is None else b for a, b in zip(truth, values, strict=True)])
        # where logarithms alone are near, no printed digits could bring the values themselves together
        verdict: Verdict = fit.relation if fit.relation != "none" else "identical"
        behind = replace(result.certificate, offset=fit.offset, factor=fit.factor, residual=fit.residual)
        return replace(result, verdict=verdict, certificate=behind)

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
                return replace(result, verdict="undecided", notes=(*result.notes, _why_not_refitted(self.model)))
            return result
        residual = best.residual
        if residual < SAME_FORM:
            fitted = best.offset + best.factor * self.model.values(sample.points, best.constants)
            size = unit_of(truth)  # squares of huge values leave the range of doubles
            residual = float(np.sqrt(np.mean(np.square((truth - fitted) / size)))) * size / scale_of(truth)
            everywhere = best.offset + best.factor * self.model.values(whole.points, best.constants)
            residual = max(residual, _RELATIVE * float(np.quantile(np.abs(everywhere / all_truth - 1.0), _MOST)))
        moved = tuple(MovedConstant(*row) for row in zip(self.model.constants, best.constants, best.moved, strict=True))
        behind = replace(result.certificate, constants=moved, residual=residual, offset=best.offset, factor=best.factor)
        if residual < SAME_FORM and best.farthest <= FARTHEST:
            result = replace(result, certificate=replace(behind, counterexample=None))
            if behind.defined < _DEFINED:
                return replace(result, verdict="undefined")
            if tamed.residual > _NEAR:
                note = f"the same form with other constants, which leave {tamed.residual:.2g} sd: it behaves otherwise"
                return replace(result, notes=(*result.notes, note))
            fitted_model = replace(self.model, constants=best.constants)
            return self._relation(whole, all_truth, fitted_model).unless_refuted(replace(result, verdict="form"))
        if residual < SAME_FORM:
            note = f"dead terms: the truth is reached only by moving a constant by {best.farthest:.0%}"
            return replace(result, notes=(*result.notes, note), certificate=replace(behind, counterexample=None))
        if not best.finished:
            return replace(result, verdict="undecided", notes=(*result.notes, _STILL_IMPROVING))
        note = f"refitted constants leave {residual:.1e} sd"
        behind = replace(behind, counterexample=result.certificate.counterexample)
        return replace(result, notes=(*result.notes, note), certificate=behind)

    def _wider(self, points: Points, fit: Fit) -> bool | None:
        """Whether the same relation holds beyond the box, at points where both have values."""
        both = ((self.truth, 0.0, 1.0), (self.model, float(fit.offset), float(fit.factor)))

        def exist(where: Points) -> FloatArray:
            first, second = (np.isfinite(program.values(where)) for program, _, _ in both)
            return (first & second).astype(np.float64)

        (sample,) = candidates(list(points), widened(points), exist, seed=self.seed + 1)
        first, second = (offset + factor * program.values(sample.points) for program, offset, factor in both)
        if len(first) < _FEWEST_WIDER:
            return None
        size = np.maximum(np.abs(first), np.abs(second)) + abs(float(fit.offset))
        return bool(np.mean(np.abs(first - second) <= _WIDER * np.maximum(size, scale_of(first) * 1e-3)) > 0.98)


def _apart(truth: FloatArray, model: FloatArray) -> float:
    """The root mean square of the difference, in standard deviations of the truth; at most 1."""
    return min(1.0, float(np.sqrt(np.mean(np.square((truth - model) / scale_of(truth))))))


def _blur(model: FloatArray, exact: Sequence[Any]) -> float:
    """What doubles lose of a model's values, in standard deviations."""
    doubles = np.array([float(value) for value in exact])
    if not np.isfinite(doubles).all() or np.abs(doubles).max() < _TINY:
        return 1.0
    error = float(np.sqrt(np.mean(np.square((model - doubles) / scale_of(doubles)))))
    return error if np.isfinite(error) else 1.0


def _central(truth: FloatArray, model: FloatArray) -> npt.NDArray[np.bool_]:
    """The points without the largest tenth of the values."""
    central = np.ones(len(truth), dtype=bool)
    for values in (truth, model):
        away = np.abs(values - np.median(values))
        central &= away <= np.quantile(away, 0.9)
    return central


def _part(sample: Sample, truth: FloatArray, model: FloatArray, fit: Fit) -> Counterexample:
    shifted = float(fit.offset) + float(fit.factor) * model
    worst = int(np.argmax(np.abs(truth - shifted)))
    point = {name: float(values[worst]) for name, values in sample.points.items()}
    return Counterexample(point, float(truth[worst]), float(model[worst]))


def _worst(sample: Sample, exact: Sequence[tuple[Any, Any]]) -> Counterexample:
    """The point at which the values differ most for their size."""
    gaps = [abs(a - b) / (abs(a) + abs(b)) if a or b else 0.0 for a, b in exact]
    worst = max(range(len(gaps)), key=lambda place: gaps[place])
    point = {name: float(values[worst]) for name, values in sample.points.items()}
    return Counterexample(point, as_number(exact[worst][0]), as_number(exact[worst][1]))


def _why_not_refitted(model: Program) -> str:
    if len(model.constants) > MAX_CONSTANTS:
        return f"its {len(model.constants)} constants are more than the {MAX_CONSTANTS} that are refitted"
    return "its constants cannot be refitted: too few points have values for them"
