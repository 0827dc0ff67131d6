"""Data and instances as expressions: literals, containers, constructor calls, restored states."""

from __future__ import annotations

import copyreg
import dataclasses
import enum
import inspect
import json
import math
from typing import Any, Final, TypeVar

from assay.harness.callables.secret_values import demand_no_secret
from assay.harness.callables.unavailable import SourceUnavailable, Use, describe_type
from assay.harness.callables.writing import Writer

__all__ = ["emit_constructed", "emit_container", "emit_plain", "emit_restored"]

_LONGEST: Final = 1 << 16  # characters or bytes that stand in the source; longer ones get a file
_LONGEST_DECIMAL: Final = 10_000  # bits of a whole number; Python refuses to write and read longer ones in decimals
_MOST: Final = 1000  # entries of a container that stand in the source
_JSON: Final = (bool, int, float, str, type(None))


def emit_plain(writer: Writer, value: Any, use: Use, hint: str) -> str | None:
    """Numbers, texts, and what else is its own literal."""
    kind = type(value)
    if kind is int and value.bit_length() > _LONGEST_DECIMAL:
        return hex(value)
    if kind in (bool, int, type(None), type(Ellipsis), type(NotImplemented)):
        return repr(value)
    if kind is float:
        return repr(value) if math.isfinite(value) else f'float("{value!r}")'
    if kind is complex:
        return f"complex({emit_plain(writer, value.real, use, '')}, {emit_plain(writer, value.imag, use, '')})"
    if kind is str:
        if len(value) <= _LONGEST:
            return repr(value)
        path = writer.add_data(value.encode("utf-8", "surrogatepass"), ".txt")
        return f'{path}.read_bytes().decode("utf-8", "surrogatepass")'
    if kind in (bytes, bytearray):
        inner = (
            repr(bytes(value)) if len(value) <= _LONGEST else f"{writer.add_data(bytes(value), '.bin')}.read_bytes()"
        )
        return inner if kind is bytes else f"bytearray({inner})"
    return None


def emit_container(writer: Writer, value: Any, use: Use, hint: str) -> str | None:
    """Tuples, lists, dictionaries, sets and slices; those that are shared get a name and are filled after it."""
    kind = type(value)
    if kind is slice:
        return f"slice({', '.join(writer.emit(part, use) for part in (value.start, value.stop, value.step))})"
    if kind not in (tuple, list, dict, set, frozenset):
        return None
    if len(value) > _MOST and (loaded := _as_json(writer, value)):
        return writer.assign(value, hint, loaded)
    if kind in (tuple, frozenset):
        with writer.opened(value):
            return _inside(writer, value, use)
    if id(value) in writer.previous.shared:
        name = writer.define(value, hint)
        writer.add(f"{name} = {kind.__name__}()")
        writer.created(value, name)
        writer.add(f"{name}.{'extend' if kind is list else 'update'}({_inside(writer, value, use)})")
        return name
    if id(value) in writer.visited:
        writer.findings.shared.add(id(value))
    writer.visited.add(id(value))
    with writer.opened(value):
        return _inside(writer, value, use)


def _inside(writer: Writer, value: Any, use: Use) -> str:
    if isinstance(value, dict):
        pairs = []
        for key, entry in value.items():
            inner = use.inner(f"[{key!r}]" if isinstance(key, str | int) else "[...]")
            if isinstance(key, str):
                demand_no_secret(inner, key, entry)
            pairs.append(f"{writer.emit(key, inner)}: {writer.emit(entry, inner)}")
        return "{" + ", ".join(pairs) + "}"
    entries = [writer.emit(entry, use.inner(f"[{place}]")) for place, entry in enumerate(value)]
    if isinstance(value, set | frozenset):  # their order differs from process to process
        inside = "{" + ", ".join(sorted(entries)) + "}" if entries else ""
        return f"frozenset({inside})" if isinstance(value, frozenset) else inside or "set()"
    if isinstance(value, tuple):
        return f"({entries[0]},)" if len(entries) == 1 else f"({', '.join(entries)})"
    return f"[{', '.join(entries)}]"


def _as_json(writer: Writer, value: Any) -> str:
    """Long lists and dictionaries of plain values as a file; nothing for others."""
    entries = list(value.values()) if isinstance(value, dict) else value
    keys = value if isinstance(value, dict) else ()
    if isinstance(value, set | frozenset) or any(type(entry) not in _JSON for entry in entries):
        return ""
    if any(type(key) is not str for key in keys):
        return ""
    writer.add_import("import json as _json")
    path = writer.add_data(json.dumps(value, separators=(",", ":")).encode(), ".json")
    loaded = f"_json.loads({path}.read_bytes())"
    return f"tuple({loaded})" if isinstance(value, tuple) else loaded


