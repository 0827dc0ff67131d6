"""Formulas drawn at random: families of a known shape, graded by their size and operations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from assay.core import InvalidInput
from assay.formula.equivalence.sampling import Domain
from assay.formula.expression.canonical import canonical
from assay.formula.expression.expression import Apply, Expression, Number, subtrees
from assay.formula.expression.parser import parse

__all__ = ["DIFFICULTIES", "FAMILIES", "Difficulty", "RandomFormula", "coefficient", "draw_formula", "grade"]

Difficulty: TypeAlias = Literal["easy", "medium", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)

_RANGES = ((-3.0, 3.0), (-2.0, 2.0), (0.5, 3.0), (1.0, 4.0))
_ARITHMETIC = {"add", "mul", "neg", "pi"}
_EASY_NODES, _MEDIUM_NODES = 16, 26
_ATTEMPTS = 500


class RandomFormula(NamedTuple):
    """A formula, where its variables lie, and the family it comes from."""

    formula: str
    domain: Domain
    family: str


def grade(expression: Expression) -> Difficulty:
    """How hard a formula is to find, by its nodes and operations.

    Easy: at most 16 nodes, and nothing but sums, products and whole powers. Medium: at most 26 nodes, and no function
    inside of another one. Hard: everything else.

    >>> grade(parse("x*y + 2*x")), grade(parse("sin(x)/y")), grade(parse("exp(sin(x))"))
    ('easy', 'medium', 'hard')
    """
    plain = all(not isinstance(node, Apply) or _is_arithmetic(node) for node in subtrees(expression))
    if plain and expression.nodes <= _EASY_NODES:
        return "easy"
    return "medium" if expression.nodes <= _MEDIUM_NODES and _nesting(expression) <= 1 else "hard"


def _is_arithmetic(node: Apply) -> bool:
    if node.op == "pow":
        return isinstance(node.args[1], Number) and isinstance(node.args[1].value, int) and node.args[1].value > 0
    return node.op in _ARITHMETIC or (node.op == "div" and isinstance(node.args[1], Number))


def _nesting(node: Expression) -> int:
    if not isinstance(node, Apply):
        return 0
    below = max((_nesting(argument) for argument in node.args), default=0)
    return below + (node.op not in {*_ARITHMETIC, "div", "pow"})


def coefficient(rng: np.random.Generator, low: float = 0.3, high: float = 3.0, *, signed: bool = True) -> str:
    """A constant of two decimals, as text that may stand behind any operator."""
    value = round(float(rng.uniform(low, high)), 2)
    return f"(-{value})" if signed and rng.random() < 0.4 else str(value)


def _plain_signs(text: str) -> str:
    """``a - 2*b`` instead of ``a + (-2)*b``."""
    return re.sub(r"(^|\()\(-([\d.]+)\)", r"\1-\2", re.sub(r"\+ \(-([\d.]+)\)", r"- \1", text))


def _pick(rng: np.random.Generator, names: Sequence[str], count: int) -> list[str]:
    return [names[place] for place in rng.choice(len(names), size=min(count, len(names)), replace=False)]


def _terms(expression: Expression) -> int:
    sums = (node for node in subtrees(expression) if isinstance(node, Apply) and node.op == "add")
    return sum(len(node.args) for node in sums)


def _monomial(rng: np.random.Generator, names: Sequence[str]) -> str:
    chosen = _pick(rng, names, int(rng.integers(1, 3)))
    powers = [name if rng.random() < 0.6 else f"{name}**2" for name in chosen]
    return "*".join([coefficient(rng), *powers])


def _waves(rng: np.random.Generator, names: Sequence[str]) -> str:
    return f"{coefficient(rng)}*{rng.choice(['sin', 'cos'])}({coefficient(rng, 0.5, 2.5, signed=False)}*{names[0]})"


def _bounded(rng: np.random.Generator, names: Sequence[str]) -> str:
    """A function that is defined everywhere, of one or two variables."""
    inner = "*".join(_pick(rng, names, int(rng.integers(1, 3))))
    squared = f"({inner})**2" if "*" in inner else f"{inner}**2"
    scale = coefficient(rng, 0.2, 0.9, signed=False)
    shapes = (f"sin({inner})", f"exp(-{scale}*{names[0]}**2)", f"sqrt(1 + {squared})", f"log(2 + {names[0]}**2)",
              f"tanh({scale}*{inner})")  # fmt: skip
    return str(rng.choice(shapes))


def _split(rng: np.random.Generator, names: Sequence[str]) -> list[list[str]]:
    """The variables in groups of one or two, so that every one occurs."""
    mixed = _pick(rng, names, len(names))
    groups: list[list[str]] = []
    while mixed:
        size = int(rng.integers(1, 3))
        groups.append(mixed[:size])
        mixed = mixed[size:]
    return groups


def _polynomial(rng: np.random.Generator, names: Sequence[str]) -> str:
    terms = ["*".join([coefficient(rng), *group]) for group in _split(rng, names)]
    terms += [_monomial(rng, names) for _ in range(int(rng.integers(1, 3)))]
    return " + ".join(terms)


def _product(rng: np.random.Generator, names: Sequence[str]) -> str:
    factors = [" + ".join([*group, coefficient(rng)]) for group in _split(rng, names)]
    return "*".join([coefficient(rng), *(f"({factor})" for factor in factors)])


def _rational(rng: np.random.Generator, names: Sequence[str]) -> str:
    below = " + ".join(f"{coefficient(rng, 0.1, 0.6, signed=False)}*{name}**2" for name in _pick(rng, names, 2))
    return f"({_polynomial(rng, names)})/(1 + {below})"


def _periodic(rng: np.random.Generator, names: Sequence[str]) -> str:
    first, *rest = _split(rng, names)
    terms = [_waves(rng, first) + "".join(f"*{name}" for name in first[1:])]
    return " + ".join([*terms, *("*".join([coefficient(rng), *group]) for group in rest), _monomial(rng, names)])


def _carried(rng: np.random.Generator, names: Sequence[str]) -> str:
    """A bounded function times its variables, so that it does not flatten out."""
    return "*".join([coefficient(rng), _bounded(rng, names), *names])


def _mixed(rng: np.random.Generator, names: Sequence[str]) -> str:
    terms = [
        f"{coefficient(rng)}*{_bounded(rng, group)}" + "".join(f"*{x}" for x in group) for group in _split(rng, names)
    ]
    return " + ".join([*terms, coefficient(rng)])


def _nested(rng: np.random.Generator, names: Sequence[str]) -> str:
    first, *rest = _split(rng, names)
    inside = _bounded(rng, first) + "".join(f" + {coefficient(rng, signed=False)}*{name}" for name in first)
    outside = rng.choice(["sin({})", "exp(-({})**2/4)", "sqrt(1 + ({})**2)", "tanh({})"]).format(inside)
    others = [_carried(rng, group) for group in rest]
    return " + ".join([f"{coefficient(rng, 1.0, 3.0)}*{outside}", *others, _monomial(rng, names)])


FAMILIES: Mapping[str, Callable[[np.random.Generator, Sequence[str]], str]] = {
    "polynomial": _polynomial,
    "product": _product,
    "rational": _rational,
    "periodic": _periodic,
    "mixed": _mixed,
    "nested": _nested,
}


def draw_formula(
    rng: np.random.Generator,
    names: Sequence[str],
    difficulty: Difficulty,
    *,
    families: Sequence[str] = tuple(FAMILIES),
) -> RandomFormula:
    """A formula of that difficulty in which every one of the variables is written."""
    for _ in range(_ATTEMPTS):
        family = str(rng.choice(list(families)))
        text = _plain_signs(FAMILIES[family](rng, names))
        tree = parse(text, names=names, dialect="plain")
        if grade(tree) == difficulty and _terms(canonical(tree)) == _terms(tree):  # no two terms are alike
            domain = {name: _RANGES[int(rng.integers(len(_RANGES)))] for name in names}
            return RandomFormula(text, domain, family)
    raise InvalidInput(
        f"no {difficulty} formula of {len(names)} variables was found among the families {', '.join(families)}; "
        "take another difficulty or number of variables."
    )
