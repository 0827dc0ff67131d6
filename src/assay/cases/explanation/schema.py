"""JSON schemas (draft 2020-12) of what explanations export."""

from __future__ import annotations

import json
from pathlib import Path

from assay.core import Json

__all__ = ["explanation_schema", "records_schema"]

_FILE = Path(__file__).with_name("schemas.json")


def explanation_schema() -> dict[str, Json]:
    """The schema of ``Explanation.to_dict()``."""
    return _schema("explanation")


def records_schema() -> dict[str, Json]:
    """The schema of ``ExplanationBatch.to_records()`` and of ``assay cases explain --json``."""
    return _schema("records")


def _schema(name: str) -> dict[str, Json]:
    schema: dict[str, Json] = json.loads(_FILE.read_text(encoding="utf-8"))[name]
    return schema
