"""Problems and subjects as bytes, for workers on other machines: packed once, unpacked once by each worker."""

from __future__ import annotations

import errno
import io
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from assay.core import InvalidInput
from assay.core.folders import is_file, walk
from assay.harness.plan import Cell
from assay.harness.process.isolation import copied_source
from assay.harness.subject_ref import SubjectRef

__all__ = ["pack_problem", "pack_subject", "unpack", "with_problem", "with_subject"]

_SOURCE: Final = "source"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_NAMING: Final = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EINVAL)


def pack_problem(folder: Path) -> bytes:
    """A problem's folder, truth and all: it goes to examiners, never to subjects."""
    return _pack({path.relative_to(folder).as_posix(): path for path in walk(folder) if is_file(path)})


def pack_subject(ref: SubjectRef) -> bytes | None:
    """The files that a subject consists of; None for those that are installed with Assay or another package."""
    if ref.kind == "ready":
        return pack_problem(Path(ref.target))
    if ref.kind == "command":
        return _pack({name: Path(ref.root) / name for name in ref.program().files})
    if ref.kind not in ("file", "module"):
        return None
    with tempfile.TemporaryDirectory() as draft:
        target = Path(draft) / _SOURCE
        if copied_source(ref, target) is ref:
            return None
        return pack_problem(target)


def with_subject(cell: Cell, folder: Path) -> Cell:
    """The cell with its subject's files in another place."""
    ref = cell.subject
    if ref.kind == "ready":
        moved = replace(ref, target=str(folder))
    elif ref.kind == "file":
        moved = replace(ref, root=str(folder), target=str(folder / Path(ref.target).relative_to(ref.root)))
    else:
        moved = replace(ref, root=str(folder))
    return replace(cell, subject=moved)


def with_problem(cell: Cell, folder: Path) -> Cell:
    """The cell with its problem in another place."""
    return replace(cell, folder=str(folder))


def unpack(data: bytes, target: Path) -> Path:
    """The files of an archive in a folder that appears whole or not at all; no links, no devices."""
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=target.parent))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            needed, free = sum(entry.file_size for entry in entries), shutil.disk_usage(draft).free
            if needed > free:
                raise InvalidInput(f"archive: needs {needed:,} bytes in {target.parent}, where {free:,} are free.")
            for entry in entries:
                path = draft / entry.filename
                if not path.resolve().is_relative_to(draft.resolve()) or path.exists() or path.resolve() == draft:
                    raise InvalidInput(f"archive: {entry.filename!r} lies outside its folder, or is there twice.")
                path.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, path.open("xb") as sink:
                    shutil.copyfileobj(source, sink)
                path.chmod(entry.external_attr >> 16 & 0o777 | 0o600)
        draft.replace(target)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"archive: it cannot be read ({error}).") from error
    except OSError as error:
        if error.errno not in _NAMING:
            raise
        raise InvalidInput(f"archive: a name in it cannot be that of a file ({error.strerror}).") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def _pack(files: Mapping[str, Path]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = (files[name].stat().st_mode & 0o777) << 16
            archive.writestr(entry, files[name].read_bytes(), zipfile.ZIP_DEFLATED, compresslevel=1)
    return buffer.getvalue()
