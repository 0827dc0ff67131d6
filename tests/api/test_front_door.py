from __future__ import annotations

import subprocess
import sys

import pytest

import assay
from assay import api, core, report


def test_every_name_of_the_front_door_is_there_and_is_the_one_that_the_layers_have() -> None:
    for name in assay.__all__:
        value = getattr(assay, name)
        homes = [module for module in (api, core, report) if name in module.__all__]
        assert name == "__version__" or any(getattr(home, name) is value for home in homes), name
    assert {*assay.__all__, "formula", "cases"} <= set(dir(assay))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'assay' has no attribute 'runn'"):
        assay.runn  # type: ignore[attr-defined]  # noqa: B018


def test_importing_assay_imports_no_library_and_tracks_come_when_they_are_named() -> None:
    code = (
        "import sys, assay; heavy = ('numpy', 'pandas', 'click', 'rich', 'sqlite3', 'assay.core', 'assay.api');"
        "print([name for name in heavy if name in sys.modules]); print(assay.formula.TRACK.name)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split("\n")[:2] == ["[]", "formula"]
