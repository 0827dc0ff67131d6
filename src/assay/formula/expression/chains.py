"""Sums, products, comparisons and truth values in a row, which grow while a formula is read."""

from __future__ import annotations

from typing import Any, NamedTuple

from assay.formula.expression.calls import condition
from assay.formula.expression.expression import Apply, Expression, add, multiply, negate
from assay.formula.expression.functions import RELATIONS

__all__ = ["CHAINS", "Chain", "chained", "closed"]

# the operators that form a chain, with what it is a chain of
CHAINS = {
    **{"+": "add", "-": "add", "*": "mul", "&": "and", "&&": "and", "and": "and", "|": "or", "||": "or", "or": "or"},
    **dict.fromkeys(RELATIONS.values(), "relation"),
}
_RELATION_OF = {sign: name for name, sign in RELATIONS.items()}


class Chain(NamedTuple):
    """A sum, a product and so on that may still grow: a tree for every length would cost the square of its length."""

    op: str
    parts: list[Any]


def closed(value: Any) -> Any:
    """The tree of a chain that grows no more; any other value as it is."""
    if not isinstance(value, Chain):
        return value
    if value.op == "add":
        return add(*value.parts)
    if value.op == "mul":
        return multiply(*value.parts)
    if value.op == "relation":
        first, *rest = value.parts
        relations: list[Expression] = []
        for sign, second in zip(rest[::2], rest[1::2], strict=True):
            relations.append(Apply(_RELATION_OF[sign], (first, second)))
            first = second
        return relations[0] if len(relations) == 1 else Apply("and", tuple(relations))
    return Apply(value.op, tuple(condition(part, repr(value.op)) for part in value.parts))


def chained(left: Any, operator: str, right: Expression) -> Chain:
    """The chain on the left with one more part, or a new one of two."""
    op = CHAINS[operator]
    chain = left if isinstance(left, Chain) and left.op == op else Chain(op, [closed(left)])
    if op == "relation":
        chain.parts.append(operator)
    chain.parts.append(negate(right) if operator == "-" else right)
    return chain
