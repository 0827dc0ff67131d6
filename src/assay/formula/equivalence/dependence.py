"""Which variables a model really uses: those that change its value, not those whose name appears."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.formula.equivalence.sampling import BOXES, Domain, check_domain
from assay.formula.expression.expression import Expression
from assay.formula.expression.program import Program

__all__ = ["used_variables"]

_POINTS = 200
_CHANGED = 1e-9


def used_variables(
    expression: Expression, *, domain: Domain | None = None, names: Sequence[str] | None = None, seed: int = 0
) -> tuple[str, ...]:
    """The variables on which the value depends somewhere on the domain, in the order of their appearance.

    One variable at a time gets new values. A change counts when it exceeds a billionth of the value's size, or when the
    value exists for one draw and not for the other.

    Parameters
    ----------
    expression : Expression
        The formula.
    domain : mapping of str to (float, float), optional
        Bounds by variable; by default boxes of positive numbers.
    names : sequence of str, optional
        The variables to ask for, in this order; by default those of the formula.
    seed : int, default 0
        Seed of the points.

    Returns
    -------
    tuple of str
        Names of variables; one that only appears is not among them.

    Examples
    --------
    >>> from assay.formula.expression.parser import parse
    >>> used_variables(parse("x + 0*y + z - z"))
    ('x',)
    """
    program = Program.of(expression)
    if domain is None:
        boxes: list[Domain] = [dict.fromkeys(program.symbols, bounds) for bounds in BOXES]
    else:
        boxes = [check_domain(domain, program.symbols)]
    rng = np.random.default_rng(seed)
    used: set[str] = set()
    for box in boxes:
        points = {name: rng.uniform(*box[name], size=_POINTS) for name in program.symbols}
        before = program.values(points)
        size = float(np.max(np.abs(before[np.isfinite(before)]), initial=0.0))
        for name in program.symbols:
            after = program.values({**points, name: rng.uniform(*box[name], size=_POINTS)})
            there, here = np.isfinite(after), np.isfinite(before)
            both = there & here
            if (there != here).any() or bool((np.abs(after[both] - before[both]) > _CHANGED * size).any()):
                used.add(name)
    order = program.symbols if names is None else tuple(names)
    return tuple(name for name in order if name in used)
