"""A quick scan of regular XES text: no elements are built, the wanted values are found by their keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Unusual", "scan_traces"]

_LONGEST = 1 << 25  # bytes of one trace; a longer one is read element by element
_ENTITY = re.compile(r"&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ENCODING = re.compile(rb"""<\?xml[^>]*encoding=["']([A-Za-z0-9_-]+)["']""")

Values = tuple[str | None, ...]


class Unusual(Exception):
    """The text has something that the scan does not understand; a parser must read it."""


def scan_traces(chunks: Iterable[bytes], name_key: str, keys: Sequence[str]) -> Iterator[tuple[str, list[Values]]]:
    """The name of every trace and, per event, the values of the keys; None where an event lacks one.

    The text must be well-formed, which the caller proves. Raises ``Unusual`` for comments, sections, declarations,
    other encodings than UTF-8, single quotes, prefixed or nested elements, and attributes in other forms.
    """
    name_mark = _mark(name_key)
    marks = [_mark(key) for key in keys]
    decoded: dict[bytes, str] = {}
    rest, inside = b"", False
    for chunk in chunks:
        text = rest + chunk
        # a mark may be cut by the border of two chunks, so that the joined text is searched
        if b"<!" in text or b"='" in text:
            raise Unusual
        *traces, rest = text.split(b"</trace>")
        if len(rest) > _LONGEST:
            raise Unusual
        for trace in traces:
            head, *events = trace.split(b"<event>")
            before, opening, head = head.partition(b"<trace>")
            if not opening or b"</" in head or b"<event" in head or (inside and before.strip()):
                raise Unusual
            if not inside:
                _demand_plain_head(before)
            inside = True
            name = _value(head, name_mark, {})
            if name is None:
                raise Unusual
            yield name, [_event(event, marks, decoded) for event in events]
    if rest.strip() != b"</log>" or not inside:
        raise Unusual


def _demand_plain_head(head: bytes) -> None:
    """What stands before the first trace: in UTF-8, and without other traces or events."""
    encoding = _ENCODING.match(head.removeprefix(b"\xef\xbb\xbf"))
    if encoding and encoding[1].lower() not in (b"utf-8", b"ascii"):
        raise Unusual
    if b"<log" not in head or b"<trace" in head or b"<event" in head:
        raise Unusual


def _mark(key: str) -> bytes:
    if any(sign in key for sign in "&<>\"'"):  # written as entities
        raise Unusual
    return f'key="{key}" value="'.encode()


def _event(text: bytes, marks: Sequence[bytes], decoded: dict[bytes, str]) -> Values:
    end = text.find(b"</")
    if text[end : end + 8] != b"</event>" or text[end + 8 :].strip():
        raise Unusual
    return tuple([_value(text, mark, decoded) for mark in marks])


def _value(text: bytes, mark: bytes, decoded: dict[bytes, str]) -> str | None:
    at = text.find(mark)
    if at < 0:
        # the key may stand there in another form
        if mark[4 : mark.index(b" value=")] in text:
            raise Unusual
        return None
    at += len(mark)
    end = text.find(b'"', at)
    raw = text[at:end]
    if raw in decoded:
        return decoded[raw]
    if end < 0 or b"\n" in raw or b"\t" in raw or b"\r" in raw:
        raise Unusual
    try:
        value = _ENTITY.sub(_entity, raw.decode("utf-8"))
    except (ValueError, OverflowError):  # no UTF-8, or a character that does not exist
        raise Unusual from None
    if len(decoded) < 65536:
        decoded[raw] = value
    return value


def _entity(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1]))
    if match[2]:
        return chr(int(match[2], 16))
    if match[3] not in _NAMED:
        raise Unusual
    return _NAMED[match[3]]
