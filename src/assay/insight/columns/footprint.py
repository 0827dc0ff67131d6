"""What a row function can read, according to its source: which columns of the row and of the training table.

Rows that are equal in all that a function reads have equal values, so it need not be run for each of them, nor again
when only something else has changed. For that the source may use only operations that always give the same result and
change nothing that outlasts the call; a function with any other operation is run in full.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from assay.insight.columns.calling import parse_source, read_plan
from assay.insight.columns.stateless import leaves_nothing, names_in

__all__ = ["Footprint", "read_footprint"]

_METHODS: Final = names_in("""
abs all any astype between capitalize columns contains copy corr count cumsum date day day_name dayofweek dayofyear
days diff dropna drop_duplicates dt dtype empty endswith eq expanding fillna first get groupby gt hour idxmax idxmin
iloc index is_integer isdigit isin isna isnull isoformat item items join keys last le len loc lower lstrip lt max mean
median merge min minute mode month month_name ndim ne nlargest normalize notna notnull nsmallest nunique prod quantile
quarter rank replace reset_index rolling round rstrip seconds shape shift size skew sort_values split startswith std
str strftime strip sum tail head title to_list to_numpy tolist total_seconds unique upper value_counts values var
weekday year zfill
""")
_STATISTICS: Final = names_in("sum mean median min max std var count nunique first last size")
_GROWING: Final = names_in("append add extend update")  # of what the call itself has made
_FRESH: Final = names_in("merge copy reset_index dropna sort_values")  # give a table that nothing else holds
_MASKS: Final = names_in("isin notna isna isnull notnull between contains startswith endswith eq ne lt le gt ge")
_LIBRARIES: Final = {
    "pandas": names_in("""
        to_datetime to_timedelta to_numeric Timestamp Timedelta DateOffset DataFrame Series isna isnull notna
        notnull merge concat cut NaT NA
    """),
    "numpy": names_in("""
        abs all any arange array average ceil clip cumsum diff exp floor floor_divide isclose isfinite isinf
        isnan log log10 log1p log2 max maximum mean median min minimum nanmax nanmean nanmedian nanmin nanstd nansum
        percentile power prod quantile round sign sqrt std sum unique var where nan inf pi float64 int64 bool_ ndarray
        integer floating number
    """),
    "math": frozenset(name for name in dir(math) if name[0] != "_"),
    "statistics": names_in("mean median stdev pstdev variance pvariance mode fmean"),
    "datetime": names_in("datetime date timedelta strptime fromisoformat"),
    "re": names_in("search match fullmatch sub findall split I IGNORECASE"),
}
_ALIASES: Final = {"pd": "pandas", "np": "numpy", "date": "datetime", "timedelta": "datetime"}
_PLACES: Final = {
    **dict.fromkeys(["arange", "array", "isclose", "maximum", "minimum", "power", "round"], 2),
    **dict.fromkeys(["percentile", "quantile"], 2),
    **dict.fromkeys(["clip", "where"], 3),
}
_FORBIDDEN_ARGUMENTS: Final = frozenset({"inplace", "out", "copy", "where"})
_TYPES: Final = names_in("int float str bool dict list tuple set")
_PURE: Final = names_in("""
abs all any bool dict divmod enumerate float int isinstance len list map max min pow print range reversed round set
sorted str sum tuple zip frozenset filter
""")
_ERRORS: Final = names_in("""
Exception ArithmeticError AttributeError IndexError KeyError LookupError OverflowError TypeError ValueError
ZeroDivisionError
""")
_NODES: Final = (
    *(ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.If, ast.For, ast.Try, ast.ExceptHandler),
    *(ast.Pass, ast.Break, ast.Continue, ast.Raise, ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp),
    *(ast.Compare, ast.Call, ast.keyword, ast.Attribute, ast.Subscript, ast.Slice, ast.IfExp, ast.List, ast.Tuple),
    *(ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
    *(ast.JoinedStr, ast.FormattedValue, ast.Import, ast.ImportFrom, ast.alias),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context),
)


class Footprint(NamedTuple):
    """Everything that a function's value can depend on; equal there, equal values."""

    row: tuple[str, ...]  # columns of the row
    train: tuple[str, ...] | None  # columns of the training table; None: any of them
    auxiliary: bool  # whether auxiliary tables are read


