import dataclasses
import json
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.formula import equivalent, parse
from assay.formula.equivalence.certificate import VERDICTS, Verdict

pytest.importorskip("mpmath", reason="the checker confirms with mpmath")

POSITIVE = {"identical", "offset", "factor", "affine", "form"}


@pytest.mark.parametrize(
    ("truth", "model", "verdict"),
    [
        ("x**2 + y", "y + x*x", "identical"),
        ("sin(2*x)", "2*sin(x)*cos(x)", "identical"),
        ("cos(x)", "sin(x + 1.5707963267948966)", "identical"),
        ("log(x/y)", "log(x) - log(y)", "identical"),
        ("sqrt(x*y)", "(x*y)**0.5", "identical"),
        ("x/y", "((y)**(-2))**0.5*x", "identical"),
        ("1/(exp(x) - 1)", "exp(-x)/(1 - exp(-x))", "identical"),
        ("x + y", "x + y + 2.5", "offset"),
        ("log(x*y)", "log(3.7*x*y)", "offset"),
        ("Y/(2*(1 + sigma))", "0.5005*Y/(sigma + 1)", "factor"),
        ("x**2", "-7*x*x", "factor"),
        ("x", "3 - 2*x", "affine"),
        ("exp(-x**2/2)", "exp(-0.503*x**2)", "form"),
        ("x*(y + 1)", "1.01*x*y + 1.02*x", "form"),
        ("x + y", "x - y", "different"),
        ("x", "0", "different"),
        ("x", "sin(x)", "different"),
        ("x*y", "x*y + 0.4*sin(x)", "different"),
        ("x", "sqrt(-x)", "undefined"),
        ("x", "I*x", "undefined"),
        ("x", "x/0", "undefined"),
        ("x", "nan", "undefined"),
        ("x", "zoo*x", "undefined"),
        ("x", "x +", "unparsable"),
        ("x", "x + mass", "unparsable"),
        ("x", "+".join(["x"] * 1_000_000), "unparsable"),
        ("3", "3", "identical"),
        ("3", "4", "offset"),
    ],
)
def test_verdicts(truth: str, model: str, verdict: Verdict) -> None:
    equivalence = equivalent(truth, model)
    assert equivalence.verdict == verdict
    assert equivalence.rediscovered is (verdict in POSITIVE)
    assert (equivalence.closeness == 1.0) is (verdict in POSITIVE)
    assert 0.0 <= equivalence.distance <= 1.0
    assert json.loads(json.dumps(equivalence.to_json(), allow_nan=False))["verdict"] == verdict
    assert equivalence.summary().startswith(f"{verdict}: ")


constants = st.floats(0.2, 4).map(lambda value: round(value, 3))


@given(st.sampled_from(["x*sin(y) + x**2", "exp(-x)/(1 + y**2)", "sqrt(x*y + 1)*log(y + 2)"]), constants, constants)
@settings(max_examples=15)
def test_a_shifted_and_scaled_truth_is_found_with_its_shift_and_scale(truth: str, shift: float, scale: float) -> None:
    equivalence = equivalent(truth, f"{scale!r}*({truth}) + {shift!r}")
    assert equivalence.verdict in ({"affine"} if scale != 1.0 else {"offset"})
    assert equivalence.certificate.factor == pytest.approx(1 / scale, rel=1e-9)
    assert equivalence.certificate.offset == pytest.approx(-shift / scale, rel=1e-7)


@given(st.integers(0, 10_000))
@settings(max_examples=15)
def test_constants_that_are_slightly_off_are_the_same_form_with_the_right_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(0.5, 2.0, 3)
    near = [float(value * (1 + rng.uniform(-0.02, 0.02))) for value in (a, b, c)]
    result = equivalent(
        f"{a}*x**2*exp(-{b}*y) + {c}*sin(x)*y", f"{near[0]}*x**2*exp(-{near[1]}*y) + {near[2]}*sin(x)*y"
    )
    assert result.verdict == "form"
    assert result.certificate.constants[1].fitted == pytest.approx(-b, rel=1e-6)
    assert all(constant.moved <= 0.05 for constant in result.certificate.constants)


def test_a_term_that_must_vanish_is_dead_and_the_model_different() -> None:
    equivalence = equivalent("x*y", "1.001*x*y + 0.3*sin(3.1*x)")
    assert equivalence.verdict == "different"
    assert any(note.startswith("dead terms") for note in equivalence.notes)


def test_nearly_is_not_equal() -> None:
    # a series of the relativistic factor, right to a few parts in a million on its box
    domain = {"v": (1.0, 2.0), "c": (8.0, 10.0)}
    series = "1 + v**2/(2*c**2) + 3*v**4/(8*c**4) + 0.3125*v**6/c**6"
    equivalence = equivalent("1/sqrt(1 - v**2/c**2)", series, domain=domain)
    assert equivalence.verdict == "different"
    assert equivalence.distance < 1e-2
    point = equivalence.certificate.counterexample
    assert point is not None
    assert point.truth != point.model


