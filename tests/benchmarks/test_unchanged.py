"""Another digest of a subject is no difference of results; everything else that a record holds is."""

from __future__ import annotations

import pytest
from benchmarks.unchanged import COMPARED, Records, differences, renewed

CELL = ("formula", "p", "gplearn", 0)
RECORD: dict[str, object] = {
    **{"track": "formula", "problem": "p", "subject": "gplearn", "seed": 0, "subject_digest": "old", "key": "k"},
    **{"problem_digest": "d", "status": "ok", "scores": {"r2": 0.5}, "details": {"x": 1}, "error": None},
    **{"error_kind": None, "tags": {}, "settings": {}, "versions": {"r2": 1}, "software": {}},
}


def test_a_new_digest_of_a_subject_is_named_and_is_no_difference() -> None:
    before: Records = {CELL: RECORD}
    after: Records = {
        CELL: {**RECORD, "subject_digest": "new", "key": "other", "software": {"numpy": "2"}, "seconds": 3.0}
    }
    assert differences(before, after) == []
    assert renewed(before, after) == {("formula", "gplearn")}
    assert renewed(before, before) == set()


@pytest.mark.parametrize("field", COMPARED)
def test_any_other_change_is_a_difference(field: str) -> None:
    after: Records = {CELL: {**RECORD, field: "something else"}}
    assert [row[4] for row in differences({CELL: RECORD}, after)] == [field]