@lru_cache(maxsize=512)
def read_footprint(code: str, name: str, columns: tuple[str, ...]) -> Footprint | None:
    """What the function can read when it is called with rows of these columns; None where that is not certain.

    >>> read_footprint("def f(row, df_train): return df_train[df_train['a'] == row['b']]['c'].sum()", "f", ("b",))
    Footprint(row=('b',), train=('a', 'c'), auxiliary=False)
    >>> read_footprint("def f(row): return row.name", "f", ("b",)) is None
    True
    """
    plan = read_plan(code, name, columns)
    if plan is None or plan.vectorised or not leaves_nothing(code):
        return None
    tree = parse_source(code)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if len(functions) != 1 or not all(_is_idle(node) for node in tree.body if node not in functions):
        return None
    constants = {name for node in tree.body for name, _ in _bound(node)}
    reading = _Reading(functions[0], plan.key, constants)
    sources = dict(zip((arg.arg for arg in _parameters(functions[0])), plan.positional, strict=False))
    sources |= dict(plan.named)
    return reading.footprint(sources) if reading.is_known() else None


def _parameters(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args]


def _is_idle(node: ast.stmt) -> bool:
    """Imports, texts, and names for plain values."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) for target in node.targets) and _is_literal(node.value)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


class _Reading:
    """One function's body, node by node."""

    def __init__(self, function: ast.FunctionDef, key: str, constants: Collection[str]) -> None:
        self._function = function
        self._constants = constants
        self._key = key
        self._body = [node for statement in function.body for node in ast.walk(statement)]
        self._parents = {id(child): node for node in self._body for child in ast.iter_child_nodes(node)}
        self._parameters = {arg.arg for arg in [*_parameters(function), *function.args.kwonlyargs]}
        self._bindings: dict[str, list[ast.expr | None]] = {}
        for node in self._body:
            for name, value in _bound(node):
                self._bindings.setdefault(name, []).append(value)

    def is_known(self) -> bool:
        """Whether every call gives the same for the same, and changes nothing but what it has made."""
        arguments = self._function.args
        defaults = [*arguments.defaults, *(default for default in arguments.kw_defaults if default is not None)]
        if arguments.vararg or arguments.kwarg or not all(map(self._is_fixed, defaults)):
            return False
        if self._parameters & set(self._bindings):
            return False
        return all(isinstance(node, _NODES) and self._is_pure(node) for node in self._body)

    def _is_fixed(self, default: ast.expr) -> bool:
        if _is_literal(default):
            return True
        if isinstance(default, ast.Call):
            arguments = [*default.args, *(keyword.value for keyword in default.keywords)]
            return (
                self._is_library_name(default.func) and all(map(_is_literal, arguments)) and self._avoids_clock(default)
            )
        return self._is_library_name(default)

    def _avoids_clock(self, node: ast.AST) -> bool:
        """Not the word by which pandas and numpy ask for the clock."""
        texts = [
            part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
        ]
        return not any(text.strip().lower() in ("now", "today") for text in texts)

    def _is_pure(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Constant):
            return self._avoids_clock(node)
        if isinstance(node, ast.Name):
            return self._is_pure_name(node)
        if isinstance(node, ast.Attribute):
            return self._is_pure_attribute(node)
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            return self._is_own_entry(node)
        if isinstance(node, ast.AugAssign):
            return isinstance(node.target, ast.Name) and all(
                isinstance(value, ast.Constant) for value in self._bindings[node.target.id] if value is not node.value
            )
        if isinstance(node, ast.Call):
            return self._is_pure_call(node)
        if isinstance(node, ast.keyword):
            return node.arg is not None and node.arg not in _FORBIDDEN_ARGUMENTS
        return True

    def _is_pure_name(self, node: ast.Name) -> bool:
        name = node.id
        if isinstance(node.ctx, ast.Store):
            return name not in _ALIASES and name not in _LIBRARIES and name not in _PURE
        if name in self._bindings or name in self._parameters:
            return True
        parent = self._parents.get(id(node))
        called = isinstance(parent, ast.Call) and parent.func is node
        if name in _PURE or name in _ERRORS:
            return called or name in _TYPES or name in _ERRORS
        if _ALIASES.get(name, name) in _LIBRARIES:
            return called or isinstance(parent, ast.Attribute)
        return name in self._constants

    def _is_library_name(self, node: ast.expr) -> bool:
        """A library's function or constant, by its full name."""
        if isinstance(node, ast.Name):
            return node.id in ("datetime", "date", "timedelta") and node.id not in self._bindings
        if not isinstance(node, ast.Attribute) or node.attr not in self._library_names(node.value):
            return False
        return isinstance(node.value, ast.Name) or self._is_library_name(node.value)

    def _library_names(self, base: ast.expr) -> frozenset[str]:
        while isinstance(base, ast.Attribute):
            base = base.value
        if not isinstance(base, ast.Name) or base.id in self._bindings or base.id in self._parameters:
            return frozenset()
        return _LIBRARIES.get(_ALIASES.get(base.id, base.id), frozenset())

    def _is_pure_attribute(self, node: ast.Attribute) -> bool:
        if not isinstance(node.ctx, ast.Load):
            return False
        if self._library_names(node.value):
            return self._is_library_name(node)
        if node.attr in _GROWING:
            return self._is_own_list(node.value)
        if node.attr in ("agg", "aggregate"):
            parent = self._parents.get(id(node))
            if not isinstance(parent, ast.Call) or parent.func is not node or parent.keywords or len(parent.args) != 1:
                return False
            parts = [part for part in ast.walk(parent.args[0]) if isinstance(part, ast.expr)]
            plain = all(isinstance(part, ast.Constant | ast.List | ast.Dict) for part in parts)
            return plain and _is_statistic(parent.args[0])
        return node.attr in _METHODS

    def _is_pure_call(self, node: ast.Call) -> bool:
        """Functions are called by their names; what a variable holds is not known."""
        if isinstance(node.func, ast.Name):
            return node.func.id in _PURE | _ERRORS or self._is_library_name(node.func)
        if not isinstance(node.func, ast.Attribute):
            return False
        # an array to write into can be given by its place
        return self._library_names(node.func) is not _LIBRARIES["numpy"] or len(node.args) <= _PLACES.get(
            node.func.attr, 1
        )

    def _is_own_entry(self, node: ast.Subscript) -> bool:
        """A column of a table, or an entry of a dictionary, that this call has made."""
        if not isinstance(node.value, ast.Name):
            return False
        values = self._bindings.get(node.value.id, [])
        return bool(values) and (
            self._is_own_list(node.value) or (_text(node.slice) is not None and all(map(_is_fresh_table, values)))
        )

    def _is_own_list(self, node: ast.expr) -> bool:
        values = self._bindings.get(node.id, []) if isinstance(node, ast.Name) else []
        new_containers = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
        return bool(values) and all(isinstance(value, new_containers) for value in values)

    def footprint(self, sources: Mapping[str, str]) -> Footprint | None:
        """The columns read, where each use of the row can be told."""
        by_source = {source: parameter for parameter, source in sources.items()}
        row: set[str] = {self._key} - {""}
        if "row" in by_source:
            for use in self._uses(by_source["row"]):
                column = self._row_column(use)
                if column is None:
                    return None
                row.add(column)
        train: set[str] | None = set()
        if "train" in by_source:
            train = self._table_columns(by_source["train"])
        auxiliary = "auxiliary" in by_source and any(True for _ in self._uses(by_source["auxiliary"]))
        return Footprint(tuple(sorted(row)), None if train is None else tuple(sorted(train)), auxiliary)

    def _uses(self, name: str) -> Iterator[ast.Name]:
        return (node for node in self._body if isinstance(node, ast.Name) and node.id == name)

    def _row_column(self, use: ast.Name) -> str | None:
        parent = self._parents.get(id(use))
        if isinstance(parent, ast.Subscript) and parent.value is use:
            return _text(parent.slice) if isinstance(parent.ctx, ast.Load) else None
        if (
            isinstance(parent, ast.Compare)
            and parent.comparators == [use]
            and isinstance(parent.ops[0], ast.In | ast.NotIn)
        ):
            return _text(parent.left)
        if isinstance(parent, ast.Attribute) and parent.attr == "get":
            call = self._parents.get(id(parent))
            if isinstance(call, ast.Call) and call.func is parent and call.args and not call.keywords:
                return _text(call.args[0])
        return None

    def _table_columns(self, parameter: str) -> set[str] | None:
        """The columns read of a table and of its parts; None when a use does not tell them."""
        columns: set[str] = set()
        names, seen = [parameter], {parameter}
        while names:
            for use in self._uses(names.pop()):
                if isinstance(use.ctx, ast.Store):
                    continue
                part = self._read_part(use)
                if isinstance(part, str):  # another name of the table or of some of its rows
                    if not all(value is not None and self._is_part(value, seen) for value in self._bindings[part]):
                        return None
                    if part not in seen:
                        seen.add(part)
                        names.append(part)
                elif part is None:
                    return None
                else:
                    columns |= part
        return columns

    def _is_part(self, value: ast.expr, tables: Collection[str]) -> bool:
        while isinstance(value, ast.Subscript):
            value = value.value
        return isinstance(value, ast.Name) and value.id in tables

    def _read_part(self, use: ast.expr) -> set[str] | str | None:
        """Columns read by one use of a table, or the name that its rows are given; None when it is not clear."""
        parent = self._parents.get(id(use))
        if isinstance(parent, ast.Subscript) and parent.value is use and isinstance(parent.ctx, ast.Load):
            chosen = _columns_in(parent.slice)
            if chosen is not None:
                return chosen
            return self._read_part(parent) if _is_mask(parent.slice) else None
        if isinstance(parent, ast.Attribute):
            if parent.attr == "empty":
                return set()
            above = self._parents.get(id(parent))
            if parent.attr == "loc" and isinstance(above, ast.Subscript) and isinstance(above.ctx, ast.Load):
                if isinstance(above.slice, ast.Tuple) and len(above.slice.elts) == 2 and _is_mask(above.slice.elts[0]):
                    return _columns_in(above.slice.elts[1])
                return self._read_part(above) if _is_mask(above.slice) else None
            return None
        if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "len":
            return set()
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name):
            return parent.targets[0].id
        return None


