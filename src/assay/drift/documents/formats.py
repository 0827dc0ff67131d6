"""Text out of files: PDF, Word, PowerPoint, HTML, Markdown, plain text, and images where Tesseract is installed."""

from __future__ import annotations

import io
import logging
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

from assay.core import InvalidInput, MissingExtra
from assay.intake import limits
from assay.intake.archives import demand_unpacked

__all__ = ["FORMATS", "page_texts"]

_BLOCKS = {
    *("address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption", "footer", "header"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "td", "th"),
    *("title", "tr", "ul"),
}
_SILENT = frozenset({"script", "style", "template", "noscript"})


def page_texts(name: str, data: bytes) -> list[str]:
    """The text of a file, one entry per page or slide; formats without pages give one.

    An empty, encrypted or broken file, or one without text, is an error that names it and the way out.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in FORMATS:
        raise InvalidInput(
            f"document {name!r}: files of type {suffix or '(none)'} are not read. Known: {', '.join(sorted(FORMATS))}."
        )
    if not data:
        raise InvalidInput(f"document {name!r} is empty (0 bytes): copy it again or remove it.")
    pages = [_tidy(page) for page in FORMATS[suffix](name, data)]
    if not any(pages):
        raise InvalidInput(f"document {name!r} has no text. {_remedy(suffix)}")
    return pages


def _remedy(suffix: str) -> str:
    if suffix == ".pdf":
        return "If its pages are images, run text recognition over it first (for example ocrmypdf)."
    return "Write its content into it or remove it."


def _tidy(text: str) -> str:
    """One kind of line end, no characters that only steer layout: what stands here is what quotes are taken from."""
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # some PDF files have half characters
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\xad", "").replace("\ufeff", "").replace("\0", "")
    text = re.sub(r"[ \t\xa0\u2007\u202f]+", " ", text)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r" ?\n ?", "\n", text)).strip()


def _pdf(name: str, data: bytes) -> list[str]:
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, PyPdfError
    except ImportError:
        raise MissingExtra("Reading PDF", "pypdf", "documents") from None
    quiet = logging.getLogger("pypdf")
    level = quiet.level
    quiet.setLevel(logging.CRITICAL)  # its complaints about odd files are ours to make, with the file's name
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise _encrypted(name)
        return [page.extract_text() or "" for page in reader.pages]
    except DependencyError:  # a cipher that only a further library knows
        raise _encrypted(name) from None
    except PyPdfError as error:
        raise InvalidInput(f"document {name!r} is not a readable PDF ({error}): export it again.") from error
    except InvalidInput:
        raise
    except Exception as error:  # damaged files bring out almost any class
        raise InvalidInput(f"document {name!r} is a damaged PDF ({error}): export it again.") from error
    finally:
        quiet.setLevel(level)


def _encrypted(name: str) -> InvalidInput:
    return InvalidInput(
        f"document {name!r} is encrypted: save a copy without the password (for example `qpdf --decrypt`)."
    )


def _docx(name: str, data: bytes) -> list[str]:
    try:
        import docx
    except ImportError:
        raise MissingExtra("Reading DOCX", "python-docx", "documents") from None
    try:
        document = docx.Document(_package(name, data))
        lines = [block.text for block in document.paragraphs]
        lines += [" | ".join(cell.text for cell in row.cells) for table in document.tables for row in table.rows]
    except InvalidInput:
        raise
    except Exception as error:  # damaged packages raise classes of zipfile, lxml and their own
        raise _broken(name, "Word document", error) from error
    return ["\n".join(lines)]


def _pptx(name: str, data: bytes) -> list[str]:
    try:
        import pptx
    except ImportError:
        raise MissingExtra("Reading PPTX", "python-pptx", "documents") from None
    try:
        return ["\n".join(_slide_lines(slide)) for slide in pptx.Presentation(_package(name, data)).slides]
    except InvalidInput:
        raise
    except Exception as error:  # damaged packages raise classes of zipfile, lxml and their own
        raise _broken(name, "PowerPoint file", error) from error


def _package(name: str, data: bytes) -> io.BytesIO:
    """An office document within the limits: a small file can unpack to more than the machine has."""
    package = io.BytesIO(data)
    demand_unpacked(package, limits.LARGEST_PACKAGE, what=f"document {name!r}", markup=limits.LARGEST_MARKUP)
    return package


def _slide_lines(slide: object) -> Iterator[str]:
    for shape in getattr(slide, "shapes", ()):
        yield from _shape_lines(shape)
    if getattr(slide, "has_notes_slide", False):
        frame = getattr(getattr(slide, "notes_slide", None), "notes_text_frame", None)
        if frame is not None:
            yield frame.text


def _shape_lines(shape: object) -> Iterator[str]:
    for inner in getattr(shape, "shapes", ()):  # a group holds shapes of its own
        yield from _shape_lines(inner)
    if getattr(shape, "has_text_frame", False):
        yield str(getattr(shape, "text_frame").text)  # noqa: B009 - the library is untyped
    if getattr(shape, "has_table", False):
        for row in getattr(shape, "table").rows:  # noqa: B009
            yield " | ".join(cell.text for cell in row.cells)


def _broken(name: str, what: str, error: Exception) -> InvalidInput:
    return InvalidInput(f"document {name!r} is not a readable {what} ({error}): save it again.")


class _PlainText(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in _SILENT
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self.silent = max(0, self.silent - (tag in _SILENT))
        if tag in _BLOCKS:
            self.parts.append("\n")

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """As browsers do: <![anything> is a comment up to its end; the parser would stop at what it does not know."""
        end = self.rawdata.find(">", i)
        return end if end < 0 else end + 1

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.parts.append(re.sub(r"\s+", " ", data))


def _html(name: str, data: bytes) -> list[str]:
    parser = _PlainText()
    parser.feed(_decode(name, data))
    parser.close()
    return ["".join(parser.parts)]


def _text(name: str, data: bytes) -> list[str]:
    pages = _decode(name, data).split("\f")
    return pages if any(page.strip() for page in pages) else [""]


def _decode(name: str, data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    if b"\0" in data[:4096]:
        raise InvalidInput(f"document {name!r} is not a text file (it holds zero bytes): give it its true suffix.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _image(name: str, data: bytes) -> list[str]:
    program = shutil.which("tesseract")
    if program is None:
        raise InvalidInput(
            f"document {name!r} is an image: install Tesseract (the program `tesseract`), or turn it into text."
        )
    with tempfile.TemporaryDirectory(prefix="assay-ocr-") as folder:
        picture = Path(folder) / f"page{Path(name).suffix.lower()}"
        picture.write_bytes(data)
        command = [program, str(picture), "stdout"]
        try:
            process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        except subprocess.TimeoutExpired:
            raise InvalidInput(
                f"document {name!r}: text recognition took over two minutes; convert it to text."
            ) from None
    if process.returncode:
        raise InvalidInput(f"document {name!r}: Tesseract could not read the image: {process.stderr.strip()[:200]}.")
    return [process.stdout]


FORMATS: dict[str, Callable[[str, bytes], list[str]]] = {
    ".pdf": _pdf,
    ".docx": _docx,
    ".pptx": _pptx,
    ".html": _html,
    ".htm": _html,
    ".md": _text,
    ".markdown": _text,
    ".txt": _text,
    ".eml": _text,
    ".png": _image,
    ".jpg": _image,
    ".jpeg": _image,
    ".tif": _image,
    ".tiff": _image,
}
