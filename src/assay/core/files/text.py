"""Text and JSON from untrusted bytes and files: one reader, whose errors name file and place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from assay.core.errors import InvalidInput
from assay.core.files.digest import Json
from assay.core.files.folders import demand_file
from assay.core.files.near import near_path

__all__ = [
    *("LARGEST_JSON", "demand_size", "parse_json"),
    *("read_bytes", "read_json", "read_json_value", "read_text", "write_json"),
]

LARGEST_JSON = 64 * 1024**2  # bytes


def parse_json(data: bytes, *, what: str, finite: str = "") -> Any:
    """A JSON value from UTF-8 text; ``finite`` says what numbers are for, and refuses NaN and Infinity.

    >>> parse_json(b'{"a": [1, 2]}', what="answer")
    {'a': [1, 2]}
    >>> parse_json(b"[1, NaN]", what="answer", finite="every score must be a finite number")
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: answer: NaN is not allowed; every score must be a finite number.
    """

    def refuse(constant: str) -> NoReturn:
        raise InvalidInput(f"{what}: {constant} is not allowed; {finite}.")

    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=refuse if finite else None)
    except InvalidInput:
        raise
    except UnicodeDecodeError as error:
        raise _not_text(error, what) from None
    except json.JSONDecodeError as error:
        reason = f"{error.msg} at line {error.lineno}, column {error.colno}"
    except RecursionError:
        reason = "nested too deeply"
    except ValueError as error:  # a number of too many digits
        reason = str(error)
    raise InvalidInput(f"{what}: not valid JSON: {reason}.")


def _not_text(error: UnicodeDecodeError, what: object) -> InvalidInput:
    return InvalidInput(f"{what}: not UTF-8 text ({error.reason} at byte {error.start}).")


def read_text(path: Path) -> str:
    """The UTF-8 text of a file, with or without a byte order mark."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InvalidInput(f"{path}: file not found.{near_path(path)}") from None
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError as error:
        raise _not_text(error, path) from None


def read_json_value(path: Path, *, remedy: str = "") -> Any:
    """Whatever JSON value a file holds; ``remedy`` is for one that is not there."""
    demand_file(path, remedy=remedy)
    return parse_json(read_bytes(path, LARGEST_JSON), what=str(path))


def read_bytes(path: Path, largest: int) -> bytes:
    """The bytes of a file that has at most so many."""
    try:
        demand_size(path.stat().st_size, largest, what=str(path))
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read ({error.strerror}).") from None


def read_json(path: Path) -> dict[str, object]:
    """A JSON object from a file, or an error that names file, line and column."""
    content = read_json_value(path)
    if not isinstance(content, dict):
        raise InvalidInput(f"{path}: must hold a JSON object, found {type(content).__name__}.")
    return content


def demand_size(size: int, largest: int, *, what: str, remedy: str = "") -> None:
    """At most so many bytes."""
    if size > largest:
        raise InvalidInput(f"{what}: {size} bytes are more than the {largest} allowed.{remedy and f' {remedy}'}")


def write_json(path: Path, content: Mapping[str, Json]) -> None:
    """Write a JSON object, with keys in order: equal objects give equal bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")
