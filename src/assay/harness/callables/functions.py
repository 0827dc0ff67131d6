"""Functions, lambdas, closures, methods and partials as source."""

from __future__ import annotations

import ast
import builtins
import dis
import functools
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import (
    BuiltinFunctionType,
    BuiltinMethodType,
    CodeType,
    FunctionType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any

from assay.harness.callables.origins import address_of, is_installed, local_files, resolve
from assay.harness.callables.secret_values import demand_no_secret
from assay.harness.callables.source import FunctionNode, function_node
from assay.harness.callables.unavailable import SourceUnavailable, Use
from assay.harness.callables.writing import Writer

__all__ = [
    "bind_names",
    "code_names",
    "emit_function",
    "emit_imported",
    "emit_method",
    "emit_module",
    "emit_wrapped",
    "own_names",
]

_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")


def emit_module(writer: Writer, value: Any, use: Use, hint: str) -> str | None:
    """A module by an import; of the user's own, with its files."""
    if not isinstance(value, ModuleType):
        return None
    name = value.__name__
    if name == "__main__":
        raise SourceUnavailable(
            use, "the running script cannot be captured as a whole", remedy="give one of its functions"
        )
    if not is_installed(name) and not local_files(name):
        raise SourceUnavailable(use, f"the module {name!r} has no Python file of that name", remedy="install it")
    alias = writer.define(value, hint or name.rpartition(".")[2])
    writer.add_import(f"import {name}" if alias == name else f"import {name} as {alias}")
    return writer.created(value, alias)


def emit_imported(writer: Writer, value: Any, use: Use, hint: str) -> str | None:
    """An object of a module by its import."""
    address = address_of(value)
    if address is None:
        return None
    top, _, rest = address.name.partition(".")
    if address.module == "builtins":
        if top in writer.findings.bound and hint != top:
            writer.add_import("import builtins as _builtins")
            return f"_builtins.{address.name}"
        return writer.created(value, address.name)
    outer = resolve(sys.modules[address.module], top)
    name = writer.define(outer, top if rest else hint or top, prefix=top)
    writer.add_import(f"from {address.module} import {top}" + ("" if name == top else f" as {name}"))
    return writer.created(value, f"{name}.{rest}" if rest else name)


def emit_method(writer: Writer, value: Any, use: Use, _: str) -> str | None:
    """A bound method as an attribute of its object; a partial as its parts."""
    if isinstance(value, functools.partial):
        function = writer.emit(value.func, use.inner(".func"))
        arguments = [writer.emit(entry, use.inner(".args")) for entry in value.args]
        arguments += [f"{name}={writer.emit(entry, use.inner(f'.{name}'))}" for name, entry in value.keywords.items()]
        writer.add_import("from functools import partial as _partial")
        return f"_partial({', '.join([function, *arguments])})"
    if not isinstance(value, MethodType | BuiltinFunctionType | BuiltinMethodType | MethodWrapperType):
        return None
    owner, name = value.__self__, value.__name__
    if owner is None or isinstance(owner, ModuleType):
        return None
    if isinstance(value, MethodType) and getattr(getattr(owner, name, None), "__func__", None) is not value.__func__:
        writer.add_import("from types import MethodType as _MethodType")
        return f"_MethodType({writer.emit(value.__func__, use)}, {writer.emit(owner, use)})"
    return f"{_bracketed(writer.emit(owner, use.inner('.__self__')))}.{name}"


def _bracketed(expression: str) -> str:
    return expression if expression.isidentifier() else f"({expression})"


def emit_wrapped(writer: Writer, value: Any, use: Use, hint: str) -> str | None:
    """A function wrapped by a decorator of an installed package: the function's source with its decorators."""
    function = value
    while not (isinstance(function, FunctionType) and _is_own(function)):
        names = ("__wrapped__", "py_func") if not hasattr(type(function), "__getattr__") else ()
        inner = next((wrapped for name in names if callable(wrapped := getattr(function, name, None))), None)
        if inner is None or hasattr(function, "registry"):  # single dispatch holds more functions than one
            return None
        function = inner
    if function is value:
        return None
    node, owner = function_node(function)
    if isinstance(node, ast.Lambda) or not node.decorator_list or owner or function.__code__.co_freevars:
        return None
    user = function.__name__
    node.name = writer.define(value, hint or node.name)
    with writer.opened(value):
        for decorator in node.decorator_list:
            code = compile(ast.Expression(decorator), "", "eval", dont_inherit=True)
            bind_names(writer, code_names(code), function.__globals__, user)
            _import_submodules(writer, decorator, function.__globals__, user)
        _with_defaults(writer, node, function)
    writer.add(ast.unparse(node) + "\n")
    writer.created(value, node.name)
    _bind_body(writer, node, function)
    return node.name


def _is_own(function: FunctionType) -> bool:
    """Whether the user wrote a function, not an installed package."""
    module = function.__globals__.get("__name__", "")
    return module == "__main__" or not is_installed(str(module))


def emit_function(writer: Writer, value: Any, use: Use, hint: str) -> str | None:
    """A function or lambda by its source, its closure by a function around it."""
    if not isinstance(value, FunctionType):
        return None
    if method := _through_class(writer, value, use):
        return method
    node, owner = function_node(value)
    if owner and any(name.startswith(f"_{owner.lstrip('_')}__") for name in _all_names(value.__code__)):
        raise SourceUnavailable(use, f"{_shown(value)} uses private names of the class {owner}")
    cells = dict(zip(value.__code__.co_freevars, value.__closure__ or (), strict=True))
    if "__class__" in cells:
        raise SourceUnavailable(use, f"{_shown(value)} uses super() outside of its class")
    plain = not cells and not isinstance(node, ast.Lambda) and value.__globals__.get(node.name) is value
    name = writer.define(value, value.__name__ if plain else hint or value.__name__)
    bindings: dict[str, str] = {}
    deferred: dict[str, Any] = {}
    itself = ""
    with writer.opened(value):
        _with_defaults(writer, node, value)
        for variable, cell in cells.items():
            try:
                content = cell.cell_contents
            except ValueError:
                raise SourceUnavailable(Use(_shown(value), variable), "it has no value yet") from None
            if content is value:
                itself = variable
            elif id(value) in writer.previous.cyclic:
                deferred[variable] = content
                bindings[variable] = "None"
            else:
                demand_no_secret(Use(_shown(value), variable), variable, content)
                bindings[variable] = writer.emit(content, Use(_shown(value), variable))
    if isinstance(node, ast.Lambda) and not cells:
        writer.add(f"{name} = {ast.unparse(node)}\n")
    elif plain and not isinstance(node, ast.Lambda) and name == node.name:
        node.decorator_list = []
        writer.add(ast.unparse(node) + "\n")
    else:
        _add_scope(writer, node, value, name=name, itself=itself, bindings=bindings)
    writer.created(value, name)
    for variable, content in deferred.items():
        expression = writer.emit(content, Use(_shown(value), variable))
        place = value.__code__.co_freevars.index(variable)
        writer.add(f"{name}.__closure__[{place}].cell_contents = {expression}")
    _bind_body(writer, node, value)
    for attribute, content in vars(value).items():
        writer.add(f"{name}.{attribute} = {writer.emit(content, Use(_shown(value), attribute))}")
    return name


def _shown(function: FunctionType) -> str:
    return "a lambda" if function.__name__ == "<lambda>" else function.__name__


def _through_class(writer: Writer, function: FunctionType, use: Use) -> str | None:
    """A function that is an attribute of a class, as ``Mine.solve``."""
    path, _, name = function.__qualname__.rpartition(".")
    if not path or "<" in path:
        return None
    top, _, rest = path.partition(".")
    outer = function.__globals__.get(top)
    cls = resolve(outer, rest) if rest else outer
    if not isinstance(cls, type) or getattr(cls, name, None) is not function:
        return None
    return f"{writer.emit(cls, use)}.{name}"


def _add_scope(
    writer: Writer, node: FunctionNode, function: FunctionType, *, name: str, itself: str, bindings: Mapping[str, str]
) -> None:
    """A function around the function that binds what it closes over."""
    if isinstance(node, ast.Lambda):
        inner = itself or "captured"
        text = f"{inner} = {ast.unparse(node)}"
    else:
        node.decorator_list = []
        if itself:
            node.name = itself
        elif node.name in set(code_names(function.__code__)) | set(bindings):
            node.name = "captured"  # inside, its own name means something else
        inner, text = node.name, ast.unparse(node)
    scope = writer.unused(f"{name}_scope")
    body = textwrap.indent(f"{text}\nreturn {inner}", "    ") if "\n" not in text else _indented(text, inner)
    arguments = ", ".join(f"{variable}={expression}" for variable, expression in bindings.items())
    writer.add(f"def {scope}({', '.join(bindings)}):\n{body}\n")
    writer.add(f"{name} = {scope}({arguments})\n")


def _indented(text: str, inner: str) -> str:
    """Deeper by one level; lines of a text that spans several stay as they are."""
    tree = ast.parse(f"def scope():\n    pass\n    return {inner}")
    scope: Any = tree.body[0]
    scope.body[:1] = ast.parse(text).body
    return ast.unparse(tree).partition("\n")[2]


def _with_defaults(writer: Writer, node: FunctionNode, function: FunctionType) -> None:
    """Defaults are values by now: those that their source does not spell out are captured."""
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    values = function.__defaults__ or ()
    sources = dict(zip(reversed(names), reversed(node.args.defaults), strict=False))
    defaults = dict(zip(reversed(names), reversed(values), strict=False))
    user = _shown(function)
    node.args.defaults = [
        _default(writer, sources.get(name), defaults[name], Use(user, name)) for name in names if name in defaults
    ]
    by_name = function.__kwdefaults__ or {}
    node.args.kw_defaults = [
        _default(writer, before, by_name[argument.arg], Use(user, argument.arg)) if argument.arg in by_name else None
        for argument, before in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    ]


def _default(writer: Writer, source: ast.expr | None, value: Any, use: Use) -> ast.expr:
    demand_no_secret(use, use.name, value)
    with suppress(ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        if source is not None and repr(ast.literal_eval(source)) == repr(value):
            return source
    return ast.parse(writer.emit(value, use), mode="eval").body


def _bind_body(writer: Writer, node: FunctionNode, function: FunctionType) -> None:
    """Bind the names that a function looks up when it runs."""
    writer.copy_modules(node)
    bind_names(writer, code_names(function.__code__), function.__globals__, _shown(function), strict=True)
    _import_submodules(writer, node, function.__globals__, _shown(function))


def bind_names(
    writer: Writer, names: Mapping[str, bool], namespace: Mapping[str, Any], user: str, *, strict: bool = False
) -> None:
    """Bind global names that code uses; with ``strict`` each must exist unless the code itself binds it."""
    for name, assigned in names.items():
        use = Use(user, name)
        if name == "__file__":
            raise SourceUnavailable(use, "a captured function cannot see files next to the script")
        if name == "get_ipython":  # what a notebook makes of !command and %magic
            raise SourceUnavailable(
                use,
                "shell commands and magics, ! and %, are there in a notebook only",
                remedy="write it in plain Python",
            )
        if name.startswith("__") and name.endswith("__"):
            continue
        if name in namespace:
            writer.bind(name, namespace[name], use)
        elif strict and not assigned and not hasattr(builtins, name):
            raise SourceUnavailable(use, "it is not defined", remedy="define it before the run")


def own_names(code: CodeType) -> dict[str, bool]:
    """The global names that code itself uses, in the order of their first use, and whether it assigns them."""
    names: dict[str, bool] = {}
    for instruction in dis.get_instructions(code):
        if instruction.opname in _LOADS and isinstance(instruction.argval, str):
            assigned = instruction.opname == "STORE_GLOBAL"
            names[instruction.argval] = names.get(instruction.argval, False) or assigned
    return names


def code_names(code: CodeType) -> dict[str, bool]:
    """Those of the functions inside it too."""
    names = own_names(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            for name, assigned in code_names(constant).items():
                names[name] = names.get(name, False) or assigned
    return names


def _all_names(code: CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_varnames)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_names(constant)


def _import_submodules(writer: Writer, tree: ast.AST, namespace: Mapping[str, Any], user: str) -> None:
    """``scipy.optimize.minimize`` needs more than ``import scipy``: import the modules on such paths too."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        parts: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            parts.insert(0, inner.attr)
            inner = inner.value
        root = namespace.get(inner.id) if isinstance(inner, ast.Name) else None
        if not isinstance(root, ModuleType):
            continue
        for length in range(len(parts), 0, -1):
            name = ".".join([root.__name__, *parts[:length]])
            module = resolve(root, ".".join(parts[:length]))
            if isinstance(module, ModuleType) and sys.modules.get(name) is module:
                writer.emit(module, Use(user, name))
                break