def test_a_small_term_under_huge_values_is_seen() -> None:
    assert equivalent("exp(10*x) + x", "exp(10*x)", domain={"x": (0, 5)}).verdict == "different"


def test_digits_that_cancel_in_doubles_are_computed_precisely() -> None:
    equivalence = equivalent("(1 + 1e-14*x)**2 - 1", "2e-14*x + 1e-28*x**2")
    assert equivalence.verdict == "identical"
    assert equivalence.certificate.digits == 50
    assert equivalent("exp(1e-30*x) - 1", "1e-30*x").verdict == "identical"
    assert equivalent("exp(1e-30*x) - 1", "1e-30*x**2").verdict == "different"


def test_cancelled_digits_do_not_hide_a_term() -> None:
    equivalence = equivalent("(exp(1e-13*x) - 1)*y", "(exp(1.01e-13*x + 1e-16*x*y) - 1)*y")
    assert equivalence.verdict == "different"
    assert equivalent("(exp(1e-13*x) - 1)*y", "(exp(1.01e-13*x) - 1)*y").verdict == "factor"


def test_equal_on_the_box_and_not_beyond_is_said() -> None:
    equivalence = equivalent("x", "Abs(x)", domain={"x": (1, 2)})
    assert equivalence.verdict == "identical"
    assert equivalence.certificate.wider is False
    assert "not everywhere" in equivalence.notes[0]
    assert equivalent("x", "Abs(x)", domain={"x": (-2, 2)}).verdict == "different"
    assert equivalent("x**2", "x*x", domain={"x": (1, 2)}).certificate.wider is True


def test_a_model_without_a_value_on_part_of_the_domain_is_undefined() -> None:
    equivalence = equivalent("x", "sqrt(x)**2", domain={"x": (-1, 1)})
    assert equivalence.verdict == "undefined"
    assert 0.3 < equivalence.certificate.defined < 0.7


def test_boxes_are_tried_until_both_have_values() -> None:
    assert equivalent("asin(x)", "asin(x)").certificate.box == "all variables in 0.5..3"
    assert equivalent("asin(x)", "asin(x) + 0*sqrt(0.4 - x)").certificate.box == "all variables in 0.1..1"
    equivalence = equivalent("sqrt(y - x - 2)", "(y - x - 2)**0.5")
    assert equivalence.verdict == "identical"


def test_a_truth_that_never_has_a_value_is_the_callers_mistake() -> None:
    with pytest.raises(InvalidInput, match="no finite real value"):
        equivalent("sqrt(-x)", "x", domain={"x": (1, 2)})
    with pytest.raises(InvalidInput, match="truth 'x \\+': the formula ends"):
        equivalent("x +", "x")
    with pytest.raises(InvalidInput, match="no bounds for the variable 'y'"):
        equivalent("x + y", "x", domain={"x": (0, 1)}, names=["x", "y"])
    with pytest.raises(InvalidInput, match="the lower one first"):
        equivalent("x", "x", domain={"x": (2, 1)})


def test_a_constant_is_not_taken_for_a_truth_that_underflows() -> None:
    equivalence = equivalent("x*exp(-9e5*x)", "0")
    assert equivalence.verdict == "different"
    assert "leave the range of doubles" in equivalence.notes[0]


def test_models_may_count_the_columns() -> None:
    assert equivalent("m*a", "mul(X0, X1)").verdict == "identical"
    assert equivalent("m - a", "X1 - X0", names=["m", "a"]).verdict == "factor"
    assert equivalent("m - a", "X1 - X2", names=["m", "a"]).verdict == "identical"
    assert equivalent("x*I", "I*x").verdict == "identical"  # a truth is real: its I is a variable


def test_trees_can_be_compared_without_text() -> None:
    assert equivalent(parse("x + y"), parse("y + x")).verdict == "identical"
    assert equivalent(parse("x"), parse("y")).verdict == "unparsable"


def test_the_same_seed_gives_the_same_certificate() -> None:
    first, again = (equivalent("x*y + sin(x)", "1.02*x*y + 0.99*sin(1.001*x)", seed=7) for _ in range(2))
    assert first == again
    assert dataclasses.replace(first, seconds=9.0) == first


@pytest.mark.parametrize(
    "model",
    [
        "+".join(f"{i}.5*x**{i % 7}*sin({i}*y)" for i in range(1, 600)),
        "x*y + " + "+".join(f"1e-3*sin({i}.5*y)" for i in range(1, 60)),
        "exp(" * 60 + "x" + ")" * 60,
        "x**9**9**9**9",
        "(" * 20_000 + "x" + ")" * 20_000,
        "1/" * 150 + "x",
        "sin(" * 190 + "1.5*x" + ")" * 190,
    ],
)
def test_hostile_models_end_soon(model: str) -> None:
    start = time.process_time()
    assert equivalent("x*y", model).verdict in VERDICTS
    assert time.process_time() - start < 5.0


