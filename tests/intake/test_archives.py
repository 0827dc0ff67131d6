"""Archives from elsewhere: what was packed comes out, and nothing else, nowhere else."""

from __future__ import annotations

import io
import shutil
import stat
import zipfile
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.intake import limits
from assay.intake.archives import demand_unpacked, pack, read_member, unpack


def archive(*entries: tuple[str, bytes, int], declared: int | None = None) -> bytes:
    """A zip file with entries of any name, content and mode; ``declared`` is the size that the first claims to have."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as result:
        for name, content, mode in entries:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            result.writestr(entry, content)
        if declared is not None:
            result.infolist()[0].file_size = declared
    return stream.getvalue()


def files_below(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "name", ["../outside", "a/../../outside", "/outside", "//outside", "../there-too/outside", ".", "a/..", ""]
)
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "deep" / "inside"
    inside.mkdir(parents=True)
    with pytest.raises(InvalidInput, match="archive"):
        unpack(archive(("fine", b"1", 0o644), (name, b"2", 0o644)), inside / "target")
    assert files_below(tmp_path) == {}
    assert not Path("/outside").exists()


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices_become_plain_files_without_special_rights(tmp_path: Path, kind: int) -> None:
    target = unpack(archive(("odd", b"/etc/passwd", kind | 0o6777)), tmp_path / "target")
    result = (target / "odd").lstat()
    assert stat.S_ISREG(result.st_mode)
    assert stat.S_IMODE(result.st_mode) == 0o777
    assert (target / "odd").read_bytes() == b"/etc/passwd"


def test_a_file_cannot_be_written_through_another(tmp_path: Path) -> None:
    twice = archive(("a", b"1", 0o644), ("b", b"2", 0o644)).replace(b"b", b"a")
    with pytest.raises(InvalidInput, match="archive"):
        unpack(twice, tmp_path / "target")
    with pytest.raises((InvalidInput, OSError)):
        unpack(archive(("a", b"1", stat.S_IFLNK | 0o777), ("a/b", b"2", 0o644)), tmp_path / "target")
    assert files_below(tmp_path) == {}


def test_a_huge_declared_size_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free
    with pytest.raises(InvalidInput, match=r"archive: needs [\d,]+ bytes in .*, where [\d,]+ are free"):
        unpack(archive(("bomb", b"1", 0o644), declared=free + (1 << 20)), tmp_path / "target")
    assert files_below(tmp_path) == {}


@pytest.mark.parametrize("cut", [0, 1, 10, 40, 80])
def test_a_damaged_archive_is_an_error_and_leaves_nothing(tmp_path: Path, cut: int) -> None:
    whole = archive(("a", b"1" * 100, 0o644))
    with pytest.raises(InvalidInput, match="archive"):
        unpack(whole[:cut], tmp_path / "target")
    with pytest.raises(InvalidInput, match="archive"):
        unpack(whole.replace(b"1" * 100, b"1" * 99 + b"2"), tmp_path / "target")
    assert list(tmp_path.iterdir()) == []


def test_equal_files_give_equal_bytes_and_a_file_on_disk_keeps_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_bytes(b"x")
    (tmp_path / "run.sh").chmod(0o755)
    packed = pack({"b": b"2", "a": tmp_path / "run.sh"}, level=6)
    assert packed == pack({"a": tmp_path / "run.sh", "b": b"2"}, level=6)
    with zipfile.ZipFile(io.BytesIO(packed)) as result:
        assert [(entry.filename, entry.external_attr >> 16) for entry in result.infolist()] == [
            ("a", 0o755),
            ("b", 0o644),
        ]


def test_a_member_that_unpacks_to_too_much_is_refused_before_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LARGEST_MEMBER", 10)
    with zipfile.ZipFile(io.BytesIO(pack({"a": b"1" * 11, "b": b"1" * 10}, level=6))) as result:
        assert read_member(result, "b", path=Path("run.zip")) == b"1" * 10
        with pytest.raises(InvalidInput, match="^run.zip: a: 11 bytes are more than the 10 allowed"):
            read_member(result, "a", path=Path("run.zip"))


def test_what_unpacks_to_too_much_is_refused_before_it_is_unpacked() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.any", b" <a>" + b"<" * 2_999_996)
        archive.writestr("word/image.png", bytes(1_000_000))
    assert len(packed.getvalue()) < 10_000
    packed.seek(0)
    demand_unpacked(packed, 4_000_000, what="document")
    demand_unpacked(packed, 4_000_000, what="document", markup=3_000_000)
    assert packed.tell() == 0
    with pytest.raises(InvalidInput, match="document, its XML, unpacked: 3000000 bytes are more than the 2999999"):
        demand_unpacked(packed, 4_000_000, what="document", markup=2_999_999)
    with pytest.raises(InvalidInput, match="document, unpacked: 4000000 bytes are more than the 3999999 allowed"):
        demand_unpacked(packed, 3_999_999, what="document")
    demand_unpacked(io.BytesIO(b"no zip file"), 1, what="document")
