"""Broken content in whole containers: archives whose checksums fit, so that the reader behind them is reached."""

from __future__ import annotations

import ast
import gzip
import hashlib
import io
import json
import random
import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress

from assay.intake.archives import EPOCH
from assay.publish.bundle.layout import MANIFEST, manifest_digest
from assay.publish.bundle.shape import ordered
from assay.report.export.archive import manifest_text
from fuzz.mutation import Mutator, mutate, mutate_json, suited

__all__ = [
    *("mutate_bundle", "mutate_explainer", "mutate_export", "mutate_framed", "mutate_gzip"),
    *("mutate_npy", "mutate_store", "zipped"),
]

_NAMES = ("../../escaped", "/tmp/escaped", "a/../../b", "", ".", "..", "x" * 300, "CON", "a\\b", "\u202e")
_DTYPES = ("|O", "<f8", "<f4", "<i8", "|b1", "<U5", "|S3", "<M8[ns]", "<c16", "|V8", "<u1", "<U0", ">f2", "x", "<m8")
_SHAPES = ("()", "(0,)", "(1,)", "(2, 0)", "(3, 3)", "(-1,)", "(10**9,)", "(2**62,)", "(1, 1, 1)", "None", "(1.5,)")
_SQL = ("NULL", "''", "'x'", "-1", "9e999", "x'00ff'", "'{}'", "'[]'", "'null'", "9223372036854775807", "'{\"a\": 1'")
_TRAILER = 64  # hexadecimal digits of a checksum
# what comes out of containers that were broken before, as those of guided runs are
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, RuntimeError, IndexError, KeyError)


