"""What users call is described in numpy style: parameters, what comes back, and an example that runs."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from typing import Any, Protocol

import pytest

PACKAGES = ("assay.cases", "assay.conformal", "assay.testing")
TYPES = (
    *("Budget", "Interval", "Problem", "Record", "Subject", "Track"),
    *("AssayError", "InfrastructureFailed", "InvalidInput", "MissingExtra", "SubjectFailed", "UnknownName"),
)


def public(package: str) -> list[tuple[str, Any]]:
    module = importlib.import_module(package)
    found = [(name, getattr(module, name)) for name in module.__all__]
    return [(f"{package}.{name}", thing) for name, thing in found if inspect.isclass(thing) or inspect.isroutine(thing)]


DESCRIBED = dict(entry for package in PACKAGES for entry in public(package))
DESCRIBED |= {f"assay.core.{name}": getattr(importlib.import_module("assay.core"), name) for name in TYPES}


def sections(text: str) -> dict[str, str]:
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", text, flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def parameters(thing: Any) -> set[str]:
    """What a caller passes; what a class has by inheritance from Exception is not asked for."""
    if inspect.isclass(thing):
        if (issubclass(thing, BaseException) and "__init__" not in vars(thing)) or Protocol in thing.__mro__:
            return set()
        if dataclasses.is_dataclass(thing):
            return {entry.name for entry in dataclasses.fields(thing) if entry.init}
        if hasattr(thing, "_fields"):
            return set(thing._fields)
    return set(inspect.signature(thing).parameters)


@pytest.mark.parametrize("name", DESCRIBED)
def test_a_docstring_has_its_sections(name: str) -> None:
    thing = DESCRIBED[name]
    text = inspect.getdoc(thing) or ""
    said = sections(text)
    first = said[""].partition("\n")[0]
    assert first.endswith((".", "!")) or ";" in first, f"{name}: the first line is no sentence: {first!r}"
    told = set(re.findall(r"^(\w+(?:, \w+)*)(?: : .+)?$", said.get("Parameters", ""), re.MULTILINE))
    listed = {entry for group in told for entry in group.split(", ")}
    assert listed == parameters(thing), f"{name}: parameters {sorted(listed ^ parameters(thing))} differ"
    if inspect.isroutine(thing) and inspect.signature(thing).return_annotation not in (None, "None"):
        assert "Returns" in said, f"{name}: says nothing about what comes back"
    assert ">>> " in said.get("Examples", ""), f"{name}: has no example"
