"""Truth and model as trees over the same variables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from assay.core import InvalidInput
from assay.formula.equivalence.sampling import Domain, check_domain
from assay.formula.expression.dialects import DialectName
from assay.formula.expression.expression import Apply, Expression, Number, Symbol, symbols_of, sympy_as_text
from assay.formula.expression.parser import parse

__all__ = ["Pair", "natural_order", "read_model", "read_truth"]


class Pair(NamedTuple):
    """The truth, and the variables of the data in their order."""

    truth: Expression
    columns: tuple[str, ...]


def natural_order(names: Sequence[str]) -> list[str]:
    """Names sorted as people do: x2 before x10.

    >>> natural_order(["x10", "y1", "x2"])
    ['x2', 'x10', 'y1']
    """
    return sorted(names, key=lambda name: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)])


def read_truth(truth: str | Expression, *, domain: Domain | None, names: Sequence[str] | None) -> Pair:
    """The truth with its variables: those declared, or all its names, ``I`` among them, as a truth is real.

    A truth that cannot be read is the caller's mistake, so it is an error and no verdict.
    """
    truth = _formula(truth, "truth")
    declared = list(names) if names is not None else None if domain is None else list(domain)
    if isinstance(truth, str):
        try:
            if names is None:
                # a variable without bounds is named below, with the way out
                used = symbols_of(parse(truth, dialect="plain"))
                tree = parse(truth, names={*used, *(["I"] if domain is None else domain)}, dialect="plain")
            else:
                tree = parse(truth, names=names, dialect="plain")
        except InvalidInput as error:
            raise InvalidInput(f"truth {truth[:80]!r}: {error}") from None
    else:
        tree = truth
    if declared is None:
        declared = natural_order(symbols_of(tree))
    elif domain is not None:
        check_domain(domain, symbols_of(tree))
    return Pair(tree, tuple(declared))


def _formula(value: str | Expression, what: str) -> str | Expression:
    formula: str | Expression = sympy_as_text(value)
    if not isinstance(formula, str | Number | Symbol | Apply):
        raise InvalidInput(f"{what}: must be the text of a formula or an expression of sympy, got {value!r:.60}.")
    return formula


def read_model(model: str | Expression, pair: Pair, dialect: DialectName) -> Expression:
    """The model over the truth's variables; it may count them instead of naming them."""
    model = _formula(model, "model")
    if isinstance(model, str):
        return parse(model, columns=pair.columns, dialect=dialect)
    unknown = [name for name in symbols_of(model) if name not in pair.columns]
    if unknown:
        raise InvalidInput(f"the model uses {unknown[0]!r}, which is not a variable: {', '.join(pair.columns)}.")
    return model
