import zipfile
from pathlib import Path

import numpy as np
import pytest

from assay.core import InvalidInput
from assay.intake import limits
from assay.intake.arrays import read_npz, write_npz


def test_arrays_come_back_as_they_were_and_numpy_reads_them_too(tmp_path: Path) -> None:
    arrays = {"X": np.arange(6.0).reshape(2, 3), "y": np.array(["ä", "b"])}
    write_npz(tmp_path / "a.npz", arrays)
    result = read_npz(tmp_path / "a.npz", "X", "y")
    np.testing.assert_array_equal(result["X"], arrays["X"])
    np.testing.assert_array_equal(result["y"], arrays["y"])
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        assert sorted(archive.files) == ["X", "y"]


def test_the_same_arrays_give_the_same_bytes(tmp_path: Path) -> None:
    X, y = np.arange(4.0), np.array([1, 2])
    write_npz(tmp_path / "a.npz", {"X": X, "y": y})
    write_npz(tmp_path / "b.npz", {"X": X, "y": y})
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_a_missing_file_or_array_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"a.npz: file not found. It must hold the array\(s\) X"):
        read_npz(tmp_path / "a.npz", "X")
    write_npz(tmp_path / "a.npz", {"x": np.zeros(1)})
    with pytest.raises(InvalidInput, match="array 'X' is missing. The file holds: x"):
        read_npz(tmp_path / "a.npz", "X")


def test_only_the_arrays_that_are_wanted_are_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=np.zeros(1), y=np.ones(1), other=np.array([{"a": 1}], dtype=object))
    assert sorted(read_npz(tmp_path / "a.npz", "X", optional=("y", "absent"))) == ["X", "y"]
    with pytest.raises(InvalidInput, match="without pickles"):
        read_npz(tmp_path / "a.npz", "X")


def test_a_corrupt_file_is_an_error_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    for content in (b"", b"not a zip", b"PK\x03\x04 broken"):
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match="cannot be read as npz"):
            read_npz(path, "X")
    write_npz(path, {"X": np.arange(100.0)})
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:200] + b"\xff" * 40 + whole[240:]):
        path.write_bytes(damaged)
        with pytest.raises(InvalidInput, match="cannot be read as npz"):
            read_npz(path, "X")


def test_pickled_objects_and_single_arrays_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InvalidInput, match="without pickles"):
        read_npz(tmp_path / "a.npz", "X")
    with (tmp_path / "b.npz").open("wb") as stream:
        np.save(stream, np.zeros(3))
    with pytest.raises(InvalidInput, match="single array"):
        read_npz(tmp_path / "b.npz", "X")


def test_arrays_that_unpack_to_too_much_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez_compressed(tmp_path / "a.npz", X=np.zeros(100_000))
    monkeypatch.setattr(limits, "LARGEST_ARRAYS", 500_000)
    with pytest.raises(InvalidInput, match=r"a\.npz, unpacked: 800128 bytes are more than the 500000 allowed"):
        read_npz(tmp_path / "a.npz", "X")
