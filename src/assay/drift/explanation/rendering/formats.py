"""Simple documents in three formats: headings, paragraphs, quotations and tables."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple, TypeAlias

from assay.core import MissingExtra

__all__ = ["Block", "Heading", "Paragraph", "Quotation", "Table", "to_docx", "to_html", "to_markdown"]


class Heading(NamedTuple):
    """A heading of a level from 1 on."""

    level: int
    text: str


class Paragraph(NamedTuple):
    """Running text."""

    text: str


class Quotation(NamedTuple):
    """Words of somebody else, and where they stand."""

    text: str
    source: str


class Table(NamedTuple):
    """Rows of texts under a header; a header of empty texts is not shown."""

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


Block: TypeAlias = Heading | Paragraph | Quotation | Table

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}"
    "blockquote{margin:1rem 0;padding:.5rem 1rem;border-left:4px solid #5a7fb0;background:#f3f6fa}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #c8ced6;padding:.25rem .6rem;text-align:left}"
    "cite{display:block;font-size:.85em;color:#4c5560}"
)


def to_markdown(blocks: Sequence[Block]) -> str:
    """The document as Markdown; what Markdown would take for its own signs is escaped."""
    return "\n\n".join(_markdown(block) for block in blocks) + "\n"


def _markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_plain(block.text)}"
    if isinstance(block, Paragraph):
        return _plain(block.text)
    if isinstance(block, Quotation):
        lines = [f"> {_plain(line)}" for line in block.text.splitlines() if line.strip()]
        return "\n>\n".join([*lines, f"> ({_plain(block.source)})"])
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
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def _html(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
    if isinstance(block, Paragraph):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Quotation):
        text = "<br>".join(escape(line) for line in block.text.splitlines())
        return f"<blockquote><p>{text}</p><cite>{escape(block.source)}</cite></blockquote>"
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in block.header) if any(block.header) else ""
    rows = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in block.rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{rows}</tbody></table>"


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
        else:
            rows = [block.header, *block.rows] if any(block.header) else list(block.rows)
            table = document.add_table(rows=0, cols=len(block.header), style="Table Grid")
            for row in rows:
                for cell, text in zip(table.add_row().cells, row, strict=True):
                    cell.text = _legal(text)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _legal(text: str) -> str:
    """Without control characters, which XML cannot hold."""
    return "".join(letter if letter in "\n\t" or letter >= " " else " " for letter in text)
