"""The vocabularies of generated problems: the same relations in the words of several domains, read from TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

__all__ = ["DOMAINS", "FAMILIES", "Domain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """Names of tables, columns and categories, and the texts of a task, which must not tell the insights."""

    label: str
    title: str
    question: str
    row: str  # "renewal": one row of the primary table
    entity: str  # "subscriber": whom it concerns
    item: str  # "handset": what it is about
    amount: str  # number columns of the primary table
    size: str
    segment: str
    segments: tuple[str, ...]
    region: str
    regions: tuple[str, ...]
    events: str  # the frequent table, without ".csv"
    event: str
    kinds: tuple[str, ...]
    value: str
    contacts: str  # the rarer one
    contact: str
    reasons: tuple[str, ...]
    items: str
    group: str
    groups: tuple[str, ...]
    price: str
    flag: str  # targets: binary, multi-class, regression
    outcome: str
    outcomes: tuple[str, ...]
    measure: str
    # what the tables of FAMILIES do not have
    effort: str = ""  # a number of each contact
    noises: tuple[str, ...] = ()  # uninformative numbers
    surrogate: str = ""  # a number that goes along with an insight without being one
    grouping: str = ""  # the table of groups
    level: str = ""  # a number of each group
    profiles: str = ""
    since: str = ""
    channels: tuple[str, ...] = ()


def _domains(section: Mapping[str, Mapping[str, Any]]) -> dict[str, Domain]:
    return {name: Domain(**_fields(words)) for name, words in section.items()}


def _fields(words: Mapping[str, Any]) -> dict[str, Any]:
    return {field: tuple(value) if isinstance(value, list) else value for field, value in words.items()}


_WORDS = tomllib.loads(files(__package__).joinpath("domains.toml").read_text(encoding="utf-8"))
DOMAINS = _domains(_WORDS["domains"])
FAMILIES = _domains(_WORDS["families"])  # of the problems with and without times
