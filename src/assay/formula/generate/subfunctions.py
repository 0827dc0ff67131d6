"""Subfunctions for problems with local optima: small, of few variables, none a multiple of another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.formula.equivalence.sampling import Domain
from assay.formula.expression.expression import symbols_of
from assay.formula.expression.parser import parse

__all__ = ["draw_subfunctions"]

_WIDTH = 3.0
_ONE = ("{a}**2", "{a}**3", "sin(2*{a})", "cos(2*{a})", "exp({a}/2)", "log(1 + {a}**2)")
_TWO = ("{a}*{b}", "{a}*{b}**2", "{a}*sin({b})", "sqrt(1 + {a}**2 + {b}**2)", "{a}/(1 + {b}**2)", "sin({a}*{b})")
_THREE = ("{a}*{b}*{c}", "{a}*{b}/(1 + {c}**2)")


def draw_subfunctions(rng: np.random.Generator, names: Sequence[str]) -> tuple[list[str], Domain]:
    """Different subfunctions, one less than there are variables; every variable occurs."""
    count = len(names) - 1
    while True:
        shapes = [*rng.permutation(_TWO)[: count - 1], str(rng.choice(_THREE if count > 3 else _ONE))]
        texts = []
        for shape in shapes:
            a, b, c = (names[place] for place in rng.choice(len(names), size=3, replace=False))
            texts.append(str(shape).format(a=a, b=b, c=c))
        if set(symbols_of(parse(" + ".join(texts), names=names, dialect="plain"))) == set(names):
            return texts, dict.fromkeys(names, (-_WIDTH, _WIDTH))
