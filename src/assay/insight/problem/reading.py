"""Files of problems and solutions: JSON objects and CSV tables, read with messages that name file, key and column."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from assay.core import InvalidInput
from assay.insight.problem.scan import scan_csv

__all__ = ["LARGEST_JSON", "read_object", "read_table", "text_of", "texts_of", "write_table"]

LARGEST_JSON = 64 * 1024**2  # bytes


def read_table(path: Path, *, scanned: bool = False) -> pd.DataFrame:
    """A CSV file as pandas reads it by default, checked first; ``scanned`` says that it has been already."""
    if not scanned:
        scan_csv(path)
    try:
        # in one piece: read in pieces, a column of mixed content gets mixed types
        return pd.read_csv(path, low_memory=False)
    except (ValueError, OverflowError, OSError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InvalidInput(f"{path}: cannot be read as a table ({reason}). Give CSV with a header line.") from error


def write_table(path: Path, frame: pd.DataFrame) -> None:
    """A CSV file that reads back as the same table, the same bytes on every platform."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        frame.to_csv(stream, index=False, lineterminator="\n")


def read_object(path: Path) -> dict[str, object]:
    """A JSON object from a file of sensible size."""
    if not path.is_file():
        raise InvalidInput(f"{path}: there is no such file.")
    size = path.stat().st_size
    if size > LARGEST_JSON:
        raise InvalidInput(f"{path}: {size} bytes are more than the {LARGEST_JSON} allowed.")
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: not UTF-8 text ({error.reason} at byte {error.start}).") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"{path}: not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from None
    except RecursionError:
        raise InvalidInput(f"{path}: not usable JSON: nested too deeply.") from None
    except ValueError as error:  # a number of too many digits
        raise InvalidInput(f"{path}: not usable JSON: {error}.") from None
    if not isinstance(content, dict):
        raise InvalidInput(f"{path}: must hold a JSON object, found {type(content).__name__}.")
    return content


def text_of(content: Mapping[str, object], key: str, path: Path, *, default: str | None = None) -> str:
    """The text under a key; without a default it must be there and say something."""
    value = content.get(key, default)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or (default is None and not value):
        found = "is missing" if key not in content else f"is {_short(value)}"
        raise InvalidInput(f"{path}: {key!r} {found}; it must be a text.")
    return value


def texts_of(content: Mapping[str, object], key: str, path: Path, *, optional: bool = False) -> tuple[str, ...]:
    """The list of texts under a key; an optional one may be missing or null."""
    value = content.get(key)
    if value is None and optional:
        return ()
    if not isinstance(value, list):
        found = "is missing" if key not in content else f"is {_short(value)}"
        raise InvalidInput(f"{path}: {key!r} {found}; it must be a list of texts.")
    for place, entry in enumerate(value):
        if not isinstance(entry, str):
            raise InvalidInput(f"{path}: {key!r}[{place}] is {_short(entry)}; it must be a text.")
    return tuple(value)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
