"""What generated documents are made of, read from ``texts.toml``: departments, synonyms, sentences to be filled in."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["Texts", "read_texts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The lists of ``texts.toml``, under their names there."""

    departments: tuple[str, ...]
    announcements: tuple[str, ...]
    reasons: tuple[str, ...]
    withdrawn: tuple[str, ...]
    no_change: tuple[str, ...]
    fillers: tuple[str, ...]
    closings: tuple[str, ...]
    titles: tuple[str, ...]
    vague_titles: tuple[str, ...]
    irrelevant: tuple[tuple[str, str], ...]
    schedules: Mapping[str, tuple[str, ...]]
    patterns: Mapping[str, tuple[str, ...]]
    synonyms: Mapping[str, tuple[str, ...]]


@cache
def read_texts() -> Texts:
    """The texts, read once per process."""
    content = tomllib.loads(files("assay.drift.generate").joinpath("texts.toml").read_text(encoding="utf-8"))
    return Texts(**{name: _frozen(value) for name, value in content.items()})


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _frozen(entry) for key, entry in value.items()}
    return tuple(_frozen(entry) for entry in value) if isinstance(value, list) else value
