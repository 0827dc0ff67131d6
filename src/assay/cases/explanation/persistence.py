"""An explainer in one file: a zip of arrays and a JSON header, no pickle, the whole of it under a checksum.

The file ends with the zip's comment, ``assay-sha256:`` and the SHA-256 of every byte before the comment. So nothing of
a damaged file is parsed, and every flipped byte is noticed. A checksum guards against damage, not against a forger.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import zipfile
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.casebase import CaseBase
from assay.cases.neighbors.checks import Label, LabelArray
from assay.cases.neighbors.columns import Encoding
from assay.core import InvalidInput, Json
from assay.intake.archives import EPOCH, read_member
from assay.version import __version__

__all__ = ["FORMAT", "load_options", "save_options"]

FORMAT = 1
_KIND = "assay case explainer"
_HEADER = "header.json"
_MARK = b"assay-sha256:"
_TRAILER = len(_MARK) + 64


def save_options(
    path: str | PathLike[str],
    cases: CaseBase,
    options: Mapping[str, Any],
    *,
    class_weights: Mapping[Label, float] | str | None,
    train_predictions: LabelArray | None,
) -> None:
    """Write what an explainer is made of; the file is complete or not there, whatever happens meanwhile."""
    arrays: dict[str, npt.NDArray[Any]] = {"X": cases.numbers(cases.X), "y": cases.y}
    if train_predictions is not None:
        arrays["train_predictions"] = train_predictions
    for name in ("metric", "weighting"):
        _demand_named(name, options[name])
    header: dict[str, Json] = {
        "kind": _KIND,
        "format": FORMAT,
        "version": __version__,
        "arrays": sorted(arrays),
        "categories": [[column, list(values)] for column, values in sorted(cases.encoding.categories.items())],
        "metadata": {name: list(column) for name, column in cases.metadata.items()},
        "class_names": [cases.name_of(label) for label in cases.classes.tolist()],
        "class_weights": list(class_weights.values()) if isinstance(class_weights, Mapping) else class_weights,
        "options": {
            **options,
            "feature_names": list(cases.feature_names),
            "feature_weights": None if cases.feature_weights is None else cases.feature_weights.tolist(),
            "private": sorted(cases.private),
            **({"units": dict(cases.units)} if cases.units else {}),
        },
    }
    _write(Path(path), header, arrays)


def _demand_named(option: str, value: object) -> None:
    if not isinstance(value, str):
        called = getattr(value, "__name__", type(value).__name__)
        raise InvalidInput(
            f"save: {option} is the function {called!r}, and functions cannot be saved. Use a named one."
        )


def _write(path: Path, header: dict[str, Json], arrays: dict[str, npt.NDArray[Any]]) -> None:
    text = json.dumps(header, sort_keys=True, allow_nan=False)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        opened = temporary.open("x+b")
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be written ({error.strerror}).") from None
    try:
        with opened as stream:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
                archive.writestr(zipfile.ZipInfo(_HEADER, date_time=EPOCH), text.encode())
                for name in sorted(arrays):
                    place = zipfile.ZipInfo(f"{name}.npy", date_time=EPOCH)
                    with archive.open(place, "w", force_zip64=True) as entry:
                        np.lib.format.write_array(entry, np.ascontiguousarray(arrays[name]), allow_pickle=False)
                archive.comment = _MARK + b"0" * 64  # holds the place; its length is part of what is hashed
            stream.flush()
            stream.seek(-_TRAILER, os.SEEK_END)
            end = stream.tell()
            digest = _digest(stream, end)
            stream.seek(end)
            stream.write(_MARK + digest.encode())
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load_options(path: str | PathLike[str]) -> dict[str, Any]:
    """What to tell the constructor to get the saved explainer back; any error but ours means that it cannot be."""
    path = Path(path)
    try:
        with path.open("rb") as stream:
            _demand_whole(stream, path)
            stream.seek(0)
            header, arrays = _read(stream, path)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read ({error.strerror}).") from None
    for part in ("options", "categories", "metadata", "class_names", "class_weights"):
        if part not in header:
            raise InvalidInput(f"{path}: is not a saved explainer: its header lacks {part!r}.")
    options: dict[str, Any] = dict(header["options"])
    encoding = Encoding(categories={column: tuple(values) for column, values in header["categories"]})
    options["thresholds"] = tuple(options["thresholds"])
    options["categorical"] = sorted(encoding.categories)
    options["X_train"] = encoding.raw(encoding.decode(arrays["X"]))
    options["y_train"] = arrays["y"]
    options["class_names"] = header["class_names"]
    options["class_weights"] = header["class_weights"]
    options["metadata"] = header["metadata"] or None
    options["train_predictions"] = arrays.get("train_predictions")
    return options


def _demand_whole(stream: io.BufferedReader, path: Path) -> None:
    """The checksum at the end fits everything before it."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    if stream.read(2) != b"PK":
        raise InvalidInput(f"{path}: is not a saved explainer. Give a file that CaseExplainer.save wrote.")
    trailer = b""
    if size >= _TRAILER:
        stream.seek(size - _TRAILER)
        trailer = stream.read()
    if not trailer.startswith(_MARK):
        stream.seek(0)
        whole = zipfile.is_zipfile(stream)
        fault = "is a zip file but not a saved explainer" if whole else "is truncated or damaged at its end"
        raise InvalidInput(f"{path}: {fault}. Give a file that CaseExplainer.save wrote, or save it again.")
    if _digest(stream, size - _TRAILER).encode() != trailer[len(_MARK) :]:
        raise InvalidInput(f"{path}: was changed after it was saved: its checksum does not fit. Save it again.")


def _read(stream: io.BufferedReader, path: Path) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    try:
        with zipfile.ZipFile(stream) as archive:
            header = json.loads(read_member(archive, _HEADER, path=path))
            if not isinstance(header, dict) or header.get("kind") != _KIND:
                raise InvalidInput(f"{path}: is not a saved explainer but {header.get('kind')!r}.")
            if header.get("format") != FORMAT:
                raise InvalidInput(
                    f"{path}: has format {header.get('format')!r} and was written by Assay {header.get('version')}; "
                    f"this is Assay {__version__}, which reads format {FORMAT}. Load it with that version."
                )
            arrays = {}
            for name in header["arrays"]:
                with archive.open(f"{name}.npy") as entry:
                    arrays[name] = np.lib.format.read_array(entry, allow_pickle=False)
    except InvalidInput:
        raise
    except Exception as error:  # zipfile, zlib, tokenize and numpy raise classes of their own
        raise InvalidInput(f"{path}: is not a saved explainer ({error}).") from error
    return header, arrays


def _digest(stream: Any, end: int) -> str:
    stream.seek(0)
    total, remaining = hashlib.sha256(), end
    while remaining:
        block = stream.read(min(remaining, 1 << 20))
        total.update(block)
        remaining -= len(block)
    return total.hexdigest()
