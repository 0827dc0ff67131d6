"""Broken copies of good input: bytes changed, cut, repeated, swapped; words of the formats in the wrong places."""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = ["mutate"]

_WORDS = (
    *(b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n", b'"', b"'", b",", b"{", b"}", b"[", b"]", b"<", b">"),
    *(b"null", b"true", b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-0", b"0", b"1", b"-1", b"1e-320", b"00", b"."),
    *(
        b"9223372036854775808",
        b"18446744073709551616",
        b"1e308",
        b"0x10",
        b"1_000",
        b"\xe2\x82\xac",
        b"\xf0\x9f\x92\xa3",
    ),
    *(b"../../etc/passwd", b"/etc/passwd", b"__import__('os')", b"{{7*7}}", b"<script>", b"%s%n", b"${x}", b"&amp;"),
    *(b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"]]>", b"<![CDATA[", b"PK\x03\x04", b"\x1f\x8b", b"ARROW1", b"PAR1"),
    *(
        b"1969-12-31",
        b"9999-12-31T23:59:59",
        b"0000-00-00",
        b"2024-02-30",
        b"+14:00",
        b"Z",
        b"nat",
        b"(" * 200,
        b"[" * 200,
    ),
)
_NUMBERS = (b"0", b"-1", b"1e400", b"NaN", b"1.5", b"99999999999999999999", b'"x"', b"null")


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
        data[at:at] = chance.choice(_WORDS)
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
    digits = [index for index, value in enumerate(data) if 48 <= value <= 57]
    if digits:
        start = end = chance.choice(digits)
        while end < len(data) and 48 <= data[end] <= 57:
            end += 1
        data[start:end] = chance.choice(
            (b"0", b"-1", b"1e400", b"NaN", b"1.5", b"99999999999999999999", b'"x"', b"null")
        )


def _swap_lines(data: bytearray, chance: random.Random) -> None:
    lines = bytes(data).split(b"\n")
    if len(lines) > 1:
        first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[first], lines[second] = lines[second], lines[first]
        data[:] = b"\n".join(lines)
