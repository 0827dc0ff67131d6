"""The shape of an archive from elsewhere: what is wrong with it is said before anything is unpacked."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path
from typing import Final

from assay.core import InvalidInput
from assay.core.files.text import demand_size
from assay.intake import limits
from assay.intake.archives import EPOCH
from assay.publish.bundle.layout import MANIFEST, SIGNATURE, demand_name

__all__ = ["AGAIN", "demand_shape", "export_error", "ordered"]

AGAIN: Final = "Fetch it again, or ask the author for it"
LARGEST: Final = 16 * 1024**3  # bytes of all files, unpacked
MOST_MEMBERS: Final = 500_000
HIGHEST_RATIO: Final = 200  # of the size unpacked to that of the file
_OF_EXPORTS: Final = "report.json"  # no bundle holds it
_ENCRYPTED: Final = 0x1
_ROOM: Final = 64 * 1024**2  # bytes that any archive may hold unpacked


def ordered(names: list[str]) -> list[str]:
    """Names in the order of a bundle: sorted, then the manifest, then its signature."""
    last = {MANIFEST: 1, SIGNATURE: 2}
    return sorted(names, key=lambda name: (last.get(name, 0), name))


def demand_shape(archive: zipfile.ZipFile, path: Path) -> None:
    """Refuse what no bundle of ours looks like: by names, sizes, kinds and order of its members."""
    entries = archive.infolist()
    if len(entries) > MOST_MEMBERS:
        raise InvalidInput(f"{path}: holds {len(entries):,} files; at most {MOST_MEMBERS:,} are read.")
    names: set[str] = set()
    for entry in entries:
        demand_name(entry.filename, what=str(path))
        if entry.filename in names:
            raise InvalidInput(f"{path}: holds {entry.filename!r} twice; readers would disagree on which. {AGAIN}.")
        names.add(entry.filename)
        _demand_file(entry, path)
    _demand_sizes(entries, path)
    if clash := next((name for name in sorted(names) if any(above in names for above in _above(name))), None):
        raise InvalidInput(f"{path}: {clash!r} lies in what is a file itself. {AGAIN}.")
    if MANIFEST not in names:
        raise InvalidInput(f"{path}: no bundle of Assay, it holds no {MANIFEST}. Make one: assay bundle RESULTS.")
    if _OF_EXPORTS in names:
        raise export_error(path)
    listed = [entry.filename for entry in entries]
    if listed != ordered(listed) or [entry.header_offset for entry in entries] != sorted(
        entry.header_offset for entry in entries
    ):
        place = next((name for name, due in zip(listed, ordered(listed), strict=True) if name != due), listed[0])
        raise InvalidInput(
            f"{path}: its files are not in the order that assay bundle writes, from {place!r} on: somebody packed it "
            f"again. {AGAIN}."
        )
    _demand_gapless(archive, entries, path)


def export_error(path: Path) -> InvalidInput:
    """What is said of an archive that assay export wrote."""
    return InvalidInput(
        f"{path}: this is an export, which holds no answers and no problems. Make a bundle of the results folder: "
        "assay bundle RESULTS."
    )


def _demand_file(entry: zipfile.ZipInfo, path: Path) -> None:
    mode = entry.external_attr >> 16
    if stat.S_ISLNK(mode):
        raise InvalidInput(f"{path}: {entry.filename!r} is a link. A bundle holds only files. {AGAIN}.")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG) or entry.is_dir():
        raise InvalidInput(f"{path}: {entry.filename!r} is not a regular file. A bundle holds only files. {AGAIN}.")
    if entry.flag_bits & _ENCRYPTED:
        raise InvalidInput(f"{path}: {entry.filename!r} is encrypted. {AGAIN}, as it was written.")
    if entry.compress_type != zipfile.ZIP_DEFLATED or entry.date_time != EPOCH or entry.comment:
        raise InvalidInput(
            f"{path}: {entry.filename!r} is packed in another way than assay bundle does, or dated: somebody packed "
            f"the archive again. {AGAIN}."
        )
    demand_size(entry.file_size, limits.LARGEST_MEMBER, what=f"{path}: {entry.filename}")


def _demand_sizes(entries: list[zipfile.ZipInfo], path: Path) -> None:
    total = sum(entry.file_size for entry in entries)
    demand_size(total, LARGEST, what=f"{path}: unpacked")
    packed = path.stat().st_size
    if total > _ROOM + HIGHEST_RATIO * packed:
        raise InvalidInput(
            f"{path}: {packed:,} bytes that say to hold {total:,}, more than {HIGHEST_RATIO} times as many: "
            f"a zip bomb, or nothing that results are made of. {AGAIN}."
        )


def _demand_gapless(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], path: Path) -> None:
    """Refuse bytes between the files, and headers that say other things than the directory at the end."""
    end = 0
    with path.open("rb") as stream:
        for entry in entries:
            header = entry.FileHeader(zip64=entry.file_size * 1.05 > zipfile.ZIP64_LIMIT)
            stream.seek(end)
            if entry.header_offset != end or stream.read(len(header)) != header:
                raise InvalidInput(
                    f"{path}: the header of {entry.filename!r} is not as assay bundle writes it. {AGAIN}."
                )
            end += len(header) + entry.compress_size
    if archive.comment or archive.start_dir != end:
        raise InvalidInput(f"{path}: holds bytes besides its files, which assay bundle does not write. {AGAIN}.")


def _above(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]