def emit_constructed(writer: Writer, value: Any, use: Use, hint: str) -> str | None:
    """Members of enumerations, plain data classes and unfitted estimators as their classes would be called."""
    if isinstance(value, enum.Enum) and str(value.name).isidentifier():
        return f"{writer.emit(type(value), use)}.{value.name}"
    if isinstance(value, TypeVar):
        arguments = [repr(value.__name__), *(writer.emit(entry, use) for entry in value.__constraints__)]
        arguments += [f"bound={writer.emit(value.__bound__, use)}"] if value.__bound__ else []
        writer.add_import("from typing import TypeVar as _TypeVar")
        return writer.assign(value, hint, f"_TypeVar({', '.join(arguments)})")
    parameters = _parameters(value)
    if parameters is None:
        return None
    user = type(value).__name__
    name = writer.define(value, hint)
    with writer.opened(value):
        cls = writer.emit(type(value), use)
        texts = []
        for parameter, entry in parameters.items():
            demand_no_secret(Use(user, parameter), parameter, entry)
            texts.append(f"{parameter}={writer.emit(entry, use.inner(f'.{parameter}'))}")
    writer.add(f"{name} = {cls}({', '.join(texts)})")
    return writer.created(value, name)


def _parameters(value: Any) -> dict[str, Any] | None:
    """The arguments that make an equal object, those that have their defaults left out; None where that is not sure."""
    cls = type(value)
    if dataclasses.is_dataclass(cls):
        fields = dataclasses.fields(value)
        is_generated = getattr(getattr(cls.__init__, "__code__", None), "co_filename", "") == "<string>"
        extra = set(getattr(value, "__dict__", {})) - {entry.name for entry in fields}
        if not is_generated or extra or hasattr(cls, "__post_init__") or not all(entry.init for entry in fields):
            return None
        contents = {entry.name: (getattr(value, entry.name), entry.default) for entry in fields}
        return {name: content for name, (content, default) in contents.items() if not _same(content, default)}
    if not callable(getattr(value, "get_params", None)) or isinstance(value, type):
        return None
    arguments = value.get_params(deep=False)
    signature = inspect.signature(cls.__init__).parameters
    state = getattr(value, "__dict__", {})
    if any(name not in signature or state.get(name, value) is not arguments[name] for name in arguments):
        return None
    if extra := set(state) - set(arguments):  # fitted, unless a new one has the same
        fresh = vars(cls(**arguments))
        if extra != set(fresh) - set(arguments) or not all(_same(state[name], fresh[name]) for name in extra):
            return None
    return {name: entry for name, entry in arguments.items() if not _same(entry, signature[name].default)}


def _same(value: object, default: object) -> bool:
    return value is default or (
        type(value) is type(default) and isinstance(value, _JSON) and repr(value) == repr(default)
    )


def emit_restored(writer: Writer, value: Any, use: Use, hint: str) -> str | None:
    """Any other object as pickle would restore it: made without ``__init__``, then given its state."""
    reduce = copyreg.dispatch_table.get(type(value))
    try:
        reduced: Any = reduce(value) if reduce else value.__reduce_ex__(4)
    except Exception as error:  # noqa: BLE001 - code of whatever class this is
        raise SourceUnavailable(
            use,
            f"{describe_type(value)} cannot be written into a file ({error})",
            remedy="create it inside the function",
        ) from None
    if isinstance(reduced, str):
        return None
    function, arguments, state, entries, pairs = (*reduced, None, None, None)[:5]
    name = writer.define(value, hint)
    with writer.opened(value):
        parts = [writer.emit(entry, use) for entry in arguments]
        if function is copyreg.__newobj__:  # type: ignore[attr-defined]
            expression = f"{parts[0]}.__new__({', '.join(parts)})"
        elif function is copyreg.__newobj_ex__:  # type: ignore[attr-defined]
            expression = f"{parts[0]}.__new__({parts[0]}, *{parts[1]}, **{parts[2]})"
        else:
            expression = f"{writer.emit(function, use)}({', '.join(parts)})"
    writer.add(f"{name} = {expression}")
    writer.created(value, name)
    if state is not None:
        _add_state(writer, value, state, use, name)
    for entry in entries or ():
        writer.add(f"{name}.append({writer.emit(entry, use)})")
    for key, entry in pairs or ():
        writer.add(f"{name}[{writer.emit(key, use)}] = {writer.emit(entry, use)}")
    return name


def _add_state(writer: Writer, value: Any, state: Any, use: Use, name: str) -> None:
    if callable(getattr(value, "__setstate__", None)):
        writer.add(f"{name}.__setstate__({writer.emit(state, use)})")
        return
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    user = Use(type(value).__name__)
    for into, content in (("__dict__", attributes), ("", slots)):
        for attribute, entry in (content or {}).items():
            inner = use.inner(f".{attribute}") if use.name else user.inner(f".{attribute}")
            demand_no_secret(inner, attribute, entry)
            expression = writer.emit(entry, inner)
            if into:
                writer.add(f"{name}.__dict__[{attribute!r}] = {expression}")
            else:
                writer.add(f"object.__setattr__({name}, {attribute!r}, {expression})")
