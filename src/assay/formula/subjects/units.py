"""Standardised inputs and targets, and formulas brought back to the data's own units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import FloatArray, column_spreads
from assay.formula.expression.expression import Expression, Number, Symbol, add, map_leaves, multiply, to_text
from assay.formula.expression.parser import parse

__all__ = ["Scaling", "expression_in_data_units", "in_data_units"]

# what single floats of seven digits hold with room for a square, and with four digits of the spread
_SMALLEST, _LARGEST, _LARGEST_OFFSET = 1e-6, 1e6, 1e3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scaling:
    """Means and standard deviations; 0 and 1 for what is not scaled."""

    centre: FloatArray
    spread: FloatArray
    target_centre: float
    target_spread: float

    @classmethod
    def of(cls, inputs: FloatArray, target: FloatArray, *, inputs_too: bool, target_too: bool) -> Scaling:
        """Of training data; a column that does not vary is only moved."""
        deviations = column_spreads(inputs)
        return cls(
            centre=inputs.mean(axis=0) if inputs_too else np.zeros(inputs.shape[1]),
            spread=np.where(deviations > 0, deviations, 1.0) if inputs_too else np.ones(inputs.shape[1]),
            target_centre=float(target.mean()) if target_too else 0.0,
            target_spread=(float(target.std()) or 1.0) if target_too else 1.0,
        )

    @classmethod
    def for_single_floats(cls, inputs: FloatArray, target: FloatArray) -> Scaling:
        """Of those columns that a method working in single precision would lose: tiny, huge, or far from 0.

        >>> scaling = Scaling.for_single_floats(np.array([[1.0], [2.0]]), np.array([3e-10, 5e-10]))
        >>> scaling.inputs(np.array([[2.0]])).tolist(), scaling.target(np.array([4e-10])).round(9).tolist()
        ([[2.0]], [0.4])
        """
        centres, spreads = zip(*map(_needed, (*inputs.T, target)), strict=True)
        return cls(
            centre=np.array(centres[:-1]),
            spread=np.array(spreads[:-1]),
            target_centre=centres[-1],
            target_spread=spreads[-1],
        )

    def inputs(self, values: FloatArray) -> FloatArray:
        """Inputs as the regressor sees them."""
        return (values - self.centre) / self.spread

    def target(self, values: FloatArray) -> FloatArray:
        """The target as the regressor sees it."""
        return (values - self.target_centre) / self.target_spread

    def back(self, values: FloatArray) -> FloatArray:
        """Predictions in the data's units."""
        return values * self.target_spread + self.target_centre

    @property
    def changes_nothing(self) -> bool:
        """Whether nothing is scaled."""
        same = not self.centre.any() and bool((self.spread == 1).all())
        return same and self.target_centre == 0 and self.target_spread == 1


def _needed(column: FloatArray) -> tuple[float, float]:
    """What to take off a column and what to divide it by: 0 and 1 where single floats hold it as it is."""
    largest = float(np.abs(column).max()) or 1.0
    mean, deviation = float((column / largest).mean()), float((column / largest).std())  # squares may overflow
    moved = deviation > 0 and abs(mean) > _LARGEST_OFFSET * deviation
    size = largest * deviation if moved else largest
    power = 10.0 ** round(np.log10(size)) if size > 0 else 1.0  # so that constants keep their digits
    return mean * largest if moved else 0.0, 1.0 if not power or _SMALLEST <= size <= _LARGEST else power


def in_data_units(text: str, variables: Sequence[str], scaling: Scaling) -> str:
    """A formula over standardised variables as one over the data's own; as it stands where nothing was scaled.

    >>> scaling = Scaling(centre=np.array([2.0]), spread=np.array([4.0]), target_centre=1.0, target_spread=3.0)
    >>> in_data_units("x0**2", ["mass"], scaling)
    '3.0*(0.25*(mass - 2.0))**2 + 1.0'
    """
    if scaling.changes_nothing:
        return text
    return to_text(expression_in_data_units(parse(text, columns=variables), variables, scaling))


def expression_in_data_units(tree: Expression, variables: Sequence[str], scaling: Scaling) -> Expression:
    """The same for a tree."""
    replaced: dict[str, Expression] = {}
    for name, centre, spread in zip(variables, scaling.centre.tolist(), scaling.spread.tolist(), strict=True):
        moved = add(Symbol(name), Number(-centre)) if centre else Symbol(name)
        replaced[name] = multiply(Number(1.0 / spread), moved) if spread != 1 else moved
    tree = map_leaves(tree, lambda leaf: replaced[leaf.name] if isinstance(leaf, Symbol) else leaf)
    if scaling.target_spread != 1:
        tree = multiply(Number(scaling.target_spread), tree)
    if scaling.target_centre:
        tree = add(tree, Number(scaling.target_centre))
    return tree
