"""The GitHub Action and the image: their steps run here, and their files are linted where the linters are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return content


def step(action: dict[str, Any], name: str) -> str:
    return str(next(entry["run"] for entry in action["runs"]["steps"] if entry.get("id") == name))


def bash(text: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A step as the service runs it."""
    (folder / "bin").mkdir(exist_ok=True)
    command = folder / "bin" / "assay"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m assay "$@"\n')
    command.chmod(0o755)
    entries = {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "HOME": str(folder),
        "RUNNER_TEMP": str(folder),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        **environment,
    }
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
    return subprocess.run(words, cwd=folder, env=entries, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.soak
def test_the_action_runs_gates_tells_and_keeps(action: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "my answers").mkdir()
    (tmp_path / "my answers" / "exact-3.json").write_text('{"models": ["h"]}')
    words = ["formula", "--problems", "exact-3", "--subject", "mine=my answers", "--fail-under", "0.5", ""]
    ended = bash(step(action, "run"), tmp_path, ARGUMENTS="\n".join(words), OUT="results")
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "output").read_text() == "exit-code=1\n"
    summary = (tmp_path / "summary.md").read_text()
    assert "mine" in summary
    assert "property_score" in summary
    assert (tmp_path / "assay-results.zip").stat().st_size > 1000
    assert bash(step(action, "gate"), tmp_path, CODE="1").returncode == 1
    assert bash(step(action, "gate"), tmp_path, CODE="0").returncode == 0


def test_what_the_user_writes_is_not_run_by_the_shell(action: dict[str, Any], tmp_path: Path) -> None:
    words = "formula\n--problems\n$(touch stolen)`touch stolen`\n--subject\nlinear; touch stolen"
    ended = bash(step(action, "run"), tmp_path, ARGUMENTS=words, OUT="results")
    assert ended.returncode == 0
    assert (tmp_path / "output").read_text() == "exit-code=2\n"
    assert not (tmp_path / "stolen").exists()
    for entry in action["runs"]["steps"]:
        assert "${{" not in entry.get("run", "")  # values reach scripts as variables alone


def linter(name: str) -> str:
    result = shutil.which(name, path=f"{BIN}:{os.environ['PATH']}")
    if result is None:
        pytest.skip(f"{name} is not installed: `make connections` runs it")
    return result


def test_hadolint_has_no_complaint() -> None:
    ended = subprocess.run([linter("hadolint"), str(ROOT / "Dockerfile")], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "")


def test_action_and_workflows_follow_the_schema() -> None:
    check = linter("check-jsonschema")
    workflows = sorted(map(str, (ROOT / ".github" / "workflows").glob("*.yml")))
    for schema, files in {"github-actions": [str(ROOT / "action.yml")], "github-workflows": workflows}.items():
        ended = subprocess.run(
            [check, "--builtin-schema", f"vendor.{schema}", *files], capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stdout


def test_shellcheck_has_no_complaint(action: dict[str, Any], tmp_path: Path) -> None:
    check = linter("shellcheck")
    for entry in action["runs"]["steps"]:
        if "run" in entry:
            script = tmp_path / f"{entry['id']}.sh"
            script.write_text(f"#!/bin/bash\n{entry['run']}")
            ended = subprocess.run([check, str(script)], capture_output=True, text=True, check=False)
            assert ended.returncode == 0, ended.stdout


def test_the_image_runs_as_another_user_and_asks_the_doctor() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    assert "USER 10001" in lines
    assert lines.index("USER 10001") > max(number for number, line in enumerate(lines) if line.startswith("RUN"))
    assert any("HEALTHCHECK" in line and '"assay", "doctor"' in line for line in lines)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    copied = [word for line in lines if line.startswith("COPY") for word in line.split()[1:-1]]
    assert ignored[0] == "*"
    assert {f"!{word}" for word in copied} <= set(ignored)
    assert all((ROOT / word).exists() for word in copied)
