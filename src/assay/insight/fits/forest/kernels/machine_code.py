"""Machine code of a kernel in a file of its own, which runs without the compiler that made it.

The file is an object file of Linux on x86-64 with one function that needs nothing but copying and filling of memory.
Everything else, and every other machine, is left to the compiler's own ways.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import struct
import sys
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

__all__ = ["NotKept", "describe", "emit", "load", "processor"]

ENTRY = "kernel"
OUTSIDE = ("memcpy", "memmove", "memset")  # of the C library
NEVER = "NRT_MemInfo_call_dtor"  # is for arrays that a kernel made; those that it is given have no owner

_POINTER, _WHOLE = ctypes.c_void_p, ctypes.c_int64
_SCALARS: dict[type, tuple[str, Any, str]] = {  # how it is told, handed over, and named by the compiler
    bool: ("b", ctypes.c_bool, "i8"),
    int: ("i", _WHOLE, "i64"),
    float: ("d", ctypes.c_double, "double"),
    np.float32: ("f", ctypes.c_float, "float"),
}
_READ_EXECUTE = 1 | 4
_IN_MEMORY, _WRITABLE = 2, 1  # flags of a section


class NotKept(Exception):
    """A kernel, a machine or a file for which this is not the way; the message says why."""


@cache
def processor() -> str:
    """What machine code is made for: the system and the processor with its abilities; empty where none is kept."""
    if sys.platform != "linux" or platform.machine() != "x86_64" or ctypes.sizeof(_POINTER) != 8:
        return ""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as lines:
            facts = {}
            for line in lines:
                name, _, value = line.partition(":")
                facts[name.strip()] = value.strip()
                if not line.strip():  # the first processor stands for all
                    break
    except OSError:
        return ""
    named = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags")
    return "\n".join(facts.get(name, "") for name in named) if "flags" in facts else ""


def describe(arguments: Sequence[Any]) -> str:
    """The types of arguments in short; empty when one of them is none that kept code takes.

    >>> describe((np.zeros((2, 2)), 3, (np.zeros(2, dtype=np.uint8), True)))
    'd2 i (B1 b)'
    """
    words = []
    for argument in arguments:
        kind = type(argument)
        if kind is np.ndarray:
            if not (argument.flags.carray or (argument.flags.c_contiguous and argument.flags.aligned)):
                return ""
            words.append(f"{argument.dtype.char}{argument.ndim}")
        elif kind in _SCALARS:
            words.append(_SCALARS[kind][0])
        elif kind is tuple and (inner := describe(argument)):
            words.append(f"({inner})")
        else:
            return ""
    return " ".join(words)


def _layout(arguments: Sequence[Any]) -> list[tuple[Any, str]]:
    """How arguments are handed over one by one: owner, parent, number, size, data, shape, strides of an array."""
    kinds: list[tuple[Any, str]] = []
    for argument in arguments:
        if isinstance(argument, tuple):
            kinds += _layout(argument)
        elif isinstance(argument, np.ndarray):
            head = [(_POINTER, "ptr")] * 2 + [(_WHOLE, "i64")] * 2 + [(_POINTER, "ptr")]
            kinds += head + [(_WHOLE, "i64")] * (2 * argument.ndim)
        else:
            kinds.append(_SCALARS[type(argument)][1:])
    return kinds


def _flat(arguments: Sequence[Any], into: list[Any]) -> list[Any]:
    for argument in arguments:
        if isinstance(argument, tuple):
            _flat(argument, into)
        elif isinstance(argument, np.ndarray):
            into += (None, None, argument.size, argument.itemsize, argument.ctypes.data)
            into += argument.shape
            into += argument.strides
        else:
            into.append(argument)
    return into


def emit(compiled: Any, arguments: Sequence[Any]) -> bytes:
    """What the compiler made of a function for these arguments, alone in an object file with its digest at the end.

    Raises
    ------
    NotKept
        It needs the compiler's runtime, for memory or for errors, or takes arguments or gives results in another way.
    """
    llvm: Any = import_module("llvmlite.binding")

    if str(compiled.signature.return_type) not in ("none", "int64"):
        raise NotKept(f"it returns {compiled.signature.return_type}")
    library, name = compiled.library, compiled.fndesc.llvm_func_name
    module = llvm.parse_bitcode(library._get_module_for_linking().as_bitcode())
    for function in module.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name == name else "internal"
    entry = module.get_function(name)
    kinds = [str(argument.type) for argument in entry.arguments][2:]  # after places for the result and for an error
    accepted = ["ptr" if kind.endswith("*") else kind for kind in kinds]
    if accepted != [kind for _, kind in _layout(arguments)]:
        raise NotKept(f"arguments are taken as {accepted}")
    entry.name = ENTRY
    machine = library.codegen._tm
    options = llvm.create_pipeline_tuning_options(speed_level=0)
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(machine, options))
    code: bytes = machine.emit_object(module)
    _place(code, 0)
    return code + sha256(code).digest()


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


def _place(code: bytes, base: int) -> tuple[bytearray, int]:
    """The bytes of an object file as they stand in memory from ``base`` on, and where its function begins."""
    if code[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<HH", code, 16) != (1, 62):
        raise NotKept("not an object file of this machine")
    start, size, count = struct.unpack_from("<Q", code, 40)[0], *struct.unpack_from("<HH", code, 58)
    sections = [_Section(*struct.unpack_from("<IIQQQQIIQQ", code, start + i * size)) for i in range(count)]
    image, places = bytearray(), {}
    for number, section in enumerate(sections):
        if not section.flags & _IN_MEMORY or section.kind == 0x70000001:  # unwinding information is not used
            continue
        if section.flags & _WRITABLE or section.kind != 1:
            if section.size:
                raise NotKept("it keeps something between calls")
            continue
        image += bytes(-len(image) % max(section.align, 1))
        places[number] = len(image)
        image += code[section.offset : section.offset + section.size]
    (table,) = (section for section in sections if section.kind == 2)
    names = code[sections[table.link].offset :]
    symbols = []
    for at in range(table.offset, table.offset + table.size, 24):
        named, _, _, within, value, _ = struct.unpack_from("<IBBHQQ", code, at)
        symbols.append((names[named : names.index(b"\0", named)].decode(), within, value))

    def address(symbol: tuple[str, int, int]) -> int:
        name, within, value = symbol
        if within in places:
            return base + places[within] + value
        if name == NEVER:
            return 0
        if within or name not in OUTSIDE:
            raise NotKept(f"it needs {name or within!r}")
        return ctypes.cast(getattr(ctypes.CDLL(None), name), _POINTER).value or 0

    for section in sections:
        if section.kind != 4 or section.info not in places:  # relocations of what is in memory
            continue
        for at in range(section.offset, section.offset + section.size, 24):
            offset, info, added = struct.unpack_from("<QQq", code, at)
            place = places[section.info] + offset
            value = address(symbols[info >> 32]) + added
            if info & 0xFFFFFFFF == 24:  # counted from here
                value -= base + place
            elif info & 0xFFFFFFFF != 1:
                raise NotKept(f"relocation {info & 0xFFFFFFFF} is not known")
            struct.pack_into("<Q", image, place, value % 2**64)
    entries = [address(symbol) for symbol in symbols if symbol[0] == ENTRY]
    return image, entries[0] - base


def load(emitted: bytes, arguments: Sequence[Any], *, gives: bool) -> Callable[..., int | None]:
    """The function of such a file, for arguments of these types, which gives a whole number or nothing.

    Raises
    ------
    NotKept
        The file is damaged, is of another machine, or its memory cannot be made executable.
    """
    code, digest = emitted[:-32], emitted[-32:]
    if sha256(code).digest() != digest:
        raise NotKept("the file is damaged")
    size = len(code) + mmap.PAGESIZE  # no less than what is placed and the gaps between
    memory = mmap.mmap(-1, size)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    image, entry = _place(code, start)
    memory[: len(image)] = bytes(image)
    library = ctypes.CDLL(None, use_errno=True)
    if library.mprotect(_POINTER(start), ctypes.c_size_t(size), _READ_EXECUTE):
        raise NotKept("memory cannot be made executable")
    kinds = [kind for kind, _ in _layout(arguments)]
    function = ctypes.CFUNCTYPE(ctypes.c_int32, _POINTER, _POINTER, *kinds)(start + entry)

    def call(*arguments: Any, memory: mmap.mmap = memory) -> int | None:
        result, failure = _WHOLE(0), _POINTER(None)
        status = function(ctypes.addressof(result), ctypes.addressof(failure), *_flat(arguments, []))
        if status:
            raise RuntimeError(f"a kernel ended with status {status}")
        return result.value if gives else None

    return call
