"""Invented processes to simulate, read from ``domains.toml``: names, activities, and who carries them out."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files

from assay.core import UnknownName

__all__ = ["DOMAINS", "Domain", "get_domain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A field of work; the first and the last activity open and close every case."""

    name: str
    processes: tuple[str, ...]
    activities: tuple[str, ...]
    roles: tuple[str, ...]


def _read_domains() -> tuple[Domain, ...]:
    content = tomllib.loads(files("assay.drift.generate").joinpath("domains.toml").read_text(encoding="utf-8"))
    lists = ("processes", "activities", "roles")
    return tuple(Domain(name=one["name"], **{key: tuple(one[key]) for key in lists}) for one in content["domains"])


DOMAINS = _read_domains()


def get_domain(name: str) -> Domain:
    """The domain of this name."""
    for domain in DOMAINS:
        if domain.name == name:
            return domain
    raise UnknownName("domain", name, [domain.name for domain in DOMAINS])
