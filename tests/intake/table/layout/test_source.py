"""Encodings are found, and UTF-8 is never taken for anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.intake.table.layout.source import read_source
from assay.intake.table.options import TableOptions


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "größe,ž,中"),
        ("utf-8-sig", "größe,ž"),
        ("utf-16", "größe,ž"),
        ("utf-16-le", "groesse,x\n1,2\n"),
        ("cp1252", "größe,“quoted” €"),
        ("latin-1", "größe,m²"),
        ("utf-8", "plain"),
    ],
)
def test_the_encoding_is_found(tmp_path: Path, encoding: str, text: str) -> None:
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    result = read_source(tmp_path / "t.csv", TableOptions())
    assert (result.text, result.encoding) == (text, encoding)
    assert bool(result.note) == (encoding in ("cp1252", "latin-1", "utf-16-le"))
