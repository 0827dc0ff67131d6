from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.init import init
from assay.core import get_track


def test_init_names_the_check_as_the_next_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(init, ["formula", "my-study"], catch_exceptions=False)
    assert "assay check my-study/subject.py --track formula\n" in result.output
    assert result.output.endswith("Try it: assay run my-study/run.toml\n")
    result = CliRunner().invoke(init, ["formula", "my study ä"], catch_exceptions=False)
    assert "assay check 'my study ä/subject.py' --track formula\n" in result.output
    assert result.output.endswith("Try it: assay run 'my study ä/run.toml'\n")
    contract = get_track("formula").contract
    assert contract is not None
    assert contract.comment() in Path("my-study", "subject.py").read_text()
