"""What is planted is as declared: noise, boxes and surrogates, tested statistically."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from assay.core import InvalidInput
from assay.formula import compute, parse, r_squared
from assay.formula.expression.program import table_values
from assay.formula.generate.problem_builder import BuiltProblem, Plan, noise_sd, plant_surrogates, surrogate_r2
from assay.formula.generate.problems import LEVELS, make_problem

ROWS = 4000


@pytest.fixture(scope="module")
def noisy() -> BuiltProblem:
    return make_problem("noise", "medium", (7, 1), rows=ROWS, test_rows=500)[0]


@pytest.fixture(scope="module")
def optima() -> BuiltProblem:
    return make_problem("local-optima", "medium", (7, 2), rows=ROWS, test_rows=2000)[0]


@pytest.fixture(scope="module")
def beyond() -> BuiltProblem:
    return make_problem("extrapolation", "medium", (7, 3), rows=ROWS, test_rows=2000)[0]


@pytest.fixture(scope="module")
def features() -> BuiltProblem:
    return make_problem("features", "medium", (7, 4), rows=ROWS, test_rows=500, features=25)[0]


def clean(built: BuiltProblem) -> np.ndarray:
    tree = parse(str(built.truth.formula), names=built.task.variables, dialect="plain")
    return table_values(tree, built.task.variables, built.task.parts[0].inputs)


def test_noise_has_the_declared_share_of_the_variance(noisy: BuiltProblem) -> None:
    assert [part.noise for part in noisy.task.parts] == list(LEVELS)
    target = clean(noisy)
    for part, sd in zip(noisy.task.parts, noisy.truth.noise_sds, strict=True):
        assert sd == pytest.approx(np.std(target) * math.sqrt(part.noise / (1 - part.noise)))
        noise = part.target - target
        assert abs(np.mean(noise)) <= 4 * sd / math.sqrt(ROWS) + 1e-9
        assert np.std(noise) == pytest.approx(sd, rel=4 / math.sqrt(2 * ROWS), abs=1e-9)
        # the noise ceiling: what the truth itself reaches on noisy data
        assert r_squared(part.target, target) == pytest.approx(1 - part.noise, abs=5 * part.noise / math.sqrt(ROWS / 2))


def test_noise_is_normal_and_independent_between_levels_and_of_the_inputs(noisy: BuiltProblem) -> None:
    target = clean(noisy)
    noises = [part.target - target for part in noisy.task.parts if part.noise]
    for noise, sd in zip(noises, noisy.truth.noise_sds[1:], strict=True):
        assert stats.kstest(noise, stats.norm(0.0, sd).cdf).pvalue > 1e-3
        for column in noisy.task.parts[0].inputs.T:
            assert abs(np.corrcoef(noise, column)[0, 1]) < 5 / math.sqrt(ROWS)
    for one in range(len(noises)):
        for two in range(one):
            assert abs(np.corrcoef(noises[one], noises[two])[0, 1]) < 5 / math.sqrt(ROWS)


def test_the_rows_are_the_same_at_every_level_and_the_test_part_is_free_of_noise(noisy: BuiltProblem) -> None:
    assert all(np.array_equal(part.inputs, noisy.task.parts[0].inputs) for part in noisy.task.parts)
    tree = parse(str(noisy.truth.formula), names=noisy.task.variables, dialect="plain")
    computed = table_values(tree, noisy.task.variables, noisy.truth.test_inputs)
    assert np.allclose(computed, noisy.truth.test_target, rtol=1e-10, atol=1e-12)


def test_inputs_are_uniform_on_the_declared_box(features: BuiltProblem) -> None:
    inputs = features.task.parts[0].inputs
    for place, name in enumerate(features.task.variables):
        low, high = features.truth.domain[name]
        assert stats.kstest(inputs[:, place], "uniform", args=(low, high - low)).pvalue > 1e-4, name


def test_irrelevant_features_are_many_and_have_nothing_to_do_with_the_target(features: BuiltProblem) -> None:
    assert len(features.truth.irrelevant) == 25 - len(features.truth.relevant) > 15
    target = features.task.parts[0].target
    for name in features.truth.irrelevant:
        column = features.task.parts[0].inputs[:, features.task.variables.index(name)]
        assert abs(np.corrcoef(column, target)[0, 1]) < 5 / math.sqrt(ROWS)
        assert abs(np.corrcoef(column**2, target)[0, 1]) < 5 / math.sqrt(ROWS)


def test_the_extrapolation_partition_lies_outside_of_the_training_box_and_inside_the_wider_one(
    beyond: BuiltProblem,
) -> None:
    truth = beyond.truth
    low = np.array([truth.domain[name][0] for name in beyond.task.variables])
    high = np.array([truth.domain[name][1] for name in beyond.task.variables])
    for inputs in (beyond.task.parts[0].inputs, truth.test_inputs):
        assert ((low <= inputs) & (inputs <= high)).all()
    assert truth.extrapolation_inputs is not None
    outside = (truth.extrapolation_inputs < low) | (truth.extrapolation_inputs > high)
    assert outside.any(axis=1).all()
    assert (outside.mean(axis=0) > 0.1).all()  # every variable takes part
    for place, name in enumerate(beyond.task.variables):
        wide = truth.extrapolation_box[name]
        column = truth.extrapolation_inputs[:, place]
        assert wide[0] <= column.min()
        assert column.max() <= wide[1]
        reach = wide[1] - wide[0]
        assert column.max() > wide[1] - 0.05 * reach
        assert column.min() < wide[0] + 0.05 * reach


def test_the_extrapolation_target_is_the_formula_without_noise(beyond: BuiltProblem) -> None:
    tree = parse(str(beyond.truth.formula), names=beyond.task.variables, dialect="plain")
    assert beyond.truth.extrapolation_inputs is not None
    assert beyond.truth.extrapolation_target is not None
    computed = table_values(tree, beyond.task.variables, beyond.truth.extrapolation_inputs)
    assert np.allclose(computed, beyond.truth.extrapolation_target, rtol=1e-10, atol=1e-12)


def test_a_surrogate_is_its_subfunction_plus_noise_of_the_declared_mean_and_deviation(optima: BuiltProblem) -> None:
    part = optima.task.parts[0]
    columns = {name: part.inputs[:, place] for place, name in enumerate(optima.task.variables)}
    assert set(optima.truth.planted) == set(optima.truth.surrogates)
    for name, planted in optima.truth.planted.items():
        g = compute(parse(planted.formula, names=optima.task.variables), columns)
        noise = columns[name] - g
        assert np.mean(noise) == pytest.approx(planted.mean, abs=4 * planted.sd / math.sqrt(ROWS))
        assert np.std(noise) == pytest.approx(planted.sd, rel=0.05)
        assert stats.kstest(noise, stats.norm(planted.mean, planted.sd).cdf).pvalue > 1e-3
        assert planted.sd == pytest.approx(noise_sd(float(np.std(g)), 0.1), rel=0.1)


def test_the_formula_is_a_weighted_sum_of_the_subfunctions(optima: BuiltProblem) -> None:
    part = optima.task.parts[0]
    columns = {name: part.inputs[:, place] for place, name in enumerate(optima.task.variables)}
    terms = [compute(parse(entry.formula), columns) for entry in optima.truth.planted.values()]
    weights, residual, *_ = np.linalg.lstsq(np.column_stack(terms), part.target, rcond=None)
    assert np.sqrt(residual[0] / ROWS) < 1e-9 * np.std(part.target)
    shares = [weight * np.std(term) for weight, term in zip(weights, terms, strict=True)]
    assert min(shares) > 0.3 * max(shares)  # no surrogate is a bystander


def test_a_model_of_the_surrogates_fits_well_and_still_worse_than_the_truth(optima: BuiltProblem) -> None:
    part, places = optima.task.parts[0], [optima.task.variables.index(name) for name in optima.truth.surrogates]
    fit = surrogate_r2(
        part.inputs[:, places], part.target, optima.truth.test_inputs[:, places], optima.truth.test_target
    )
    assert 0.8 < fit < 0.97
    tree = parse(str(optima.truth.formula), names=optima.task.variables, dialect="plain")
    truth = table_values(tree, optima.task.variables, optima.truth.test_inputs)
    assert r_squared(optima.truth.test_target, truth) > 1 - 1e-12


def test_even_a_random_forest_of_the_surrogates_stays_behind_the_truth(optima: BuiltProblem) -> None:
    from sklearn.ensemble import RandomForestRegressor

    part, places = optima.task.parts[0], [optima.task.variables.index(name) for name in optima.truth.surrogates]
    forest = RandomForestRegressor(n_estimators=20, max_depth=8, random_state=0, n_jobs=1)
    forest.fit(part.inputs[:1000, places], part.target[:1000])
    assert forest.score(optima.truth.test_inputs[:, places], optima.truth.test_target) < 0.97


def test_names_do_not_tell_surrogates_from_variables() -> None:
    subfunctions: set[str] = set()
    for seed in range(12):
        built, _ = make_problem("local-optima", "easy", (seed,), rows=60, test_rows=60)
        assert built.task.variables == ("x1", "x2", "x3", "x4", "x5", "x6", "x7")
        subfunctions.update(built.truth.surrogates)
    assert subfunctions == set(built.task.variables)


def test_surrogates_that_are_as_good_as_the_truth_are_refused() -> None:
    domain = {"x1": (-2.0, 2.0), "x2": (-2.0, 2.0)}
    with pytest.raises(InvalidInput, match="best fit has an R² of 1.000"):
        plant_surrogates(np.random.default_rng(0), ["x1*x2"], domain, ["x3"], Plan(), share=0.0001)