def zipped(seal: Callable[[dict[str, bytes]], None] | None = None) -> Mutator:
    """One member of a zip broken in its own format, three times in four; ``seal`` makes checksums inside fit again."""

    def change(seed: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
        if chance.random() < 0.25:
            return mutate(seed, chance, others)
        try:
            members, comment = _members(seed)
        except _UNREADABLE:
            return mutate(seed, chance, others)
        if not members:
            return mutate(seed, chance, others)
        name = chance.choice(list(members))
        kind = chance.random()
        if kind < 0.05:
            del members[name]
        elif kind < 0.12:
            members[chance.choice(_NAMES)] = members.pop(name)
        else:
            broken = mutate_npy if name.endswith(".npy") else suited(name)
            members[name] = broken(members[name], chance, ())
        if seal is not None and chance.random() < 0.9:
            seal(members)
        return _pack(members, comment, zipfile.ZIP_DEFLATED if chance.random() < 0.5 else zipfile.ZIP_STORED)

    return change


def _members(data: bytes) -> tuple[dict[str, bytes], bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}, archive.comment


def _pack(members: dict[str, bytes], comment: bytes, method: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method, compresslevel=1) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
        archive.comment = comment
    return stream.getvalue()


def mutate_explainer(seed: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A saved explainer, broken inside, with the checksum at its end that it should have."""
    data = zipped()(seed, chance, others)
    if len(data) > _TRAILER and chance.random() < 0.9:
        try:
            comment = _members(seed)[1]
        except _UNREADABLE:
            return data
        mark = comment[:-_TRAILER]  # stands before the digits of the checksum
        if data[:-_TRAILER].endswith(mark):
            end = len(data) - _TRAILER - len(mark)
            return data[:-_TRAILER] + hashlib.sha256(data[:end]).hexdigest().encode()
    return data


def _seal_export(members: dict[str, bytes]) -> None:
    try:
        manifest = json.loads(members["manifest.json"])
        manifest["sha256"] = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
        members["manifest.json"] = json.dumps(manifest).encode("utf-8", "surrogatepass")
    except (KeyError, ValueError, TypeError, RecursionError):
        return  # a manifest that is broken itself has no sums to fix


mutate_export: Mutator = zipped(_seal_export)


def mutate_bundle(seed: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A bundle with one broken member, packed as a bundle is, with hashes and the manifest's digest made to fit."""
    try:
        members, _ = _members(seed)
    except _UNREADABLE:
        return mutate(seed, chance, others)
    if chance.random() < 0.2 or not members:
        return mutate(seed, chance, others)
    often = [name for name in members if name.endswith((".json", ".jsonl")) and not name.startswith("problems/")]
    name = chance.choice(often or list(members)) if chance.random() < 0.8 else chance.choice(list(members))
    members[name] = suited(name)(members[name], chance, ())
    with suppress(KeyError, ValueError, TypeError, RecursionError, AttributeError):
        body = json.loads(members[MANIFEST])
        body["sha256"] = {
            name: hashlib.sha256(content).hexdigest() for name, content in members.items() if name != MANIFEST
        }
        members[MANIFEST] = manifest_text({**body, "digest": manifest_digest(body)})
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in ordered(list(members)):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, members[name])
    return stream.getvalue()


def mutate_gzip(inner: Mutator) -> Mutator:
    """What a gzip file holds broken, two times in three; else the file itself."""

    def change(seed: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
        try:
            content = gzip.decompress(seed)
        except _UNREADABLE:
            return mutate(seed, chance, others)
        if chance.random() < 0.33:
            return mutate(seed, chance, others)
        return gzip.compress(inner(content, chance, ()), compresslevel=1, mtime=0)

    return change


def mutate_npy(seed: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """An array with another type or shape, half of the time; else broken bytes."""
    if chance.random() < 0.5 or not seed.startswith(b"\x93NUMPY\x01"):
        return mutate(seed, chance, others)
    (size,) = struct.unpack_from("<H", seed, 8)
    try:
        header = ast.literal_eval(seed[10 : 10 + size].decode("latin-1").strip())
        parts = {key: repr(value) for key, value in header.items()}
    except (ValueError, SyntaxError, AttributeError):
        return mutate(seed, chance, others)
    if chance.random() < 0.5:
        parts["descr"] = repr(chance.choice(_DTYPES))
    if chance.random() < 0.5:
        parts["shape"] = chance.choice(_SHAPES)
    text = "{" + ", ".join(f"'{key}': {value}" for key, value in parts.items()) + ", }\n"
    return seed[:8] + struct.pack("<H", len(text)) + text.encode() + seed[10 + size :]


def mutate_framed(mark: bytes) -> Mutator:
    """A JSON header after a mark and its size: the header broken and the size right, half of the time."""

    def change(seed: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
        start = len(mark) + 8
        if chance.random() < 0.4 or not seed.startswith(mark) or len(seed) < start:
            return mutate(seed, chance, others)
        (size,) = struct.unpack_from("<Q", seed, len(mark))
        header = mutate_json(seed[start : start + size], chance, ())
        return mark + struct.pack("<Q", len(header)) + header + seed[start + size :]

    return change


def mutate_store(seed: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A database with wrong values in whole pages, half of the time; else broken bytes."""
    if chance.random() < 0.5:
        return mutate(seed, chance, others)
    base = sqlite3.connect(":memory:")
    try:
        base.deserialize(seed)
        tables = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for _ in range(chance.choice((1, 1, 3))):
            table = chance.choice(tables)
            column = chance.choice([row[1] for row in base.execute(f'PRAGMA table_info("{table}")')])
            _spoil(base, table, column, chance)
        base.commit()
        return bytes(base.serialize())
    except (sqlite3.Error, IndexError, OverflowError):
        return mutate(seed, chance, others)
    finally:
        base.close()


def _spoil(base: sqlite3.Connection, table: str, column: str, chance: random.Random) -> None:
    """One column of a table changed in its first row or in all, or the table emptied, dropped, or a number set."""
    kind = chance.random()
    if kind < 0.1:
        base.execute(f'DELETE FROM "{table}"')
    elif kind < 0.15:
        base.execute(f'DROP TABLE "{table}"')
    elif kind < 0.2:
        base.execute(f"PRAGMA user_version = {chance.choice((0, 1, 2, 3, 99, -1))}")
    elif kind < 0.6:
        base.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = {chance.choice(_SQL)}')
    else:
        row = base.execute(f'SELECT "{column}" FROM "{table}" LIMIT 1').fetchone()
        if row is None or row[0] is None:
            return
        old = row[0] if isinstance(row[0], bytes) else str(row[0]).encode()
        new: object = (mutate_json if old[:1] in b"{[" and old else mutate)(old, chance, ())
        if isinstance(row[0], str) and isinstance(new, bytes):
            new = new.decode("utf-8", "replace")
        base.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE "{column}" = ?', (new, row[0]))
