from __future__ import annotations

import numpy as np
import pytest

from assay.core import InvalidInput
from assay.formula import compute, equivalent, parse
from assay.formula.expression.expression import symbols_of
from assay.formula.expression.program import table_values
from assay.formula.generate.candidate_formulas import draft_formula, rounded, widened_box
from assay.formula.generate.families import DIFFICULTIES, FAMILIES, Difficulty, draw_formula, grade
from assay.formula.generate.laws import LAWS, Law
from assay.formula.generate.subfunctions import draw_subfunctions


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_a_law_has_real_values_all_over_its_ranges_and_needs_every_variable(law: Law) -> None:
    tree = parse(law.formula, names=list(law.domain), dialect="plain")
    assert set(symbols_of(tree)) == set(law.domain)
    rng = np.random.default_rng(0)
    values = compute(tree, {name: rng.uniform(*bounds, size=500) for name, bounds in law.domain.items()})
    assert np.isfinite(values).all()
    assert np.std(values) > 0
    assert equivalent(law.formula, law.formula, domain=law.domain).verdict == "identical"


def test_there_are_forty_laws_and_more_under_names_of_their_own() -> None:
    assert len({law.name for law in LAWS}) == len({law.formula for law in LAWS}) == len(LAWS) >= 40


def test_some_laws_by_their_numbers() -> None:
    """Computed by hand from the textbooks' formulas."""
    named = {law.name: parse(law.formula) for law in LAWS}
    assert compute(named["kinetic energy"], {"m": 3.0, "v": 2.0}) == 6.0
    assert compute(named["parallel resistors"], {"R1": 3.0, "R2": 6.0}) == 2.0
    assert compute(named["relativistic addition of speeds"], {"u": 3.0, "v": 3.0, "c": 3.0}) == 3.0
    assert compute(named["Michaelis-Menten kinetics"], {"V": 4.0, "S": 2.0, "K": 2.0}) == 2.0
    assert compute(named["thin lens"], {"f": 2.0, "d": 4.0}) == 4.0
    assert compute(named["Gaussian"], {"x": 1.0, "mu": 1.0, "s": 1.0}) == pytest.approx(0.3989422804)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_formulas_are_of_the_difficulty_that_was_asked_for(difficulty: Difficulty) -> None:
    families = set()
    for seed in range(30):
        formulas = draw_formula(np.random.default_rng(seed), ["a", "b", "c"], difficulty)
        tree = parse(formulas.formula, names=["a", "b", "c"], dialect="plain")
        assert grade(tree) == difficulty
        assert set(symbols_of(tree)) == {"a", "b", "c"} == set(formulas.domain)
        families.add(formulas.family)
    assert len(families) >= 2


def test_every_family_is_drawn_and_none_writes_a_plus_before_a_minus() -> None:
    formulas = [
        draw_formula(np.random.default_rng([seed, place]), ["x1", "x2", "x3"], difficulty)
        for seed in range(40)
        for place, difficulty in enumerate(DIFFICULTIES)
    ]
    assert {entry.family for entry in formulas} == set(FAMILIES)
    assert not any("+ -" in entry.formula or "+ (-" in entry.formula for entry in formulas)


def test_no_two_terms_of_a_polynomial_are_alike() -> None:
    for seed in range(60):
        formulas = draw_formula(np.random.default_rng(seed), ["a", "b"], "easy", families=["polynomial"])
        terms = formulas.formula.replace(" - ", " + ").split(" + ")
        powers = [tuple(sorted(term.split("*", maxsplit=1)[1].replace("**2", "^2").split("*"))) for term in terms]
        assert len(set(powers)) == len(powers), formulas.formula


def test_an_impossible_difficulty_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no hard formula of 1 variables"):
        draw_formula(np.random.default_rng(0), ["x"], "hard", families=["product"])


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_sound_draft_is_not_linear_and_feels_every_variable(difficulty: Difficulty) -> None:
    from sklearn.linear_model import LinearRegression

    for seed in range(10):
        draft = draft_formula(np.random.default_rng(seed), difficulty, beyond=True)
        rng = np.random.default_rng(99)
        names = list(draft.domain)
        inputs = np.column_stack([rng.uniform(*bounds, size=1000) for bounds in draft.domain.values()])
        values = table_values(draft.tree, names, inputs)
        assert LinearRegression().fit(inputs, values).score(inputs, values) < 0.97
        wide = np.column_stack([rng.uniform(*bounds, size=1000) for bounds in widened_box(draft.domain).values()])
        assert np.isfinite(table_values(draft.tree, names, wide)).all()
        for place in range(len(names)):
            mixed = inputs.copy()
            mixed[:, place] = rng.permutation(mixed[:, place])
            assert np.mean((table_values(draft.tree, names, mixed) - values) ** 2) > 0.005 * np.var(values)


def test_laws_are_drawn_by_difficulty() -> None:
    for seed in range(5):
        draft = draft_formula(np.random.default_rng(seed), "medium", physics=True)
        assert draft.family == "physics"
        assert draft.formula in {law.formula for law in LAWS}


def test_rounding_keeps_twelve_digits() -> None:
    values = np.array([np.pi * 1e-9, -np.e * 1e20, 0.0, 1.0])
    assert np.allclose(rounded(values), values, rtol=1e-11, atol=0)
    assert rounded(np.array([0.1 + 0.2]))[0] == 0.3


def test_subfunctions_differ_and_use_every_variable() -> None:
    for seed in range(20):
        names = ["x2", "x3", "x11", "x12", "x20"]
        texts, domain = draw_subfunctions(np.random.default_rng(seed), names)
        assert len(set(texts)) == len(texts) == 4
        assert list(domain) == names
        assert {symbol for text in texts for symbol in symbols_of(parse(text))} == set(names)
