"""Named arrays in npz files: no pickles, and the same bytes for the same arrays."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from assay.core import InvalidInput
from assay.core.arrays import AnyArray
from assay.core.files.folders import demand_file
from assay.intake import limits
from assay.intake.archives import EPOCH, demand_unpacked

__all__ = ["read_npz", "write_npz"]


def write_npz(path: Path, arrays: Mapping[str, AnyArray]) -> None:
    """Write arrays by name in the order given, uncompressed: the bytes do not depend on the compressor's version."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", date_time=EPOCH), buffer.getvalue())


def read_npz(path: Path, *required: str, optional: Sequence[str] | None = None) -> dict[str, AnyArray]:
    """The required arrays of a file and those optional ones that it has; without ``optional`` all of its arrays."""
    path = Path(path)
    demand_file(path, remedy=f"It must hold the array(s) {', '.join(required)}." if required else "")
    try:
        # opened here, because numpy does not close a file that it cannot read
        with path.open("rb") as stream:
            demand_unpacked(stream, limits.LARGEST_ARRAYS, what=str(path))
            archive = np.load(stream, allow_pickle=False)
            if isinstance(archive, np.ndarray):
                name = required[0] if required else "name"
                raise InvalidInput(f"{path}: holds a single array; write it with np.savez(path, {name}=array).")
            for name in required:
                if name not in archive.files:
                    there = ", ".join(sorted(archive.files)) or "nothing"
                    raise InvalidInput(f"{path}: array {name!r} is missing. The file holds: {there}.")
            names = archive.files if optional is None else (*required, *optional)
            arrays = {name: archive[name] for name in names if name in archive.files}
    except InvalidInput:
        raise
    except Exception as error:  # zipfile, zlib, tokenize and numpy raise classes of their own
        raise InvalidInput(
            f"{path}: cannot be read as npz without pickles ({error}). Write it with np.savez, numbers or texts only."
        ) from error
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):  # a member that is no array comes as bytes
            raise InvalidInput(f"{path}: {name!r} is not an array; write the file with np.savez.")
    return arrays
