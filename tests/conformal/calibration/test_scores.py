from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.conformal.calibration.scores import SCORES, aps, hinge, margin, parse_score, pip, raps, top_k
from assay.conformal.sets.checks import FloatArray
from assay.core import InvalidInput, UnknownName

NAMES = [*SCORES, "pip(own=False)", "raps(penalty=0.5, k_reg=2)"]


def rows(seed: int, *, ties: bool) -> FloatArray:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(5, 0.7), size=30)
    return np.stack([rng.multinomial(8, row) for row in p]) / 8 if ties else p


def apply(name: str, p: FloatArray) -> FloatArray:
    return parse_score(name)(p, np.random.default_rng(0))


def slow(name: str, row: FloatArray, c: int) -> float:
    """The definitions, one class of one sample at a time."""
    p: list[float] = row.tolist()
    above, level = sorted((x for x in p if x > p[c]), reverse=True), [x for x in p if x == p[c]]
    ordered = [*above, *level]
    rank = len(ordered)
    if name == "hinge":
        return 1 - p[c]
    if name == "margin":
        return max(p[:c] + p[c + 1 :]) - p[c]
    if name == "top_k":
        return rank
    if name.startswith("pip"):
        counted = above if "False" in name else ordered
        return 1 - p[c] + sum(value / (place + 1) for place, value in enumerate(counted))
    penalty = {"raps": 0.01 * max(0, rank - 1), "raps(penalty=0.5, k_reg=2)": 0.5 * max(0, rank - 2)}.get(name, 0.0)
    return sum(ordered) + penalty


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_scores_follow_their_definitions(name: str, ties: bool) -> None:
    p = rows(1, ties=ties)
    expected = np.array([[slow(name, row, c) for c in range(5)] for row in p])
    np.testing.assert_allclose(apply(name, p), expected, rtol=0, atol=1e-12)


@given(st.integers(0, 10_000), st.booleans())
def test_scores_follow_a_permutation_of_the_classes(seed: int, ties: bool) -> None:
    p = rows(seed, ties=ties)
    order = np.random.default_rng(seed).permutation(5)
    for name in NAMES:
        np.testing.assert_allclose(apply(name, p[:, order]), apply(name, p)[:, order], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_likelier_classes_are_never_stranger_and_inputs_stay_as_they_were(name: str) -> None:
    p = rows(2, ties=True)
    copy = p.copy()
    scores = apply(name, p)
    np.testing.assert_array_equal(p, copy)
    for row, scored in zip(p, scores, strict=True):
        order = np.argsort(-row, kind="stable")
        assert (np.diff(scored[order]) >= -1e-12).all()


def test_the_likeliest_class_always_scores_one_under_pip() -> None:
    p = rows(3, ties=False)
    assert (pip(p)[np.arange(len(p)), p.argmax(axis=1)] == 1.0).all()


def test_randomised_aps_lies_between_what_is_above_and_what_is_included() -> None:
    p = rows(4, ties=True)
    low, high = aps(p, uniform=np.zeros(len(p))), aps(p, uniform=np.ones(len(p)))
    np.testing.assert_allclose(high, aps(p), rtol=0, atol=1e-12)
    scores = parse_score("aps(randomized=True)")(p, np.random.default_rng(1))
    assert ((scores >= low - 1e-12) & (scores <= high + 1e-12)).all()
    assert not np.allclose(scores, high)


def test_one_class_is_no_special_case() -> None:
    p = np.ones((3, 1))
    assert hinge(p).tolist() == [[0.0]] * 3
    assert margin(p).tolist() == [[-1.0]] * 3
    assert pip(p).tolist() == aps(p).tolist() == raps(p).tolist() == top_k(p).tolist() == [[1.0]] * 3


def test_single_precision_is_scored_in_double() -> None:
    p = rows(5, ties=False).astype(np.float32)
    assert hinge(p).dtype == np.float64
    np.testing.assert_array_equal(hinge(p), 1.0 - p.astype(np.float64))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hing", "Did you mean 'hinge'"),
        ("raps(lam=1)", "parameter of score 'raps'"),
        ("hinge(k=1)", "parameter of score 'hinge'"),
        ("raps(penalty=-1)", "penalty must be"),
        ("raps(k_reg=1.5)", "k_reg must be"),
    ],
)
def test_a_score_that_does_not_exist_is_refused_at_once(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse_score(text)


@pytest.mark.parametrize("uniform", [[0.5], [2.0] * 30])
def test_random_numbers_must_fit(uniform: Any) -> None:
    with pytest.raises(InvalidInput, match="one number from 0 to 1"):
        aps(rows(0, ties=False), uniform=uniform)


def test_unknown_parameters_name_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="k_reg, penalty, randomized"):
        parse_score("raps(k=1)")
