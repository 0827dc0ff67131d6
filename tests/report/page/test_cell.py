"""The page of one cell: source that was answered, with remarks on its lines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.core import Listing, Record
from assay.harness.store.stored_answer import StoredAnswer
from assay.report import TrackResults
from assay.report.page.cell import cell_page, cell_view

CODE = "def f(row):\n    return row['<b>']\n"


def panels(records: object) -> tuple[()]:
    return ()


def listings(record: Record, answer: Any) -> tuple[Listing, ...]:
    return (Listing("f", CODE, ((2, "Reads <b>, the target."),), "leak: own label", alarm=True),)


def test_remarks_stand_below_their_lines_and_code_stays_text(toy: TrackResults) -> None:
    track = replace(toy.track, panels=f"{__name__}:panels", decode=lambda payload: payload)
    answer = StoredAnswer(status="ok", payload=b"{}")
    page = cell_page(cell_view(replace(toy, track=track), toy.records[0], answer))
    code = page[page.index('<table class="code">') : page.index("</table>", page.index('<table class="code">'))]
    hot, remark = code.index('<tr class="hot"><td>2</td>'), code.index("↑ Reads &lt;b&gt;, the target.")
    assert code.index("<td>1</td>") < hot < remark
    assert "row[&#39;&lt;b&gt;&#39;]" in code
    hidden = cell_page(cell_view(replace(toy, track=track), toy.records[0], answer, truth=False))
    assert "Reads" not in hidden


def test_a_listing_that_fails_spoils_nothing_else(toy: TrackResults) -> None:
    track = replace(toy.track, panels=f"{__name__}:panels")  # whose decode refuses
    page = cell_page(cell_view(replace(toy, track=track), toy.records[0], StoredAnswer(status="ok", payload=b"{}")))
    assert "could not be listed: AssertionError" in page
    assert "<h3>Scores</h3>" in page