def _bound(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Names that a node gives a value, with the value where it is the whole of it."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        yield node.targets[0].id, node.value
        return
    if isinstance(node, ast.AnnAssign | ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value
        return
    if isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name, None
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.For | ast.comprehension):
        targets = [node.target]
    for target in targets:
        for part in ast.walk(target):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id, None


def _is_fresh_table(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _FRESH


def _is_statistic(argument: ast.expr) -> bool:
    if isinstance(argument, ast.Dict):
        return all(map(_is_statistic, argument.values))
    if isinstance(argument, ast.List):
        return all(map(_is_statistic, argument.elts))
    return _text(argument) in _STATISTICS


def _columns_in(index: ast.expr) -> set[str] | None:
    if isinstance(index, ast.List):
        texts = [_text(entry) for entry in index.elts]
        return None if None in texts else {text for text in texts if text is not None}
    text = _text(index)
    return None if text is None else {text}


def _is_mask(index: ast.expr) -> bool:
    """Whether an index chooses rows and cannot be the name of a column."""
    if isinstance(index, ast.Compare):
        return True
    if isinstance(index, ast.BinOp) and isinstance(index.op, ast.BitAnd | ast.BitOr):
        return _is_mask(index.left) and _is_mask(index.right)
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.Invert):
        return _is_mask(index.operand)
    return isinstance(index, ast.Call) and isinstance(index.func, ast.Attribute) and index.func.attr in _MASKS
