import numpy as np
import pytest

from assay.core import InvalidInput
from assay.formula import parse, used_variables
from assay.formula.equivalence.sampling import BOXES, POINTS, candidates, check_domain, parse_domain


def everywhere(points: dict[str, np.ndarray]) -> np.ndarray:
    return np.ones(1)


def test_points_lie_in_their_box_and_repeat_with_the_seed() -> None:
    domain = {"x": (-2.0, 0.5), "y": (10.0, 11.0)}
    (sample,) = candidates(["x", "y"], domain, everywhere, seed=1)
    (again,) = candidates(["x", "y"], domain, everywhere, seed=1)
    (other,) = candidates(["x", "y"], domain, everywhere, seed=2)
    for name, (low, high) in domain.items():
        assert ((sample.points[name] >= low) & (sample.points[name] <= high)).all()
        assert np.array_equal(sample.points[name], again.points[name])
        assert not np.array_equal(sample.points[name], other.points[name])
        assert abs(sample.points[name].mean() - (low + high) / 2) < 4 * (high - low) / np.sqrt(12 * POINTS)


def test_without_a_domain_boxes_and_orders_are_tried_in_turn() -> None:
    samples = list(candidates(["a", "b"], None, everywhere, seed=0))
    assert len(samples) == 3 * len(BOXES)
    assert (samples[1].points["a"] <= samples[1].points["b"]).all()
    assert (samples[2].points["a"] >= samples[2].points["b"]).all()
    assert len(list(candidates(["a"], None, everywhere, seed=0))) == len(BOXES)


def test_points_without_a_value_are_replaced() -> None:
    (sample,) = candidates(["x"], {"x": (0.0, 1.0)}, lambda points: (points["x"] > 0.9).astype(float), seed=0)
    assert len(sample.points["x"]) == POINTS
    assert (sample.points["x"] > 0.9).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "not of the form name=low:high"),
        ("x=0", "not of the form"),
        ("x=a:b", "must be numbers"),
        ("x=5:1", "the lower one first"),
        ("x=0:inf", "two finite bounds"),
        ("x=0:1,,y=0:1", "not of the form"),
    ],
)
def test_a_malformed_domain_is_named(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse_domain(text)


def test_a_variable_counts_when_it_changes_the_value() -> None:
    assert used_variables(parse("x + 0*y")) == ("x",)
    assert used_variables(parse("x*y/y + z - z")) == ("x",)
    assert used_variables(parse("max(x, y)"), domain={"x": (0, 1), "y": (5, 6)}) == ("y",)
    assert used_variables(parse("x + 1e-14*y")) == ("x",)
    assert used_variables(parse("sqrt(x - y)")) == ("x", "y")
    assert used_variables(parse("3")) == ()
    assert used_variables(parse("b + a"), names=["a", "b", "c"]) == ("a", "b")


def test_bounds_that_are_no_numbers_and_ranges_given_twice_are_refused() -> None:
    for bounds in (("low", "high"), (None, 1), ([0], [1, 2])):
        with pytest.raises(InvalidInput, match="the bounds of 'x' must be numbers"):
            check_domain({"x": bounds})  # type: ignore[dict-item]
    with pytest.raises(InvalidInput, match="'x' is given twice"):
        parse_domain("x=0:5, y=1:2, x=2:3")
    assert check_domain({"x": np.array([0, 5])}) == {"x": (0.0, 5.0)}  # type: ignore[dict-item]
