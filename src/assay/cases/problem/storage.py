"""Named arrays on disk: npz files without pickles, the same bytes for the same arrays."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput

__all__ = ["read_arrays", "write_arrays"]

# the oldest moment a zip can name: the time of writing must not move a byte
_NO_TIME = (1980, 1, 1, 0, 0, 0)


def write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write an npz file, uncompressed, so that the bytes do not depend on the compressor's version either."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(arrays):
            content = io.BytesIO()
            np.lib.format.write_array(content, np.ascontiguousarray(arrays[name]), version=(1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", date_time=_NO_TIME), content.getvalue())


def read_arrays(path: Path, *names: str) -> tuple[npt.NDArray[Any], ...]:
    """The named arrays of an npz file, or an error that names the file, the array and the remedy."""
    if not path.is_file():
        raise InvalidInput(f"{path}: there is no such file. It must hold the array(s) {', '.join(names)}.")
    found = []
    try:
        # opened here, because numpy forgets to close what it cannot read
        with path.open("rb") as stream:
            archive = np.load(stream, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise InvalidInput(f"{path}: holds a single array; write it with np.savez under the name {names[0]!r}.")
            for name in names:
                if name not in archive.files:
                    there = ", ".join(sorted(archive.files)) or "nothing"
                    raise InvalidInput(f"{path}: array {name!r} is missing. The file holds: {there}.")
                array = archive[name]
                if not isinstance(array, np.ndarray):  # a member that is no array comes as bytes
                    raise InvalidInput(f"{path}: {name!r} is not an array; write the file with np.savez.")
                found.append(array)
    except InvalidInput:
        raise
    except Exception as error:  # zipfile, zlib, tokenize and numpy raise classes of their own
        raise InvalidInput(
            f"{path}: cannot be read as npz without pickles ({error}). Write it with np.savez, numbers or texts only."
        ) from error
    return tuple(found)
