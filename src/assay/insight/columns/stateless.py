"""Whether a function leaves nothing behind, read from its source: only then may states of tables share a process.

A process that continues to another state gives the function new names and new tables. What could still outlast a state
lies in libraries: their attributes, their settings, their random numbers. So the source must name nothing but
libraries and built-ins known to be harmless, store no attributes but those of its own tables, and use no library other
than by calling it. This is about equal values, not about safety: a process has never more in its memory than the state
it is in, whatever it keeps. What cannot be read as harmless runs in a new process for every state.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from assay.insight.columns.calling import UNREADABLE, parse_source

__all__ = ["leaves_nothing", "names_in"]


def names_in(text: str) -> frozenset[str]:
    """The names that a text lists."""
    return frozenset(text.split())


# what the sandbox fills in, and may be imported
_LIBRARIES: Final = {
    "pandas": "pandas",
    "pd": "pandas",
    "numpy": "numpy",
    "np": "numpy",
    "math": "math",
    "datetime": "datetime",
    "date": "datetime",
    "timedelta": "datetime",
    "timezone": "datetime",
    "statistics": "statistics",
    "itertools": "itertools",
    "re": "re",
}
_CLASSES: Final = names_in("Counter defaultdict OrderedDict")
_TYPES: Final = names_in("Dict List Any Optional Tuple Union Set")
_BUILTINS: Final = names_in("""
abs all any bool bytes chr complex dict divmod enumerate filter float format frozenset hasattr int isinstance issubclass
iter len list map max min next ord pow print range repr reversed round set slice sorted str sum tuple zip
Exception BaseException StopIteration ArithmeticError AttributeError IndexError KeyError LookupError NameError
OverflowError RuntimeError TypeError ValueError ZeroDivisionError
""")
_CONSTANTS: Final = names_in("""
nan inf pi e tau newaxis NaT NA int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bool_
int_ float_ integer floating number ndarray datetime64 timedelta64 object_ str_ datetime date timedelta timezone
time utc min max I IGNORECASE
""")
# settings, random numbers, ways to run text, whatever keeps what it is given
_UNSETTLING: Final = names_in("""
options option_context describe_option api core random testing plotting lib char ctypeslib errstate getbufsize purge
eval cache lru_cache load save memmap frompyfunc vectorize sample query
""")
_PASSED_THROUGH: Final = names_in("""
linalg offsets tseries datetime date timedelta timezone chain add maximum minimum multiply logical_and logical_or
""")
_SHADOWED: Final = names_in("date timedelta timezone")  # also common names of variables

_IMPORTED: Final = frozenset({*_LIBRARIES.values(), "collections", "typing", "dateutil", "dateutil.relativedelta"})
_OWN_ATTRIBUTES: Final = frozenset({"columns", "index", "name"})
_STATEMENTS: Final = (
    ast.ClassDef,
    ast.AsyncFunctionDef,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.Await,
    ast.Delete,
)


@lru_cache(maxsize=512)
def leaves_nothing(code: str) -> bool:
    r"""Whether nothing that the source does can be seen by a later run of it with new names and new tables.

    >>> leaves_nothing("def f(row, aux): return len(aux['calls.csv'])")
    True
    >>> leaves_nothing("def f(row, aux):\n    pd.DataFrame.size = 1\n    return 1")
    False
    """
    try:
        tree = parse_source(code)
    except UNREADABLE:
        return False
    reading = _Reading(tree)
    return all(reading.harmless(node) for node in ast.walk(tree))


class _Reading:
    """What the names of one source stand for."""

    def __init__(self, tree: ast.Module) -> None:
        self.libraries = set(_LIBRARIES)
        self.own: set[str] = set()
        self.borrowed: set[str] = set()  # names that may stand for something of a library's
        self._called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        self._bases = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            self._note(node)
        # a class that is passed on could be stored into under another name
        self._stores = any(isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) for n in ast.walk(tree))

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef):
            self.own.add(node.name)
        elif isinstance(node, ast.arg):
            self.own.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self.own.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            self.own.add(node.id)
        elif isinstance(node, ast.alias):
            self.libraries.add((node.asname or node.name).split(".")[0])
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and not _makes_new(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            self.borrowed |= {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
        if isinstance(node, ast.For | ast.comprehension | ast.withitem):
            target = node.optional_vars if isinstance(node, ast.withitem) else node.target
            self.borrowed |= {name.id for name in ast.walk(target or ast.Pass()) if isinstance(name, ast.Name)}

    def harmless(self, node: ast.AST) -> bool:
        if isinstance(node, _STATEMENTS):
            return False
        if isinstance(node, ast.Import | ast.ImportFrom):
            return _imports_known(node)
        if isinstance(node, ast.FunctionDef):
            return not node.decorator_list
        if isinstance(node, ast.Name):
            return self._harmless_name(node)
        if isinstance(node, ast.Attribute):
            return self._harmless_attribute(node)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            return not self._of_library(node.value)
        if isinstance(node, ast.Constant):  # a text may be run as code by pandas
            return not isinstance(node.value, str) or "@" not in node.value
        return True

    def _harmless_name(self, node: ast.Name) -> bool:
        name = node.id
        if isinstance(node.ctx, ast.Store):
            return name in _SHADOWED or (name not in self.libraries and name not in _BUILTINS)
        if name in self.own or name in _BUILTINS or name in _CLASSES:
            return True
        if name in self.libraries:  # only to call something of it, to call it, or as a type
            return id(node) in self._bases | self._called or (name in _SHADOWED and not self._stores)
        return name in _TYPES

    def _harmless_attribute(self, node: ast.Attribute) -> bool:
        if node.attr.startswith("_") or node.attr in _UNSETTLING:
            return False
        if not isinstance(node.ctx, ast.Load):
            base = node.value
            own = isinstance(base, ast.Name) and base.id in self.own - self.borrowed - self.libraries
            return own and node.attr in _OWN_ATTRIBUTES and isinstance(node.ctx, ast.Store)
        if not self._of_library(node.value):
            return True
        if _settles(node.attr):
            return False
        if id(node) in self._called or node.attr in _CONSTANTS:
            return True
        passed = node.attr in _PASSED_THROUGH or node.attr[0].isupper()
        return passed if id(node) in self._bases else node.attr[0].isupper() and not self._stores

    def _of_library(self, node: ast.expr) -> bool:
        """Whether an expression is a library or something reached from one by attributes."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.libraries and node.id not in self.own


def _makes_new(value: ast.expr | None) -> bool:
    """Whether an expression gives an object that nothing else holds; a bare name or attribute may be a library's."""
    return all(not isinstance(part, ast.Name | ast.Attribute | ast.Starred) for part in _results(value))


def _results(value: ast.expr | None) -> Iterator[ast.expr]:
    if isinstance(value, ast.IfExp):
        yield from _results(value.body)
        yield from _results(value.orelse)
    elif isinstance(value, ast.BoolOp):
        for part in value.values:
            yield from _results(part)
    elif isinstance(value, ast.Tuple | ast.List):
        for part in value.elts:
            yield from _results(part)
    elif value is not None:
        yield value


def _settles(name: str) -> bool:
    """Whether a library's function may change a setting."""
    return name in _UNSETTLING or name.startswith(("set", "register", "reset", "_"))


def _imports_known(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.ImportFrom):
        names = [alias.name for alias in node.names]
        return not node.level and node.module in _IMPORTED and not any(n == "*" or _settles(n) for n in names)
    return all(alias.name in _IMPORTED for alias in node.names)
