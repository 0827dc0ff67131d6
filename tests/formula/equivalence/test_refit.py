import time

import numpy as np
import pytest
from scipy.optimize import least_squares

from assay.formula import equivalent, parse
from assay.formula.equivalence.refit import MAX_CONSTANTS, SAME_FORM, refit
from assay.formula.expression.program import Program


def test_the_best_fit_is_that_of_scipy() -> None:
    rng = np.random.default_rng(3)
    points = {"x": rng.uniform(1, 5, 150), "y": rng.uniform(1, 5, 150)}
    truth = points["x"] * np.exp(-0.3 * points["y"]) + 0.2 * np.sin(points["x"])
    program = Program.of(parse("x*exp(-0.35*y) + 0.1*x**1.5"))
    fit = refit(program, points, truth, until=time.monotonic() + 5)
    assert fit is not None

    def left(parameters: np.ndarray) -> np.ndarray:
        a, b, p, shift, scale = parameters
        model = points["x"] * np.exp(-a * points["y"]) + b * points["x"] ** p
        return np.asarray((shift + scale * model - truth) / truth.std())

    reference = least_squares(left, [0.35, 0.1, 1.5, 0.0, 1.0], xtol=1e-14, ftol=1e-14, max_nfev=2000)
    assert fit.residual <= np.sqrt(np.mean(reference.fun**2)) * 1.001
    assert fit.residual > SAME_FORM


def test_constants_that_do_not_matter_do_not_move() -> None:
    rng = np.random.default_rng(4)
    points = {"x": rng.uniform(1, 5, 100)}
    # the product of the two constants matters, and the shift and scale take even that
    fit = refit(Program.of(parse("2.0*3.0*x**1.02")), points, points["x"] ** 1.0, until=time.monotonic() + 5)
    assert fit is not None
    assert fit.residual < SAME_FORM
    assert fit.moved[:2] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert fit.constants[2] == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("text", ["x", "2*x + 1", " + ".join(f"0.{i}1*x**{i}" for i in range(1, MAX_CONSTANTS + 2))])
def test_without_constants_or_with_too_many_there_is_no_refit(text: str) -> None:
    points = {"x": np.linspace(1, 2, 60)}
    assert refit(Program.of(parse(text)), points, points["x"], until=time.monotonic() + 5) is None


def test_time_ends_a_refit_and_it_says_so() -> None:
    points = {"x": np.linspace(1, 2, 60)}
    fit = refit(Program.of(parse("x**1.3")), points, np.sin(points["x"]), until=0.0)
    assert fit is not None
    assert not fit.finished
    assert fit.rounds == 0


@pytest.mark.parametrize(("truth_size", "model_size"), [(1e200, 1e200), (1e-200, 1e-200), (1e180, 1.0), (1.0, 1e-170)])
def test_sizes_whose_squares_leave_the_doubles_change_no_fit(truth_size: float, model_size: float) -> None:
    points = {"x": np.linspace(1, 3, 80)}
    truth = np.exp(1.5 * points["x"])
    usual = refit(Program.of(parse("1.25*exp(1.53*x)")), points, truth, until=time.monotonic() + 5)
    model = Program.of(parse(f"{1.25 * model_size!r}*exp(1.53*x)"))
    fit = refit(model, points, truth * truth_size, until=time.monotonic() + 5)
    assert usual is not None
    assert fit is not None
    assert fit.residual < SAME_FORM
    assert fit.moved == pytest.approx(usual.moved, abs=1e-6)
    values = fit.offset + fit.factor * model.values(points, fit.constants)
    np.testing.assert_allclose(values / truth_size, truth, rtol=1e-9)


@pytest.mark.parametrize(
    ("truth", "model"),
    [
        ("6.62607015e-34*x/(exp(1.5*y) - 1)", "6.62607015e-34*x/(exp(1.503*y) - 1)"),
        ("exp(1.5*x)", "1.38e-23*exp(1.503*x)"),
        ("1e-12*x + 2e-12*x**2.5", "1.001e-12*x + 2.003e-12*x**2.502"),
    ],
)
def test_a_tiny_constant_does_not_hide_what_the_others_change(truth: str, model: str) -> None:
    equivalence = equivalent(truth, model)
    assert equivalence.verdict == "form"
    assert max(constant.moved for constant in equivalence.certificate.constants) < 0.01


def test_time_that_ends_before_the_first_step_ends_a_refit_with_tiny_constants_too() -> None:
    points = {"x": np.linspace(1, 2, 60)}
    program = Program.of(parse("1e-20*x**1.3"))

    def evaluate(constants: np.ndarray) -> np.ndarray:
        return program.values(points, constants[:, 0].tolist())[None, :]

    fit = refit(program, points, np.sin(points["x"]), until=0.0, evaluate=evaluate)
    assert fit is not None
    assert not fit.finished


def test_rounding_of_means_is_no_offset() -> None:
    x = np.linspace(0.0, 50.0, 400)
    for rate in np.linspace(0.69, 0.7, 40):
        best = refit(Program.of(parse("exp(-0.7*x)")), {"x": x}, np.exp(-rate * x), until=time.thread_time() + 60)
        assert best is not None
        assert best.residual < 1e-12
        assert best.offset == 0.0
