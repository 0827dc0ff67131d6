"""What it means to take something out of the row, df_train or a table."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from assay.insight.leakage.static.findings import Notes
from assay.insight.leakage.static.values import OTHER, Value, holding, join, mix, of_row, texts_of

__all__ = ["Reads"]

_ROW = ("row", "mapping", "frame")
_SAME = {"copy", "to_frame", "squeeze", "infer_objects", "convert_dtypes", "fillna", "replace", "astype", "transpose"}
_SAME |= {"T", "loc", "at", "reindex", "rename", "reset_index", "set_index", "sort_values", "sort_index", "head"}
_SAME |= {"tail", "groupby", "query", "assign", "merge", "join", "dropna", "sample", "nlargest", "nsmallest", "where"}
_POSITIONAL = {"values", "to_numpy", "tolist", "array", "iloc", "iat", "to_list", "take", "ravel", "to_records"}
_HARMLESS = {"isna", "isnull", "notna", "notnull", "count", "size", "shape", "dtype", "dtypes", "empty", "ndim"}
_REDUCING = {"sum", "mean", "max", "min", "std", "var", "median", "prod", "nunique", "unique", "any", "all", "idxmax"}
_REDUCING |= {"idxmin", "value_counts", "to_json", "to_string", "to_csv", "hist", "describe", "quantile", "mode", "dot"}
_ORDERED = {"shift", "diff", "cumsum", "cummax", "cummin", "cumprod", "cumcount", "rolling", "expanding", "ewm"}
_ORDERED |= {"ffill", "bfill", "pct_change", "duplicated", "drop_duplicates", "index", "interpolate", "ngroup"}
_TAKES_KEY = {"get", "pop", "xs", "__getitem__", "setdefault", "item", "get_value"}
_DATED = re.compile(r"date|time|day|month|year|stamp|period|when|(^|_)(at|on|dt|ts)$", re.IGNORECASE)
_MARKS = {"row": "row", "mapping": "row", "frame": "df"}


class Reads:
    """Writes down the reads that matter for one target, and says what comes of each."""

    def __init__(self, notes: Notes, target: str, timed: Collection[str]) -> None:
        self.notes = notes
        self.target = target
        self._timed = frozenset(timed)
        self._used: dict[str, tuple[int, str]] = {}  # table: first line, the first column that looks like a date
        self._limited: set[str] = set()

    def item(self, base: Value, key: Value, node: ast.AST) -> Value:
        """``base[key]``, also as ``get``, ``loc`` and the like."""
        texts = texts_of(key)
        if base.kind in _ROW:
            return self._of_row(base, key, texts, node)
        if base.kind == "values":
            return self._by_position(key, node)
        if base.kind == "keys":
            return Value(kind="key", origins=base.origins)
        if base.kind in ("train", "labels"):
            return self._of_train(base, key, texts, node)
        if base.kind == "tables":
            return self._table(texts, node)
        if base.kind == "table":
            return self._of_table(base, key, texts, node)
        if base.comes_from("label") and key.comes_from("row"):
            self._own_label_of_train(node)
        place = key.consts[0] if len(key.consts) == 1 else None
        if base.parts and isinstance(place, int) and -len(base.parts) <= place < len(base.parts):
            return base.parts[place]
        return join((*base.parts, Value(origins=base.origins))) if base.parts else mix((base, key))

    def _of_row(self, base: Value, key: Value, texts: Sequence[str], node: ast.AST) -> Value:
        name = _MARKS[base.kind]
        if self.target in texts:
            self.notes.add(node, "own-label", f"Reads {self.target!r}, the target itself, from the {_whose(base)}.")
            return Value(origins=frozenset({"row", "label"}))
        if key.kind == "key" or any(part.kind == "key" for part in key.parts):
            self._every_column(node, base)
        elif not texts and not key.consts and key.name != "not the target" and not key.comes_from("mask"):
            words = f"Reads {name}[...] with a key known only at run time; it may be the target {self.target!r}."
            self.notes.add(node, "computed-key", words)
        elif not texts and any(isinstance(const, int) for const in key.consts) and base.kind == "row":
            return self._by_position(key, node)
        if base.kind == "frame" and (key.kind == "own" or key.comes_from("mask")):
            return base
        return of_row()

    def _by_position(self, key: Value, node: ast.AST) -> Value:
        numbers = [const for const in key.consts if isinstance(const, int)]
        which = f"value number {numbers[0]}" if numbers else "values"
        last = ", where the target often stands" if -1 in numbers else ""
        words = f"Takes {which} of the row by position{last}; which column that is depends on where the target stands."
        self.notes.add(node, "position", words)
        return of_row()

    def _every_column(self, node: ast.AST, base: Value) -> None:
        words = f"Goes through all columns of the {_whose(base)}, and the target {self.target!r} is one of them."
        self.notes.add(node, "every-column", words)

    def _of_train(self, base: Value, key: Value, texts: Sequence[str], node: ast.AST) -> Value:
        rest = base.name == "rest" or any(each.kind == "own" and each.name == "rest" for each in (key, *key.parts))
        own = not rest and (base.name == "own" or key.kind in ("own", "identity") or key.comes_from("row"))
        labels = base.kind == "labels" or self.target in texts
        if not labels and base.name == "position" and any(isinstance(c, int) for c in _numbers(key)):
            words = "Takes a column of df_train by position; which one that is depends on where the target stands."
            self.notes.add(node, "position", words)
            labels = True
        if labels:
            if own:
                self._own_label_of_train(node)
            elif base.kind != "labels":
                self._labels_of_train(node, rest=rest)
            return Value(
                kind="labels",
                origins=frozenset({"train", "label"}),
                name="own" if own else "rest" if rest else base.name,
            )
        if own or rest:
            return replace(base, name="own" if own else "rest")
        if texts and not key.parts:
            return Value(origins=frozenset({"train"}))
        return base

    def _own_label_of_train(self, node: ast.AST) -> None:
        words = "Looks labels of df_train up by what the row says of itself, so the row's own label is among them."
        self.notes.add(node, "own-train-row", words)

    def _labels_of_train(self, node: ast.AST, *, rest: bool) -> None:
        words = f"Reads the target {self.target!r} of all rows of df_train; the row's own label is one of them."
        if rest:
            words = f"Reads the target {self.target!r} of other rows of df_train; the row itself is compared away."
        self.notes.add(node, "train-label", words)

    def _table(self, texts: Sequence[str], node: ast.AST) -> Value:
        name = texts[0] if texts else "a table"
        self._used.setdefault(name, (getattr(node, "lineno", 1), ""))
        return Value(kind="table", name=name, origins=frozenset({f"table:{name}"}))

    def _of_table(self, base: Value, key: Value, texts: Sequence[str], node: ast.AST) -> Value:
        for text in texts:
            line, dated = self._used.get(base.name, (getattr(node, "lineno", 1), ""))
            if not dated and _DATED.search(text):
                self._used[base.name] = (line, text)
        if self.target in texts:
            words = (
                f"Reads column {self.target!r} of {base.name!r}; earlier rows' labels are fine, the row's own is not."
            )
            self.notes.add(node, "table-label", words)
        return replace(base, origins=base.origins | (key.origins & {"mask"}))

    def attribute(self, base: Value, name: str, node: ast.AST) -> Value:
        """``base.name``, not called."""
        if base.kind == "module":
            return Value(kind="module", name=f"{base.name}.{name}")
        if base.kind in ("row", "frame", "train") and name == self.target:
            return self.item(base, Value(consts=(name,)), node)
        if base.kind == "row" and name == "name":
            words = "Uses row.name, the row's index label; a value must not depend on where a row stands."
            self.notes.add(node, "row-identity", words)
            return of_row("identity")
        if base.kind in ("row", "frame") and name in ("index", "columns") and (base.kind == "row") == (name == "index"):
            return of_row("keys")
        if base.kind in (*_ROW, "train") and name in _POSITIONAL:
            if base.kind == "train":
                return replace(base, name=base.name or "position")
            return of_row("values")
        if base.kind == "frame" and name in _ORDERED:
            words = f"Uses the order or the index of the rows ({name}); a value must not depend on where a row stands."
            self.notes.add(node, "row-identity", words)
            return of_row("identity")
        if base.kind == "train" and name in ("columns", "keys"):
            return Value(kind="keys", origins=frozenset({"train"}))
        if base.kind in ("train", "labels", "table", *_ROW) and name in _SAME:
            return base
        if base.kind in ("labels", "table", "train"):
            return base if base.kind != "train" else Value(origins=base.origins | {"train"})
        return mix((base,))

    def method(self, base: Value, name: str, arguments: Sequence[Value], node: ast.AST) -> Value | None:
        """``base.name(...)``; None when nothing is known of it."""
        first = arguments[0] if arguments else OTHER
        if name in _TAKES_KEY and base.kind not in ("other", "module"):
            return self.item(base, first, node)
        if name in ("merge", "join", "merge_asof"):
            merged = self._merged((base, *arguments))
            if merged is not None:
                return merged
        if base.kind in _ROW:
            return self._row_method(base, name, arguments, node)
        if base.kind == "values":
            if name in _REDUCING:
                self._every_column(node, Value(kind="row"))
            return base if name in _POSITIONAL | _SAME else of_row()
        if base.kind == "items" and name == "__iter__":
            return base
        if base.kind == "tables":
            if name in ("values", "items", "keys"):
                table = self._table((), node)
                return holding(holding(OTHER, table) if name == "items" else table)
            return None
        if base.kind in ("train", "labels"):
            return self._train_method(base, name, arguments, node)
        if base.kind == "table":
            if name in ("between", "query", "lt", "le", "gt", "ge") and any(
                a.comes_from("row") for a in (*arguments, *([base] if "<" in "".join(texts_of(first)) else []))
            ):
                self._limited.add(base.name)
            if self.target in _texts_in(arguments):
                return self.item(base, join(arguments), node)
            if name in ("iterrows", "itertuples"):
                return holding(holding(OTHER, base) if name == "iterrows" else base)
            if name in ("groupby", "sort_values", "get_group"):
                return self.item(base, first, node)
            return base
        if base.comes_from("label") and name == "get" and first.comes_from("row"):
            self._own_label_of_train(node)
        return None

    def _merged(self, sides: Sequence[Value]) -> Value | None:
        """A table beside the rows that it is merged with: comparing two of its columns may compare the two times."""
        tables = [side for side in sides if side.kind == "table"]
        if not tables or not any(side.kind in _ROW or side.comes_from("row") for side in sides):
            return None
        return replace(tables[0], origins=tables[0].origins | {"row"})

    def _row_method(self, base: Value, name: str, arguments: Sequence[Value], node: ast.AST) -> Value:
        texts = _texts_in(arguments)
        if name == "drop" and self.target in texts:
            return of_row()
        if name == "to_dict" and base.kind == "row":
            return replace(base, kind="mapping")
        if name in ("items", "iteritems", "iterrows", "itertuples"):
            if base.kind == "frame":
                return holding(holding(of_row("identity"), of_row("row")) if name == "iterrows" else of_row("row"))
            return of_row("items")
        if name == "keys":
            return of_row("keys")
        if name == "popitem":
            self._by_position(Value(consts=(-1,)), node)
        if name in _POSITIONAL or name == "popitem":
            return of_row("values")
        if name in ("filter", "select_dtypes"):
            self._every_column(node, base)
            return of_row()
        if name in _ORDERED and base.kind == "frame":
            return self.attribute(base, name, node)
        if name in _HARMLESS:
            return of_row()
        if self.target in texts and base.kind == "frame" and name not in ("drop", "assign", "rename"):
            return self.item(base, Value(consts=(self.target,)), node)
        if name in _REDUCING:
            self._every_column(node, base)
            return Value(origins=frozenset({"row", "label"}))
        return base if name in (_SAME | {"drop"}) else of_row()

    def _train_method(self, base: Value, name: str, arguments: Sequence[Value], node: ast.AST) -> Value:
        texts = _texts_in(arguments)
        if name == "drop" and self.target in texts:
            return Value(origins=frozenset({"train"}))
        own = any(argument.comes_from("row") for argument in arguments)
        if name in ("query", "get_group", "isin", "eq", "apply", "map") and own:
            base = replace(base, name="own")
        if self.target in texts and base.kind == "train":
            by = {"groupby": "Groups df_train by", "pivot_table": "Tabulates df_train by"}.get(name, "Uses in df_train")
            words = f"{by} the target {self.target!r}; the row's own label is among the values used."
            self.notes.add(node, "train-label", words)
            return Value(kind="labels", origins=frozenset({"train", "label"}), name=base.name)
        if name in ("iterrows", "itertuples"):
            return holding(holding(OTHER, base) if name == "iterrows" else base)
        if name in _POSITIONAL and base.kind == "train":
            return replace(base, name=base.name or "position")
        if name == "keys":
            return Value(kind="keys", origins=frozenset({"train"}))
        return base

    def element(self, base: Value, node: ast.AST) -> Value:
        """What a loop over it sees."""
        if base.kind in ("mapping", "keys", "frame"):
            return of_row("key")
        if base.kind in ("row", "values", "items"):
            self._every_column(node, Value(kind="row"))
            return holding(of_row("key"), of_row()) if base.kind == "items" else of_row()
        if base.kind == "tables":
            return OTHER
        if base.parts:
            return join(base.parts)
        if base.consts and isinstance(base.consts[0], str):
            return Value(consts=tuple(base.consts[0])[:64])
        return base if base.kind in ("labels", "table", "train") else mix((base,))

    def compare(self, left: Value, operator: ast.cmpop, right: Value, node: ast.AST) -> Value:
        """``left < right`` and the like: limits by time, filters that find or leave out the own row."""
        both = (left, right)
        if isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE) and any(side.comes_from("row") for side in both):
            self._limited.update(name for side in both for name in side.tables())
        if isinstance(operator, ast.Eq | ast.In):
            for one, other in (both, both[::-1]):
                if one.kind == "key" and self.target in texts_of(other):
                    words = f"Picks the column {self.target!r}, the target itself, out of the row's columns."
                    self.notes.add(node, "own-label", words)
        origins = mix(both).origins | {"mask"}
        train = any(side.comes_from("train") or side.kind in ("train", "labels") for side in both)
        if train and any(side.comes_from("row") for side in both):
            if isinstance(operator, ast.NotEq | ast.NotIn | ast.Lt | ast.Gt):
                return Value(kind="own", name="rest", origins=origins)
            return Value(kind="own", origins=origins)
        return Value(origins=origins - {"label"})

    def finish(self) -> None:
        """Say which tables were used whatever the time of their rows."""
        for name, (line, dated) in self._used.items():
            if name in self._limited or "a table" in self._limited or not (name in self._timed or dated):
                continue
            column = f" although {dated!r} is read" if dated else ""
            words = f"Uses rows of {name!r} without comparing their time with the row's{column}: later rows count too."
            self.notes.add(line, "undated", words)


def _whose(base: Value) -> str:
    return "table of rows" if base.kind == "frame" else "row"


def _texts_in(arguments: Sequence[Value]) -> set[str]:
    return {text for argument in arguments for text in texts_of(argument)}


def _numbers(key: Value) -> tuple[object, ...]:
    return (*key.consts, *(const for part in key.parts for const in part.consts))
