"""Subjects written by someone who has not read the confinement: none learns or distorts anything."""

from __future__ import annotations

import os

import pytest
from tests.harness.attacks.battle import Report
from tests.harness.attacks.start import Unable, start

LEAST = 140


def _demand_no_breach(report: Report) -> None:
    assert not report.findings, f"{len(report.findings)} findings:\n" + "\n".join(report.findings)
    assert report.attempts >= LEAST


@pytest.mark.soak
def test_no_attempt_learns_or_distorts_anything() -> None:
    _demand_no_breach(start())


@pytest.mark.soak
@pytest.mark.skipif(os.getuid() != 0, reason="only root can start processes of another user")
def test_no_attempt_of_an_ordinary_user_learns_or_distorts_anything() -> None:
    try:
        _demand_no_breach(start(user=1234))
    except Unable as reason:
        pytest.skip(str(reason))
