"""Verifying from end to end: what is said when all is well, what is noted, and that nothing is left behind."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from tests.publish.bundle.conftest import Here, Study
from tests.publish.bundle.tamperer import Forgery

from assay.core import InvalidInput, UnknownName, get_track
from assay.harness.execute import Job
from assay.harness.runners import Lost
from assay.harness.store.stored_answer import Finished
from assay.publish.bundle.verification import Verification
from assay.publish.bundle.verifying import verify_bundle
from assay.report import load

Verify = Callable[..., Verification]


def test_an_honest_bundle_matches_and_what_that_does_not_prove_is_said(study: Study, verified: Verify) -> None:
    result = verified(study.bundle)
    assert (result.matches, result.differences, result.lost, result.notes) == (True, (), (), ())
    assert (result.records, result.examined, result.solved_again) == (6, 6, 0)
    text = result.summary()
    assert text.startswith(f"MATCH: {study.bundle}\nManifest {result.digest}\nExamined 6 of 6 records. Not signed.")
    assert "the scores follow from the answers, problems and settings" in text
    assert "changed answers, seeds and names are not seen by it; ask for a signature (--signer FILE)" in text
    assert "No subject was run: --resolve" in text
    assert repr(result) == "Verification(MATCH, 6 of 6 records examined, not signed)"
    assert json.loads(json.dumps(result.to_json()))["verdict"] == "MATCH"


def test_a_share_says_that_it_is_one(study: Study, verified: Verify) -> None:
    result = verified(study.bundle, share=0.2)
    assert (result.matches, result.examined) == (True, 2)
    assert "2 of 6 records were examined. Who makes a bundle can foresee which" in result.summary()
    for share in (0, -1, 1.5, float("nan"), True):
        with pytest.raises(InvalidInput, match="share: must be above 0 and at most 1"):
            verified(study.bundle, share=share)


def test_subjects_are_run_again_where_they_are_here_and_others_are_named(study: Study, verified: Verify) -> None:
    result = verified(study.bundle, resolve=True)
    assert (result.matches, result.solved_again) == (True, 4)
    assert "not run again, since they are not here: conformal: agent; give them with --subject" in result.summary()
    whole = verified(study.bundle, resolve=True, subjects=[f"agent={study.agent}"])
    assert (whole.matches, whole.solved_again, whole.notes) == (True, 6, ())
    with pytest.raises(InvalidInput, match="subjects are run with --resolve only"):
        verified(study.bundle, subjects=["agent=agent.py"])
    with pytest.raises(UnknownName, match="write --subject NAME=REFERENCE"):
        verified(study.bundle, resolve=True, subjects=[f"other={study.agent}"])


def test_a_subject_in_another_state_is_noted_and_its_other_answers_are_differences(
    study: Study, verified: Verify, tmp_path: Path
) -> None:
    changed = tmp_path / "agent.py"
    changed.write_text(study.agent.read_text().replace("0.5", "0.6"))
    result = verified(study.bundle, resolve=True, subjects=[f"agent={changed}"])
    assert {difference.place for difference in result.differences} == {
        f"conformal: {record.problem} / agent / seed {record.seed}"
        for record in load(study.results).records
        if record.subject == "agent"
    }
    assert "run again in another state of their code or libraries" in result.summary()


def test_records_that_were_left_out_leave_a_hole_that_is_named(study: Study, verified: Verify, tmp_path: Path) -> None:
    forgery = Forgery(study.bundle, 0)
    del forgery.records[3]
    forgery.track["planned"] -= 1
    forgery.write(tmp_path / "b.zip", consistent=True)
    result = verified(tmp_path / "b.zip")
    assert result.matches
    assert (
        "1 cells of subjects, problems and seeds have no record (0 are said to have been lost, 0 withdrawn)"
        in result.summary()
    )


def test_a_cell_that_cannot_be_examined_here_is_neither_a_match_nor_a_difference(study: Study) -> None:
    class Broken:
        name = "broken"

        def map(self, jobs: Iterable[Job], /, *, hidden: object = ()) -> Iterator[Finished | Lost]:
            yield Lost(next(iter(jobs)).cell, "the disk is full")

    verification = verify_bundle(study.bundle, runner=Broken(), share=0.01)
    assert (verification.matches, verification.verdict, verification.differences) == (False, "UNFINISHED", ())
    assert re.search(r"Not examined: conformal: .* / seed [01]: the disk is full", verification.summary())


def test_ctrl_c_ends_it_and_leaves_nothing_behind(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = []

    class Interrupted:
        name = "interrupted"

        def map(self, jobs: Iterable[Job], /, *, hidden: object = ()) -> Iterator[Finished | Lost]:
            try:
                yield Lost(next(iter(jobs)).cell, "one")
                raise KeyboardInterrupt
            finally:
                stopped.append(True)

    class Watch:
        def __init__(self) -> None:
            self.events: list[str] = []

        def start(self, total: int, outcome: int) -> None:
            self.events.append(f"start {total} {outcome}")

        def advance(self, cell: object, status: str) -> None:
            self.events.append(status)

        def stop(self) -> None:
            self.events.append("stop")

    watch = Watch()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        verify_bundle(study.bundle, runner=Interrupted(), progress=watch)
    assert (stopped, watch.events) == ([True], ["start 6 0", "lost", "stop"])
    assert list(tmp_path.iterdir()) == []


def test_nothing_of_the_bundle_is_left_on_disk(
    study: Study, here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    verify_bundle(study.bundle, runner=here, share=0.01)
    assert list(tmp_path.iterdir()) == []


def test_a_busy_machine_gets_more_time_before_a_cell_is_said_to_differ(
    study: Study, here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the formula track, where an examination that does not finish in time falls back to another reading."""

    class Busy:
        name = "busy"
        limits: ClassVar[list[float]] = []

        def map(self, jobs: Iterable[Job], /, *, hidden: object = ()) -> Iterator[Finished | Lost]:
            for job in jobs:
                (finished,) = here.map([job])
                assert not isinstance(finished, Lost)
                record, answer = finished
                allowed = float(job.cell.settings["examine_seconds"])
                self.limits.append(allowed)
                note = {} if allowed > 5 else {"note": "no reply within 5 seconds"}
                yield replace(record, details={**record.details, **note}), answer

    track = get_track("conformal")
    timed = replace(track, settings={**track.settings, "examine_seconds": 5.0})
    monkeypatch.setattr("assay.publish.bundle.local_track.get_track", lambda name: timed)
    forgery = Forgery(study.bundle, 0)
    forgery.track["settings"]["examine_seconds"] = 5.0
    for record in forgery.records:
        record["settings"]["examine_seconds"] = 5.0
    forgery.write(tmp_path / "timed.zip", consistent=True)
    verification = verify_bundle(tmp_path / "timed.zip", runner=Busy())
    assert verification.matches, verification.summary()
    assert Busy.limits == [5.0] * 6 + [50.0] * 6
    assert "6 cells agreed once the examination had 10 times as long" in verification.summary()
    monkeypatch.setattr("assay.publish.bundle.checks._PATIENCE", 1)
    still = verify_bundle(tmp_path / "timed.zip", runner=Busy())
    assert len(still.differences) == 6
    assert "a time limit of the examination that was reached there or here only" in still.summary()


def test_details_that_other_libraries_change_are_noted_and_scores_are_differences(
    study: Study, verified: Verify, tmp_path: Path
) -> None:
    forgery = Forgery(study.bundle, 0)
    changed = forgery.records[0]
    changed["software"]["numpy"] = "1.0"
    changed["details"]["p_below"] = 0.123
    forgery.write(tmp_path / "b.zip", consistent=True)
    result = verified(tmp_path / "b.zip")
    assert result.matches
    assert (
        "1 cell with other details, which charts draw, and equal scores, under other library versions (numpy 1.0"
        in (result.summary())
    )
    changed["scores"]["coverage"] = 0.123
    forgery.write(tmp_path / "b.zip", consistent=True)
    assert [difference.kind for difference in verified(tmp_path / "b.zip").differences] == ["score", "detail"]
