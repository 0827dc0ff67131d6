"""A text as ``sympy.sympify`` would hold it, without its evaluating reader: for sizes as competitions counted them.

Operations are applied from left to right as Python does, to symbols without assumptions, with sympy's own automatic
evaluation; a tree that was read otherwise may have more or fewer nodes.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.core import InvalidInput

__all__ = ["read_sympy_text"]

_FUNCTIONS = (
    "sin cos tan cot sec csc asin acos atan atan2 acot sinh cosh tanh coth asinh acosh atanh exp log ln sqrt cbrt root "
    "Abs sign floor ceiling Max Min Mod erf erfc gamma factorial Heaviside Piecewise Rational Float Integer Add Mul "
    "Pow And Or Not Gt Ge Lt Le Eq Ne sinc re im conjugate LambertW"
)
_OTHERWISE = {
    **{"abs": "Abs", "absolute": "Abs", "fabs": "Abs", "max": "Max", "maximum": "Max", "min": "Min", "minimum": "Min"},
    **{"pow": "Pow", "power": "Pow", "ceil": "ceiling", "arcsin": "asin", "arccos": "acos", "arctan": "atan"},
    **{"arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "heaviside": "Heaviside"},
}
_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_RELATIONS: Mapping[type[ast.cmpop], str] = {
    ast.Gt: "Gt",
    ast.GtE: "Ge",
    ast.Lt: "Lt",
    ast.LtE: "Le",
    ast.Eq: "Eq",
    ast.NotEq: "Ne",
}
_CONSTANTS = ("pi", "E", "I", "oo", "nan", "zoo")


def read_sympy_text(text: str, names: Sequence[str]) -> Any:
    """The sympy object; names of the data win over constants. What is not known here is an InvalidInput."""
    import sympy

    def visit(node: ast.AST) -> Any:
        match node:
            case ast.Constant(value=bool() as value):
                return sympy.true if value else sympy.false
            case ast.Constant(value=int() as value):
                return sympy.Integer(value)
            case ast.Constant(value=float() as value):
                return sympy.Float(repr(value))
            case ast.Name(id=name):
                return getattr(sympy, name) if name in _CONSTANTS and name not in names else sympy.Symbol(name)
            case ast.Attribute(attr=name) if name in _CONSTANTS:
                return getattr(sympy, name)
            case ast.Subscript():
                return sympy.Symbol(ast.unparse(node))
            case ast.Tuple(elts=entries):
                return tuple(visit(entry) for entry in entries)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return _BINARY[type(op)](visit(left), visit(right))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return _UNARY[type(op)](visit(operand))
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [visit(side) for side in (left, *others)]
                tests = [
                    getattr(sympy, _RELATIONS[type(op)])(a, b) for op, a, b in zip(ops, sides, sides[1:], strict=False)
                ]
                return sympy.And(*tests) if len(tests) > 1 else tests[0]
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=arguments, keywords=[]):
                return called(name, [visit(argument) for argument in arguments])
        raise InvalidInput(f"sympy would not read {ast.unparse(node)[:60]!r}.")

    def called(name: str, arguments: list[Any]) -> Any:
        function = _OTHERWISE.get(name, name)
        if function in _FUNCTIONS.split():
            return getattr(sympy, function)(*arguments)
        if name in ("where", "ifelse") and len(arguments) == 3:
            return sympy.Piecewise((arguments[1], arguments[0]), (arguments[2], True))
        raise InvalidInput(f"sympy has no function {name!r}.")

    return visit(ast.parse(text.strip().replace("^", "**"), mode="eval").body)
