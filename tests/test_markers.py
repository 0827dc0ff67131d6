from __future__ import annotations

import pkgutil
import subprocess
import sys

import pytest
from tests.markers import STARTERS

NAMES = {"process", "ray", "browser", "golden", "docs", "fuzz"}


@pytest.mark.parametrize("name", sorted(STARTERS))
def test_what_starts_processes_exists_under_its_name(name: str) -> None:
    assert pkgutil.resolve_name(name)


def _helper() -> int:
    return subprocess.run([sys.executable, "-c", ""], check=False).returncode


@pytest.fixture
def started() -> int:
    return _helper()


def test_a_test_that_starts_a_process_is_marked_however_far_away_it_does(
    started: int, request: pytest.FixtureRequest
) -> None:
    assert started == 0
    assert "process" in request.node.keywords


def test_a_test_that_starts_none_is_not_marked(request: pytest.FixtureRequest) -> None:
    assert not NAMES & set(request.node.keywords)
