"""Everything that users call says in numpy style what it takes, what it gives, and how it is used."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import pytest

TRACKS = ("cases", "conformal", "drift", "formula", "insight")
PACKAGES = ["assay", "assay.testing", *(f"assay.{track}{room}" for track in TRACKS for room in ("", ".metrics"))]
PACKAGES += ["assay.conformal.regions", "assay.insight.features"]
MINUTES = {"check_runner", "check_sandbox"}  # their examples are shown and not run

_OF_ERRORS = (Exception.__init__, ValueError.__init__, AssertionError.__init__)
_SECTION = re.compile(r"^(?P<title>[A-Z][a-z]+)\n-{3,}\n", re.MULTILINE)
_PARAMETER = re.compile(r"^\*{0,2}(?P<names>\w+(?:, \w+)*)(?: : \S.*)?$", re.MULTILINE)


def public() -> Iterator[Any]:
    """Functions and classes in ``__all__``, each once."""
    seen = set()
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            found = getattr(module, name)
            if (inspect.isclass(found) or inspect.isfunction(found)) and found not in seen:
                seen.add(found)
                yield pytest.param(found, id=f"{package}.{name}")


def sections(docstring: str) -> dict[str, str]:
    """The titled parts of a docstring; what stands before them is under an empty title."""
    first, *rest = _SECTION.split(inspect.cleandoc(docstring))
    return {"": first, **dict(zip(rest[::2], rest[1::2], strict=True))}


def taken_by(found: Callable[..., object]) -> list[str]:
    """What a caller passes: nothing to a protocol, and nothing of its own to an error without a constructor."""
    if inspect.isclass(found) and (Protocol in found.__mro__ or found.__init__ in _OF_ERRORS):
        return []
    return [name for name in inspect.signature(found).parameters if not name.startswith("_")]


def faults(found: Callable[..., object]) -> list[str]:
    """What the docstring of a function or class lacks."""
    parts = sections(found.__doc__ or "")
    is_class = inspect.isclass(found)
    title = "Attributes" if is_class and "Attributes" in parts else "Parameters"
    described = [name for names in _PARAMETER.findall(parts.get(title, "")) for name in names.split(", ")]
    taken = taken_by(found)
    lacking = []
    if len(parts[""].split("\n\n")[0].strip().splitlines()) != 1:
        lacking.append("does not begin with one line")
    if (sorted(described) != sorted(taken)) if is_class else (described != taken):  # fields may be told in groups
        lacking.append(f"{title} are {described}, the signature has {taken}")
    returns = not is_class and inspect.signature(found).return_annotation not in (None, "None")
    if not is_class and returns is not ("Returns" in parts):
        lacking.append("Returns" if returns else "Returns, though it returns nothing")
    examples = doctest.DocTestParser().get_examples(parts.get("Examples", ""))
    runs = [example for example in examples if not example.options.get(doctest.SKIP)]
    if not (examples if found.__name__ in MINUTES else runs):
        lacking.append("Examples that run")
    return lacking


@pytest.mark.parametrize("found", [*public()])
def test_the_docstring_has_parameters_returns_and_examples(found: Callable[..., object]) -> None:
    assert not faults(found)


@pytest.mark.parametrize("track", TRACKS)
def test_a_track_shows_about_twenty_five_names(track: str) -> None:
    module = importlib.import_module(f"assay.{track}")
    assert 20 <= len(module.__all__) <= 30
    assert "TRACK" in module.__all__
    plumbing = {"encode", "decode", "examine", "builtin", "oracle", "describe", "hand_over"}
    assert not plumbing & set(module.__all__)


def test_what_is_missing_in_a_docstring_is_named() -> None:
    def half(first: int, second: int) -> int:
        """Half of it.

        Parameters
        ----------
        first : int
            One.

        Examples
        --------
        >>> half(1, 2)  # doctest: +SKIP
        """
        return first

    assert faults(half) == [
        "Parameters are ['first'], the signature has ['first', 'second']",
        "Returns",
        "Examples that run",
    ]


def test_no_room_takes_the_name_of_a_function() -> None:
    code = """
import importlib, importlib.util, types
for name in ("cases", "conformal", "drift", "formula", "insight"):
    package = importlib.import_module(f"assay.{name}")
    for public in package.__all__:
        if importlib.util.find_spec(f"assay.{name}.{public}") is not None:
            importlib.import_module(f"assay.{name}.{public}")
            if isinstance(getattr(package, public), types.ModuleType):
                print(name, public)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not done.stdout
