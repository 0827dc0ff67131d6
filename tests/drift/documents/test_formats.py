"""Text out of files of all kinds, and what is said of those that have none."""

from __future__ import annotations

import io
import shutil
import sys
import zipfile

import pytest

from assay.core import InvalidInput, MissingExtra
from assay.drift.documents.formats import FORMATS, page_texts


def make_pdf(*pages: str) -> bytes:
    """A small PDF, one line of text per line of a page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for page in pages:
        lines = " ".join(f"({line}) Tj T*" for line in page.splitlines())
        stream = f"BT /F1 12 Tf 14 TL 50 700 Td {lines} ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        content = len(objects)
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {content} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, places = b"%PDF-1.4\n", []
    for number, entry in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{entry}\nendobj\n".encode()
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(
        f"{place:010d} 00000 n \n" for place in places
    )
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + (table + trailer).encode()


def test_a_pdf_gives_one_text_per_page() -> None:
    pytest.importorskip("pypdf", reason="the extra 'documents' is not installed")
    data = make_pdf("Subject: Permits\nFrom 9 March 2020 two signatures.", "Second page")
    assert page_texts("a.pdf", data) == ["Subject: Permits\nFrom 9 March 2020 two signatures.", "Second page"]


def test_an_encrypted_pdf_is_an_error_that_names_the_remedy() -> None:
    pypdf = pytest.importorskip("pypdf", reason="the extra 'documents' is not installed")
    writer = pypdf.PdfWriter(io.BytesIO(make_pdf("Secret")))
    writer.encrypt("password", algorithm="RC4-128")
    stream = io.BytesIO()
    writer.write(stream)
    with pytest.raises(InvalidInput, match=r"'a\.pdf' is encrypted: .*qpdf --decrypt"):
        page_texts("a.pdf", stream.getvalue())


def test_a_cipher_that_needs_a_further_library_counts_as_encrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    pypdf = pytest.importorskip("pypdf", reason="the extra 'documents' is not installed")
    from pypdf.errors import DependencyError

    def refuse(*_: object) -> None:
        raise DependencyError("cryptography is required")

    monkeypatch.setattr(pypdf.PdfReader, "is_encrypted", property(refuse))
    with pytest.raises(InvalidInput, match="is encrypted"):
        page_texts("a.pdf", make_pdf("Secret"))


def test_a_pdf_without_text_is_told_to_be_images() -> None:
    pypdf = pytest.importorskip("pypdf", reason="the extra 'documents' is not installed")
    writer = pypdf.PdfWriter()
    writer.add_blank_page(width=100, height=100)
    stream = io.BytesIO()
    writer.write(stream)
    with pytest.raises(InvalidInput, match=r"'scan\.pdf' has no text\. If its pages are images"):
        page_texts("scan.pdf", stream.getvalue())


@pytest.mark.parametrize("data", [b"%PDF-1.4\nnothing else", b"no pdf at all", make_pdf("Whole text")[:180]])
def test_a_damaged_pdf_is_an_error_that_names_it(data: bytes) -> None:
    pytest.importorskip("pypdf", reason="the extra 'documents' is not installed")
    with pytest.raises(InvalidInput, match=r"document 'a\.pdf'"):
        page_texts("a.pdf", data)


def test_a_word_file_gives_paragraphs_and_tables() -> None:
    docx = pytest.importorskip("docx", reason="the extra 'documents' is not installed")
    document = docx.Document()
    document.add_paragraph("Permits change.")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "step", "signature"
    stream = io.BytesIO()
    document.save(stream)
    assert page_texts("a.docx", stream.getvalue()) == ["Permits change.\nstep | signature"]


def test_slides_give_one_text_each_with_tables_groups_and_notes() -> None:
    pptx = pytest.importorskip("pptx", reason="the extra 'documents' is not installed")
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Permits"
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, 100, 100).text_frame.text = "inside a group"
    slide.shapes.add_table(1, 1, 0, 0, 100, 100).table.cell(0, 0).text = "a cell"
    slide.notes_slide.notes_text_frame.text = "said aloud"
    show.slides.add_slide(show.slide_layouts[5]).shapes.title.text = "Second"
    stream = io.BytesIO()
    show.save(stream)
    first, second = page_texts("a.pptx", stream.getvalue())
    assert first.splitlines() == ["Permits", "inside a group", "a cell", "said aloud"]
    assert second == "Second"


@pytest.mark.parametrize("suffix", [".docx", ".pptx"])
def test_damaged_office_files_are_errors_that_name_them(suffix: str) -> None:
    pytest.importorskip("docx", reason="the extra 'documents' is not installed")
    with pytest.raises(InvalidInput, match="save it again"):
        page_texts(f"a{suffix}", b"PK\x03\x04 broken")


def test_html_gives_its_text_without_scripts_and_styles() -> None:
    page = b"<html><style>p{}</style><h1>Permits &amp; more</h1><script>x()</script><p>They <b>change</b>.</p></html>"
    assert page_texts("a.html", page) == ["Permits & more\n\nThey change."]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Prüfung".encode(), "Prüfung"),
        ("Prüfung".encode("cp1252"), "Prüfung"),
        ("Prüfung".encode("utf-16"), "Prüfung"),
        (b"\xef\xbb\xbfCheck", "Check"),
        (b"a\r\nb\r\rc  d\xc2\xa0e", "a\nb\n\nc d e"),
    ],
)
def test_plain_text_is_read_in_its_encoding_and_tidied(data: bytes, text: str) -> None:
    assert page_texts("a.txt", data) == [text]


def test_form_feeds_part_pages() -> None:
    assert page_texts("a.txt", b"one\ftwo") == ["one", "two"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.txt", b"", "is empty"),
        ("a.md", b"  \n\f ", "has no text"),
        ("a.xyz", b"x", r"files of type \.xyz are not read"),
        ("noname", b"x", r"files of type \(none\)"),
        ("a.txt", b"\x00\x01\x02", "not a text file"),
    ],
)
def test_useless_files_are_errors_that_name_them(name: str, data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        page_texts(name, data)
    assert repr(name) in str(caught.value)


def test_an_image_without_tesseract_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(InvalidInput, match="install Tesseract"):
        page_texts("scan.png", b"\x89PNG")


def test_an_image_is_handed_to_tesseract_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = tmp_path_factory.mktemp("bin") / "tesseract"
    program.write_text('#!/bin/sh\ntest "$2" = stdout || exit 3\necho "read from $(wc -c < "$1") bytes"\n')
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _: str(program))
    assert page_texts("scan.png", b"\x89PNG") == ["read from 4 bytes"]
    program.write_text("#!/bin/sh\necho unreadable >&2\nexit 1\n")
    with pytest.raises(InvalidInput, match="could not read the image: unreadable"):
        page_texts("scan.png", b"\x89PNG")


@pytest.mark.parametrize(("name", "module"), [("a.pdf", "pypdf"), ("a.docx", "docx"), ("a.pptx", "pptx")])
def test_a_missing_library_names_the_extra(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"pip install 'py"):
        page_texts(name, b"x")


def test_every_format_of_the_specification_is_known() -> None:
    assert {".pdf", ".docx", ".pptx", ".html", ".md", ".txt", ".png", ".jpg"} <= set(FORMATS)


def test_a_small_document_that_unpacks_to_gigabytes_is_refused_early() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<w:p/>" * 7_000_000)
    assert len(packed.getvalue()) < 200_000
    for name in ("bomb.docx", "bomb.pptx"):
        with pytest.raises(InvalidInput, match=f"document '{name}', its XML, unpacked: 42000000 bytes are more than"):
            page_texts(name, packed.getvalue())


def test_half_a_character_is_replaced_and_two_halves_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, ".pdf", lambda name, data: ["half \ud835 and whole \ud835\udc00"])
    (page,) = page_texts("a.pdf", b"%PDF")
    assert page == "half \ufffd and whole \U0001d400"
    assert page.encode()
