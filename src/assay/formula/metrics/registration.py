"""The track's metrics: which number of the evidence, which direction, and what a failed subject gets.

A problem about noise has one model per level: its values are means over the levels, and the noise scores compare them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from assay.core import AnyProblem, Metric
from assay.formula.examine.evidence import FormulaEvidence, PartEvidence
from assay.formula.metrics import (
    accurate,
    behavioural_distance,
    bounded_nmse,
    bounded_r2,
    complexity,
    depth,
    extrapolation_score,
    irrelevant_avoided,
    noise_robustness,
    noise_sensitivity,
    prediction_mismatch,
    property_score,
    r_squared,
    rediscovery_score,
    relevant_share,
    solved,
    solved_in_front,
    surrogates_avoided,
    undecided,
)
from assay.formula.metrics.outcome import LOWEST
from assay.formula.problem.task import OWN, FormulaTask, FormulaTruth

__all__ = ["METRICS"]

_OfPart = Callable[[FormulaEvidence, PartEvidence], float]
_Function = Callable[[FormulaEvidence], float]


def _mean(values: Iterable[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else math.nan


def _over_parts(score: _OfPart, chosen: Callable[[PartEvidence], bool] = lambda part: True) -> _Function:
    return lambda evidence: _mean(score(evidence, part) for part in evidence.parts if chosen(part))


def _rediscovery(evidence: FormulaEvidence, part: PartEvidence) -> float:
    found = part.model.equivalence
    return math.nan if found is None else rediscovery_score(found.verdict, found.closeness)


def _by_verdict(score: Callable[[Any], float]) -> _OfPart:
    def of_part(evidence: FormulaEvidence, part: PartEvidence) -> float:
        return math.nan if part.model.equivalence is None else score(part.model.equivalence.verdict)

    return of_part


def _front(evidence: FormulaEvidence, part: PartEvidence) -> float:
    return solved_in_front([model.verdict for model in part.front if model.verdict is not None])


def _on_test(score: Callable[..., float]) -> _OfPart:
    return lambda evidence, part: score(evidence.test_target, part.test)


def _beyond(score: Callable[..., float]) -> _OfPart:
    def of_part(evidence: FormulaEvidence, part: PartEvidence) -> float:
        if evidence.extrapolation_target is None or part.extrapolation is None:
            return math.nan
        return score(evidence.extrapolation_target, part.extrapolation)

    return of_part


def _irrelevant(evidence: FormulaEvidence, part: PartEvidence) -> float:
    return irrelevant_avoided(part.model.used, evidence.having("irrelevant"), train_r2=part.model.train_r2)


def _surrogates(evidence: FormulaEvidence, part: PartEvidence) -> float:
    return surrogates_avoided(part.model.used, evidence.having("surrogate"), train_r2=part.model.train_r2)


def _relevant(evidence: FormulaEvidence, part: PartEvidence) -> float:
    return relevant_share(part.model.used, evidence.having("relevant")) if evidence.roles else math.nan


def _of_levels(score: Callable[..., float]) -> _Function:
    def function(evidence: FormulaEvidence) -> float:
        if len(evidence.parts) < 2:
            return math.nan
        qualities = [bounded_r2(evidence.test_target, part.test) for part in evidence.parts]
        return score(qualities, [part.noise for part in evidence.parts])

    return function


def _mismatch(evidence: FormulaEvidence, part: PartEvidence) -> float:
    if part.model.said is None or part.model.computed is None:
        return math.nan
    return prediction_mismatch(part.model.said, part.model.computed, part.target)


_PROPERTY: dict[str, _Function] = {
    "rediscovery": _over_parts(_rediscovery),
    "local-optima": _over_parts(_surrogates),
    "features": _over_parts(_irrelevant),
    "extrapolation": _over_parts(_beyond(extrapolation_score)),
    "noise": _of_levels(noise_robustness),
    # data of one's own has no truth: what can be judged is how the model does where it was not fitted
    OWN: _over_parts(
        lambda evidence, part: (_beyond if evidence.extrapolation_target is not None else _on_test)(
            extrapolation_score
        )(evidence, part)
    ),
}


def _property_score(evidence: FormulaEvidence) -> float:
    return property_score(evidence.property, {evidence.property: _PROPERTY[evidence.property](evidence)})


# a metric that is undefined on a problem is undefined for a failed subject too: otherwise only failures would count


def _floor(value: float, there: Callable[[FormulaTask, FormulaTruth], object]) -> Callable[[AnyProblem], float]:
    return lambda problem: value if there(problem.task, problem.truth) else math.nan


def _has_truth(task: FormulaTask, truth: FormulaTruth) -> bool:
    return truth.formula is not None


def _has_clean(task: FormulaTask, truth: FormulaTruth) -> bool:
    return truth.formula is not None and any(part.noise == 0 for part in task.parts)


def _has_noisy(task: FormulaTask, truth: FormulaTruth) -> bool:
    return truth.formula is not None and any(part.noise > 0 for part in task.parts)


def _has_levels(task: FormulaTask, truth: FormulaTruth) -> bool:
    return len(task.parts) > 1


def _has_beyond(task: FormulaTask, truth: FormulaTruth) -> bool:
    return truth.extrapolation_target is not None


METRICS: tuple[Metric[FormulaEvidence], ...] = (
    Metric("property_score", _property_score, property_score, oracle=1.0),
    Metric("rediscovery", _over_parts(_rediscovery), rediscovery_score, floor=_floor(0.0, _has_truth), oracle=1.0),
    Metric(
        "rediscovery_clean",
        _over_parts(_rediscovery, lambda part: part.noise == 0),
        rediscovery_score,
        floor=_floor(0.0, _has_clean),
        oracle=1.0,
    ),
    Metric(
        "rediscovery_noisy",
        _over_parts(_rediscovery, lambda part: part.noise > 0),
        rediscovery_score,
        floor=_floor(0.0, _has_noisy),
        oracle=1.0,
    ),
    Metric("solved", _over_parts(_by_verdict(solved)), solved, floor=_floor(0.0, _has_truth), oracle=1.0),
    Metric("solved_in_front", _over_parts(_front), solved_in_front, floor=_floor(0.0, _has_truth), oracle=1.0),
    Metric("r2", _over_parts(_on_test(bounded_r2)), bounded_r2, floor=LOWEST, oracle=1.0),
    Metric("nmse", _over_parts(_on_test(bounded_nmse)), bounded_nmse, goal="min", floor=1.0 - LOWEST, oracle=0.0),
    Metric(
        "accurate",
        _over_parts(lambda evidence, part: accurate(r_squared(evidence.test_target, part.test))),
        accurate,
        oracle=1.0,
    ),
    Metric(
        "surrogates_avoided",
        _over_parts(_surrogates),
        surrogates_avoided,
        floor=_floor(0.0, lambda task, truth: truth.surrogates),
        oracle=1.0,
    ),
    Metric(
        "irrelevant_avoided",
        _over_parts(_irrelevant),
        irrelevant_avoided,
        floor=_floor(0.0, lambda task, truth: truth.irrelevant),
        oracle=1.0,
    ),
    Metric(
        "relevant_share",
        _over_parts(_relevant),
        relevant_share,
        floor=_floor(0.0, lambda task, truth: truth.roles),
        oracle=1.0,
    ),
    Metric(
        "extrapolation",
        _over_parts(_beyond(extrapolation_score)),
        extrapolation_score,
        floor=_floor(0.0, _has_beyond),
        oracle=1.0,
    ),
    Metric(
        "extrapolation_r2",
        _over_parts(_beyond(bounded_r2)),
        bounded_r2,
        floor=_floor(LOWEST, _has_beyond),
        oracle=1.0,
    ),
    Metric(
        "noise_robustness", _of_levels(noise_robustness), noise_robustness, floor=_floor(0.0, _has_levels), oracle=1.0
    ),
    # a failed subject has no quality whose change could be measured: it gets the sensitivity whose robustness is 0
    Metric(
        "noise_sensitivity",
        _of_levels(noise_sensitivity),
        noise_sensitivity,
        goal="min",
        floor=_floor(1.0, _has_levels),
        oracle=0.0,
    ),
    Metric(
        "behavioural_distance",
        _over_parts(_on_test(behavioural_distance)),
        behavioural_distance,
        goal="min",
        floor=1.0,
        oracle=0.0,
        tolerance=1e-6,
    ),
    Metric(
        "complexity",
        _over_parts(lambda evidence, part: complexity(part.model.expression)),
        complexity,
        goal="min",
        floor=math.nan,
    ),
    Metric(
        "simplified_complexity",
        _over_parts(lambda evidence, part: complexity(part.model.simplified)),
        complexity,
        goal="min",
        floor=math.nan,
    ),
    Metric(
        "depth",
        _over_parts(lambda evidence, part: depth(part.model.expression)),
        depth,
        goal="min",
        floor=math.nan,
    ),
    Metric(
        "undecided",
        _over_parts(_by_verdict(undecided)),
        undecided,
        goal="min",
        floor=_floor(0.0, _has_truth),
        oracle=0.0,
        flag="undecided",
    ),
    Metric("prediction_mismatch", _over_parts(_mismatch), prediction_mismatch, goal="min", floor=math.nan),
)
