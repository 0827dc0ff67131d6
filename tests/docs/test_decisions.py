"""Decisions are found by the question that a reader has."""

from __future__ import annotations

import re
from pathlib import Path


def test_every_decision_is_listed_under_a_question(root: Path) -> None:
    folder = root / "docs" / "decisions"
    by_question = (folder / "README.md").read_text(encoding="utf-8").partition("## All notes")[0]
    asked = re.findall(r"^\| [^|]+\? \| \[\d+\]\((\d{4}-[\w-]+\.md)\) \|$", by_question, re.MULTILINE)
    assert sorted(asked) == sorted(path.name for path in folder.glob("0*.md"))
