from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from assay.core import InvalidInput, canonical_json, digest_folder, digest_json, digest_source
from assay.core import errors as errors_module
from assay.core.files import digest as digest_module
from assay.core.files.digest import digest_implementation


def test_a_folders_digest_follows_names_and_bytes_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.txt").write_text("1")
    before = digest_folder(tmp_path)
    (tmp_path / ".hidden").write_text("ignored")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "x.pyc").write_bytes(b"ignored")
    (tmp_path / "a" / "x.txt").touch()
    assert digest_folder(tmp_path) == before
    (tmp_path / "a" / "x.txt").rename(tmp_path / "a" / "y.txt")
    renamed = digest_folder(tmp_path)
    (tmp_path / "a" / "y.txt").write_text("2")
    assert len({before, renamed, digest_folder(tmp_path)}) == 3


def test_files_cannot_trade_bytes_with_their_names(tmp_path: Path) -> None:
    for name, files in {"one": {"a": "bc", "d": ""}, "two": {"ab": "c", "d": ""}}.items():
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text)
    assert digest_folder(tmp_path / "one") != digest_folder(tmp_path / "two")


def test_nan_has_no_digest() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(float("nan"))


def test_json_digests_tell_numbers_from_texts() -> None:
    assert digest_json({"a": 1}) != digest_json({"a": "1"})


def test_a_source_digest_depends_on_every_module_given() -> None:
    assert digest_source(digest_module) != digest_source(digest_module, errors_module)


def test_code_that_only_moves_keeps_its_digest(tmp_path: Path) -> None:
    code = '"""Doc."""\nfrom {place} import thing  # why\n\ndef answer():\n    """Doc."""\n    return {value}\n'
    texts = {"one": ("a.b", 42), "two": ("c", 42), "three": ("c", 43)}
    for name, (place, value) in texts.items():
        (tmp_path / f"{name}_of_digest.py").write_text(code.format(place=place, value=value))
    one, two, three = (digest_source(_module(tmp_path / f"{name}_of_digest.py")) for name in texts)
    assert one == two != three


def _module(path: Path) -> ModuleType:
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    return module


def test_an_implementation_is_all_the_code_that_it_reaches_in_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "digest_example" / "track"
    package.mkdir(parents=True)
    for folder in (package.parent, package):
        (folder / "__init__.py").write_text("")
    (package / "one.py").write_text("from digest_example.track.two import value\n")
    (package / "two.py").write_text("value = 1\n")
    (package / "other.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def digest() -> str:
        digest_module._code_parts.cache_clear()
        return digest_implementation("digest_example.track.one")

    before = digest()
    (package / "other.py").write_text("value = 2\n")
    assert digest() == before
    (package / "two.py").write_text("value = 2  # changed\n")
    assert digest() != before


def test_a_folder_that_cannot_be_read_is_an_error_that_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("x")

    def refuse(self: Path, *_: object, **__: object) -> object:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InvalidInput, match=r"/a: cannot be read \(Permission denied\)"):
        digest_folder(tmp_path)


def test_a_folder_of_too_many_files_is_refused_before_any_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        (tmp_path / str(number)).write_text("x")
    monkeypatch.setattr(digest_module, "_MOST_FILES", 4)
    with pytest.raises(InvalidInput, match="holds more than 4 files"):
        digest_folder(tmp_path)
