"""Records are found by names as other commands take them."""

from __future__ import annotations

import pytest

from assay.cli.results.show import _first
from assay.core import Record, UnknownName


def record(subject: str, status: str = "ok") -> Record:
    return Record(
        key=subject,
        answer_key="",
        track="cases",
        problem="p",
        problem_digest="",
        subject=subject,
        subject_digest="",
        seed=0,
        status="failed" if status == "failed" else "ok",
        scores={},
    )


def test_the_part_of_a_name_before_its_bracket_is_enough() -> None:
    records = [record("vote(k=3)"), record("near"), record("near", "failed")]
    assert _first(records, {"subject": "vote"}).subject == "vote(k=3)"
    assert _first(records, {"subject": "near"}).status == "failed"
    with pytest.raises(UnknownName, match="No subject named 'vot'"):
        _first(records, {"subject": "vot"})
