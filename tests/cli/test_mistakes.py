"""Mistakes of newcomers, written down by someone who had not read the code: each is answered, none by a traceback.

A line of the files holds what the user has (files, modes, a ``setup`` that makes problems), what they type (a command
or a script), and words that a good answer names: letter case does not count, ``|`` separates alternatives. ``before``
says how version 0.1.0 answered; those of ``own.jsonl`` were met later, by
ourselves. What would take seconds in a process of its own runs in this one.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assay.cli.main import main
from assay.core import AssayError

HERE = Path(__file__).parent / "mistakes"
SLOW = frozenset(json.loads((HERE / "slow.json").read_text()))  # several seconds each: they run subjects


class Answer(NamedTuple):
    """What the user sees, and the exit code."""

    code: int
    text: str


def _cases() -> list[Any]:
    cases = []
    for name in ("forty", "further", "own"):
        for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            mistake = json.loads(line)
            soak = [pytest.mark.soak] if mistake["id"] in SLOW else []
            cases.append(pytest.param(mistake, id=mistake["id"], marks=soak))
    return cases


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """What a setup makes; equal setups are run once."""
    folders: dict[str, Path] = {}

    def make(setup: str) -> Path:
        if setup not in folders:
            folders[setup] = tmp_path_factory.mktemp("setup")
            _set_up(setup, folders[setup])
        return folders[setup]

    return make


def _set_up(setup: str, folder: Path) -> None:
    with contextlib.chdir(folder):
        exec(compile(setup, "setup", "exec"), {})


def _prepare(mistake: dict[str, Any], folder: Path, material: Callable[[str], Path]) -> None:
    for name, text in mistake["files"].items():
        path = folder / name
        if name.endswith("/"):
            path.mkdir(parents=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    setup = mistake.get("setup", "")
    if "read_text" in setup:  # it changes what the user has
        _set_up(setup, folder)
    elif setup:
        shutil.copytree(material(setup), folder, dirs_exist_ok=True)
    for name, mode in mistake.get("modes", {}).items():
        (folder / name).chmod(int(mode, 8))


def _typed(words: list[str], capfd: pytest.CaptureFixture[str]) -> Answer:
    """A command in this process; what is no answer, but an exception, fails the test."""
    handler = signal.getsignal(signal.SIGTERM)
    capfd.readouterr()
    try:
        with pytest.raises(SystemExit) as ended:
            main(words)
    finally:
        signal.signal(signal.SIGTERM, handler)
    return Answer(int(ended.value.code or 0), "\n".join(capfd.readouterr()))


def _scripted(script: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> Answer:
    """A script in this process; only an error of Assay's own is an answer."""
    path = folder / "mine.py"
    path.write_text(script, encoding="utf-8")
    capfd.readouterr()
    try:
        runpy.run_path(str(path), run_name="__main__")
    except AssayError as error:
        return Answer(1, f"{error}\n{''.join(capfd.readouterr())}")
    return Answer(0, "".join(capfd.readouterr()))


def _without_rights(mistake: dict[str, Any], folder: Path) -> Answer:
    """A command of somebody who may not read everything, as root may."""
    prefix = mistake["prefix"] if os.geteuid() == 0 else []
    command = [*prefix, sys.executable, "-m", *mistake["command"]]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert "Traceback" not in result.stderr, result.stderr
    return Answer(result.returncode, f"{result.stdout}\n{result.stderr}")


@pytest.mark.parametrize("mistake", _cases())
def test_a_mistake_gets_an_answer_that_names_it_and_the_remedy(
    mistake: dict[str, Any],
    tmp_path: Path,
    material: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    _prepare(mistake, tmp_path, material)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    if "python" in mistake:
        answer = _scripted(mistake["python"], tmp_path, capfd)
    elif "prefix" in mistake:
        answer = _without_rights(mistake, tmp_path)
    else:
        answer = _typed(mistake["command"][1:], capfd)
    if answer.code == 0 and mistake["may_also_work"]:
        return
    text = " ".join(answer.text.split())
    assert not re.search(r"Traceback \(most recent call last\)", text), text
    missing = [
        words
        for words in mistake["a_good_answer_names"]
        if not any(word.lower() in text.lower() for word in words.split("|"))
    ]
    assert not missing, f"the answer does not name {missing}: {text[-2000:]}"
    assert answer.code in (1, 2) or "failed" in text, (answer.code, text[-800:])
