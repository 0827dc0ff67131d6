"""The process in which sympy works: one JSON request per line in, one JSON reply per line out.

It is started and, when it takes too long, ended by ``symbolic``. Texts are read by our own parser;
sympy's evaluating reader is never used.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.core import InvalidInput
from assay.formula.equivalence.sympy_text import read_sympy_text
from assay.formula.expression.expression import Apply, Expression, Number, Symbol
from assay.formula.expression.functions import CONDITIONS, RELATIONS
from assay.formula.expression.parser import parse

__all__ = ["main"]

_MEMORY = 2 << 30


def build(expression: Expression, symbols: Mapping[str, Any], *, exact: bool) -> Any:
    """A sympy object; with ``exact`` decimals are read as fractions, so that they can cancel."""
    import sympy

    table = _table()

    def visit(node: Expression) -> Any:
        if isinstance(node, Number):
            if isinstance(node.value, int):
                return sympy.Integer(node.value)
            return sympy.Rational(repr(node.value)) if exact else sympy.Float(repr(node.value))
        if isinstance(node, Symbol):
            return symbols[node.name]
        if node.op == "piecewise":
            pairs = [(visit(value), holds(test)) for test, value in zip(node.args[::2], node.args[1::2], strict=False)]
            last = node.args[-1]
            return sympy.Piecewise(*pairs, *([] if last == Apply("nan", ()) else [(visit(last), True)]))
        if node.op in CONDITIONS:  # as a number
            return sympy.Piecewise((1, holds(node)), (0, True))
        return table[node.op](*(visit(argument) for argument in node.args))

    def holds(node: Expression) -> Any:
        if not isinstance(node, Apply) or node.op not in CONDITIONS:
            return sympy.Ne(visit(node), 0)
        if node.op in RELATIONS:
            return getattr(sympy, node.op.capitalize())(*(visit(argument) for argument in node.args))
        return getattr(sympy, node.op.capitalize())(*(holds(argument) for argument in node.args))

    return visit(expression)


def _table() -> Mapping[str, Callable[..., Any]]:
    import sympy

    named: dict[str, Callable[..., Any]] = {
        "add": sympy.Add,
        "mul": sympy.Mul,
        "neg": lambda a: -a,
        "div": lambda a, b: a / b,
        "pow": lambda a, b: a**b,
        "inv": lambda a: 1 / a,
        "square": lambda a: a**2,
        "cube": lambda a: a**3,
        "expm1": lambda a: sympy.exp(a) - 1,
        "log2": lambda a: sympy.log(a, 2),
        "log10": lambda a: sympy.log(a, 10),
        "log1p": lambda a: sympy.log(1 + a),
        "abs": sympy.Abs,
        "ceil": sympy.ceiling,
        "mod": sympy.Mod,
        "max": sympy.Max,
        "min": sympy.Min,
        "protected_sqrt": lambda a: sympy.sqrt(sympy.Abs(a)),
        "analytic_quotient": lambda a, b: a / sympy.sqrt(1 + b**2),
        "pi": lambda: sympy.pi,
        "e": lambda: sympy.E,
        "i": lambda: sympy.I,
        "nan": lambda: sympy.nan,
    }
    plain = (
        "sqrt cbrt exp log sin cos tan cot sec csc asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc sign "
        "floor"
    )
    named.update({name: getattr(sympy, name) for name in plain.split()})
    return named


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Do one task: ``simplify``, ``nodes``, ``text_nodes`` or ``relate``."""
    import sympy

    names: Sequence[str] = request["names"]
    positive = set(request.get("positive", ()))
    # sizes are those of symbols without assumptions: of a real one sympy would write abs(x)**4 as x**4
    real = None if request["task"] == "nodes" else True
    symbols = {
        name: sympy.Symbol(f"v{place}", real=real, positive=name in positive or None)
        for place, name in enumerate(names)
    }

    def read(text: str, exact: bool) -> Any:
        return build(parse(text, names=names, dialect="plain"), symbols, exact=exact)

    if request["task"] == "text_nodes":
        return {"nodes": sum(1 for _ in sympy.preorder_traversal(read_sympy_text(request["text"], names)))}
    if request["task"] == "nodes":
        return {"nodes": sum(1 for _ in sympy.preorder_traversal(read(request["text"], False)))}
    if request["task"] == "simplify":
        return {"text": sympy.sstr(sympy.simplify(read(request["text"], False)))}
    truth, model = read(request["truth"], True), read(request["model"], True)
    difference = sympy.simplify(truth - model)
    if difference == 0:
        return {"relation": "identical", "value": "0"}
    if not difference.free_symbols:
        return {"relation": "offset", "value": str(difference.evalf(15))}
    ratio = sympy.simplify(truth / model)
    if not ratio.free_symbols and ratio != 0:
        return {"relation": "factor", "value": str(ratio.evalf(15))}
    return {"relation": None}


def main() -> None:
    """Serve until the other end closes."""
    import sympy

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    sys.stdout.write(json.dumps({"ready": sympy.__version__}) + "\n")
    sys.stdout.flush()
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except KeyError as missing:  # protected operations
            reply = {"error": f"sympy has no {missing.args[0]}"}
        except (
            InvalidInput,
            ArithmeticError,
            NotImplementedError,
            RecursionError,
            SyntaxError,
            TypeError,
            ValueError,
        ) as error:
            reply = {"error": f"{type(error).__name__}: {error}"[:300]}
        except MemoryError:
            reply = {"error": "out of memory"}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
