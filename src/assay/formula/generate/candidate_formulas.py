"""Formulas that make sound problems: finite where they are sampled, not linear, every variable and term felt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.core import InvalidInput
from assay.formula.equivalence.sampling import Domain
from assay.formula.expression.expression import Apply, Expression, Number, symbols_of
from assay.formula.expression.parser import parse
from assay.formula.expression.program import FloatArray, table_values
from assay.formula.generate.families import Difficulty, draw_formula, grade
from assay.formula.generate.laws import LAWS
from assay.formula.metrics import nmse, r_squared

__all__ = ["Draft", "draft_formula", "draw_inputs", "is_sound", "linear_predictions", "rounded", "widened_box"]

_ATTEMPTS = 400
_POINTS = 400
_FELT = 0.01  # share of the variance that every variable and term must carry
_LINEAR = 0.95  # R² of a linear model beyond which there is nothing to discover
_LARGEST = 1e6
_WILDEST = 1e3  # spread outside of the box over the spread inside
_DECIMALS = 6
_DIGITS = 12


class Draft(NamedTuple):
    """A checked formula: its tree, text and box, where it comes from, and how hard it is."""

    tree: Expression
    formula: str
    domain: Domain
    family: str
    difficulty: Difficulty


def rounded(values: FloatArray) -> FloatArray:
    """Numbers of twelve digits: the last bits of a sine differ between machines, the bytes of a problem must not."""
    with np.errstate(divide="ignore"):
        size = np.where(values == 0, 0.0, np.floor(np.log10(np.abs(values))))
    scale = 10.0 ** (_DIGITS - 1 - size)
    return np.round(values * scale) / scale


def draw_inputs(rng: np.random.Generator, domain: Domain, rows: int) -> FloatArray:
    """Uniform points of a box, six decimals each."""
    return np.column_stack([np.round(rng.uniform(low, high, size=rows), _DECIMALS) for low, high in domain.values()])


def widened_box(domain: Domain) -> dict[str, tuple[float, float]]:
    """The box with half of its width on either side; a variable that was positive stays so.

    >>> widened_box({"x": (-1.0, 1.0), "m": (1.0, 5.0)})
    {'x': (-2.0, 2.0), 'm': (0.5, 7.0)}
    """
    wide: dict[str, tuple[float, float]] = {}
    for name, (low, high) in domain.items():
        half = (high - low) / 2
        wide[name] = (low - half if low < 0 else max(low - half, low / 2), high + half)
    return wide


def draft_formula(
    rng: np.random.Generator,
    difficulty: Difficulty,
    *,
    names: Sequence[str] | None = None,
    physics: bool = False,
    beyond: bool = False,
) -> Draft:
    """Draw until a formula is sound: of the named variables, or a law of physics with its own.

    ``beyond`` demands that it has tame values on the wider box too.
    """
    for _ in range(_ATTEMPTS):
        draft = _law(rng, difficulty) if physics else _random(rng, difficulty, names)
        if draft is None:
            break
        if is_sound(draft, rng, beyond=beyond):
            return draft
    source = "law of physics" if physics else "formula"
    raise InvalidInput(
        f"generate: no sound {difficulty} {source} was found in {_ATTEMPTS} attempts; take another difficulty."
    )


def _law(rng: np.random.Generator, difficulty: Difficulty) -> Draft | None:
    graded = [(law, parse(law.formula, names=list(law.domain), dialect="plain")) for law in LAWS]
    fitting = [(law, tree) for law, tree in graded if grade(tree) == difficulty]
    if not fitting:
        return None
    law, tree = fitting[int(rng.integers(len(fitting)))]
    return Draft(tree, law.formula, law.domain, "physics", difficulty)


def _random(rng: np.random.Generator, difficulty: Difficulty, names: Sequence[str] | None) -> Draft:
    fewest, most = {"easy": (2, 3), "medium": (2, 4), "hard": (2, 5)}[difficulty]
    chosen = names or [f"x{place + 1}" for place in range(int(rng.integers(fewest, most + 1)))]
    random_formula = draw_formula(rng, chosen, difficulty)
    tree = parse(random_formula.formula, names=chosen, dialect="plain")
    return Draft(tree, random_formula.formula, random_formula.domain, random_formula.family, difficulty)


def is_sound(draft: Draft, rng: np.random.Generator, *, beyond: bool = False) -> bool:
    """Whether a formula makes a problem: finite, not linear, every variable and term felt."""
    names = list(draft.domain)
    inputs = draw_inputs(rng, draft.domain, _POINTS)
    values = table_values(draft.tree, names, inputs)
    if not np.isfinite(values).all() or not np.std(values) > 0 or np.abs(values).max() > _LARGEST:
        return False
    if set(symbols_of(draft.tree)) != set(names):
        return False
    if r_squared(values, linear_predictions(inputs, values, inputs)) > _LINEAR:
        return False
    for place in range(len(names)):
        mixed = inputs.copy()
        mixed[:, place] = rng.permutation(mixed[:, place])
        if nmse(values, table_values(draft.tree, names, mixed)) < _FELT:
            return False
    if isinstance(draft.tree, Apply) and draft.tree.op == "add":
        for term in draft.tree.args:
            if not isinstance(term, Number) and np.var(table_values(term, names, inputs)) < _FELT * np.var(values):
                return False
    if beyond:
        outside = table_values(draft.tree, names, draw_inputs(rng, widened_box(draft.domain), _POINTS))
        return bool(np.isfinite(outside).all() and np.std(outside) < _WILDEST * np.std(values))
    return True


def linear_predictions(train: FloatArray, target: FloatArray, test: FloatArray) -> FloatArray:
    """What the best weighted sum of the columns, with a constant, predicts for the test rows."""
    weights = np.linalg.lstsq(np.column_stack([np.ones(len(train)), train]), target, rcond=None)[0]
    predicted: FloatArray = np.column_stack([np.ones(len(test)), test]) @ weights
    return predicted
