"""Archives that are no bundle of ours: each is refused with a line that names the place and the remedy."""

from __future__ import annotations

import re
import stat
import struct
import zipfile
from pathlib import Path

import pytest
from tests.publish.bundle.conftest import Study
from tests.publish.bundle.tamperer import pack_as_is

from assay.core import InvalidInput
from assay.intake.archives import EPOCH
from assay.publish.bundle.layout import MANIFEST
from assay.publish.bundle.reading import open_bundle
from assay.report import load


def refused(path: Path) -> str:
    """What is said of an archive that is not opened."""
    with pytest.raises(InvalidInput) as caught:
        open_bundle(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.endswith(".")
    return message


def contents(study: Study) -> dict[str, bytes]:
    with zipfile.ZipFile(study.bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def entry(name: str, mode: int = 0o644) -> zipfile.ZipInfo:
    result = zipfile.ZipInfo(name, EPOCH)
    result.external_attr, result.create_system, result.compress_type = mode << 16, 3, zipfile.ZIP_DEFLATED
    return result


def test_a_file_that_is_cut_off_at_any_place_is_refused(study: Study, tmp_path: Path) -> None:
    data = study.bundle.read_bytes()
    for size in (0, 1, 100, len(data) // 2, len(data) - 1):
        (tmp_path / "cut.zip").write_bytes(data[:size])
        assert "cut off, damaged or something else. Fetch it again" in refused(tmp_path / "cut.zip")


def test_what_is_no_bundle_is_refused_with_the_command_that_makes_one(study: Study, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="file not found"):
        open_bundle(tmp_path / "none.zip")
    with pytest.raises(InvalidInput, match="this is a folder, and a file is needed"):
        open_bundle(tmp_path)
    pack_as_is({"a.txt": b"a"}, tmp_path / "other.zip")
    assert "holds no manifest.json. Make one: assay bundle RESULTS" in refused(tmp_path / "other.zip")
    pack_as_is({MANIFEST: b'{"schema": 1}'}, tmp_path / "export.zip")
    assert "this is an export, which holds no answers" in refused(tmp_path / "export.zip")
    load(study.results).export(tmp_path / "whole.zip")
    assert "this is an export, which holds no answers" in refused(tmp_path / "whole.zip")
    for text, why in ((b"[]", "is not that of a bundle"), (b"{", "not valid JSON"), (b'{"bundle": NaN}', "NaN")):
        pack_as_is({MANIFEST: text}, tmp_path / "broken.zip")
        assert why in refused(tmp_path / "broken.zip")


def test_a_bundle_of_a_newer_version_is_refused_with_the_versions(tmp_path: Path) -> None:
    pack_as_is({MANIFEST: b'{"bundle": 2, "schema": 1, "assay": "9.1"}'}, tmp_path / "newer.zip")
    message = refused(tmp_path / "newer.zip")
    assert re.search(
        r"newer Assay \(bundle version 2, assay 9\.1; .* reads up to 1\)\. Verify it with a newer", message
    )
    pack_as_is({MANIFEST: b'{"bundle": "1", "schema": 1}'}, tmp_path / "strange.zip")
    assert "must be a whole number of at least 1, got '1'" in refused(tmp_path / "strange.zip")


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("../../.ssh/authorized_keys", "leads out of its folder"),
        ("/etc/passwd", "leads out of its folder"),
        ("C:/windows/win.ini", "leads out of its folder"),
        ("problems//a", "has an empty part"),
        ("problems/./a", "has an empty part"),
        ("a\\b", "has a control character or a backslash"),
        ("a\x1b[2J", "has a control character"),
        ("x" * 300, "is too long"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(study: Study, tmp_path: Path, name: str, fault: str) -> None:
    pack_as_is({**contents(study), name: b"x"}, tmp_path / "b.zip")
    message = refused(tmp_path / "b.zip")
    assert fault in message
    assert "\x1b" not in message


def test_a_name_that_is_there_twice_is_refused(study: Study, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr(entry("a"), b"1")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(entry("a"), b"2")
        archive.writestr(entry(MANIFEST), b"{}")
    assert "holds 'a' twice; readers would disagree on which" in refused(tmp_path / "b.zip")


def test_a_file_below_a_file_is_refused(study: Study, tmp_path: Path) -> None:
    pack_as_is({"a": b"1", "a/b": b"2", MANIFEST: b"{}"}, tmp_path / "b.zip")
    assert "'a/b' lies in what is a file itself" in refused(tmp_path / "b.zip")


@pytest.mark.parametrize(
    ("mode", "fault"), [(stat.S_IFLNK | 0o777, "is a link"), (stat.S_IFIFO | 0o644, "is not a regular file")]
)
def test_links_and_pipes_are_refused(tmp_path: Path, mode: int, fault: str) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr(entry("a", mode), b"/etc/passwd")
        archive.writestr(entry(MANIFEST), b"{}")
    assert f"'a' {fault}. A bundle holds only files" in refused(tmp_path / "b.zip")


def test_a_reordered_archive_is_refused(study: Study, tmp_path: Path) -> None:
    files = contents(study)
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        for name in reversed(files):
            archive.writestr(entry(name), files[name])
    assert "not in the order that assay bundle writes, from 'manifest.json' on" in refused(tmp_path / "b.zip")


def test_an_archive_that_was_packed_by_another_program_is_refused(study: Study, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("a", b"stored, and dated")
        archive.writestr(entry(MANIFEST), b"{}")
    assert "'a' is packed in another way than assay bundle does" in refused(tmp_path / "b.zip")
    (tmp_path / "c.zip").write_bytes(b"before " + study.bundle.read_bytes())
    assert "is not as assay bundle writes it" in refused(tmp_path / "c.zip")


def test_a_zip_bomb_is_refused_by_its_ratio_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.publish.bundle.shape._ROOM", 1 << 20)
    pack_as_is({"zeros": bytes(20 << 20), MANIFEST: b"{}"}, tmp_path / "b.zip")
    assert "more than 200 times as many: a zip bomb" in refused(tmp_path / "b.zip")


def test_too_many_or_too_large_files_are_refused(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.publish.bundle.shape.MOST_MEMBERS", 3)
    assert "at most 3 are read" in refused(study.bundle)
    monkeypatch.undo()
    monkeypatch.setattr("assay.publish.bundle.shape.LARGEST", 1000)
    assert "bytes are more than the 1000 allowed" in refused(study.bundle)


def test_a_member_that_holds_more_than_it_says_is_refused(study: Study, tmp_path: Path) -> None:
    data = bytearray(study.bundle.read_bytes())
    with zipfile.ZipFile(study.bundle) as archive:
        size = archive.getinfo("README.md").file_size
    place = data.rindex(b"README.md") - 46  # its entry in the directory at the end
    assert struct.unpack_from("<I", data, place + 24) == (size,)
    struct.pack_into("<I", data, place + 24, size - 10)
    (tmp_path / "b.zip").write_bytes(data)
    assert "the header of 'README.md' is not as assay bundle writes it" in refused(tmp_path / "b.zip")
    struct.pack_into("<I", data, data.index(b"README.md") - 30 + 22, size - 10)  # its own header says the same now
    (tmp_path / "b.zip").write_bytes(data)
    with open_bundle(tmp_path / "b.zip") as bundle:
        assert [difference.place for difference in bundle.changed_bytes()] == ["README.md"]


def test_a_flipped_byte_is_seen_or_changes_nothing_that_is_read(study: Study, tmp_path: Path) -> None:
    """Hashes, checksums and shape cover all that is read; packed data have bits without meaning."""
    data, files = study.bundle.read_bytes(), contents(study)
    with zipfile.ZipFile(study.bundle) as archive:
        end, headers = archive.start_dir, [entry.header_offset for entry in archive.infolist()]
    seen = 0
    for place in (*range(headers[2], headers[2] + 46), *range(7, end, end // 40)):
        changed = bytearray(data)
        changed[place] ^= 1 << place % 8
        (tmp_path / "b.zip").write_bytes(changed)
        try:
            with open_bundle(tmp_path / "b.zip") as bundle:
                if next(bundle.changed_bytes(), None) is None:
                    assert {name: bundle.member(name) for name in files} == files, place
                    continue
        except InvalidInput:
            pass
        seen += 1
    assert seen > 75
