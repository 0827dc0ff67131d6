"""A Python module that is written statement by statement, each after what it needs."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from assay.harness.callables.origins import imports_in, is_installed, local_files
from assay.harness.callables.secret_values import demand_no_secret
from assay.harness.callables.unavailable import SourceUnavailable, Use, describe_type

__all__ = ["CAPTURED", "LARGEST", "Emitter", "Findings", "Writer"]

CAPTURED: Final = '"""Captured by Assay'  # how every written module begins
LARGEST: Final = 64 << 20  # bytes of data and source together


@dataclass
class Findings:
    """What one pass over the values learns for the next."""

    shared: set[int] = field(default_factory=set)  # containers that are reached more than once, by id
    cyclic: set[int] = field(default_factory=set)  # functions that are reached from what they hold, by id
    bound: dict[str, int] = field(default_factory=dict)  # names that code uses, with the id of the value


class Writer:
    """Statements, imports and data files of one module; every object that needs one has one name in it.

    Emitters turn a value into an expression, after adding the statements that it needs; the first that knows the value
    is taken.
    """

    def __init__(self, emitters: Sequence[Emitter], previous: Findings) -> None:
        self._emitters = emitters
        self.previous = previous
        self.findings = Findings(set(previous.shared), set(previous.cyclic), dict(previous.bound))
        self.statements: list[str] = []
        self.data: dict[str, bytes] = {}
        self.modules: dict[str, Path] = {}  # copied files of the user's own modules
        self.visited: set[int] = set()  # containers, by id
        self._imports: set[str] = set()
        self._names: dict[str, object] = {}
        self._expressions: dict[int, str] = {}
        self._open: set[int] = set()
        self._aliases: dict[int, list[str]] = {}  # names that wait for a value
        self._alive: list[object] = []  # no id may be given a second time
        self._size = 0

    def text(self, last: str) -> str:
        """The whole module; ``last`` is the expression of the captured value."""
        head = [f'{CAPTURED} from a Python value, with the source and data that it uses."""', ""]
        head += ["from __future__ import annotations", ""]
        imports = sorted(self._imports)
        return "\n".join([*head, *imports, *([""] if imports else []), *self.statements, f"subject = {last}", ""])

    def emit(self, value: Any, use: Use, hint: str = "") -> str:
        """An expression for a value; ``hint`` is the name under which it will be bound, if any."""
        key = id(value)
        if key in self._expressions:
            return self._expressions[key]
        if key in self._open:
            if key in self.previous.cyclic:
                raise SourceUnavailable(use, f"{describe_type(value)} that contains itself cannot be written")
            self.findings.cyclic.add(key)
            self.findings.shared.add(key)
            return "None"
        self._alive.append(value)
        for emitter in self._emitters:
            expression = emitter(self, value, use, hint)
            if expression is not None:
                return expression
        raise SourceUnavailable(
            use, f"{describe_type(value)} cannot be written into a file", remedy="create it inside the function"
        )

    def bind(self, name: str, value: Any, use: Use) -> None:
        """Make a name of the module mean the value."""
        self.findings.bound[name] = id(value)
        if name in self._names:
            if not _equal(self._names[name], value):
                raise SourceUnavailable(
                    use,
                    f"two different objects of that name are needed, {describe_type(value)} and "
                    f"{describe_type(self._names[name])}",
                    remedy="rename one of them",
                )
            return
        demand_no_secret(use, name, value)
        self._names[name] = value
        if id(value) in self._open:
            self._aliases.setdefault(id(value), []).append(name)
            return
        expression = self.emit(value, use, name)
        if expression != name:
            self.add(f"{name} = {expression}")

    def define(self, value: object, hint: str = "", *, prefix: str = "captured") -> str:
        """The name of a value: the hint where it is free or its own, else an unused one."""
        own = self._names.get(hint) is value or (hint not in self._names and self.previous.bound.get(hint) == id(value))
        name = hint if hint and (own or self._free(hint)) else self.unused(prefix)
        self._names[name] = value
        return name

    def unused(self, prefix: str) -> str:
        """A name that is not in use yet."""
        number = 1
        while not self._free(name := f"{prefix}_{number}"):
            number += 1
        self._names[name] = None
        return name

    def _free(self, name: str) -> bool:
        is_used = name in self._names or name in self.previous.bound or hasattr(builtins, name)
        return name.isidentifier() and not keyword.iskeyword(name) and name != "subject" and not is_used

    @contextmanager
    def opened(self, value: object) -> Iterator[None]:
        """While the needs of a value are written, before it has an expression."""
        self._open.add(id(value))
        try:
            yield
        finally:
            self._open.discard(id(value))

    def created(self, value: object, expression: str) -> str:
        """From here on the expression means the value."""
        self._open.discard(id(value))
        self._alive.append(value)
        self._expressions[id(value)] = expression
        for name in self._aliases.pop(id(value), ()):
            self.add(f"{name} = {expression}")
        return expression

    def assign(self, value: object, hint: str, expression: str) -> str:
        """Give a value a name by a statement; the name."""
        name = self.define(value, hint)
        self.add(f"{name} = {expression}")
        return self.created(value, name)

    def add(self, statement: str) -> None:
        """Add a statement at the end."""
        self._count(len(statement))
        self.statements.append(statement)

    def add_import(self, statement: str) -> None:
        """Add an import at the top, and copy what it imports of the user's own modules."""
        self._imports.add(statement)
        self.copy_modules(ast.parse(statement))

    def copy_modules(self, tree: ast.AST) -> None:
        """Copy the user's own modules that a tree imports, with all that they import."""
        for module in imports_in(tree):
            if not is_installed(module):
                self.modules.update(local_files(module))

    def add_data(self, content: bytes, suffix: str) -> str:
        """Keep bytes as a file beside the module; an expression for its path."""
        self._count(len(content))
        name = f"captured_{len(self.data) + 1}{suffix}"
        self.data[name] = content
        self.add_import("from pathlib import Path as _Path")
        return f"_Path(__file__).with_name({name!r})"

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > LARGEST:
            raise SourceUnavailable(
                "the captured value",
                f"its data are larger than {LARGEST >> 20} MB",
                remedy="read them from a file inside the function, allowed with readable=",
            )


Emitter: TypeAlias = Callable[[Writer, Any, Use, str], str | None]


def _equal(a: object, b: object) -> bool:
    """The same object, or equal plain values."""
    plain = (bool, int, float, str, bytes, type(None))
    return a is b or (type(a) is type(b) and isinstance(a, plain) and repr(a) == repr(b))