def test_a_refit_that_runs_out_of_time_is_undecided() -> None:
    model = "x*y + " + "+".join(f"0.01*sin({i}.5*y)" for i in range(1, 20))
    equivalence = equivalent("x*y", model, seconds=1e-6)
    assert equivalence.verdict == "undecided"


def test_a_pole_in_the_box_hides_neither_the_form_nor_the_identity() -> None:
    truth = "k*v/((g - 1)*A)"  # without a domain g comes as near to 1 as it likes
    assert equivalent(truth, "k*v/(A*(g - 1.0009))").verdict == "form"
    assert equivalent(truth, "k*v/(A*(g - 1.3))").verdict == "different"
    narrow = {"x": (-1e-7, 1.0)}
    assert equivalent("1/(x + 1e-7)", "1/((x + 1)**2 - (1 + x**2 + x) + 1e-7)", domain=narrow).verdict == "identical"


@pytest.mark.soak
def test_many_constants_on_few_points_prove_nothing() -> None:
    # fifty digits are computed at few points; so many constants could fit anything there
    model = "(exp(1e-13*x) - 1)*y*(1 + " + "+".join(f"1.5e-3*sin({i}.5*y)" for i in range(1, 31)) + ")"
    equivalence = equivalent("(exp(1e-13*x) - 1)*y*(1 + 0.002*tanh(9*x - 20))", model)
    assert equivalence.verdict in {"different", "undecided"}


def test_a_constant_whose_smallest_step_overflows_is_no_fault_of_the_checker() -> None:
    equivalence = equivalent(
        "1200+5400*(1-exp(-ads/38000))*(price/25)**(-0.7)",
        "1016.97 + 0.941335*(ads/price)*exp(-8.477e-11*ads**2) + 56.8927*sqrt(ads/price)",
        domain={"ads": (1605.2, 119781.2), "price": (10.19, 59.85)},
    )
    assert equivalence.verdict == "different"


def test_formulas_without_variables_are_compared_whatever_the_domain() -> None:
    for domain in (None, {"x": (0.0, 1.0)}):
        assert equivalent("2", "4/2", domain=domain).verdict == "identical"
        assert equivalent("pi", "3", domain=domain).verdict == equivalent("pi", "3").verdict


@pytest.mark.parametrize("unit", ["1e-200", "1e200"])
def test_the_unit_of_both_formulas_does_not_change_their_distance(unit: str) -> None:
    usual = equivalent("x", "x + sin(x)").distance
    assert 0.1 < usual < 1
    assert equivalent(f"{unit}*x", f"{unit}*(x + sin(x))").distance == pytest.approx(usual)


def test_a_model_with_a_variable_that_has_no_bounds_is_told() -> None:
    with pytest.raises(InvalidInput, match="no bounds for the variable 'y'"):
        equivalent("x", "x + y", domain={"x": (0.0, 1.0)}, names=["x", "y"])
    assert equivalent("x", "x", domain={"x": (0.0, 1.0)}, names=["x", "y"]).verdict == "identical"


@pytest.mark.parametrize("model", ["exp(x)", "x + 2", "x**2", "7"])
def test_a_domain_of_one_point_decides_nothing(model: str) -> None:
    equivalence = equivalent("x**2", model, domain={"x": (2, 2)})
    assert equivalence.verdict == "undecided"
    assert "the domain is one point" in equivalence.notes[0]
    assert "limit" not in equivalence.summary()
    assert equivalent("x*y", "x*y + 1", domain={"x": (2, 2), "y": (0, 1)}).verdict == "offset"  # a line, no point


@pytest.mark.parametrize(("model", "distance"), [("x", 0.0), ("x + 0.25", 0.125), ("9*x", 1.0), ("log(x - 3)", 1.0)])
def test_the_distance_at_one_point_is_that_of_the_values_there(model: str, distance: float) -> None:
    assert equivalent("x", model, domain={"x": (2, 2)}).distance == distance


def test_two_formulas_that_are_flat_on_the_box_are_not_shifted_copies() -> None:
    domain = {"x": (0, 5)}
    other = equivalent("max(x, 10)", "max(x, 12)", domain=domain)
    assert other.verdict == "undecided"
    assert "the truth does not vary" in other.notes[0]
    assert equivalent("max(x, 10)", "max(10, x)", domain=domain).verdict == "identical"


@pytest.mark.parametrize("size", ["1e160", "1e200", "1e-160"])
def test_slightly_wrong_constants_are_seen_beyond_the_squares_of_doubles(size: str) -> None:
    assert equivalent(f"{size}*exp(1.5*x)", f"{size}*exp(1.503*x)").verdict == "form"
    assert equivalent(f"{size}*exp(1.5*x)", f"{size}*exp(1.503*x) + {size}*x").verdict == "different"
