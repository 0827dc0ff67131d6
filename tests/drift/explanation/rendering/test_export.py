"""Explanations as documents to hand on."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from assay.core import InvalidInput, MissingExtra
from assay.drift.detection.drift import Drift
from assay.drift.detection.profile import ChangeProfile, ChangeRow, change_profile
from assay.drift.documents.document import Corpus
from assay.drift.explanation.explainer import DriftExplainer, Explanation, Link
from assay.drift.explanation.rendering.export import export, outline
from assay.drift.explanation.rendering.formats import (
    Heading,
    Paragraph,
    Picture,
    Quotation,
    Table,
    to_docx,
    to_html,
    to_markdown,
)
from assay.drift.generate.simulate import simulate

QUOTE = "From 9 March 2020 travel permits <b>must</b> be signed | twice *always*."


class Names:
    def vocabulary(self) -> Sequence[str]:
        return ["Sign permit"]


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    day = datetime(2020, 3, 10, tzinfo=UTC)
    drift = Drift(id="d_1", process="TravelPermits", type="sudden", start_case="1", end_case="1", start=day, end=day)
    corpus = Corpus.from_texts({"2020-03-02_Permits.txt": QUOTE, "2020-03-03_Soup.txt": "The canteen."})
    row = ChangeRow("activity", "Sign permit", 0.1, 0.9, 0.8, 120.0, 1e-9, ("Sign permit",))
    slow = ChangeRow("duration", "until Sign permit", 1.0, 2.5, 1.5, 30.0, 0.002, ("Sign permit",))
    profile = ChangeProfile(rows=(row, slow), cases_before=50, cases_after=50)
    return DriftExplainer(corpus).explain(drift, profile)


LINK = Link("d_1", "d_2", "shared cause", ("a.txt",), "Both are explained by a.txt.")


def test_all_parts_stand_in_the_outline(explanation: Explanation) -> None:
    blocks = outline([explanation], links=[LINK])
    headings = [block.text for block in blocks if isinstance(block, Heading)]
    assert headings[0] == "Drifts of Travel Permits"
    assert "1. 2020-03-02_Permits.txt" in headings
    assert {"What changed in the process", "Next step", "Links between drifts"} <= set(headings)
    quotations = [block for block in blocks if isinstance(block, Quotation)]
    assert quotations[0].text == QUOTE
    assert "page 1, characters 0 to" in quotations[0].source
    tables = [block for block in blocks if isinstance(block, Table)]
    assert ("activity", "Sign permit", "10%", "90%", "< 0.0001") in [row for table in tables for row in table.rows]
    assert ("duration", "until Sign permit", "1.0 h", "2.5 h", "0.0020") in [
        row for table in tables for row in table.rows
    ]


def test_kinds_of_causes_and_moments_are_told_in_words(explanation: Explanation) -> None:
    blocks = outline([explanation])
    rows = [row for block in blocks if isinstance(block, Table) for row in block.rows]
    kinds = [row[1] for row in rows if row[0] == "kind of cause"]
    assert kinds
    assert all("the organisation (" in kind or "in the process itself (" in kind for kind in kinds)
    drift = explanation.drift
    for end, word in ((drift.start, "At "), (drift.start + timedelta(days=2), "From ")):
        sentences = outline([replace(explanation, drift=replace(drift, end=end))])
        assert any(
            isinstance(block, Paragraph) and block.text.startswith(f"{word}{drift.start:%Y-}") for block in sentences
        )


def test_markdown_escapes_what_would_be_taken_for_signs(explanation: Explanation, tmp_path: Path) -> None:
    text = export([explanation], tmp_path / "out" / "a.md", links=[LINK]).read_text()
    assert r"> From 9 March 2020 travel permits \<b\>must\</b\> be signed \| twice \*always\*." in text
    assert text.startswith("# Drifts of Travel Permits\n")
    assert r"| activity | Sign permit | 10% | 90% | \< 0.0001 |" in text


def test_html_is_escaped_and_balanced(explanation: Explanation, tmp_path: Path) -> None:
    text = export([explanation], tmp_path / "a.html", links=[LINK]).read_text()
    assert "&lt;b&gt;must&lt;/b&gt;" in text
    assert "http" not in text.replace("https://", "http")

    class Balance(HTMLParser):
        open: list[str]

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "br"):
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    parser = Balance()
    parser.open = []
    parser.feed(text)
    assert parser.open == []


def test_the_word_file_holds_summary_quotes_and_tables(explanation: Explanation, tmp_path: Path) -> None:
    docx = pytest.importorskip("docx", reason="the extra 'documents' is not installed")
    document = docx.Document(str(export([explanation], tmp_path / "a.docx", links=[LINK])))
    paragraphs = [paragraph.text for paragraph in document.paragraphs]
    assert QUOTE in paragraphs
    assert explanation.summary in paragraphs
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    assert "shared cause" in cells


def test_control_characters_do_not_break_a_word_file() -> None:
    docx = pytest.importorskip("docx", reason="the extra 'documents' is not installed")
    data = to_docx(
        [Heading(1, "a\x00b"), Paragraph("c\x0cd"), Paragraph("e\uffff\ud800f"), Table(("x",), [("e\x1bf",)])]
    )
    assert [paragraph.text for paragraph in docx.Document(io.BytesIO(data)).paragraphs][:3] == ["a b", "c d", "e  f"]


def test_a_profile_of_words_and_an_empty_one_are_told() -> None:
    day = datetime(2020, 3, 10, tzinfo=UTC)
    drift = Drift(id="d", process="TravelPermits", type="sudden", start_case="1", end_case="1", start=day, end=day)
    explainer = DriftExplainer(Corpus.from_texts({"a.txt": "x"}))
    words = outline([explainer.explain(drift, Names())])
    assert Paragraph("Sign permit") in words
    nothing = ChangeProfile(rows=(), cases_before=3, cases_after=3)
    assert Paragraph("No certain change.") in outline([explainer.explain(drift, nothing)])


def test_unknown_suffixes_and_nothing_to_export_are_refused(explanation: Explanation, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"\.md, \.html or \.docx, not as 'a\.pdf'"):
        export([explanation], tmp_path / "a.pdf")
    with pytest.raises(InvalidInput, match="no explanation"):
        export([], tmp_path / "a.md")


def test_word_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(MissingExtra, match=r"pip install 'py"):
        to_docx([Paragraph("x")])


def test_lists_and_numbers_at_the_start_of_a_line_stay_text() -> None:
    assert to_markdown([Paragraph("- a"), Paragraph("1. b")]) == "\\- a\n\n1\\. b\n"
    assert "<title>T &amp; U</title>" in to_html([Heading(1, "T & U")])


def test_quotes_stand_in_their_context_and_lead_to_their_files(explanation: Explanation, tmp_path: Path) -> None:
    corpus = Corpus.from_texts({"2020-03-02_Permits.txt": f"{QUOTE} Nothing else <changes>."})
    page = tmp_path / "out" / "why.html"
    export([explanation], page, corpus=corpus, documents=tmp_path / "my papers")
    html = page.read_text(encoding="utf-8")
    assert 'href="../my%20papers/2020-03-02_Permits.txt"' in html
    assert "</mark> Nothing else &lt;changes&gt;.</p></details>" in html
    assert "From 10 March 2020, 90% of cases have &#x27;Sign permit&#x27; (10% before)." in html


def test_pictures_of_the_process_stand_in_pages_and_in_word_files(tmp_path: Path) -> None:
    import docx

    simulated = simulate(seed=1, cases=200)
    drift = simulated.drifts[0].drift
    corpus = Corpus.from_texts({"2019-07-01_Income.txt": "From 21 July 2019 income is no longer verified."})
    file_text = DriftExplainer(corpus).explain(drift, change_profile(simulated.log, drift))
    blocks = outline([file_text], corpus=corpus, logs={drift.process: simulated.log})
    page = to_html(blocks)
    assert page.count("<svg") == 3  # the axis of time, before and after
    assert page.count("<h4>") == 2
    assert "http" not in re.sub(r'xmlns="[^"]*"', "", page)  # nothing from elsewhere
    assert "<svg" not in to_markdown(blocks)
    pictures = docx.Document(io.BytesIO(to_docx(blocks))).inline_shapes
    assert len(pictures) == 2
    assert all(picture.width <= 5_486_400 for picture in pictures)


def test_ways_that_are_too_rare_to_be_drawn_are_counted(explanation: Explanation) -> None:
    steps = [ChangeRow("activity", name, 1.0, 1.0, 0.0, 0.0, 1.0, (name,)) for name in "abc"]
    shares = {"ab": 0.9, "bc": 0.9, "ca": 0.9, "ba": 0.01, "cb": 0.01}
    ways = [
        ChangeRow("relation", " → ".join(ends), share, share, 0.0, 0.0, 1.0, tuple(ends))
        for ends, share in shares.items()
    ]
    profile = ChangeProfile(rows=(*steps, *ways), cases_before=50, cases_after=50)
    (picture,) = (block for block in outline([replace(explanation, profile=profile)]) if isinstance(block, Picture))
    assert picture.caption.endswith("2 rare ways left out.")
