from __future__ import annotations

from pathlib import Path

import pytest

from assay.core.files.near import near_path


def test_a_mistyped_path_gets_the_nearest_that_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "studies" / "problems" / "p1").mkdir(parents=True)
    (tmp_path / "agent.py").write_text("")
    assert near_path(Path("agnt.py")) == " Did you mean 'agent.py'?"
    assert near_path(Path("Agent.py")) == " Did you mean 'agent.py'?"
    assert near_path(Path("studies/problms")) == " Did you mean 'studies/problems/'?"
    assert near_path(Path("studies/problms/p1")) == " Did you mean 'studies/problems/p1/'?"
    assert near_path(Path("studies/problms/p7")) == " Did you mean 'studies/problems/'?"
    assert near_path(tmp_path / "study") == f" Did you mean '{tmp_path}/studies/'?"


@pytest.mark.parametrize("text", ["nothing like it", "x" * 5000, "zero\0byte", "/", "."])
def test_where_nothing_is_near_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "problems").mkdir()
    assert near_path(Path(text)) == ""
