"""Problems made for one property each: what is planted, where it lies, and proof that the truth is the best answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from assay.core import InvalidInput
from assay.formula.equivalence.reading import natural_order
from assay.formula.equivalence.sampling import Domain
from assay.formula.expression.parser import parse
from assay.formula.expression.program import FloatArray, table_values
from assay.formula.generate.candidate_formulas import Draft, draw_inputs, linear_predictions, rounded, widened_box
from assay.formula.metrics import r_squared
from assay.formula.problem.task import FormulaTask, FormulaTruth, Part, Property, Role, Surrogate

__all__ = [
    "BuiltProblem",
    "Plan",
    "noise_sd",
    "plant_beyond",
    "plant_features",
    "plant_plain",
    "plant_surrogates",
    "surrogate_r2",
]

TARGET = "y"
_WORSE = 0.995  # R² that a model of the surrogates must stay below
_TEMPTING = 0.5  # and above: a model that does not fit misleads no method
_SIGMAS = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How large a problem is and how noisy: levels are shares of the target's variance, one per training table."""

    rows: int = 200
    test_rows: int = 200
    levels: tuple[float, ...] = (0.0,)


class BuiltProblem(NamedTuple):
    """A task with its truth."""

    task: FormulaTask
    truth: FormulaTruth


def noise_sd(spread: float, level: float) -> float:
    """The standard deviation of noise that makes up that share of the target's total variance.

    >>> noise_sd(3.0, 0.1), noise_sd(2.0, 0.0)
    (1.0, 0.0)
    """
    return spread * math.sqrt(level / (1.0 - level))


def plant_plain(rng: np.random.Generator, draft: Draft, plan: Plan, property: Property) -> BuiltProblem:
    """The formula at one or several levels of noise: for re-discovery and for noise."""
    return _sampled(rng, draft, plan, property, domain=draft.domain)


def plant_beyond(rng: np.random.Generator, draft: Draft, plan: Plan) -> BuiltProblem:
    """With a partition outside of the training box: points of the wider box that leave it in at least one variable."""
    wide = widened_box(draft.domain)
    low, high = np.array(list(draft.domain.values())).T
    outside_rows = np.empty((0, len(low)))
    while len(outside_rows) < plan.test_rows:
        candidates = draw_inputs(rng, wide, plan.test_rows)
        outside_rows = np.concatenate(
            [outside_rows, candidates[((candidates < low) | (candidates > high)).any(axis=1)]]
        )
    problem = _sampled(rng, draft, plan, "extrapolation", domain=draft.domain)
    outside = outside_rows[: plan.test_rows]
    return problem._replace(
        truth=replace(
            problem.truth,
            extrapolation_inputs=outside,
            extrapolation_target=rounded(table_values(draft.tree, list(draft.domain), outside)),
            extrapolation_box=wide,
        )
    )


def plant_features(rng: np.random.Generator, draft: Draft, plan: Plan, names: Sequence[str]) -> BuiltProblem:
    """Among many features that have nothing to do with the target; ``names`` are all, those of the formula too."""
    ranges = list(draft.domain.values())
    domain = {name: draft.domain.get(name) or ranges[int(rng.integers(len(ranges)))] for name in names}
    return _sampled(rng, draft, plan, "features", domain=domain)


