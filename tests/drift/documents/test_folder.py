"""Folders of documents, read once."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.drift.documents.folder import read_corpus, read_document
from assay.drift.documents.formats import page_texts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "documents"
    (root / "more").mkdir(parents=True)
    (root / "2020-03-02_Permits.txt").write_text("From 9 March 2020 permits change.")
    (root / "more" / "notes.md").write_text("# Notes\n\nDate: 4 March 2020")
    (root / "empty.txt").write_text("")
    (root / "sheet.xlsx").write_bytes(b"PK")
    (root / ".hidden.txt").write_text("not for us")
    (root / "~$lock.docx").write_text("not for us either")
    return root


def test_readable_files_become_documents_and_the_others_are_listed(folder: Path) -> None:
    corpus = read_corpus(folder)
    assert corpus.names == ("2020-03-02_Permits.txt", "more/notes.md")
    assert [trouble.name for trouble in corpus.troubles] == ["empty.txt", "sheet.xlsx"]
    assert "is empty" in corpus.troubles[0].message
    assert "files of type .xlsx are not read" in corpus.troubles[1].message


def test_the_name_without_a_date_leaves_the_date_to_the_text(folder: Path) -> None:
    corpus = read_corpus(folder)
    assert str(corpus["more/notes.md"].issued) == "2020-03-04"


def test_progress_counts_every_file(folder: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    read_corpus(folder, progress=lambda number, total, name: seen.append((number, total, name)))
    assert [entry[:2] for entry in seen] == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_an_index_spares_unchanged_files_a_second_extraction(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "index"
    first = read_corpus(folder, index=index)
    extracted: list[str] = []

    def counting(name: str, data: bytes) -> list[str]:
        extracted.append(name)
        return page_texts(name, data)

    monkeypatch.setattr("assay.drift.documents.folder.page_texts", counting)
    assert read_corpus(folder, index=index) == first
    assert extracted == ["empty.txt", "sheet.xlsx"]
    (folder / "2020-03-02_Permits.txt").rename(folder / "2020-03-03_Permits.txt")
    assert "2020-03-03_Permits.txt" in read_corpus(folder, index=index)
    assert "2020-03-03_Permits.txt" not in extracted
    (folder / "2020-03-03_Permits.txt").write_text("Now it says something else.")
    assert read_corpus(folder, index=index)["2020-03-03_Permits.txt"].text == "Now it says something else."
    assert "2020-03-03_Permits.txt" in extracted


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b'{"schema": 99, "pages": ["old"]}',
        b'{"schema": 1, "pages": 3}',
        b'{"schema": 1, "pages": [3]}',
    ],
)
def test_a_damaged_index_is_written_anew(folder: Path, tmp_path: Path, damage: bytes) -> None:
    index = tmp_path / "index"
    first = read_corpus(folder, index=index)
    for entry in index.iterdir():
        entry.write_bytes(damage)
    assert read_corpus(folder, index=index) == first
    assert not list(index.glob("*.part"))


def test_a_file_that_cannot_be_opened_is_listed_and_the_others_are_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "notes.md":
            raise PermissionError(13, "Permission denied")
        return original(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    corpus = read_corpus(folder)
    assert corpus.names == ("2020-03-02_Permits.txt",)
    assert ("more/notes.md", "document 'more/notes.md' cannot be opened: Permission denied.") in corpus.troubles


def test_the_same_bytes_under_two_suffixes_are_two_texts(tmp_path: Path) -> None:
    folder, index = tmp_path / "documents", tmp_path / "index"
    folder.mkdir()
    for name in ("a.html", "a.txt"):
        (folder / name).write_text("<p>Permits</p>")
    for _ in range(2):
        corpus = read_corpus(folder, index=index)
        assert [document.text for document in corpus] == ["Permits", "<p>Permits</p>"]


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"documents folder .* does not exist"):
        read_corpus(tmp_path / "nowhere")


def test_a_folder_without_readable_documents_is_an_error_that_says_why(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="It is empty"):
        read_corpus(tmp_path)
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(InvalidInput, match=r"First problem: document 'a\.txt' is empty"):
        read_corpus(tmp_path)


def test_one_file_is_read_alone(folder: Path, tmp_path: Path) -> None:
    assert read_document(folder / "2020-03-02_Permits.txt").title == "Permits"
    with pytest.raises(InvalidInput, match="does not exist"):
        read_document(tmp_path / "nothing.txt")


def test_an_index_that_cannot_be_written_loses_no_document(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert read_corpus(folder, index=tmp_path / "file" / "index").names == read_corpus(folder).names
