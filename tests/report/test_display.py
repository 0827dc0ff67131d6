"""Small tables that objects show of themselves."""

from __future__ import annotations

from assay.report.display import places, text_table


def test_accents_of_their_own_take_no_place() -> None:
    decomposed = "re\u0301sume\u0301"  # as macOS writes names of files
    assert places(decomposed) == places("r\u00e9sum\u00e9") == 6
    first, second = text_table(["a", "b"], [[decomposed, "1"], ["r\u00e9sum\u00e9", "1"]]).splitlines()[1:]
    assert first == f"{decomposed}  1"
    assert second == "r\u00e9sum\u00e9  1"
