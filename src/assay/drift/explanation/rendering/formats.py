"""Simple documents in three formats: headings, paragraphs, quotations, tables and pictures."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, NamedTuple, TypeAlias

from assay.charts.styles import standalone_style
from assay.core import MissingExtra
from assay.drift.logs.xes_writing import ILLEGAL

__all__ = ["Block", "Heading", "Paragraph", "Picture", "Quotation", "Table", "to_docx", "to_html", "to_markdown"]


class Heading(NamedTuple):
    """A heading of a level from 1 on."""

    level: int
    text: str


class Paragraph(NamedTuple):
    """Running text."""

    text: str


class Quotation(NamedTuple):
    """Words of somebody else and where they stand; what stands around them, and where the source can be opened."""

    text: str
    source: str
    before: str = ""
    after: str = ""
    link: str = ""


class Picture(NamedTuple):
    """Drawings side by side with their headings, as SVG, and what they show; as one PNG for files without SVG."""

    drawings: Sequence[tuple[str, str]]
    caption: str
    png: Callable[[], bytes] | None = None


class Table(NamedTuple):
    """Rows of texts under a header; a header of empty texts is not shown."""

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


Block: TypeAlias = Heading | Paragraph | Quotation | Table | Picture

_PAGE_WIDTH, _PAGE_HEIGHT = 5_486_400, 7_680_960  # in the units of Word: 6 and 8.4 inches
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:var(--ink);"
    "background:var(--paper);overflow-wrap:anywhere}a{color:var(--accent)}"
    "blockquote{margin:1rem 0;padding:.5rem 1rem;border-left:4px solid var(--accent);background:var(--sheet)}"
    "table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}"
    "td,th{border:1px solid var(--line);padding:.25rem .6rem;text-align:left}td:first-child{overflow-wrap:normal}"
    "cite,figcaption,summary{font-size:.85em;color:var(--soft)}cite{display:block}"
    "mark{background:var(--loss-panel);color:inherit}details p{white-space:pre-line}"
    "figure{margin:1rem 0}.drawings{display:flex;flex-wrap:wrap;gap:1rem}"
    ".drawings>div{overflow-x:auto;max-width:100%}.drawings h4{margin:.2rem 0}.drawings svg{display:block}"
)


def to_markdown(blocks: Sequence[Block]) -> str:
    """The document as Markdown; what Markdown would take for its own signs is escaped."""
    return "\n\n".join(text for block in blocks if (text := _markdown(block))) + "\n"


def _markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_plain(block.text)}"
    if isinstance(block, Paragraph):
        return _plain(block.text)
    if isinstance(block, Quotation):
        lines = [f"> {_plain(line)}" for line in block.text.splitlines() if line.strip()]
        return "\n>\n".join([*lines, f"> ({_plain(block.source)})"])
    if isinstance(block, Picture):
        return ""  # Markdown holds none; what it shows stands in words as well
    header = [_cell(text) for text in block.header]
    rows = [header, ["---"] * len(header), *([_cell(text) for text in row] for row in block.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _plain(text: str) -> str:
    signed = re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(text.split()))
    return re.sub(r"^(\d+)([.)])(\s)", r"\1\\\2\3", re.sub(r"^([-+])(\s)", r"\\\1\2", signed))


def _cell(text: str) -> str:
    return _plain(text) or " "


def to_html(blocks: Sequence[Block]) -> str:
    """The document as one HTML file without anything from elsewhere."""
    title = next((block.text for block in blocks if isinstance(block, Heading)), "Explanations")
    body = "\n".join(_html(block) for block in blocks)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{standalone_style()}\n{_STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def _html(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
    if isinstance(block, Paragraph):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Quotation):
        return _html_quotation(block)
    if isinstance(block, Picture):
        drawings = "".join(
            f'<div class="panel">{f"<h4>{escape(heading)}</h4>" if heading else ""}{svg}</div>'
            for heading, svg in block.drawings
        )
        caption = f"<figcaption>{escape(block.caption)}</figcaption>"
        return f'<figure><div class="drawings">{drawings}</div>{caption}</figure>'
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in block.header) if any(block.header) else ""
    rows = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in block.rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{rows}</tbody></table>"


def _html_quotation(block: Quotation) -> str:
    """The words, a link to their source, and the passage around them to unfold, the words marked in it."""
    text = "<br>".join(escape(line) for line in block.text.splitlines())
    source = escape(block.source)
    if block.link:
        source = f'<a href="{escape(block.link)}">{source}</a>'
    around = ""
    if block.before or block.after:
        passage = f"{escape(block.before)}<mark>{escape(block.text)}</mark>{escape(block.after)}"
        around = f"<details><summary>in its context</summary><p>{passage}</p></details>"
    return f"<blockquote><p>{text}</p><cite>{source}</cite>{around}</blockquote>"


def to_docx(blocks: Sequence[Block]) -> bytes:
    """The document as a Word file."""
    try:
        import docx
    except ImportError:
        raise MissingExtra("Word export", "python-docx", "documents") from None
    document = docx.Document()
    for block in blocks:
        if isinstance(block, Heading):
            document.add_heading(_legal(block.text), level=block.level)
        elif isinstance(block, Paragraph):
            document.add_paragraph(_legal(block.text))
        elif isinstance(block, Quotation):
            document.add_paragraph(_legal(block.text), style="Intense Quote")
            document.add_paragraph(_legal(block.source), style="Caption")
        elif isinstance(block, Picture):
            _add_picture(document, block)
        else:
            rows = [block.header, *block.rows] if any(block.header) else list(block.rows)
            table = document.add_table(rows=0, cols=len(block.header), style="Table Grid")
            for row in rows:
                for cell, text in zip(table.add_row().cells, row, strict=True):
                    cell.text = _legal(text)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _add_picture(document: Any, block: Picture) -> None:
    """In the width of the page, or less high than it; without matplotlib a line says what is missing."""
    if block.png is None:
        return
    try:
        png = block.png()
    except MissingExtra as missing:
        document.add_paragraph(f"(Without the picture: {missing})", style="Caption")
        return
    picture = document.add_picture(io.BytesIO(png))
    scale = min(1.0, _PAGE_WIDTH / picture.width, _PAGE_HEIGHT / picture.height)
    picture.width, picture.height = int(picture.width * scale), int(picture.height * scale)
    document.add_paragraph(_legal(block.caption), style="Caption")


def _legal(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return ILLEGAL.sub(" ", text)
