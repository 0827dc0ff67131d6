"""Named arrays in npz files: no pickles, and the same bytes for the same arrays."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput

__all__ = ["read_npz", "write_npz"]

_EPOCH = (1980, 1, 1, 0, 0, 0)  # a file's bytes must not depend on when it was written


def read_npz(path: Path) -> dict[str, npt.NDArray[Any]]:
    """All arrays of a file, or an error that names it and the remedy."""
    path = Path(path)
    if not path.is_file():
        raise InvalidInput(f"{path}: there is no such file.")
    try:
        with path.open("rb") as stream:
            content = np.load(stream, allow_pickle=False)
            if isinstance(content, np.ndarray):
                raise InvalidInput(f"{path}: holds one array without a name; write it with np.savez(path, name=array).")
            found = {name: content[name] for name in content.files}
            for name, array in found.items():
                if not isinstance(array, np.ndarray):  # a member that is no array comes as bytes
                    raise InvalidInput(f"{path}: {name!r} is not an array; write the file with np.savez.")
            return found
    except InvalidInput:
        raise
    except Exception as error:  # zipfile, zlib, tokenize and numpy raise classes of their own
        raise InvalidInput(f"{path}: is no readable npz file without pickles ({error}).") from error


def write_npz(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays by name in the order given, uncompressed."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", date_time=_EPOCH), buffer.getvalue())
