"""Forged bundles: what examination finds, and what only a signature or running the subjects again can find."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.publish.bundle.conftest import Signed, Study
from tests.publish.bundle.tamperer import BY_EXAMINATION, BY_SIGNATURE, forge

from assay.publish.bundle.verification import Verification

Verify = Callable[..., Verification]
KINDS = (*BY_EXAMINATION, *BY_SIGNATURE)


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_without_new_hashes_is_found_by_the_hashes(
    study: Study, verified: Verify, tmp_path: Path, kind: str
) -> None:
    forge(study.bundle, tmp_path / "forged.zip", kind, seed=1, consistent=False)
    result = verified(tmp_path / "forged.zip")
    assert {difference.kind for difference in result.differences} == {"bytes"}
    assert (result.verdict, result.examined) == ("DIFFERS", 0)
    assert "A changed byte" in result.summary()


@pytest.mark.parametrize("kind", BY_EXAMINATION)
def test_what_follows_from_the_answers_is_found_by_examination(
    study: Study, verified: Verify, tmp_path: Path, kind: str
) -> None:
    forge(study.bundle, tmp_path / "forged.zip", kind, seed=2, consistent=True)
    result = verified(tmp_path / "forged.zip")
    due = {"undefined": "score", "setting": "score", "status": "record", "tag": "record", "goal": "metric"}
    assert due.get(kind, kind) in {difference.kind for difference in result.differences}
    assert not result.matches


@pytest.mark.parametrize("kind", BY_SIGNATURE)
def test_what_does_not_is_found_by_signature_or_by_running_again_and_the_output_says_so(
    study: Study, signed: Signed, verified: Verify, tmp_path: Path, kind: str
) -> None:
    forged = tmp_path / "forged.zip"
    forge(signed.bundle, forged, kind, seed=3, consistent=True)
    blind = verified(forged)
    assert blind.matches
    assert "changed answers, seeds and names are not seen by it" in blind.summary()
    signature = verified(forged, signers=signed.signers)
    assert [difference.kind for difference in signature.differences] == ["signature"]
    again = verified(forged, resolve=True, subjects=[f"agent={study.agent}"])
    assert {difference.kind for difference in again.differences} == {"answer"}


@pytest.mark.soak
def test_every_one_of_500_forgeries_is_found_where_it_can_be(
    study: Study, signed: Signed, verified: Verify, tmp_path: Path
) -> None:
    forged, missed = tmp_path / "forged.zip", []
    for number in range(500):
        kind, consistent = KINDS[number // 2 % len(KINDS)], number % 2 == 0
        forge(signed.bundle, forged, kind, seed=number, consistent=consistent)
        plain = verified(forged)
        if not consistent:
            right = not plain.matches
        elif kind in BY_EXAMINATION:
            right = not plain.matches and not {"bytes"} & {difference.kind for difference in plain.differences}
        else:
            right = (
                plain.matches
                and "are not seen by it" in plain.summary()
                and not verified(forged, signers=signed.signers).matches
                and not verified(forged, resolve=True, subjects=[f"agent={study.agent}"]).matches
            )
        if not right:
            missed.append((number, kind, consistent, plain.summary()))
    assert missed == []
