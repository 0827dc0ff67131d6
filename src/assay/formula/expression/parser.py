"""From the text of a formula to its tree: our own grammar, nothing is executed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from assay.core import InvalidInput, UnknownName
from assay.formula.expression.dialects import DIALECTS, Dialect, DialectName, find_dialect, resolve_names
from assay.formula.expression.expression import Apply, Expression, Symbol, symbols_of
from assay.formula.expression.functions import CONSTANTS
from assay.formula.expression.latex import is_latex, tokenize_latex
from assay.formula.expression.reader import Function, Reader
from assay.formula.expression.statements import Statement, split_statements
from assay.formula.expression.tokens import MAX_CHARACTERS, tokenize
from assay.formula.expression.traversals import is_traversal, read_postfix, read_traversal

__all__ = ["parse", "rename"]

_LISTED = re.compile(r"\s*\[([^\[\]()]*)\]\s*\Z")  # a traversal as Python prints a list


class _Read(NamedTuple):
    tree: Expression
    dialect: Dialect


def parse(
    text: str,
    *,
    names: Collection[str] | None = None,
    columns: Collection[str] | None = None,
    dialect: DialectName = "auto",
) -> Expression:
    """Read a formula; nothing is evaluated as code.

    Parameters
    ----------
    text : str
        The formula.
    names : collection of str, optional
        The variables that exist: they win over constants of the same name (``E``, ``I``, ``pi``), and any other
        variable is an error. By default every name is a variable.
    columns : collection of str, optional
        The same in the order of the data; then a model may also count columns (``x0``, ``X1``, ``x[:,0]``).
    dialect : {"auto", "plain", "gplearn", "operon", "pysr", "eureqa", "dso", "aifeynman", "latex"}, default "auto"
        How the formula is written.

    Returns
    -------
    Expression
        The formula as a tree.

    Raises
    ------
    InvalidInput
        The text cannot be read; the message names the place.
    UnknownName
        A variable or function does not exist.

    Examples
    --------
    >>> parse("2*x^2 + add(y, 1)", dialect="plain").nodes
    8
    >>> from assay.formula.expression.expression import to_text
    >>> to_text(parse("mul(X1, X0)", columns=["mass", "speed"]))
    'speed*mass'
    >>> to_text(parse("f(x) = 2x² if x > 0 else |x|"))
    'Piecewise((2*x**2, x > 0), (abs(x), True))'
    >>> parse("x + spede", names=["x", "speed"])
    Traceback (most recent call last):
        ...
    assay.core.errors.UnknownName: No variable named 'spede'. Did you mean 'speed'? Known: speed, x.
    """
    if len(text) > MAX_CHARACTERS:
        raise InvalidInput(f"the formula has {len(text)} characters, more than {MAX_CHARACTERS}.")
    variables = names if names is not None else columns
    postfix = read_postfix(text) if dialect == "aifeynman" else None
    if postfix is not None:
        expression, chosen = postfix, DIALECTS["aifeynman"]
        parameters: tuple[str, ...] | None = None
    else:
        text, statements = split_statements(text)
        expression, chosen = _read_all(text, statements, variables, dialect)
        parameters = statements[-1].parameters
    if columns is not None:
        ordered = list(columns)
        symbols = symbols_of(expression)
        if parameters and len(parameters) == len(ordered) and not set(parameters) & set(ordered):
            # a function of as many variables as there are columns takes them in their order
            mapping = dict(zip(parameters, ordered, strict=True))
            unknown = [name for name in symbols if name not in mapping and name not in ordered]
            if not unknown:
                return rename(expression, mapping)
        mapping = resolve_names(symbols, ordered, first_column=chosen.first_column)
        return expression if all(name == own for name, own in mapping.items()) else rename(expression, mapping)
    if names is not None:
        for name in symbols_of(expression):
            if name not in names:
                raise UnknownName("variable", name, names)
    return expression


def _read_all(text: str, statements: list[Statement], variables: Collection[str] | None, dialect: DialectName) -> _Read:
    """The last formula, with the ones before it inserted where it uses them."""
    defined: dict[str, Function] = {}
    used: set[str] = set()
    for statement in statements[:-1]:
        name = statement.name
        if name is None or name in defined:
            raise InvalidInput(f"the text has several formulas; give one (the second begins at {statement.end}).")
        tree = _read(text, statement, variables, dialect, defined, used).tree
        defined[name] = Function(statement.parameters, tree)
    if statements[-1].name in defined:
        raise InvalidInput(f"the text has several formulas for {statements[-1].name!r}; give one.")
    read = _read(text, statements[-1], variables, dialect, defined, used)
    unused = [name for name in defined if name not in used]
    if unused:
        raise InvalidInput(f"the text has several formulas; give one ({unused[0]!r} is never used).")
    return read


def _read(
    text: str,
    statement: Statement,
    variables: Collection[str] | None,
    dialect: DialectName,
    defined: Mapping[str, Function],
    used: set[str],
) -> _Read:
    start, end, parameters = statement.start, statement.end, statement.parameters
    if parameters:
        variables = {*(variables or ()), *parameters}
    if dialect != "dso" and is_latex(text, start, end, dialect):
        tokens = tokenize_latex(text, start, end, variables)
        in_latex = True
    else:
        if dialect in ("auto", "dso") and (listed := _LISTED.match(text, start, end)) is not None:
            start, end = listed.span(1)
            text = text.replace("'", " ").replace('"', " ")
        tokens = tokenize(text, start, end)
        in_latex = False
    chosen = find_dialect(dialect, tokens)
    reader = Reader(chosen, variables, tokens, text, defined, in_latex, used)
    if dialect in ("auto", "dso") and is_traversal(tokens, chosen):
        chosen = DIALECTS["dso"]
        reader = replace(reader, dialect=chosen)
        return _Read(read_traversal(tokens, chosen, reader.leaf), chosen)
    return _Read(reader.read(), chosen)


def rename(expression: Expression, names: Mapping[str, str]) -> Expression:
    """The same tree with other names of variables; names that are not in the mapping stay.

    >>> rename(parse("a + b"), {"a": "b", "b": "a"})
    Apply(b + a, 3 nodes)
    """
    if isinstance(expression, Symbol):
        return Symbol(names.get(expression.name, expression.name))
    if isinstance(expression, Apply) and expression.op not in CONSTANTS:
        return Apply(expression.op, tuple(rename(argument, names) for argument in expression.args))
    return expression
