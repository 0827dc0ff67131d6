"""What a name or an expression may stand for, as far as reading the source can tell."""

from __future__ import annotations

import ast
import base64
import binascii
import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

__all__ = [
    "OTHER",
    "PRELOADED",
    "Const",
    "Function",
    "Scope",
    "Value",
    "defaults_of",
    "fold_binary",
    "fold_call",
    "fold_method",
    "holding",
    "imported_names",
    "join",
    "mix",
    "of_row",
    "texts_of",
]

Const: TypeAlias = str | bytes | int

ValueKind: TypeAlias = Literal[
    "other",
    "row",  # the row, as a Series
    "mapping",  # the row, as a dict
    "values",  # the row's values, by position
    "items",  # pairs of key and value
    "keys",
    "key",  # one of the keys, whichever
    "frame",  # the rows to compute for, as one table
    "train",
    "tables",
    "table",
    "labels",  # the target's values in df_train
    "identity",  # index label or position of the row
    "own",  # a filter or key that picks the row itself out of df_train
    "function",
    "class",
    "module",  # a module, or a dotted name below one, or a builtin
]

# of several kinds a join keeps the one that matters most
_WEIGHTY: tuple[ValueKind, ...] = (
    *("row", "mapping", "values", "items", "keys", "key", "frame", "labels", "own", "train", "table", "tables"),
    *("identity", "function", "class", "module", "other"),
)
_MOST_CONSTS = 64
_LONGEST = 400


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function found in the source, with the names around it and arguments that are already bound."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    bound: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Value:
    """What something is, the constants it may be, what it holds, and where it comes from.

    ``origins`` holds "row", "train", "label", and "table:NAME".
    """

    kind: ValueKind = "other"
    consts: tuple[Const, ...] = ()
    parts: tuple[Value, ...] = ()
    origins: frozenset[str] = field(default_factory=frozenset)
    name: str = ""  # of a table, a module, a class
    function: Function | None = None

    def comes_from(self, origin: str) -> bool:
        """Whether it, or something in it, was computed from there."""
        return origin in self.origins

    def tables(self) -> frozenset[str]:
        """The names of the tables behind it."""
        return frozenset(origin.removeprefix("table:") for origin in self.origins if origin.startswith("table:"))


def of_row(kind: ValueKind = "other", name: str = "") -> Value:
    """Something of the row."""
    return Value(kind=kind, origins=frozenset({"row"}), name=name)


OTHER = Value()

PRELOADED = {"pd": "pandas", "np": "numpy"}


