"""Does a relation that holds at random points hold at corners, edges and switches too?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.formula.equivalence.certificate import Counterexample, Equivalence, MovedConstant
from assay.formula.equivalence.comparison import as_number, scale_of
from assay.formula.equivalence.refit import FARTHEST
from assay.formula.equivalence.sampling import Points, Sample
from assay.formula.equivalence.special_points import edge_points, is_protected_here, switch_points
from assay.formula.expression.precise import exact_values
from assay.formula.expression.program import FloatArray, Program

__all__ = ["PRINTED", "Relation"]

# constants that were printed with ten digits or more
PRINTED = 1e-9
# a difference that refutes at a single point, as a share of the values there and of the truth's spread
_PART = 1e-7
# a model that is this many deviations off where the truth stays within those is not near it
_FAR_OFF, _CALM = 10.0, 5.0
_SUSPECTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A truth and the program that was found to be related to it: the model as it is written, or refitted."""

    truth: Program
    model: Program  # as it is written
    related: Program
    sample: Sample
    values: FloatArray  # of the truth, at the sample's points
    seed: int

    def unless_refuted(self, result: Equivalence) -> Equivalence:
        """The result, unless a corner, an edge or the other side of a switch shows that it does not hold there."""
        offset, factor = float(result.certificate.offset), float(result.certificate.factor)
        points = self._special()
        first, second = self.truth.values(points), self.related.values(points)
        gaps = np.abs(first - (offset + factor * second))
        size = np.abs(first) + np.abs(factor * second) + abs(offset)
        shares = np.where(np.isfinite(gaps), gaps / np.maximum(size, np.finfo(float).tiny), 0.0)
        if result.verdict == "form":  # what refitted constants leave says nothing where the values are near zero
            shares = np.where(gaps > _PART * scale_of(self.values), shares, 0.0)
            far = self._far_off(points, first, offset, factor)
            if far is not None and _drops_a_term(result.certificate.constants):
                return replace(
                    result,
                    verdict="different",
                    notes=(*result.notes, far[0]),
                    certificate=replace(result.certificate, counterexample=far[1]),
                )
        stand_in = is_protected_here(self.model, points)
        for place in np.argsort(-shares)[:_SUSPECTS]:
            if shares[place] <= _PART:
                break
            here = {name: values[place : place + 1] for name, values in points.items()}
            (value,), (other,) = exact_values(self.truth, here), exact_values(self.related, here)
            if value is None or other is None:
                continue
            gap = abs(value - (offset + factor * other))
            if gap <= _PART * size[place] or gap <= self._rounding(here, offset, factor):
                continue
            point = {name: float(values[0]) for name, values in here.items()}
            where = ", ".join(f"{name}={number:.6g}" for name, number in point.items())
            if stand_in[place]:
                note = (
                    f"as a program it parts from the truth where a protected operation gives its stand-in: at {where}"
                )
                return replace(result, notes=(*result.notes, note))
            note = f"the relation is {result.verdict} at points drawn by chance and does not hold at {where}"
            example = Counterexample(point, as_number(value), as_number(other))
            behind = replace(result.certificate, counterexample=example)
            return replace(result, verdict="different", notes=(*result.notes, note), certificate=behind)
        return result

    def _far_off(
        self, points: Points, first: FloatArray, offset: float, factor: float
    ) -> tuple[str, Counterexample] | None:
        """Where the model as it is written leaves every measure of a truth that does not: at a pole of its own."""
        scale = scale_of(self.values)
        model_values = self.model.values(points)
        calm = np.abs(first - np.mean(self.values)) <= _CALM * scale
        gaps = np.where(calm, np.abs(first - (offset + factor * model_values)), 0.0)
        gaps = np.where(np.isfinite(gaps), gaps, 0.0)
        place = int(np.argmax(gaps))
        if gaps[place] <= _FAR_OFF * scale:
            return None
        point = {name: float(values[place]) for name, values in points.items()}
        where = ", ".join(f"{name}={number:.6g}" for name, number in point.items())
        note = f"the model as written is far from the truth at {where}"
        return note, Counterexample(point, float(first[place]), float(model_values[place]))

    def _rounding(self, here: Points, offset: float, factor: float) -> float:
        """What constants that were rounded in print may change at a point, with those of the relation."""
        total = PRINTED * abs(offset) * bool(offset)
        for program, weight in ((self.truth, 1.0), (self.related, abs(factor))):
            (value,) = program.values(here)
            total += PRINTED * abs(value) * weight
            for number, constant in enumerate(program.constants):
                moved = [*program.constants]
                for sign in (-1, 1):
                    moved[number] = constant * (1 + sign * PRINTED)
                    (other,) = program.values(here, moved)
                    total += weight * abs(other - value) if np.isfinite(other) else np.inf
        return float(10 * total)

    def _special(self) -> Points:
        """Points of the box that chance does not draw."""
        sample = self.sample
        pieces = (
            [sample.points] if sample.bounds is None else [sample.points, edge_points(sample.bounds, seed=self.seed)]
        )
        points = {name: np.concatenate([piece[name] for piece in pieces]) for name in sample.points}
        pieces.append(switch_points((self.truth, self.model), points, seed=self.seed))
        return {name: np.concatenate([piece[name] for piece in pieces[1:]]) for name in sample.points}


def _drops_a_term(constants: Sequence[MovedConstant]) -> bool:
    """Whether a constant moved by more than its share, as it changes little."""
    return any(abs(each.fitted - each.written) > FARTHEST * abs(each.written) for each in constants)
