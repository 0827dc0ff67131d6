"""Constants snapped to numbers that people write, where the data are sure of them and the error stays what it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import isfinite, pi, sqrt

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.fitting import Fit, fit_constants, standard_errors
from assay.formula.discovery.simplification import folded
from assay.formula.discovery.tape import Tape, with_node
from assay.formula.expression.expression import Apply, Expression, Number, divide, multiply

__all__ = ["nice_numbers", "snapped"]

_SURE = 0.05  # tolerance over the spacing of the nice numbers: more would be chance
_DIGITS = 5
_ALLOWED = 3.0  # in units of twice the log-likelihood, for each constant
_NOISE_FREE = 1e-15  # of the variance: below it a whole number is meant as one
_UNITS: tuple[tuple[float, Expression | None], ...] = (
    (1.0, None),
    (pi, Apply("pi", ())),
    (sqrt(2.0), Apply("sqrt", (Number(2),))),
    (sqrt(pi), Apply("sqrt", (Apply("pi", ()),))),
    (sqrt(2 * pi), Apply("sqrt", (multiply(Number(2), Apply("pi", ())),))),
)


def snapped(fit: Fit, columns: Mapping[str, FloatArray], target: FloatArray) -> Fit:
    """The model with as many constants snapped as the data allow; the others are fitted again."""
    variance = float(np.var(target)) or 1.0
    floor = 1e-22 * variance
    exact = fit.error <= _NOISE_FREE * variance
    next_place = 0
    while True:
        tape = Tape(fit.expression)
        frozen = [place for place in tape.slots if place < next_place]
        waiting = [number for number, place in enumerate(tape.slots) if place >= next_place]
        if not waiting or not tape.is_smooth:
            break
        errors = standard_errors(fit.expression, columns, target)
        number = waiting[0]
        place, value = tape.slots[number], float(tape.constants[number])
        next_place = place + 1
        tolerance = max(2 * float(errors[number]), 1e-9 * abs(value))
        for option in nice_numbers(value, tolerance):
            if not exact and isinstance(option, Number):
                option = Number(float(option.value))
            tree = with_node(fit.expression, place, option)
            grown = place + option.nodes
            fixed = [*frozen, *([place] if isinstance(option, Number) and isinstance(option.value, float) else [])]
            tried = fit_constants(tree, columns, target, rounds=6, frozen=fixed)
            if len(target) * np.log(max(tried.error, floor) / max(fit.error, floor)) <= _ALLOWED:
                fit, next_place = tried, grown
                break
    simple = folded(fit.expression)
    return fit if simple == fit.expression else fit._replace(expression=simple)


def nice_numbers(value: float, tolerance: float) -> Iterator[Expression]:
    """Numbers with few digits, small fractions, multiples of known constants within the tolerance; the simplest first.

    >>> from assay.formula.expression.expression import to_text
    >>> [to_text(one) for one in nice_numbers(3.0000001, 1e-6)], [to_text(one) for one in nice_numbers(6.2831853, 1e-6)]
    (['3'], ['2*pi'])
    """
    if not isfinite(value) or not isfinite(tolerance) or not value:
        return
    options: list[tuple[float, int, Expression]] = []
    exponent = int(np.floor(np.log10(abs(value))))
    for digits in range(1, _DIGITS + 1):
        decimals = digits - 1 - exponent
        near = round(value, decimals)
        if abs(near - value) <= tolerance and tolerance < _SURE * 10.0**-decimals:
            options.append((digits, 0, Number(int(near) if near == int(near) and abs(near) < 1e6 else float(near))))
            break
    for order, (unit, unit_tree) in enumerate(_UNITS):
        ratio = Fraction(value / unit).limit_denominator(12 if unit_tree is None else 6)
        small = abs(ratio.numerator) <= 12 and ratio.denominator > (1 if unit_tree is None else 0)
        if ratio and small and abs(float(ratio) * unit - value) <= tolerance < 1e-4 * abs(value):
            cost = 2 + order / 4 + len(str(abs(ratio.numerator))) / 2 + len(str(ratio.denominator)) / 2
            options.append((cost, 1 + order, _fraction(ratio, unit_tree)))
    yield from (tree for _, _, tree in sorted(options, key=lambda entry: entry[:2]))


def _fraction(ratio: Fraction, unit: Expression | None) -> Expression:
    above: Expression = Number(ratio.numerator)
    if unit is not None:
        above = unit if ratio.numerator == 1 else multiply(Number(ratio.numerator), unit)
    return above if ratio.denominator == 1 else divide(above, Number(ratio.denominator))