class Scope:
    """Names of one function or of the module."""

    def __init__(self, parent: Scope | None = None) -> None:
        self.names: dict[str, Value] = {}
        self.parent = parent
        self.returned: Value = OTHER

    def find(self, name: str) -> Value:
        """What a name stands for here; a name without a binding is a builtin or a library."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return Value(kind="module", name=PRELOADED.get(name, name))


def imported_names(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that an import binds, each with the dotted name that it stands for."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            full = alias.name if alias.asname else alias.name.split(".")[0]
            yield alias.asname or full, full
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, f"{node.module or ''}.{alias.name}"


def defaults_of(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    """The parameters that have a default, each with it."""
    positional = [*arguments.posonlyargs, *arguments.args]
    yield from zip((each.arg for each in reversed(positional)), reversed(arguments.defaults), strict=False)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield argument.arg, default


def join(values: Iterable[Value]) -> Value:
    """One value that may be any of these."""
    candidates = [value for value in values if value is not OTHER]
    if not candidates:
        return OTHER
    if len(candidates) == 1:
        return candidates[0]
    first = min(candidates, key=lambda value: _WEIGHTY.index(value.kind))
    consts = tuple(dict.fromkeys(const for value in candidates for const in value.consts))[:_MOST_CONSTS]
    parts = max((value.parts for value in candidates), key=len)
    return replace(first, consts=consts, parts=parts, origins=frozenset().union(*(v.origins for v in candidates)))


def mix(values: Iterable[Value]) -> Value:
    """Something computed from these: only where it comes from is known."""
    origins: frozenset[str] = frozenset().union(*(value.origins for value in values))
    return Value(origins=origins) if origins else OTHER


def holding(*parts: Value) -> Value:
    """A list, tuple or dict of these."""
    return Value(parts=parts, origins=frozenset().union(*(part.origins for part in parts)))


def texts_of(value: Value) -> tuple[str, ...]:
    """The texts that it may be, or that a list of them may hold."""
    own = [const for const in value.consts if isinstance(const, str)]
    for part in value.parts:
        own += [const for const in part.consts if isinstance(const, str)]
    return tuple(dict.fromkeys(own))


def _consts(values: Iterable[object]) -> tuple[Const, ...]:
    constants = [value for value in values if isinstance(value, str | bytes | int)]
    short = [value for value in constants if isinstance(value, int) or len(value) <= _LONGEST]
    return tuple(dict.fromkeys(short))[:_MOST_CONSTS]


def fold_binary(left: Value, operator: ast.operator, right: Value) -> tuple[Const, ...]:
    """Constants put together with ``+``, ``%`` or ``*``; only texts and bytes."""
    folded: list[object] = []
    for a in left.consts[:8]:
        if isinstance(operator, ast.Mod) and isinstance(a, str):
            arguments = tuple(part.consts[0] for part in right.parts if part.consts) or right.consts[:1]
            folded.append(_format_percent(a, arguments))
        for b in right.consts[:8]:
            if isinstance(operator, ast.Add):
                if isinstance(a, str) and isinstance(b, str):
                    folded.append(a + b)
                if isinstance(a, bytes) and isinstance(b, bytes):
                    folded.append(a + b)
                if isinstance(a, int) and isinstance(b, int) and abs(a) + abs(b) < 10**6:
                    folded.append(a + b)  # for chr(98 + 1)
            elif isinstance(operator, ast.Mult) and isinstance(a, str) and isinstance(b, int) and 0 <= b <= 8:
                folded.append(a * b)
    return _consts(folded)


def _format_percent(text: str, arguments: tuple[Const, ...]) -> str | None:
    if "%" not in text or len(text) > _LONGEST or any(mark in text for mark in ("*", "%(")):
        return None
    if any(character.isdigit() for character in text.split("%", 1)[1][:4]):  # a width could be huge
        return None
    try:
        return text % arguments
    except (TypeError, ValueError):
        return None


def fold_call(name: str, arguments: list[Value]) -> tuple[Const, ...]:
    """Constants through the builtins and decoders that spell a name in a roundabout way."""
    if not arguments or len(arguments) > 2:
        return ()
    argument = arguments[0]
    if name == "chr":
        return _consts(chr(c) for c in argument.consts if isinstance(c, int) and 0 <= c < 0x110000)
    if name == "str":
        return _consts(c for c in argument.consts if isinstance(c, str))
    if name in ("reversed", "list", "tuple"):
        return _consts(c[::-1] if name == "reversed" else c for c in argument.consts if isinstance(c, str))
    if name in ("bytes", "bytearray"):
        codes = [part.consts[0] for part in argument.parts if part.consts]
        if codes and len(codes) == len(argument.parts) and all(isinstance(c, int) and 0 <= c < 256 for c in codes):
            return (bytes(c for c in codes if isinstance(c, int)),)
        return _consts(c for c in argument.consts if isinstance(c, bytes))
    if name in ("bytes.fromhex", "binascii.unhexlify"):
        return _consts(_decoded("hex", c) for c in argument.consts)
    if name in ("base64.b64decode", "base64.urlsafe_b64decode", "base64.standard_b64decode"):
        return _consts(_decoded("base64", c) for c in argument.consts)
    if name == "codecs.decode":
        schemes = [c for c in (arguments[1].consts if len(arguments) == 2 else ()) if isinstance(c, str)]
        return _consts(_decoded(scheme, c) for c in argument.consts for scheme in schemes[:1])
    return ()


def _decoded(scheme: str, const: Const) -> Const | None:
    if isinstance(const, int) or len(const) > _LONGEST:
        return None
    try:
        if scheme == "hex":
            return bytes.fromhex(const if isinstance(const, str) else const.decode("ascii"))
        if scheme == "base64":
            return base64.b64decode(const)
        if scheme.replace("_", "").replace("-", "").lower() == "rot13" and isinstance(const, str):
            return codecs.decode(const, "rot13")
    except (ValueError, binascii.Error):
        return None
    return None


_PLAIN = {"lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize", "swapcase", "casefold"}
_PLAIN |= {"encode", "decode"}


def fold_method(value: Value, method: str, arguments: list[Value]) -> tuple[Const, ...]:
    """A constant's own method, where it spells a name: join, replace, format, lower ..."""
    folded: list[object] = []
    for const in value.consts[:8]:
        if isinstance(const, int) or len(const) > _LONGEST:
            continue
        if method == "join" and len(arguments) == 1 and isinstance(const, str):
            folded.append(_joined(const, arguments[0]))
        elif method == "format" and isinstance(const, str) and const.count("{}") == len(arguments) == const.count("{"):
            pieces = [_text(argument) for argument in arguments]
            if None not in pieces:
                folded.append(const.format(*pieces))
        elif method == "replace" and len(arguments) == 2 and isinstance(const, str):
            old, new = map(_text, arguments)
            if old and new is not None:
                folded.append(const.replace(old, new))
        elif method in _PLAIN and (not arguments or method in ("encode", "decode")):
            folded.append(_plain(const, method))
    return _consts(folded)


def _text(value: Value) -> str | None:
    return next((const for const in value.consts if isinstance(const, str)), None)


def _joined(separator: str, pieces: Value) -> str | None:
    if pieces.consts and not pieces.parts:
        first = pieces.consts[0]
        return separator.join(first) if isinstance(first, str) else None
    texts = [_text(part) for part in pieces.parts]
    if not texts or None in texts:
        return None
    if len(texts) == 1 and len(pieces.parts[0].consts) > 1:
        # a comprehension over constants: one part with an alternative per step
        return separator.join(str(c) for c in pieces.parts[0].consts)
    return separator.join(str(text) for text in texts)


def _plain(const: str | bytes, method: str) -> object:
    if method == "encode":
        return const.encode("utf-8", "replace") if isinstance(const, str) else None
    if method == "decode":
        return const.decode("utf-8", "replace") if isinstance(const, bytes) else None
    return getattr(const, method)() if method in _PLAIN and isinstance(const, str) else None
