"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from assay.cli.main import cli
from assay.cli.shared.options import PATH, read_pairs
from assay.core import InvalidInput


def test_a_tilde_is_the_home_folder_also_behind_an_equals_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shells replace it in ``~/study`` and leave it in ``--out=~/study``."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    @click.command()
    @click.option("--out", type=PATH)
    def command(out: Path) -> None:
        click.echo(out)

    assert CliRunner().invoke(command, ["--out=~/study"]).output == f"{tmp_path}/home/study\n"
    assert CliRunner().invoke(cli, ["formula", "generate", "--out=~/problems"]).exit_code == 0
    assert any((tmp_path / "home" / "problems").iterdir())
    assert not Path("~").exists()


def test_a_pair_is_refused_where_half_of_it_is_missing_or_its_name_stands_twice() -> None:
    assert read_pairs(["a=b=c", " d = e "], "--unit", "give COL=UNIT") == {"a": "b=c", "d": "e"}
    for text in ("a", "a=", "=b", " = "):
        with pytest.raises(InvalidInput, match="--unit .*: give COL=UNIT"):
            read_pairs([text], "--unit", "give COL=UNIT")
    with pytest.raises(InvalidInput, match="--unit a=c: 'a' is given twice"):
        read_pairs(["a=b", "a=c"], "--unit", "give COL=UNIT")
