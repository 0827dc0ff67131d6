"""The run that is led by coverage; without atheris it says what is missing."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def guided(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fuzz", "guided", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300)


@pytest.mark.skipif(importlib.util.find_spec("atheris") is not None, reason="atheris is installed")
def test_without_atheris_the_remedy_is_named() -> None:
    result = guided("--seconds", "1")
    assert result.returncode == 2
    assert result.stderr == "fuzz guided: needs atheris, which is not installed: pip install atheris\n"


def test_guided_inputs_go_on_from_those_that_reach_new_code() -> None:
    pytest.importorskip("atheris", reason="not in the lock: there are no wheels for all machines")
    result = guided("--seconds", "3", "--only", "domain")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "domain: guided" in result.stdout
    assert "0 findings" in result.stdout.splitlines()[-1]
