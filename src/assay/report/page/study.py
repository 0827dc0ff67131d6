"""What the author of a report says of it: a title, a name, and a text in Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core import InvalidInput
from assay.report.wording import shown

__all__ = ["Study", "markdown_html", "read_notes"]

TITLE = "Assay report"
_LONGEST = 200_000  # characters of notes
_DEEPER = 2  # levels by which headings stand below the page's own


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Title and author as texts, notes as Markdown; all may be empty."""

    title: str = ""
    author: str = ""
    notes: str = ""


def markdown_html(text: str) -> Any:
    r"""Markdown as HTML that is safe in any page: markup in it stays text, pictures become their words.

    >>> str(markdown_html("# Why\n\nWe *asked* <b>this</b>."))
    '<h3>Why</h3>\n<p>We <em>asked</em> &lt;b&gt;this&lt;/b&gt;.</p>\n'
    """
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(shown(text[:_LONGEST], lines=True))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + _DEEPER, 6)}"
        for part in token.children or ():
            if part.type == "image":  # nothing is fetched
                part.type, part.tag, part.content, part.children = "text", "", part.content or "picture", None
        token.attrs = {name: value for name, value in token.attrs.items() if name != "style"}  # of tables' cells
    return Markup(reader.renderer.render(tokens, reader.options, {}))  # the renderer escapes every text


def read_notes(path: Path) -> str:
    """The text of a file of notes."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InvalidInput(f"notes {path}: file not found.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"notes {path}: cannot be read as UTF-8 text ({error}).") from None