def plant_surrogates(
    rng: np.random.Generator,
    subfunctions: Sequence[str],
    domain: Domain,
    surrogates: Sequence[str],
    plan: Plan,
    *,
    share: float,
) -> BuiltProblem:
    """A weighted sum of subfunctions g, with a surrogate z = g + N(mean, sd²) beside the variables for each.

    ``share`` is how much of a surrogate's variance is noise. Refused unless the best sum of the surrogates fits worse
    than the truth, and well enough to mislead.
    """
    names = list(domain)
    trees = [parse(text, names=names, dialect="plain") for text in subfunctions]
    probe = draw_inputs(rng, domain, 1000)
    spreads = [float(np.std(table_values(tree, names, probe))) for tree in trees]
    weights = [float(f"{rng.uniform(0.6, 1.6) / spread:.2g}") for spread in spreads]
    formula = " + ".join(f"{weight!r}*{text}" for weight, text in zip(weights, subfunctions, strict=True))
    tree = parse(formula, names=names, dialect="plain")
    planted = {
        name: Surrogate(text, round(float(rng.uniform(-0.5, 0.5)) * spread, 4), noise_sd(spread, share))
        for name, text, spread in zip(surrogates, subfunctions, spreads, strict=True)
    }

    def offered(rows: int) -> FloatArray:
        inputs = draw_inputs(rng, domain, rows)
        stand_ins = [
            table_values(g, names, inputs) + rng.normal(entry.mean, entry.sd, size=rows)
            for g, entry in zip(trees, planted.values(), strict=True)
        ]
        return np.column_stack([inputs, np.round(np.column_stack(stand_ins), 6)])

    all_names = [*names, *planted]
    columns = natural_order(all_names)
    order = [all_names.index(name) for name in columns]
    stands = [columns.index(name) for name in planted]
    train, test = offered(plan.rows)[:, order], offered(plan.test_rows)[:, order]
    reach = np.concatenate([train, test])
    box = {
        name: domain.get(name) or (float(reach[:, i].min()), float(reach[:, i].max())) for i, name in enumerate(columns)
    }
    roles: dict[str, Role] = {name: "surrogate" if name in planted else "relevant" for name in columns}
    clean, test_target = (rounded(table_values(tree, columns, inputs)) for inputs in (train, test))
    fit = surrogate_r2(train[:, stands], clean, test[:, stands], test_target)
    if not _TEMPTING < fit < _WORSE:
        raise InvalidInput(
            f"generate: the surrogates' best fit has an R² of {fit:.3f}, not between {_TEMPTING} and {_WORSE}; "
            f"take another share of noise in the surrogates than {share}."
        )
    truth = FormulaTruth(
        formula=formula,
        property="local-optima",
        domain=box,
        test_inputs=test,
        test_target=test_target,
        roles=roles,
        planted=planted,
    )
    return _noisy(rng, train, clean, plan.levels, truth)


def surrogate_r2(train: FloatArray, target: FloatArray, test: FloatArray, test_target: FloatArray) -> float:
    """R² on test data of the best weighted sum of the surrogates."""
    return r_squared(test_target, linear_predictions(train, target, test))


def _sampled(rng: np.random.Generator, draft: Draft, plan: Plan, property: Property, *, domain: Domain) -> BuiltProblem:
    """Rows of the box; variables that the formula does not have are irrelevant."""
    names = list(domain)
    train, test = draw_inputs(rng, domain, plan.rows), draw_inputs(rng, domain, plan.test_rows)
    clean, test_target = (rounded(table_values(draft.tree, names, inputs)) for inputs in (train, test))
    roles: dict[str, Role] = {name: "relevant" if name in draft.domain else "irrelevant" for name in names}
    truth = FormulaTruth(
        formula=draft.formula,
        property=property,
        domain=domain,
        test_inputs=test,
        test_target=test_target,
        roles=roles,
    )
    return _noisy(rng, train, clean, plan.levels, truth)


def _noisy(
    rng: np.random.Generator, inputs: FloatArray, clean: FloatArray, levels: Sequence[float], truth: FormulaTruth
) -> BuiltProblem:
    """The same rows at every level, each with noise of its own; the truth's R² on them is the declared ceiling."""
    streams = rng.spawn(len(levels))
    parts, sds = [], []
    for stream, level in zip(streams, levels, strict=True):
        sd = noise_sd(float(np.std(clean)), level)
        target = rounded(clean + stream.normal(0.0, sd, size=len(clean))) if sd else clean
        ceiling = r_squared(target, clean)
        # the sample's ceiling scatters around the declared one
        if abs(ceiling - (1.0 - level)) > _SIGMAS * level * math.sqrt(2.0 / len(clean)):
            raise InvalidInput(f"generate: at noise {level} the truth's R² is {ceiling:.4f}; take more rows.")
        parts.append(Part(noise=level, inputs=inputs, target=target))
        sds.append(sd)
    task = FormulaTask(name="", variables=tuple(truth.domain), target=TARGET, parts=tuple(parts))
    return BuiltProblem(task, replace(truth, noise_sds=tuple(sds)))
