"""Broken copies of good input: bytes changed, cut, repeated, swapped; words of the formats in the wrong places."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

__all__ = ["Mutator", "mutate", "mutate_json", "mutate_lines", "mutate_table", "suited"]

Mutator: TypeAlias = Callable[[bytes, random.Random, Sequence[bytes]], bytes]

_WORDS = (
    *(b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n", b'"', b"'", b",", b"{", b"}", b"[", b"]", b"<", b">"),
    *(b"null", b"true", b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-0", b"0", b"1", b"-1", b"1e-320", b"00", b"."),
    *(b"9223372036854775808", b"18446744073709551616", b"1e308", b"0x10", b"1_000", b"\xe2\x82\xac", b"\xd9\xa3"),
    *(b"\xf0\x9f\x92\xa3", b"\\ud800", b"\\u0000", b"\xed\xa0\x80", b"\xc2\x85", b"\xe2\x80\xa8", b"\x1c", b"\f"),
    *(b"../../etc/passwd", b"/etc/passwd", b"__import__('os')", b"{{7*7}}", b"<script>", b"%s%n", b"${x}", b"&amp;"),
    *(b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"]]>", b"<![CDATA[", b"PK\x03\x04", b"\x1f\x8b", b"ARROW1", b"PAR1"),
    *(b"1969-12-31", b"9999-12-31T23:59:59", b"0000-00-00", b"2024-02-30", b"+14:00", b"Z", b"nat", b"0001-01-01"),
    *(b"(" * 200, b"[" * 200, b"9" * 5000, b"&#55555;", b"&#1114112;", b"&#0;", b"-14:00", b"True", b"None", b"nan"),
)
_HUGE = (b"[" * 100_000, b'{"a":' * 50_000, b"(" * 60_000, b"-" * 60_000, b"a" * 300_000, b"<a>" * 50_000)
_NUMBERS = (b"0", b"-1", b"1e400", b"NaN", b"1.5", b"99999999999999999999", b'"x"', b"null", b"9" * 400, b"inf")
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 3, 1.5, -0.0, 1e308, 2**63, 2**64, -(2**70), 10**400, 1e-320),
    *("", "x", "0", "\0", "\ud800", "../../x", "/etc/passwd", "inf", "nan", "a\nb", "\u00e9\u2028", "x" * 10_000),
    *([], {}, [[]], [None], [0], ["x"], [1, [2, [3]]], {"": None}, {"x": 1}, {"a": {"a": {"a": []}}}),
)
_CELLS = (b"", b"nan", b"inf", b"-inf", b"1e999", b"x", b'"a,b"', b"True", b"0", b"-1", b" 1", b"1e3", b"2020-01-01")


def mutate(seed: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """One to six changes to the bytes, each of a kind drawn at random."""
    data = bytearray(seed)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        _change(data, chance, others)
    return bytes(data)


def _change(data: bytearray, chance: random.Random, others: Sequence[bytes]) -> None:
    size = len(data)
    at = chance.randrange(size + 1)
    kind = chance.randrange(10)
    if kind == 0 and size:
        data[at % size] ^= 1 << chance.randrange(8)
    elif kind == 1 and size:
        data[at % size] = chance.randrange(256)
    elif kind == 2:
        data[at:at] = chance.choice(_HUGE) if chance.random() < 0.005 else chance.choice(_WORDS)
    elif kind == 3:
        word = chance.choice(_WORDS)
        data[at : at + max(1, len(word))] = word
    elif kind == 4:
        del data[at : at + chance.choice((1, 2, 4, 16, 256))]
    elif kind == 5:
        del data[at:]
    elif kind == 6:
        piece = data[at : at + chance.choice((1, 8, 64, 512))]
        data[at:at] = piece * chance.choice((1, 2, 50))
    elif kind == 7 and others:
        other = chance.choice(others)
        start = chance.randrange(len(other) + 1)
        data[at:at] = other[start : start + 256]
    elif kind == 8:
        _replace_number(data, chance)
    else:
        _swap_lines(data, chance)


def _replace_number(data: bytearray, chance: random.Random) -> None:
    digits = [index for index, value in enumerate(data[:50_000]) if 48 <= value <= 57]
    if digits:
        start = end = chance.choice(digits)
        while end < len(data) and 48 <= data[end] <= 57:
            end += 1
        data[start:end] = chance.choice(_NUMBERS)


def _swap_lines(data: bytearray, chance: random.Random) -> None:
    lines = bytes(data).split(b"\n")
    if len(lines) > 1:
        first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[first], lines[second] = lines[second], lines[first]
        data[:] = b"\n".join(lines)


def mutate_json(seed: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """Valid JSON whose content is wrong, two times in three; else broken bytes."""
    if chance.random() < 0.33:
        return mutate(seed, chance, others)
    try:
        tree = json.loads(seed)
    except (ValueError, RecursionError):
        return mutate(seed, chance, others)
    for _ in range(chance.choice((1, 1, 2, 4))):
        tree = _change_tree(tree, chance)
    return json.dumps(tree, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")


def _change_tree(tree: Any, chance: random.Random) -> Any:
    """One place of a tree, anywhere in it, replaced, removed, doubled or renamed."""
    places: list[tuple[Any, Any]] = []
    waiting = [tree]
    while waiting and len(places) < 5000:
        node = waiting.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            places.append((node, key))
            waiting.append(node[key])
    if not places or chance.random() < 0.02:
        return copy.deepcopy(chance.choice(_VALUES))
    node, key = chance.choice(places)
    kind = chance.randrange(6)
    if kind <= 2:
        node[key] = copy.deepcopy(chance.choice(_VALUES))
    elif kind == 3:
        del node[key]
    elif kind == 4:
        other, name = chance.choice(places)
        holds = (isinstance(other, dict) and name in other) or (isinstance(other, list) and name < len(other))
        node[key] = json.loads(json.dumps(other[name])) if holds else None
    elif isinstance(node, dict):
        word = chance.choice(("", "x", "../x", str(key) * 2, str(key).upper(), "\0"))
        node[word] = node.pop(key)
    else:
        node.insert(key, node[key])
    return tree


def mutate_lines(seed: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """One JSON object per line, one of them changed."""
    lines = seed.split(b"\n")
    at = chance.randrange(len(lines))
    lines[at] = mutate_json(lines[at], chance, others)
    return b"\n".join(lines)


def mutate_table(seed: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """Cells of a CSV table replaced, moved or left out, half of the time; else broken bytes."""
    if chance.random() < 0.5:
        return mutate(seed, chance, others)
    lines = seed.split(b"\n")
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(min(len(lines), chance.choice((1, 3, len(lines)))))
        cells = lines[at].split(b",")
        place = chance.randrange(len(cells))
        kind = chance.randrange(4)
        if kind <= 1:
            cells[place] = chance.choice(_CELLS) if chance.random() < 0.7 else chance.choice(_WORDS)
        elif kind == 2:
            del cells[place]
        else:
            cells.insert(place, cells[chance.randrange(len(cells))])
        lines[at] = b",".join(cells)
    return b"\n".join(lines)


def suited(name: str) -> Mutator:
    """The way to break a file of that name."""
    if name.endswith(".json"):
        return mutate_json
    if name.endswith(".jsonl"):
        return mutate_lines
    return mutate_table if name.endswith(".csv") else mutate
