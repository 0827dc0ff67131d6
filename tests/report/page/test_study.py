"""Notes in Markdown stay harmless, and title and author stand on the first page."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.report import Results
from assay.report.page.html import html
from assay.report.page.study import Study, markdown_html, read_notes


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "![p](http://example.org/p.png)",
        "| a |\n|:-:|\n| <img src=x onerror=alert(1)> |",
        "a\x00b\u202ec",
    ],
)
def test_hostile_notes_stay_text(text: str) -> None:
    made = str(markdown_html(text))
    assert not any(bad in made for bad in ("<script", "<img", 'href="javascript', "style=", "\x00", "\u202e"))


def test_title_author_and_notes_stand_on_the_first_page(results: Results) -> None:
    page = html(results, study=Study(title="A & B", author="Me", notes="## Why\n\n- one\n- two"))
    first = page[page.index('id="overview"') : page.index("</section>")]
    assert "A &amp; B</h2>" in first
    assert "<bdi>Me</bdi> · 20" in first
    assert "<h4>Why</h4>" in first
    assert first.count("<li>") == 2 + 1  # and the conclusion


def test_notes_that_are_missing_or_no_text_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="file not found"):
        read_notes(tmp_path / "none.md")
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(InvalidInput, match="cannot be read as UTF-8"):
        read_notes(tmp_path / "bytes.md")
